import { isUncountedFigure } from '../../../base/model/uncounted.ts';
import type { DayColumns } from './demand.ts';
import type { FullTime, WindowFigures } from './findings.ts';
import { NO_USE, RefusalTally } from './refusal-tally.ts';
import { createWindowDays, HOUR, WINDOW_DAYS, YEAR_HOURS } from './window.ts';

/** The figures of a window from its days and a curve: refusals are matched by the day, and nothing is known of working time. */

const DAY_HOURS = 24;

/** The days and licenses that an hour is compared with. */
export interface CurveOptions {
  readonly today: number;
  /** First day of the regime, and its number of licenses. */
  readonly regimeFrom: number;
  readonly level: number | undefined;
}

const known = (value: number | undefined): number | undefined =>
  value === undefined || Number.isNaN(value) ? undefined : value;

/** Hours of the curve from its top: never fewer for a lower number, and 0 above. */
function fallingCurve(hoursAtLeast: Float64Array, peak: number): Float64Array {
  const curve = new Float64Array(Math.max(hoursAtLeast.length - 1, Math.floor(peak)) + 2);
  let hours = 0;
  for (let n = hoursAtLeast.length - 1; n >= 1; n -= 1) {
    hours = Math.max(hours, known(hoursAtLeast[n]) ?? 0);
    curve[n] = hours;
  }
  return curve;
}

/** Sums over the days of the window. */
interface DaySums {
  days: number;
  /** Those of them on which the number of licenses is known, and the sum of these numbers. */
  boughtDays: number;
  bought: number;
  regimeDays: number;
  /** Whether the window has a day before the regime with at least as many licenses. */
  hadMore: boolean;
  /** On some day. The curve does not say what was in use then. */
  wasUncounted: boolean;
  peak: number | undefined;
  peakDay: number | undefined;
  leastFree: number | undefined;
  reservedUnknownOn: number | undefined;
}

function addDay(sums: DaySums, day: number, columns: DayColumns, i: number, { regimeFrom, level }: CurveOptions): void {
  const [available, inUse, reserved] = [
    known(columns.available[i]),
    known(columns.inUse[i]),
    known(columns.reserved[i]),
  ];
  const isRegime = day >= regimeFrom;
  if (!isRegime && (available ?? 0) > (level ?? 0)) sums.hadMore = true;
  if (inUse === undefined) return;
  sums.days += 1;
  if (isRegime) sums.regimeDays += 1;
  if (inUse >= (sums.peak ?? 0)) {
    sums.peak = inUse;
    sums.peakDay = day;
  }
  if (available !== 0 && reserved === undefined) sums.reservedUnknownOn = day;
  if (available === undefined) return;
  if (isUncountedFigure(available)) sums.wasUncounted = true;
  sums.boughtDays += 1;
  sums.bought += available;
  if (available === 0) return;
  sums.leastFree = Math.min(sums.leastFree ?? Number.POSITIVE_INFINITY, available - (reserved ?? 0) - inUse);
}

function fullOf(curve: Float64Array, total: number, sums: DaySums, { level }: CurveOptions): FullTime | undefined {
  // hours with that many in use may lie in the time when there were more licenses
  if (level === undefined || sums.hadMore || sums.regimeDays === 0) return undefined;
  const hours = curve[Math.ceil(level)] ?? 0;
  const share = hours / (total * (sums.regimeDays / sums.days));
  return { hours, hoursAYear: share * YEAR_HOURS, share, shareHours: YEAR_HOURS };
}

/** The license-hours below the curve, as a share of those bought. */
function utilisationOf(
  curve: Float64Array,
  total: number,
  { bought, boughtDays, wasUncounted }: DaySums,
): number | undefined {
  if (bought === 0 || wasUncounted) return undefined;
  const used = curve.subarray(1).reduce((sum, hours) => sum + hours, 0);
  return used / ((total * bought) / boughtDays);
}

/** @param hoursAtLeast of the last 365 days; see `DemandDetail` */
export function curveFigures(columns: DayColumns, hoursAtLeast: Float64Array, options: CurveOptions): WindowFigures {
  const { today, regimeFrom } = options;
  const days = createWindowDays();
  const refusals = new RefusalTally();
  const sums: DaySums = {
    days: 0,
    boughtDays: 0,
    bought: 0,
    regimeDays: 0,
    hadMore: false,
    wasUncounted: false,
    peak: undefined,
    peakDay: undefined,
    leastFree: undefined,
    reservedUnknownOn: undefined,
  };
  let lastDay = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < columns.day.length; i += 1) {
    const day = columns.day[i] ?? today;
    const age = today - 1 - day;
    if (age < 0 || age >= WINDOW_DAYS || day <= lastDay) continue;
    lastDay = day;
    addDay(sums, day, columns, i, options);
    const inUse = columns.inUse[i] ?? Number.NaN;
    days.peak[age] = inUse;
    if (!Number.isNaN(inUse)) days.isCounted[age] = 1;
    const seconds = Number.isNaN(inUse) ? 0 : DAY_HOURS * HOUR;
    const figures = [columns.available, columns.reserved, columns.denials].map((column) => column[i] ?? Number.NaN);
    const [available = Number.NaN, reserved = Number.NaN, denials = Number.NaN] = figures;
    refusals.beginDay(day >= regimeFrom, undefined);
    refusals.addHour(available, reserved, denials, known(inUse) ?? NO_USE, seconds);
    refusals.endDay();
  }
  const curve = fallingCurve(hoursAtLeast, sums.peak ?? 0);
  const total = Math.max(known(hoursAtLeast[0]) ?? sums.days * DAY_HOURS, curve[1] ?? 0);
  curve[0] = total;
  // a curve without hours is that of a feature that was never used, or it is not known
  const isKnown = total > 0 && sums.days > 0 && ((curve[1] ?? 0) > 0 || sums.peak === 0);
  return {
    days,
    peak: sums.peak,
    peakDay: sums.peakDay,
    hoursAtLeast: isKnown ? curve.map((hours) => (hours * YEAR_HOURS) / total) : new Float64Array(0),
    p95: undefined,
    p99: undefined,
    utilisation: isKnown ? utilisationOf(curve, total, sums) : undefined,
    full: isKnown ? fullOf(curve, total, sums, options) : undefined,
    regimeDays: sums.regimeDays,
    refusals: refusals.counts(false),
    leastFree: sums.leastFree,
    reservedUnknownOn: sums.reservedUnknownOn,
    detail: 'curve',
  };
}
