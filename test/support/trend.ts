import type { TrendSeries } from '../../src/base/model/history.ts';

/** A point of a chart, as a test writes it: epoch milliseconds, and a value if there is one. */
type Point = readonly [at: number, value: number | undefined];

/** A column of values, NaN for no data. */
export const columnOf = (values: readonly (number | undefined)[]): Float64Array =>
  Float64Array.from(values, (value) => value ?? Number.NaN);

/** A series from its points. */
export const trendOf = (name: string, points: readonly Point[]): TrendSeries => ({
  name,
  at: columnOf(points.map(([at]) => at)),
  values: columnOf(points.map(([, value]) => value)),
  discarded: 0,
});
