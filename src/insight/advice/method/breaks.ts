/** The weeks with which an explanation of weekly peaks breaks: those that leave least of the values. */

/** Fewest weeks before and after a step, and of a line. */
const BEFORE_STEP = 5;
const AFTER_STEP = 2;
const LINE_WEEKS = 6;
/** Of two steps: before, between and after them. */
const STEP_WEEKS = 5;

/** Sums over the weeks from the first one to before each, of which the sums over any run of weeks are differences. */
export class SpanSums {
  readonly #week: Float64Array;
  readonly #value: Float64Array;
  readonly #weekSquares: Float64Array;
  readonly #valueSquares: Float64Array;
  readonly #products: Float64Array;

  constructor(week: readonly number[], values: Float64Array) {
    const running = (of: (i: number) => number): Float64Array => {
      const sums = new Float64Array(values.length + 1);
      for (let i = 0; i < values.length; i += 1) sums[i + 1] = (sums[i] as number) + of(i);
      return sums;
    };
    const [w, v] = [(i: number) => week[i] as number, (i: number) => values[i] as number];
    this.#week = running(w);
    this.#value = running(v);
    this.#weekSquares = running((i) => w(i) ** 2);
    this.#valueSquares = running((i) => v(i) ** 2);
    this.#products = running((i) => w(i) * v(i));
  }

  mean(from: number, to: number): number {
    return ((this.#value[to] as number) - (this.#value[from] as number)) / (to - from);
  }

  /** What their mean takes away of the sum of their squares. */
  fittedByLevel(from: number, to: number): number {
    const sum = (this.#value[to] as number) - (this.#value[from] as number);
    return (sum * sum) / (to - from);
  }

  over(from: number, to: number): SpanSum {
    const of = (sums: Float64Array): number => (sums[to] as number) - (sums[from] as number);
    return {
      count: to - from,
      week: of(this.#week),
      value: of(this.#value),
      weekSquares: of(this.#weekSquares),
      valueSquares: of(this.#valueSquares),
      products: of(this.#products),
    };
  }
}

/** Of some weeks. */
interface SpanSum {
  readonly count: number;
  readonly week: number;
  readonly value: number;
  readonly weekSquares: number;
  readonly valueSquares: number;
  readonly products: number;
}

const levelResidual = ({ count, value, valueSquares }: SpanSum): number => valueSquares - (value * value) / count;
const spreadOfWeeks = ({ count, week, weekSquares }: SpanSum): number => weekSquares - (week * week) / count;
const jointSpread = ({ count, week, value, products }: SpanSum): number => products - (week * value) / count;

/** What is left of the values by a line that is level on one side of a week, and through the weeks on the other side. */
function bentResidual(all: SpanSum, part: SpanSum, from: number): number {
  const sum = part.week - part.count * from;
  const square = part.weekSquares - 2 * from * part.week + part.count * from * from;
  const product = part.products - from * part.value;
  const spread = square - (sum * sum) / all.count;
  const joint = product - (sum * all.value) / all.count;
  return spread > 0 ? levelResidual(all) - (joint * joint) / spread : Number.POSITIVE_INFINITY;
}

export interface BreakKind {
  /** Fewest weeks before and after it. */
  readonly before: number;
  readonly after: number;
  /** What it leaves of the values if it breaks with a week. */
  readonly residual: (sums: SpanSums, at: number, count: number, from: number) => number;
  readonly terms: (from: number) => (week: number) => readonly number[];
}

/** Explanations that break at some week, which is found by its residual. */
export const breakKinds = {
  step: {
    before: BEFORE_STEP,
    after: AFTER_STEP,
    residual: (sums, at, n) => levelResidual(sums.over(0, at)) + levelResidual(sums.over(at, n)),
    terms: (from) => (week) => [1, week >= from ? 1 : 0],
  },
  'line that begins': {
    before: LINE_WEEKS,
    after: LINE_WEEKS,
    residual: (sums, at, n, from) => bentResidual(sums.over(0, n), sums.over(at, n), from),
    terms: (from) => (week) => [1, Math.max(0, week - from)],
  },
  'line that has ended': {
    before: LINE_WEEKS,
    after: LINE_WEEKS,
    residual: (sums, at, n, from) => bentResidual(sums.over(0, n), sums.over(0, at), from),
    terms: (from) => (week) => [1, Math.min(0, week - from)],
  },
  'step and line': {
    before: BEFORE_STEP,
    after: AFTER_STEP,
    residual: (sums, at, n) => {
      const parts = [sums.over(0, at), sums.over(at, n)];
      const add = (of: (part: SpanSum) => number): number => parts.reduce((sum, part) => sum + of(part), 0);
      return add(levelResidual) - add(jointSpread) ** 2 / add(spreadOfWeeks);
    },
    terms: (from) => (week) => [1, week, week >= from ? 1 : 0],
  },
} as const satisfies Readonly<Record<string, BreakKind>>;

/** The name of such an explanation. */
export type BreakName = keyof typeof breakKinds;

/** The place where the break leaves least; `undefined` if there are too few weeks. */
export function bestBreak(
  { before, after, residual }: BreakKind,
  sums: SpanSums,
  week: readonly number[],
): number | undefined {
  let best: number | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (let at = before; at <= week.length - after; at += 1) {
    const left = residual(sums, at, week.length, week[at] as number);
    if (left >= least) continue;
    least = left;
    best = at;
  }
  return best === undefined ? undefined : week[best];
}

/**
 * The weeks of two steps that leave least; `undefined` without any. A dip is two steps too. A rise that has ended is not: what
 * it needed may be needed again.
 */
export function bestPair(sums: SpanSums, week: readonly number[]): readonly [first: number, last: number] | undefined {
  let best: readonly [number, number] | undefined;
  let most = Number.NEGATIVE_INFINITY;
  for (let last = 2 * STEP_WEEKS; last <= week.length - STEP_WEEKS; last += 1) {
    const after = sums.fittedByLevel(last, week.length);
    for (let first = STEP_WEEKS; first <= last - STEP_WEEKS; first += 1) {
      const fitted = sums.fittedByLevel(0, first) + sums.fittedByLevel(first, last) + after;
      if (fitted <= most) continue;
      const middle = sums.mean(first, last);
      if (middle > sums.mean(0, first) && middle > sums.mean(last, week.length)) continue;
      most = fitted;
      best = [week[first] as number, week[last] as number];
    }
  }
  return best;
}
