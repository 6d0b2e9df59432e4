import { dateText, type LocalTime } from './local-time.ts';
import { type Figure, unknown } from './unknown.ts';

/**
 * The chart series of the history endpoints (spec 2.6), in columns: a chart can have millions of points, and columns of
 * numbers pass from one thread to another without being copied. In `values`, NaN is no data, never 0:
 * `figureAt` reads them.
 */

/** GetHistory: one of the three trend series. Item `i` of each column is point `i`, in order of time. */
export interface TrendSeries {
  readonly name: string;
  /** Epoch milliseconds. */
  readonly at: Float64Array;
  readonly values: Float64Array;
  /** Number of points that were left out because their time is before 1990 or more than a day after the receipt. */
  readonly discarded: number;
}

/** GetHistoryReserved: one value per category (local day). A series can be shorter than the categories. */
export interface ReservedHistory {
  readonly categories: readonly string[];
  readonly series: readonly { readonly name: string; readonly values: Float64Array }[];
}

/** GetEfficiency: one value per category of the series. */
export interface EfficiencyHistory {
  readonly series: readonly {
    readonly name: string;
    readonly categories: readonly string[];
    readonly values: Float64Array;
  }[];
}

/** GetHeatMap: the cells of a series, each with its hour index, weekday index and value. */
export interface HeatMap {
  readonly hours: readonly string[];
  readonly weekdays: readonly string[];
  readonly series: readonly {
    readonly name: string;
    readonly hourIndexes: Float64Array;
    readonly weekdayIndexes: Float64Array;
    readonly values: Float64Array;
  }[];
}

/** The value of a point, not known where there is no data. */
export function figureAt(values: ArrayLike<number>, i: number): Figure {
  const value = values[i];
  return value === undefined || Number.isNaN(value) ? unknown : value;
}

/** Values by local day, in days since 1970; NaN is no data. */
export type ByDay = ReadonlyMap<number, number>;

const DAY_MS = 86_400_000;

const none = new Float64Array();

/** The values of a trend series of GetHistory by local day. */
export function trendByDay(trend: readonly TrendSeries[], name: string, localTime: LocalTime): ByDay {
  const series = trend.find((candidate) => candidate.name === name);
  const days = new Map<number, number>();
  for (const [i, at] of (series?.at ?? none).entries()) {
    days.set(localTime.dayOf(at / 1000), series?.values[i] ?? Number.NaN);
  }
  return days;
}

/** The local day of a category; `undefined` if it is no date. */
function dayOfCategory(category: string): number | undefined {
  const [, date] = /^(\d{4}-\d{2}-\d{2})(?:$|[T ])/.exec(category) ?? [];
  if (date === undefined) return undefined;
  const day = Date.parse(`${date}T00:00:00Z`) / DAY_MS;
  // 31 February does not exist
  return Number.isInteger(day) && dateText(day) === date ? day : undefined;
}

/** The values of a series of GetHistoryReserved by local day. */
export function reservedByDay({ categories, series }: ReservedHistory, name: string): ByDay {
  const values = series.find((candidate) => candidate.name === name)?.values ?? none;
  const days = new Map<number, number>();
  for (const [i, category] of categories.entries()) {
    const day = dayOfCategory(category);
    if (day !== undefined) days.set(day, values[i] ?? Number.NaN);
  }
  return days;
}
