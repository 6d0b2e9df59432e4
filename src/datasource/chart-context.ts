import type { LocalTime } from '../model/local-time.ts';
import type { Combination, CombinationAnswers, Combinations } from './combinations.ts';
import { type DayRange, isWithin } from './day-range.ts';
import { type Cell, type Column, LazyList, type Table, type TimeSeries, table } from './panel-data.ts';
import type { Query } from './query.ts';

/** What the charts of spec 2.6 have in common. */

export interface ChartContext {
  readonly query: Query;
  readonly combinations: Combinations;
  readonly localTime: LocalTime;
  /** The days of the time range. */
  readonly days: DayRange;
  /** Epoch milliseconds. */
  readonly now: number;
}

export type Answered<T> = CombinationAnswers<T>['answers'];

export const string = (text: string): Column => ({ text, type: 'string' });
export const number = (text: string): Column => ({ text, type: 'number' });

/** Columns with the combination of a flat row, if the query can have several. */
function ownerOf({ combinations }: ChartContext): {
  columns: readonly Column[];
  cells: (combination: Combination) => readonly Cell[];
} {
  const { areSeveralProducts, areSeveralFeatures } = combinations;
  const areSeveral = areSeveralProducts || areSeveralFeatures;
  return {
    columns: areSeveral ? [string('Product'), string('Feature')] : [],
    cells: ({ product, feature }) => (areSeveral ? [product, feature] : []),
  };
}

/** Answers in one flat table. All have the same columns. */
export function flatTable<T>(
  context: ChartContext,
  answered: Answered<T>,
  columns: readonly Column[],
  rowsOf: (answer: T) => Iterable<readonly Cell[]>,
): Table {
  const owner = ownerOf(context);
  const rows = new LazyList(() =>
    answered.values().flatMap(({ combination, answer }) => {
      const cells = owner.cells(combination);
      return Iterator.from(rowsOf(answer)).map((row) => [...cells, ...row]);
    }),
  );
  return table(context.query.target, [...owner.columns, ...columns], rows);
}

/** A series of a chart, and to what it belongs. */
export function timeSeries(
  { query }: ChartContext,
  { product, feature }: Combination,
  title: string,
  datapoints: TimeSeries['datapoints'],
): TimeSeries {
  const { package: pkg, ftype } = query.values;
  const tags = { product, feature, ...(pkg !== undefined && { package: pkg }), ...(ftype !== undefined && { ftype }) };
  return { target: title, title, tags, datapoints };
}

/** The points within some days. A value that is missing is null. */
export const datapointsWithin = (
  at: Float64Array,
  values: ArrayLike<number>,
  days: DayRange,
): TimeSeries['datapoints'] =>
  new LazyList(() =>
    at
      .values()
      .map((time, i) => [known(values[i]), time] as const)
      .filter(([, time]) => isWithin(days, time)),
  );

/** A value of a chart, null for no data. */
export const known = (value: number | undefined): number | null =>
  value === undefined || Number.isNaN(value) ? null : value;
