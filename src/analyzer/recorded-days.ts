import type { LocalTime } from '../model/local-time.ts';
import { createDaySummary, type DayRecord, type DayTotals, type SummariseDay, totalsOf } from './day-summary.ts';
import type { HistoryWindow } from './history-charts.ts';
import type { HourSummary } from './hour-summary.ts';
import { filter } from './parameter-filter.ts';
import type { StoredSeries } from './series-table.ts';
import type { Store } from './store.ts';

/**
 * Recorded data of series, day by day. Generators yield `undefined` between steps, so that other work can run.
 */

/** What is recorded, and the moment up to which it counts. */
export interface Recorded {
  readonly store: Store;
  readonly localTime: LocalTime;
  /** Epoch seconds. */
  readonly now: number;
  /** Aborted when the client has disconnected. */
  readonly signal?: AbortSignal;
}

/** Whose history; `%` stands for any run of characters, an empty package or type for all of them. */
export interface HistorySelector {
  readonly product: string;
  readonly feature: string;
  readonly package?: string;
  readonly featureType?: string;
}

/** The series of a history request. */
export function selectSeries({ store }: Recorded, selector: HistorySelector): readonly StoredSeries[] {
  const isProduct = filter(selector.product);
  const isFeature = filter(selector.feature);
  const isPackage = filter(selector.package || undefined);
  const isType = filter(selector.featureType || undefined);
  return store
    .series()
    .filter(
      (series) =>
        isProduct(series.vendorLicense) &&
        isFeature(series.feature) &&
        isPackage(series.package) &&
        isType(series.featureType),
    );
}

export interface Day<T> {
  readonly day: number;
  readonly value: T;
}

export type DayHours = Day<readonly HourSummary[]>;

/** Days from one to before the other. */
interface DayRange {
  readonly from: number;
  readonly to: number;
}

/** Hours of a day, of the unfinished one up to now. */
function createSummary({ localTime, now }: Recorded): (records: readonly DayRecord[], day: number) => HourSummary[] {
  const summarise: SummariseDay = createDaySummary();
  return (records, day) => {
    const end = Math.min(localTime.startOf(day + 1), Math.max(now, localTime.startOf(day)));
    return summarise(records, { hours: localTime.hoursOf(day), end });
  };
}

/** Days of one series that are not sealed yet. */
function* openDays(recorded: Recorded, series: StoredSeries, { from, to }: DayRange): Generator<DayHours> {
  const { store, localTime, now } = recorded;
  const summarise = createSummary(recorded);
  for (let day = Math.max(from, store.sealedUntil()); day < Math.min(to, localTime.dayOf(now) + 1); day += 1) {
    const record = store.read(series, day);
    if (record !== undefined) yield { day, value: summarise([record], day) };
  }
}

/** The hours of each day with data. One series is read as it was sealed; several are added up from their samples. */
function* hoursOf(
  recorded: Recorded,
  series: readonly StoredSeries[],
  range: DayRange,
): Generator<DayHours | undefined, void> {
  const { store } = recorded;
  const [only] = series;
  const extent = store.days(series);
  if (only === undefined || extent === undefined) return;
  const from = Math.max(range.from, extent.first);
  const to = Math.min(range.to, extent.last + 1);
  if (series.length === 1) {
    const sealed = store.sealedHours(only, from, to).map(({ day, hours }) => ({ day, value: hours }));
    // both at once: a day that is sealed while others run must not be lost
    yield* [...sealed, ...openDays(recorded, only, { from, to })];
    return;
  }
  const summarise = createSummary(recorded);
  for (let day = from; day < to; day += 1) {
    const records: DayRecord[] = [];
    for (const one of series) {
      const record = store.read(one, day);
      if (record !== undefined) records.push(record);
      yield undefined;
    }
    if (records.length > 0) yield { day, value: summarise(records, day) };
  }
}

/** The totals of each day with data. */
export function* totalsOfDays(
  recorded: Recorded,
  series: readonly StoredSeries[],
): Generator<Day<DayTotals> | undefined, void> {
  const [only] = series;
  const everyDay = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
  if (only === undefined || series.length > 1) {
    for (const day of hoursOf(recorded, series, everyDay)) yield day && { day: day.day, value: totalsOf(day.value) };
    return;
  }
  const sealed = recorded.store.sealedTotals(only).map(({ day, ...value }) => ({ day, value }));
  const extent = recorded.store.days(series) ?? { first: 0, last: -1 };
  const open = [...openDays(recorded, only, { from: extent.first, to: extent.last + 1 })];
  yield* [...sealed, ...open.map(({ day, value }) => ({ day, value: totalsOf(value) }))];
}

/** The hours of each day that lie in a window. An hour belongs to the window in which it begins. */
export function* hoursInWindow(
  recorded: Recorded,
  series: readonly StoredSeries[],
  { from, to }: HistoryWindow,
): Generator<DayHours | undefined, void> {
  const { localTime, now } = recorded;
  const last = Math.min(to - 1, now);
  if (last < from) return;
  const clip = ({ day, value }: DayHours): DayHours => {
    if (localTime.startOf(day) >= from && localTime.startOf(day + 1) <= to) return { day, value };
    const frame = localTime.hoursOf(day);
    const isInside = ({ index }: HourSummary): boolean => {
      const start = frame[index]?.start ?? Number.NaN;
      return start >= from && start < to;
    };
    return { day, value: value.filter(isInside) };
  };
  const range = { from: localTime.dayOf(from), to: localTime.dayOf(last) + 1 };
  for (const day of hoursOf(recorded, series, range)) yield day && clip(day);
}
