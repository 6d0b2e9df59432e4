import { serialize } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import type { PoolObservation } from '../../../base/model/observation/observation.ts';
import { SourceFailure } from '../../../base/model/observation/source-failure.ts';
import { managerCodes } from '../manager-codes.ts';
import type { ReadAnswer, ReadElsewhere, ReadFailure, ReadQuestion } from './reading-thread.ts';

/** The thread that reads large outputs. */

/** Checkouts that the main thread takes over at once. */
const CHECKOUTS_A_PART = 500;

function partsOf(pools: readonly PoolObservation[]): Uint8Array[] {
  const parts: Uint8Array[] = [];
  let part: PoolObservation[] = [];
  let checkouts = 0;
  for (const pool of pools) {
    part.push(pool);
    checkouts += pool.checkouts.length + 1;
    if (checkouts < CHECKOUTS_A_PART) continue;
    parts.push(serialize(part));
    part = [];
    checkouts = 0;
  }
  return [...parts, serialize(part)];
}

function read({ manager, input }: ReadQuestion): ReadElsewhere | { readonly failure: ReadFailure } {
  try {
    const { diagnostics, vendorLicenses, ...parsed } = managerCodes[manager].read(input);
    const { unparsed, masks, contradictions } = diagnostics;
    return {
      parsed: {
        ...parsed,
        // a class with getters loses them on the way
        diagnostics: { unparsed, masks: [...masks], contradictions },
        vendorLicenses: vendorLicenses.map((one) => ({ ...one, pools: [] })),
      },
      pools: vendorLicenses.map(({ pools }) => partsOf(pools)),
    };
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error;
    const { kind, message, members } = error;
    return { failure: { kind, message, members } };
  }
}

parentPort?.on('message', (question: ReadQuestion) => {
  parentPort?.postMessage({ id: question.id, answer: read(question) } satisfies ReadAnswer);
});
