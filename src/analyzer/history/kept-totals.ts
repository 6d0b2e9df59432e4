import type { DayTotals } from './day-summary.ts';
import type { StoredSeries } from './series-table.ts';
import type { Store } from './store.ts';

/**
 * What several series add up to on days that are over. It is computed from all their samples, so a chart of a vendor license would
 * read weeks of samples of each feature at each refresh, for the sake of today.
 */

/** Sets of series whose totals are kept: as many as vendor licenses of a large site. A year of one takes about 50 kB. */
const MOST_SETS = 64;

interface KeptDay {
  /** Of the store when it was read. */
  readonly revision: number;
  /** `undefined` for a day without data. */
  readonly totals: DayTotals | undefined;
}

/** The days of each set of series, by the keys of its series; the one that was used last is last. */
const keptOfStore = new WeakMap<Store, Map<string, Map<number, KeptDay>>>();

function daysOf(store: Store, series: readonly StoredSeries[]): Map<number, KeptDay> {
  const sets = keptOfStore.get(store) ?? new Map<string, Map<number, KeptDay>>();
  keptOfStore.set(store, sets);
  const key = series.map(({ id }) => id).join();
  const days = sets.get(key) ?? new Map<number, KeptDay>();
  sets.delete(key);
  sets.set(key, days);
  const [oldest] = sets.keys();
  if (sets.size > MOST_SETS && oldest !== undefined) sets.delete(oldest);
  return days;
}

/**
 * The totals of a day of these series.
 *
 * @param isOver whether the day is sealed, so that nothing is recorded of it any more
 * @param compute reads the samples; what is rewritten meanwhile is not kept
 */
export async function totalsOnce(
  store: Store,
  series: readonly StoredSeries[],
  { day, isOver }: { readonly day: number; readonly isOver: boolean },
  compute: () => Promise<DayTotals | undefined>,
): Promise<DayTotals | undefined> {
  if (!isOver) return compute();
  const days = daysOf(store, series);
  const revision = store.revisionOf(day);
  const known = days.get(day);
  if (known?.revision === revision) return known.totals;
  const totals = await compute();
  if (store.revisionOf(day) === revision) days.set(day, { revision, totals });
  return totals;
}
