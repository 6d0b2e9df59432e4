import { type Allow, compareHistories, type Difference, differencesIn } from './compare.ts';
import type { History } from './history.ts';
import type { Rules } from './promtool.ts';

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

/** The smallest history found in which a difference of the same alert and path remains. */
export async function shrink(difference: Difference, rules: Rules, allow: Allow): Promise<Difference> {
  const { seed } = difference.history;
  // names of analyzers that no other history has
  const variants = smaller(difference.history).map((history, i) => ({ ...history, seed: seed * 1000 + i }));
  const { disagreements } = await compareHistories(variants, rules);
  const found = disagreements
    .flatMap((disagreement) => differencesIn(disagreement, allow))
    .find(({ alert, only }) => alert === difference.alert && only === difference.only);
  if (found === undefined) return difference;
  return shrink({ ...found, history: { ...found.history, seed } }, rules, allow);
}
