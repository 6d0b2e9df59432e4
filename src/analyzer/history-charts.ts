import { setImmediate } from 'node:timers/promises';
import { dateText, type LocalTime, weekdayOf } from '../model/local-time.ts';
import { createDaySummary, type DayRecord, type DayTotals, type SummariseDay, totalsOf } from './day-summary.ts';
import { type HistoryWindow, type HistoryWindowParameters, historyWindowOf } from './history-window.ts';
import type { HourSummary } from './hour-summary.ts';
import { filter } from './parameter-filter.ts';
import { highest } from './sample.ts';
import type { Store, StoredSeries } from './store.ts';

/**
 * The answers to the history endpoints (spec 4.6 to 4.9), computed from what is recorded. A gap, of time without samples or
 * of figures that are not known, is no data, never 0.
 */

/** What is recorded, and the moment up to which it counts. */
export interface Recorded {
  readonly store: Store;
  readonly localTime: LocalTime;
  /** Epoch seconds. */
  readonly now: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
}

/** Whose history; `%` stands for any run of characters, an empty package or type for all of them. */
export interface HistorySelector {
  readonly product: string;
  readonly feature: string;
  readonly package?: string;
  readonly featureType?: string;
}

/** Others get a chance to run after so long, milliseconds. */
const SLICE_MS = 10;

function select(store: Store, selector: HistorySelector): StoredSeries[] {
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

interface Day<T> {
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
function* openDays(recorded: Recorded, series: StoredSeries, { from, to }: DayRange): Generator<DayHours> {
  const { store, localTime, now } = recorded;
  const summarise = createSummary(recorded);
  for (let day = Math.max(from, store.sealedUntil()); day < Math.min(to, localTime.dayOf(now) + 1); day += 1) {
    const record = store.read(series, day);
    if (record !== undefined) yield { day, value: summarise([record], day) };
  }
}

/**
 * The hours of each day with data, some days at a time. One series is read as it was sealed; several are added up from
 * their samples.
 */
async function* hoursOf(
  recorded: Recorded,
  series: readonly StoredSeries[],
  range: DayRange,
): AsyncGenerator<readonly DayHours[]> {
  const { store } = recorded;
  const [only] = series;
  const extent = store.days(series);
  if (only === undefined || extent === undefined) return;
  const from = Math.max(range.from, extent.first);
  const to = Math.min(range.to, extent.last + 1);
  if (series.length === 1) {
    const sealed = store.sealedHours(only, from, to).map(({ day, hours }) => ({ day, value: hours }));
    yield [...sealed, ...openDays(recorded, only, { from, to })];
    return;
  }
  const summarise = createSummary(recorded);
  let since = performance.now();
  for (let day = from; day < to; day += 1) {
    const records: DayRecord[] = [];
    for (const one of series) {
      const record = store.read(one, day);
      if (record !== undefined) records.push(record);
      if (performance.now() - since < SLICE_MS) continue;
      await setImmediate();
      recorded.signal?.throwIfAborted();
      since = performance.now();
    }
    if (records.length > 0) yield [{ day, value: summarise(records, day) }];
  }
}

/** The totals of each day with data. */
async function* totals(recorded: Recorded, series: readonly StoredSeries[]): AsyncGenerator<Day<DayTotals>> {
  const [only] = series;
  const everyDay = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
  if (only === undefined || series.length > 1) {
    for await (const days of hoursOf(recorded, series, everyDay)) {
      for (const { day, value } of days) yield { day, value: totalsOf(value) };
    }
    return;
  }
  for (const { day, ...value } of recorded.store.sealedTotals(only)) yield { day, value };
  const extent = recorded.store.days(series);
  if (extent === undefined) return;
  for (const { day, value } of openDays(recorded, only, { from: extent.first, to: extent.last + 1 })) {
    yield { day, value: totalsOf(value) };
  }
}

/** The hours of each day that lie in a window. An hour belongs to the window in which it begins. */
async function* hoursIn(
  recorded: Recorded,
  series: readonly StoredSeries[],
  { from, to }: HistoryWindow,
): AsyncGenerator<readonly DayHours[]> {
  const { localTime, now } = recorded;
  const last = Math.min(to - 1, now);
  if (last < from) return;
  const range = { from: localTime.dayOf(from), to: localTime.dayOf(last) + 1 };
  const clip = ({ day, value }: DayHours): DayHours => {
    if (localTime.startOf(day) >= from && localTime.startOf(day + 1) <= to) return { day, value };
    const frame = localTime.hoursOf(day);
    const isInside = ({ index }: HourSummary): boolean => {
      const start = frame[index]?.start ?? Number.NaN;
      return start >= from && start < to;
    };
    return { day, value: value.filter(isInside) };
  };
  for await (const days of hoursOf(recorded, series, range)) yield days.map(clip);
}

interface Trend {
  readonly name: string;
  readonly data: readonly (readonly [epochMs: number, value: number])[];
  readonly type: 'line' | 'column';
  readonly yAxis: number;
}

const HOUR = 3600;

/** Spec 4.6: for each local day the maximum of licenses, the license-hours in use, and the requests refused. */
export async function getHistory(recorded: Recorded, selector: HistorySelector): Promise<Trend[]> {
  const days: Day<DayTotals>[] = await Array.fromAsync(totals(recorded, select(recorded.store, selector)));
  const data = (of: keyof DayTotals, unit = 1): [number, number][] =>
    days.flatMap(({ day, value: { [of]: figure } }): [number, number][] =>
      figure === undefined ? [] : [[recorded.localTime.startOf(day) * 1000, figure / unit]],
    );
  return [
    { name: 'Max Available', data: data('available'), type: 'line', yAxis: 0 },
    { name: 'Elapsed Time', data: data('licenseSeconds', HOUR), type: 'column', yAxis: 1 },
    { name: 'Denials', data: data('denials'), type: 'column', yAxis: 2 },
  ];
}

interface ReservedResult {
  /** One value for each category, null where it is not known. */
  readonly series: readonly { readonly name: string; readonly data: readonly (number | null)[] }[];
  /** Local days with data, `YYYY-MM-DD`. */
  readonly categories: readonly string[];
}

/** Spec 4.7: for each local day the maxima of reserved licenses, of distinct users and of licenses in use. */
export async function getHistoryReserved(recorded: Recorded, selector: HistorySelector): Promise<ReservedResult[]> {
  const days: Day<DayTotals>[] = await Array.fromAsync(totals(recorded, select(recorded.store, selector)));
  const data = (of: keyof DayTotals): (number | null)[] => days.map(({ value }) => value[of] ?? null);
  return [
    {
      series: [
        { name: 'Reserved Licenses', data: data('reserved') },
        { name: 'Distinct Users', data: data('users') },
        { name: 'Max In Use', data: data('inUse') },
      ],
      categories: days.map(({ day }) => dateText(day)),
    },
  ];
}

interface EfficiencyResult {
  readonly series: readonly { readonly name: string; readonly data: readonly (readonly [string, number])[] }[];
}

/** Spec 4.8: for N from 1 to the maximum, for how many hours at least N licenses were in use at once. */
export async function getEfficiency(
  recorded: Recorded,
  selector: HistorySelector,
  window: HistoryWindowParameters,
): Promise<EfficiencyResult[]> {
  const { localTime, now } = recorded;
  const secondsAt = new Map<number, number>();
  const series = select(recorded.store, selector);
  for await (const days of hoursIn(recorded, series, historyWindowOf(window, now, localTime))) {
    for (const { levels } of days.flatMap(({ value }) => value)) {
      for (const [inUse, seconds] of levels) {
        if (inUse !== undefined) secondsAt.set(inUse, (secondsAt.get(inUse) ?? 0) + seconds);
      }
    }
  }
  const data: [string, number][] = [];
  let atLeast = 0;
  const most = secondsAt.keys().reduce((a, b) => Math.max(a, b), 0);
  for (let n = most; n >= 1; n -= 1) {
    atLeast += secondsAt.get(n) ?? 0;
    data.push([String(n), atLeast / HOUR]);
  }
  return [{ series: [{ name: 'Total Duration', data: data.reverse() }] }];
}

interface HeatMapResult {
  readonly categories: readonly [hours: readonly string[], weekdays: readonly string[]];
  readonly series: readonly {
    readonly name: string;
    readonly data: readonly (readonly [hour: number, weekday: number, inUse: number])[];
  }[];
}

const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour));
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** Spec 4.9: the maximum in use by local hour and weekday. */
export async function getHeatMap(
  recorded: Recorded,
  selector: HistorySelector,
  window: HistoryWindowParameters,
): Promise<HeatMapResult[]> {
  const { localTime, now } = recorded;
  /** By weekday and hour; absent where there is no data. */
  const most: (number | undefined)[] = new Array(WEEKDAYS.length * HOURS.length).fill(undefined);
  const series = select(recorded.store, selector);
  for await (const days of hoursIn(recorded, series, historyWindowOf(window, now, localTime))) {
    for (const { day, value } of days) {
      const frame = localTime.hoursOf(day);
      const row = weekdayOf(day) * HOURS.length;
      for (const { index, levels } of value) {
        const cell = row + (frame[index]?.hour ?? 0);
        most[cell] = highest(most[cell], levels[0]?.[0]);
      }
    }
  }
  const data = most.flatMap((inUse, cell) =>
    inUse === undefined ? [] : [[cell % HOURS.length, Math.floor(cell / HOURS.length), inUse] as const],
  );
  return [{ categories: [HOURS, WEEKDAYS], series: [{ name: 'Max In Use', data }] }];
}
