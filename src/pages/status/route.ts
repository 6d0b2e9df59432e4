import type { Inventory } from '../../inventory/inventory.ts';
import { recordingProblem } from '../../model/observation/recording.ts';
import { readAttention } from '../alert-list.ts';
import { readDenied } from '../denied.ts';
import type { StatusInputs } from '../inputs.ts';
import { attempt } from '../known.ts';
import { findFeatures, wordsOf } from '../search.ts';
import { figuresOf } from '../site-figures.ts';
import type { StatusPageData } from './markup.ts';

/** Reads what the page at `/` shows. */

export async function readStatus(
  inputs: StatusInputs,
  inventory: Inventory,
  filter: string,
  signal: AbortSignal,
): Promise<Omit<StatusPageData, 'interfaces'>> {
  const { backend, analyzer, alerts, sources, recording } = inputs;
  const owners = backend.owners();
  const words = wordsOf(filter);
  const found = words.length === 0 ? undefined : await findFeatures(inventory, words, undefined, owners);
  return {
    inventory,
    figures: await figuresOf(inventory),
    analyzer,
    owners,
    sources,
    notRecorded: recording && recordingProblem(recording, backend.now()),
    denied: await readDenied(inputs, inventory),
    attention: await attempt(() => readAttention(inputs, signal)),
    alerts,
    filter,
    words,
    found,
  };
}
