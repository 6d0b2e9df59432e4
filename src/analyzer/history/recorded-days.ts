import type { LocalTime } from '../../base/model/local-time.ts';
import { createPattern } from '../../base/model/wildcard.ts';
import { runSliced, untilAborted } from '../../base/scheduling/slices.ts';
import { createDaySummary, type DayRecord, type DayTotals, type SummariseDay, totalsOf } from './day-summary.ts';
import type { HourSummary } from './hour-summary.ts';
import { totalsOnce } from './kept-totals.ts';
import type { StoredSeries } from './series-table.ts';
import type { Store } from './store.ts';

/** Recorded data of series, day by day, in slices. */

/** The parameters of a request that are given, by name. */
export type Parameters = Readonly<Record<string, string>>;

/** Matches every value when the parameter is not given. */
export function filter(pattern: string | undefined, ignoreCase = false): (value: string) => boolean {
  return pattern === undefined ? () => true : createPattern(pattern, { ignoreCase });
}

function* steps<T>(items: Iterable<T>, visit: (item: T) => void): Generator<void, void> {
  for (const item of items) {
    visit(item);
    yield;
  }
}

/**
 * Calls back for each row of a table, in slices: other work on the thread waits for one slice at most.
 *
 * @param signal cancels it at the next row, with its reason
 * @param sliceMilliseconds a longer slice, where the answer itself is waited for
 */
export const eachSliced = <T>(
  items: Iterable<T>,
  visit: (item: T) => void,
  signal?: AbortSignal,
  sliceMilliseconds?: number,
): Promise<void> => runSliced(untilAborted(steps(items, visit), signal), sliceMilliseconds);

/** Length of a slice of work, milliseconds. */
const SLICE_MS = 10;

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

/** A span of time, from the first second to before the other, epoch seconds. */
export interface HistoryWindow {
  readonly from: number;
  readonly to: number;
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

/** What belongs to one local day, counted from 1970-01-01. */
export interface Day<T> {
  readonly day: number;
  readonly value: T;
}

type DayHours = Day<readonly HourSummary[]>;

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
function openDays(recorded: Recorded, series: StoredSeries, { from, to }: DayRange): DayHours[] {
  const { store, localTime, now } = recorded;
  const summarise = createSummary(recorded);
  const days: DayHours[] = [];
  for (let day = Math.max(from, store.sealedUntil()); day < Math.min(to, localTime.dayOf(now) + 1); day += 1) {
    const record = store.read(series, day);
    if (record !== undefined) days.push({ day, value: summarise([record], day) });
  }
  return days;
}

/** The hours of each day with data. One series is read as it was sealed; several are added up from their samples. */
async function eachDay(
  recorded: Recorded,
  series: readonly StoredSeries[],
  range: DayRange,
  visit: (day: DayHours) => void,
): Promise<void> {
  const { store, signal } = recorded;
  const [only] = series;
  const extent = store.days(series);
  if (only === undefined || extent === undefined) return;
  const from = Math.max(range.from, extent.first);
  const to = Math.min(range.to, extent.last + 1);
  if (series.length === 1) {
    const sealed = store.sealedHours(only, from, to).map(({ day, hours }) => ({ day, value: hours }));
    // both at once: a day that is sealed while others run must not be lost
    await eachSliced([...sealed, ...openDays(recorded, only, { from, to })], visit, signal, SLICE_MS);
    return;
  }
  const summarise = createSummary(recorded);
  for (let day = from; day < to; day += 1) {
    const records = await recordsOf(recorded, series, day);
    if (records.length > 0) visit({ day, value: summarise(records, day) });
  }
}

/** What there is of a day of several series. */
async function recordsOf(
  { store, signal }: Recorded,
  series: readonly StoredSeries[],
  day: number,
): Promise<readonly DayRecord[]> {
  const records: DayRecord[] = [];
  const read = (one: StoredSeries): void => {
    const record = store.read(one, day);
    if (record !== undefined) records.push(record);
  };
  await eachSliced(series, read, signal, SLICE_MS);
  return records;
}

/** The totals of each day with data of several series. Those of days that are over are computed once. */
async function totalsOfSum(recorded: Recorded, series: readonly StoredSeries[]): Promise<readonly Day<DayTotals>[]> {
  const { store, localTime, now } = recorded;
  const days: Day<DayTotals>[] = [];
  const { first, last } = store.days(series) ?? { first: 0, last: -1 };
  const summarise = createSummary(recorded);
  for (let day = first; day <= last; day += 1) {
    const isOver = day < store.sealedUntil() && localTime.startOf(day + 1) <= now;
    const value = await totalsOnce(store, series, { day, isOver }, async () => {
      const records = await recordsOf(recorded, series, day);
      return records.length === 0 ? undefined : totalsOf(summarise(records, day));
    });
    if (value !== undefined) days.push({ day, value });
  }
  return days;
}

/** The totals of each day with data. */
export async function totalsOfDays(
  recorded: Recorded,
  series: readonly StoredSeries[],
): Promise<readonly Day<DayTotals>[]> {
  const [only] = series;
  if (only === undefined || series.length > 1) return totalsOfSum(recorded, series);
  const sealed = recorded.store.sealedTotals(only).map(({ day, ...value }) => ({ day, value }));
  const extent = recorded.store.days(series) ?? { first: 0, last: -1 };
  const open = openDays(recorded, only, { from: extent.first, to: extent.last + 1 });
  return [...sealed, ...open.map(({ day, value }) => ({ day, value: totalsOf(value) }))];
}

/** Calls back for each hour with data of a window. An hour belongs to the window in which it begins. */
export async function eachHourIn(
  { from, to }: HistoryWindow,
  recorded: Recorded,
  series: readonly StoredSeries[],
  visit: (hour: HourSummary, day: number) => void,
): Promise<void> {
  const { localTime, now } = recorded;
  const last = Math.min(to - 1, now);
  if (last < from) return;
  const range = { from: localTime.dayOf(from), to: localTime.dayOf(last) + 1 };
  await eachDay(recorded, series, range, ({ day, value }) => {
    const frame = localTime.hoursOf(day);
    for (const hour of value) {
      const start = frame[hour.index]?.start ?? Number.NaN;
      if (start >= from && start < to) visit(hour, day);
    }
  });
}
