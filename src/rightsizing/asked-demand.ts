import type { EfficiencyHistory, ReservedHistory, TrendSeries } from '../model/history.ts';
import { dateText, type LocalTime } from '../model/local-time.ts';
import type { DayColumns, Demand, SeriesName } from './demand.ts';

/** What GetHistory, GetHistoryReserved and GetEfficiency answer about a series, as its demand. */

export interface AskedHistory {
  readonly trend: readonly TrendSeries[];
  readonly reserved: ReservedHistory;
  /** Over the last 365 days. */
  readonly efficiency: EfficiencyHistory;
}

/** Values by local day. */
type ByDay = ReadonlyMap<number, number>;

const DAY_MS = 86_400_000;
/** No curve is longer: more licenses than this are not counted. */
const MAX_LICENSES = 100_000;

const none = new Float64Array();

function ofTrend(trend: readonly TrendSeries[], name: string, localTime: LocalTime): ByDay {
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

function ofReserved({ categories, series }: ReservedHistory, name: string): ByDay {
  const values = series.find((candidate) => candidate.name === name)?.values ?? none;
  const days = new Map<number, number>();
  for (const [i, category] of categories.entries()) {
    const day = dayOfCategory(category);
    if (day !== undefined) days.set(day, values[i] ?? Number.NaN);
  }
  return days;
}

function columnsOf({ trend, reserved }: AskedHistory, localTime: LocalTime, today: number): DayColumns {
  const available = ofTrend(trend, 'Max Available', localTime);
  const denials = ofTrend(trend, 'Denials', localTime);
  const inUse = ofReserved(reserved, 'Max In Use');
  const reservations = ofReserved(reserved, 'Reserved Licenses');
  const days = new Set([...available.keys(), ...denials.keys(), ...inUse.keys(), ...reservations.keys()]);
  // today is not over
  const day = Int32Array.from([...days].filter((one) => one < today).sort((a, b) => a - b));
  const column = (values: ByDay): Float64Array => Float64Array.from(day, (one) => values.get(one) ?? Number.NaN);
  return {
    day,
    available: column(available),
    inUse: column(inUse),
    reserved: column(reservations),
    denials: column(denials),
  };
}

/** Item `n`: hours with at least `n` licenses in use, for `n` ≥ 1. Empty if the chart is. */
function curveOf({ series: [first] }: EfficiencyHistory): Float64Array {
  const points: [licenses: number, hours: number][] = [];
  for (const [i, category] of (first?.categories ?? []).entries()) {
    const [licenses, hours] = [Number(category), first?.values[i] ?? Number.NaN];
    if (Number.isInteger(licenses) && licenses >= 1 && licenses <= MAX_LICENSES && !Number.isNaN(hours)) {
      points.push([licenses, hours]);
    }
  }
  if (points.length === 0) return none;
  const curve = new Float64Array(points.reduce((most, [licenses]) => Math.max(most, licenses), 0) + 1);
  for (const [licenses, hours] of points) curve[licenses] = Math.max(curve[licenses] ?? 0, hours);
  // a number that is left out was exceeded as long as the next one
  for (let n = curve.length - 2; n >= 1; n -= 1) curve[n] = Math.max(curve[n] ?? 0, curve[n + 1] ?? 0);
  // hours without use are not part of the chart
  curve[0] = Number.NaN;
  return curve;
}

/** The demand of a series, without today. */
export function demandOf(series: SeriesName, history: AskedHistory, localTime: LocalTime, today: number): Demand {
  const hoursAtLeast = curveOf(history.efficiency);
  return { series, days: columnsOf(history, localTime, today), detail: { kind: 'curve', hoursAtLeast } };
}
