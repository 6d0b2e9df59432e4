import { dateText, dayOfDate, type LocalTime, weekdayOf } from '../../base/model/local-time.ts';
import type { DayTotals } from './day-summary.ts';
import type { HourSummary } from './hour-summary.ts';
import {
  eachHourIn,
  type HistorySelector,
  type HistoryWindow,
  type Recorded,
  selectSeries,
  totalsOfDays,
} from './recorded-days.ts';
import { highest } from './sample.ts';

/** Which days a chart is about (spec 4.6), as the parameters of the URL say it. */
export interface HistoryWindowParameters {
  readonly year: string;
  readonly month: string;
  /** Duration code of spec 4.8; wins over year and month. */
  readonly last?: string;
}

const HOUR = 3600;

/** The current hour and the hours before it, `hours` in total: the maximum that a heat map can distinguish. */
function hoursUpTo(now: number, hours: number, localTime: LocalTime): HistoryWindow {
  const running = localTime.hoursOf(localTime.dayOf(now)).findLast(({ start }) => start <= now)?.start ?? now;
  return { from: running - (hours - 1) * HOUR, to: Number.POSITIVE_INFINITY };
}

/** The period of a request to GetEfficiency or GetHeatMap, on the calendar of the time zone. */
function historyWindowOf(
  { year, month, last }: HistoryWindowParameters,
  now: number,
  localTime: LocalTime,
): HistoryWindow {
  const days = (from: number, to: number): HistoryWindow => ({
    from: localTime.startOf(from),
    to: localTime.startOf(to),
  });
  const months = (y: number, m: number, count: number): HistoryWindow =>
    days(dayOfDate(y, m, 1), dayOfDate(y, m + count, 1));
  const today = localTime.dayOf(now);
  const sunday = today - weekdayOf(today);
  const [thisYear = 0, thisMonth = 0] = dateText(today).split('-').map(Number);
  switch (last) {
    case '101':
      return hoursUpTo(now, 24, localTime);
    case '107':
      return hoursUpTo(now, 7 * 24, localTime);
    case '465':
      return hoursUpTo(now, 365 * 24, localTime);
    case '201':
      return days(sunday - 7, sunday);
    case '301':
      return months(thisYear, thisMonth - 1, 1);
    case '401':
      return months(thisYear, thisMonth - ((thisMonth - 1) % 3) - 3, 3);
    default:
      return months(Number(year), Number(month), 1);
  }
}

/**
 * The answers of the history endpoints (spec 4.6 to 4.9), computed from recorded data. A gap is no data, never 0. It is a time
 * without samples or with unknown figures.
 */

interface Trend {
  readonly name: string;
  readonly data: readonly (readonly [epochMs: number, value: number])[];
  readonly type: 'line' | 'column';
  readonly yAxis: number;
}

const totals = (recorded: Recorded, selector: HistorySelector): ReturnType<typeof totalsOfDays> =>
  totalsOfDays(recorded, selectSeries(recorded, selector));

/** Calls back for each hour with data of a window. */
const eachHour = (
  recorded: Recorded,
  selector: HistorySelector,
  parameters: HistoryWindowParameters,
  visit: (hour: HourSummary, day: number) => void,
): Promise<void> => {
  const window = historyWindowOf(parameters, recorded.now, recorded.localTime);
  return eachHourIn(window, recorded, selectSeries(recorded, selector), visit);
};

/** Spec 4.6: for each local day the maximum of licenses, the license-hours in use, and the requests refused. */
export async function getHistory(recorded: Recorded, selector: HistorySelector): Promise<Trend[]> {
  const days = await totals(recorded, selector);
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
  const days = await totals(recorded, selector);
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
  const secondsAt = new Map<number, number>();
  await eachHour(recorded, selector, window, ({ levels }) => {
    for (const [inUse, seconds] of levels) {
      if (inUse !== undefined) secondsAt.set(inUse, (secondsAt.get(inUse) ?? 0) + seconds);
    }
  });
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
  /** By weekday and hour; absent where there is no data. */
  const most: (number | undefined)[] = new Array(WEEKDAYS.length * HOURS.length).fill(undefined);
  await eachHour(recorded, selector, window, ({ index, levels }, day) => {
    const hour = recorded.localTime.hoursOf(day)[index]?.hour ?? 0;
    const cell = weekdayOf(day) * HOURS.length + hour;
    most[cell] = highest(most[cell], levels[0]?.[0]);
  });
  const data = most.flatMap((inUse, cell) =>
    inUse === undefined ? [] : [[cell % HOURS.length, Math.floor(cell / HOURS.length), inUse] as const],
  );
  return [{ categories: [HOURS, WEEKDAYS], series: [{ name: 'Max In Use', data }] }];
}
