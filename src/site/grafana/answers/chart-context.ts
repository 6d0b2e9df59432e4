import type { TrendSeries } from '../../../base/model/history.ts';
import { figureAt } from '../../../base/model/history.ts';
import type { LocalTime } from '../../../base/model/local-time.ts';
import { countedFigures, isUncountedFigure } from '../../../base/model/uncounted.ts';
import { namesText, numberText } from '../../../base/texts.ts';
import {
  type Combination,
  type CombinationAnswers,
  type Combinations,
  MAX_COMBINATIONS,
  productCell,
} from './combinations.ts';
import {
  type Cell,
  type Column,
  cell,
  LazyList,
  type Notice,
  type Table,
  type TimeSeries,
  table,
  text,
} from './panel-data.ts';
import { type DayRange, isWithin } from './period.ts';
import type { Query } from './query.ts';
import type { WaitedOf } from './waited.ts';

/** What the charts of spec 2.6 have in common. */

/** What every shape of a chart needs beside the answers: the query, what it is about, and its calendar. */
export interface ChartContext {
  readonly query: Query;
  readonly combinations: Combinations;
  readonly localTime: LocalTime;
  /** The days of the time range. */
  readonly days: DayRange;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Who waited, for a table that has columns of it. */
  readonly waited?: WaitedOf;
}

/** The answers to a query, each with the vendor license and feature that it is about. */
export type Answered<T> = CombinationAnswers<T>['answers'];

/** Columns with the combination of a flat row, if the query can have several. */
function ownerOf({ combinations, query }: ChartContext): {
  columns: readonly Column[];
  cells: (combination: Combination) => readonly Cell[];
} {
  const { areSeveralProducts, areSeveralFeatures } = combinations;
  const areSeveral = areSeveralProducts || areSeveralFeatures;
  return {
    columns: areSeveral ? [text('Product'), text('Feature')] : [],
    cells: (combination) => (areSeveral ? [productCell(combination, query.isForRows), combination.feature] : []),
  };
}

/**
 * The answers that are drawn as charts of their own: of many, those with the most of what is drawn, whenever that was.
 *
 * @param rankOf smallest first; infinite if it is not known
 */
export function drawnOf<T>(
  answered: Answered<T>,
  rankOf: (answer: T) => number,
  by: string,
): { readonly drawn: Answered<T>; readonly notices: readonly Notice[] } {
  if (answered.length <= MAX_COMBINATIONS) return { drawn: answered, notices: [] };
  const ranks = new Map(answered.map((one) => [one, rankOf(one.answer)]));
  const rank = (one: Answered<T>[number]): number => ranks.get(one) ?? Number.POSITIVE_INFINITY;
  // two unknown ones are equal
  const compare = (a: number, b: number): number => (a === b ? 0 : a - b);
  const drawn = answered.toSorted((a, b) => compare(rank(a), rank(b))).slice(0, MAX_COMBINATIONS);
  const cut = `${drawn.length} of ${numberText(answered.length)} combinations are drawn, those with the most ${by} in this time`;
  return { drawn, notices: [{ severity: 'warning', text: `${cut}; narrow the selection` }] };
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
  at: Float64Array | readonly number[],
  values: ArrayLike<number>,
  days: DayRange,
): TimeSeries['datapoints'] =>
  new LazyList(() =>
    at
      .values()
      .map((time, i) => [cell(figureAt(values, i)), time] as const)
      .filter(([, time]) => isWithin(days, time)),
  );

/** The series of spec 4.6, which are the columns of a table even if it has no rows. */
export const TREND_SERIES = ['Max Available', 'Elapsed Time', 'Denials'] as const;
export const [MAX_AVAILABLE, ELAPSED, DENIALS] = TREND_SERIES;

/** The series of an answer without the numbers of uncounted licenses, of which a sum may contain several. */
export function withoutUncounted(series: TrendSeries): TrendSeries {
  if (series.name !== MAX_AVAILABLE || !series.values.some(isUncountedFigure)) return series;
  return { ...series, values: countedFigures(series.values) };
}

/** One notice for all answers with uncounted licenses. */
export function uncountedNotice({ days }: ChartContext, answered: Answered<readonly TrendSeries[]>): readonly Notice[] {
  const names = answered
    .filter(({ answer }) =>
      answer.some(
        ({ name, at, values }) =>
          name === MAX_AVAILABLE &&
          at.some((time, i) => isWithin(days, time) && isUncountedFigure(figureAt(values, i))),
      ),
    )
    .map(({ combination }) => combination.feature);
  if (names.length === 0) return [];
  const sentence = `${MAX_AVAILABLE} is left out where licenses are uncounted: ${namesText(names)}`;
  return [{ severity: 'info', text: sentence }];
}
