import type { LocalTime } from '../model/local-time.ts';
import type { Combination, CombinationAnswers, Combinations } from './combinations.ts';
import { type DayRange, isWithin } from './day-range.ts';
import { LazyList } from './lazy-list.ts';
import { type Cell, type Column, type Table, type TimeSeries, table } from './panel-data.ts';
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
  const rows = new LazyList(function* () {
    for (const { combination, answer } of answered) {
      const cells = owner.cells(combination);
      for (const row of rowsOf(answer)) yield [...cells, ...row];
    }
  });
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
export function datapointsWithin(
  at: ArrayLike<number>,
  values: ArrayLike<number>,
  days: DayRange,
): TimeSeries['datapoints'] {
  return new LazyList(function* () {
    for (let i = 0; i < at.length; i += 1) {
      const time = at[i] as number;
      if (isWithin(days, time)) yield [known(values[i]), time] as const;
    }
  });
}

/** A value of a chart, null for no data. */
export const known = (value: number | undefined): number | null =>
  value === undefined || Number.isNaN(value) ? null : value;
