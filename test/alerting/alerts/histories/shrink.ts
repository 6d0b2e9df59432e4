import type { History } from './history.ts';
import { type Observed, observe } from './observe.ts';
import { type Fault, faultsIn } from './oracle.ts';
import type { Rules } from './promtool.ts';
import { describeFault } from './story.ts';

/** Histories with one part less. */
function smaller(history: History): readonly History[] {
  const { episodes, polling } = history;
  const variants: History[] = episodes.map((_, i) => ({ ...history, episodes: episodes.toSpliced(i, 1) }));
  for (const [i, episode] of episodes.entries()) {
    if (episode.on === episode.period) continue;
    variants.push({ ...history, episodes: episodes.with(i, { ...episode, on: episode.period }) });
  }
  if (history.replicas.some(({ slow }) => slow > 0)) {
    variants.push({ ...history, replicas: history.replicas.map((replica) => ({ ...replica, slow: 0 })) });
  }
  if (history.replicas.length > 1 && history.replicas[0]?.to === history.replicas.at(-1)?.to) {
    variants.push({ ...history, replicas: history.replicas.slice(0, 1) });
  }
  if (polling.features > 1) variants.push({ ...history, polling: { ...polling, features: 1 } });
  if (polling.expirations !== 0) variants.push({ ...history, polling: { ...polling, expirations: 0 } });
  if (polling.history > 0) variants.push({ ...history, polling: { ...polling, history: 0 } });
  return variants;
}

/** Histories in one run of promtool, which limits how many samples it loads. */
const BATCH = 12;

const nameOf = ({ alert }: Pick<Fault, 'alert'>): string => alert.split('|', 1)[0] ?? '';

/** The smallest history found with a fault of the same kind. */
export async function shrink(fault: Fault, rules: Rules): Promise<string> {
  const { seed } = fault.history;
  // names of analyzers that no other history has
  const variants = smaller(fault.history).map((history, i) => ({ ...history, seed: seed * 1000 + i }));
  const isSame = ({ kind, by, ...other }: Fault): boolean =>
    kind === fault.kind && by === fault.by && nameOf(other) === nameOf(fault);
  for (let i = 0; i < variants.length; i += BATCH) {
    for (const each of await observe(variants.slice(i, i + BATCH), rules)) {
      const found = faultsIn(each).find(isSame);
      if (found !== undefined) return shrink({ ...found, history: { ...found.history, seed } }, rules);
    }
  }
  const observed = await observe([{ ...fault.history, seed }], rules);
  // the fault was found under the name of a variant
  const alert = fault.alert.replace(/analyzer-\d+/, `analyzer-${seed}`);
  return describeFault({ ...fault, alert }, observed[0] as Observed);
}
