import { type BreakKind, type BreakName, bestBreak, bestPair, breakKinds, SpanSums } from './breaks.ts';
import { type Fit, fitColumns, medianOf } from './least-squares.ts';
import { WEEKS_A_YEAR } from './window.ts';

/**
 * What the use of a feature may have done from week to week, each as a least-squares fit of its logarithm, with a weight: how likely
 * it is of all of them.
 */

/** What demand did. */
export type ExplanationKind = 'level' | 'line' | 'season' | 'line and season' | 'two steps' | BreakName;

/** A fit of the logarithm of the use of weeks, of which 0 is the newest one and -1 the one before it. */
export interface Explanation {
  readonly kind: ExplanationKind;
  /** Those of all explanations add up to 1. */
  readonly weight: number;
  /** The weeks with which it breaks, ascending: those that leave least. */
  readonly breaks: readonly number[];
  readonly fit: Fit;
  /** Variance of a residual. */
  readonly variance: number;
  /** The terms of a week: the fit is the sum of each with its coefficient. */
  readonly terms: (week: number) => readonly number[];
  /** What of the fit lasts: it without its season. */
  readonly levelAt: (week: number) => number;
}

/** The explanations of the use of weeks, the most likely first. */
export interface Explanations {
  readonly items: readonly Explanation[];
  /** Weeks. */
  readonly count: number;
  /** As many weeks as tell something new: neighbors are alike. */
  readonly independent: number;
}

/** Added to the use before its logarithm is taken, so that 0 has one. */
const OFFSET = 0.25;
/** The week with which growth may have begun, also if another one fits better. */
const NEW_LINE = -13;
/** Fewer weeks are no season. */
const SEASON_WEEKS = 50;
/** A week is far away from the median of its neighbors by so many standard deviations. */
const MOST_DEVIATIONS = 4;
const MAD_TO_DEVIATION = 1.4826;
const MOST_CORRELATION = 0.85;
const LEAST_INDEPENDENT = 6;
/** Of a residual, however well a fit is: licenses are whole numbers. */
const LEAST_VARIANCE = 1e-6;

interface Candidate extends Omit<Explanation, 'weight' | 'variance' | 'levelAt'> {
  /** Terms at the end that are the season. */
  readonly seasonTerms: number;
}

/** The logarithm that is fitted. */
const logUse = (use: number): number => Math.log(use + OFFSET);

/** Weeks on either side of one that are its neighbors. */
const NEIGHBORS = 4;
/** How far below others weeks of holidays are at least: a logarithm. */
const HOLIDAYS = 0.35;

/**
 * A week that is far below its neighbors counts as their median, and one far above is moved nearer to them: what happened once
 * says little about another year. At both ends, where a week has neighbors on one side only, holidays are those that are far
 * below a longer stretch.
 */
function clipped(values: Float64Array): Float64Array {
  const around = (first: number, end: number): number => medianOf(values.subarray(Math.max(0, first), end));
  const local = values.map((_, i) => around(i - NEIGHBORS, i + NEIGHBORS + 1));
  const deviation = MAD_TO_DEVIATION * medianOf(values.map((value, i) => Math.abs(value - (local[i] as number))));
  if (deviation === 0) return values;
  const most = MOST_DEVIATIONS * deviation;
  const width = 2 * NEIGHBORS + 1;
  return values.map((value, i) => {
    const usual = local[i] as number;
    if (value < usual - most) return usual;
    const first = Math.min(Math.max(0, i - NEIGHBORS), values.length - width);
    const stretch = first === i - NEIGHBORS ? usual : around(first, first + width);
    return value < stretch - Math.max(most, HOLIDAYS) ? stretch : Math.min(value, usual + most);
  });
}

const season = (week: number): readonly number[] => {
  const angle = (2 * Math.PI * week) / WEEKS_A_YEAR;
  return [Math.cos(angle), Math.sin(angle)];
};

/** The terms of weeks, a column for each. */
function columnsOf(week: readonly number[], terms: Candidate['terms']): Float64Array[] {
  const columns = terms(0).map(() => new Float64Array(week.length));
  for (const [i, one] of week.entries()) {
    const row = terms(one);
    for (const [j, column] of columns.entries()) column[i] = row[j] as number;
  }
  return columns;
}

function createCandidates(week: readonly number[], values: Float64Array): Candidate[] {
  const found: Candidate[] = [];
  const add = (
    kind: ExplanationKind,
    terms: Candidate['terms'],
    { breaks = [], seasonTerms = 0 }: Partial<Candidate> = {},
  ) => {
    const fit = fitColumns(columnsOf(week, terms), values);
    if (fit !== undefined) found.push({ kind, breaks, fit, terms, seasonTerms });
  };
  add('level', () => [1]);
  add('line', (w) => [1, w]);
  const sums = new SpanSums(week, values);
  for (const [kind, one] of Object.entries(breakKinds) as [BreakName, BreakKind][]) {
    const from = bestBreak(one, sums, week);
    if (from !== undefined) add(kind, one.terms(from), { breaks: [from] });
  }
  // the week that leaves least is drawn by noise: growth that has just begun would hardly count
  const line = breakKinds['line that begins'];
  if ((week[line.before] ?? 0) <= NEW_LINE) {
    add('line that begins', line.terms(NEW_LINE), { breaks: [NEW_LINE] });
  }
  const pair = bestPair(sums, week);
  if (pair !== undefined) {
    const [first, last] = pair;
    add('two steps', (w) => [1, w >= first ? 1 : 0, w >= last ? 1 : 0], { breaks: pair });
  }
  if (week.length >= SEASON_WEEKS) {
    add('season', (w) => [1, ...season(w)], { seasonTerms: 2 });
    add('line and season', (w) => [1, w, ...season(w)], { seasonTerms: 2 });
  }
  return found;
}

const fittedOf = (coefficients: readonly number[], terms: readonly number[]): number =>
  terms.reduce((sum, term, i) => sum + term * (coefficients[i] as number), 0);

/** How much neighbors in time are alike, as if it were not underestimated from few weeks. */
function correlationOf({ fit, terms }: Candidate, week: readonly number[], values: Float64Array): number {
  const residuals = week.map((w, i) => (values[i] as number) - fittedOf(fit.coefficients, terms(w)));
  let product = 0;
  let square = 0;
  for (const [i, value] of residuals.entries()) {
    square += value ** 2;
    if (i > 0) product += value * (residuals[i - 1] as number);
  }
  const n = residuals.length;
  if (!(square > 0) || n < 4) return 0;
  return Math.min(MOST_CORRELATION, Math.max(0, (n * (product / square) + 1) / (n - 3)));
}

/**
 * The explanations of the use of weeks, weighed.
 *
 * @param week at least six, ascending
 * @param use licenses in each of them
 */
export function explain(week: readonly number[], use: readonly number[]): Explanations {
  const values = clipped(Float64Array.from(use, logUse));
  const n = values.length;
  const candidates = createCandidates(week, values);
  const varianceOf = ({ fit }: Candidate): number => Math.max(fit.residual / n, LEAST_VARIANCE);
  const criterion = (one: Candidate, count: number, by: number): number =>
    by * Math.log(varianceOf(one)) + count * Math.log(by);
  const sizeOf = (one: Candidate): number => one.fit.coefficients.length + one.breaks.length;
  const best = candidates.reduce((a, b) => (criterion(b, sizeOf(b), n) < criterion(a, sizeOf(a), n) ? b : a));
  const correlation = correlationOf(best, week, values);
  const independent = Math.max(LEAST_INDEPENDENT, (n * (1 - correlation)) / (1 + correlation));
  const scores = candidates.map((one) => criterion(one, sizeOf(one), independent));
  const least = Math.min(...scores);
  const weights = scores.map((score) => Math.exp((least - score) / 2));
  const sum = weights.reduce((a, b) => a + b, 0);
  const items = candidates.map((one, i): Explanation => {
    const { kind, breaks, fit, terms, seasonTerms } = one;
    const lasting = fit.coefficients.map((value, j, all) => (j < all.length - seasonTerms ? value : 0));
    return {
      kind,
      breaks,
      fit,
      terms,
      weight: (weights[i] as number) / sum,
      variance: Math.max(fit.residual / Math.max(1, n - sizeOf(one)), LEAST_VARIANCE),
      levelAt: (w) => fittedOf(lasting, terms(w)),
    };
  });
  return { items: items.sort((a, b) => b.weight - a.weight), count: n, independent };
}
