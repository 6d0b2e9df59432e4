import type { Growth } from './advice.ts';
import { medianOf, quantileOf, sorted } from './statistics.ts';
import { firstDayOf, type WeeklyPeaks } from './window.ts';

/** Growth of the weekly peaks: Theil–Sen slope, proven by the Mann–Kendall test and by a fit that no step explains better. */

/** Fewer weeks show no growth. */
const ENOUGH_WEEKS = 26;
const WEEKS_A_YEAR = 365.25 / 7;
const WEEKS_A_MONTH = WEEKS_A_YEAR / 12;
/** Two-sided 95 % and 90 % of the normal distribution. */
const Z_PROOF = 1.96;
const Z_RANGE = 1.645;
const MOST_CORRELATION = 0.9;
/** Least growth a year: licenses, and share of the median. */
const LEAST_LICENSES = 1;
const LEAST_SHARE = 0.02;
/** A step is not sought nearer to the start and to the end. */
const BEFORE_STEP = 5;
const AFTER_STEP = 3;
/** A step explains the rise if its fit leaves less than this share of what the line leaves. */
const STEP_SHARE = 0.95;

/** Licenses a week, with the limits of the 90 % range. */
export interface Slope {
  readonly perWeek: number;
  readonly low: number;
  readonly high: number;
}

/** Whether the demand grows, and by how much. */
export interface Trend {
  readonly growth: Growth;
  /** Of proven growth. */
  readonly slope: Slope | undefined;
  /**
   * Licenses by which use may rise in a year: the upper limit of the 90 % range of the slope, whether proven or not. At least 0;
   * `undefined` if growth is not known.
   */
  readonly mostRise: number | undefined;
}

interface Kendall {
  /** Rising pairs less falling ones. */
  readonly score: number;
  /** Of the score, if the weeks are independent. */
  readonly variance: number;
}

function kendallOf(peak: readonly number[]): Kendall {
  const n = peak.length;
  let score = 0;
  for (let j = 1; j < n; j += 1) {
    const later = peak[j] ?? 0;
    for (let i = 0; i < j; i += 1) score += Math.sign(later - (peak[i] ?? 0));
  }
  const term = (count: number): number => count * (count - 1) * (2 * count + 5);
  let ties = 0;
  let run = 0;
  let previous: number | undefined;
  for (const value of sorted(peak)) {
    if (value !== previous) {
      ties += term(run);
      run = 0;
    }
    run += 1;
    previous = value;
  }
  return { score, variance: (term(n) - ties - term(run)) / 18 };
}

const zOf = ({ score, variance }: Kendall, inflation: number): number =>
  variance > 0 ? Math.max(0, Math.abs(score) - 1) / Math.sqrt(variance * inflation) : 0;

/** The slopes of all pairs of weeks. */
function pairwiseSlopes({ week, peak }: WeeklyPeaks): Float64Array {
  const n = week.length;
  const slopes = new Float64Array((n * (n - 1)) / 2);
  let next = 0;
  for (let j = 1; j < n; j += 1) {
    const [at, value] = [week[j] ?? 0, peak[j] ?? 0];
    for (let i = 0; i < j; i += 1) {
      slopes[next] = (value - (peak[i] ?? 0)) / (at - (week[i] ?? 0));
      next += 1;
    }
  }
  return slopes.sort();
}

/** How much neighbours in time are alike: 0 to 0.9. */
function correlationOf(residuals: readonly number[]): number {
  const mean = residuals.reduce((sum, value) => sum + value, 0) / residuals.length;
  let [product, square] = [0, 0];
  for (const [i, value] of residuals.entries()) {
    square += (value - mean) ** 2;
    if (i > 0) product += (value - mean) * ((residuals[i - 1] ?? mean) - mean);
  }
  return square > 0 ? Math.min(MOST_CORRELATION, Math.max(0, product / square)) : 0;
}

const deviation = (values: readonly number[], from: number): number =>
  values.reduce((sum, value) => sum + Math.abs(value - from), 0);

interface Step {
  /** Index of the first week after it. */
  readonly at: number;
  readonly by: number;
  /** Sum of absolute residuals. */
  readonly residual: number;
}

/** The best fit of two levels. */
function bestStep(peak: readonly number[]): Step | undefined {
  let best: Step | undefined;
  for (let at = BEFORE_STEP; at <= peak.length - AFTER_STEP; at += 1) {
    const [before, after] = [peak.slice(0, at), peak.slice(at)];
    const [low, high] = [medianOf(before), medianOf(after)];
    const residual = deviation(before, low) + deviation(after, high);
    if (best === undefined || residual < best.residual) best = { at, by: high - low, residual };
  }
  return best;
}

interface Line {
  readonly slope: Slope;
  readonly residuals: readonly number[];
  /** By how much correlated weeks widen the variance of the score. */
  readonly inflation: number;
}

/** The line through the weeks, with the 90 % range of its slope. */
function lineOf(weeks: WeeklyPeaks, { variance }: Kendall): Line {
  const { week, peak } = weeks;
  const slopes = pairwiseSlopes(weeks);
  const perWeek = quantileOf(slopes, 0.5);
  const level = medianOf(peak.map((value, i) => value - perWeek * (week[i] ?? 0)));
  const residuals = peak.map((value, i) => value - perWeek * (week[i] ?? 0) - level);
  const correlation = correlationOf(residuals);
  const inflation = (1 + correlation) / (1 - correlation);
  const margin = Z_RANGE * Math.sqrt(variance * inflation);
  const rank = (at: number): number => Math.min(slopes.length - 1, Math.max(0, at));
  const low = slopes[rank(Math.floor((slopes.length - margin) / 2))] ?? perWeek;
  const high = slopes[rank(Math.ceil((slopes.length + margin) / 2))] ?? perWeek;
  return { slope: { perWeek, low, high }, residuals, inflation };
}

/** @param today the local day of today, for the date of a step */
export function trendOf(weeks: WeeklyPeaks, today: number): Trend {
  const { week, peak } = weeks;
  if (week.length < ENOUGH_WEEKS) return { growth: { kind: 'unknown' }, slope: undefined, mostRise: undefined };
  const kendall = kendallOf(peak);
  const { slope, residuals, inflation } = lineOf(weeks, kendall);
  const { perWeek, low, high } = slope;
  const mostRise = Math.max(0, high * WEEKS_A_YEAR);
  const notProven: Trend = { growth: { kind: 'not proven' }, slope: undefined, mostRise };
  const least = Math.max(LEAST_LICENSES, LEAST_SHARE * medianOf(peak));
  // correlation only makes the proof harder
  if (zOf(kendall, inflation) < Z_PROOF || Math.abs(perWeek) * WEEKS_A_YEAR < least) return notProven;
  const step = bestStep(peak);
  if (step !== undefined && step.residual < STEP_SHARE * deviation(residuals, 0)) {
    const day = firstDayOf(week[step.at] ?? 0, today);
    return step.by === 0 ? notProven : { growth: { kind: 'step', by: step.by, day }, slope: undefined, mostRise };
  }
  return {
    growth: {
      kind: 'proven',
      perMonth: perWeek * WEEKS_A_MONTH,
      low: low * WEEKS_A_MONTH,
      high: high * WEEKS_A_MONTH,
    },
    slope,
    mostRise,
  };
}
