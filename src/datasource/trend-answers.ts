import type { TrendSeries } from '../model/history.ts';
import { annotations, type Event } from './annotations.ts';
import {
  type Answered,
  type ChartContext,
  datapointsWithin,
  endOfDay,
  firstWithin,
  flatTable,
  known,
  number,
  timeSeries,
} from './chart-context.ts';
import { suffixOf } from './combinations.ts';
import { DatasourceError } from './errors.ts';
import type { Cell, Frame, PanelData, Table, TimeSeries } from './panel-data.ts';
import type { TimeRange } from './query.ts';

/** GetHistory in the formats of Grafana's panels. */

/** The series of spec 4.6, which are the columns of a table even if it has no rows. */
const TREND_SERIES = ['Max Available', 'Elapsed Time', 'Denials'] as const;

/** Maximum number of annotations, each a line in a panel. They are sorted without a pause. */
const MAX_EVENTS = 20_000;

const none = new Float64Array();

/** Without a value, a series is unknown: it is left out, because Grafana shows 0 as its total. */
function hasValue(datapoints: TimeSeries['datapoints']): boolean {
  for (const [value] of datapoints) if (value !== null) return true;
  return false;
}

/** @throws DatasourceError if a panel cannot show so many annotations */
export function* shapeHistory(
  context: ChartContext,
  answered: Answered<readonly TrendSeries[]>,
): Generator<void, readonly PanelData[]> {
  const { query, combinations } = context;
  if (query.shape === 'annotations') return [yield* denialsOf(context, answered)];
  if (query.shape === 'long') return [historyTable(context, answered)];
  return answered.flatMap(({ combination, answer }) =>
    answer.flatMap(({ name, at, values }): readonly PanelData[] => {
      const datapoints = datapointsWithin(at, values, query.range);
      return hasValue(datapoints)
        ? [timeSeries(context, combination, `${name}${suffixOf(combination, combinations)}`, datapoints)]
        : [];
    }),
  );
}

/** All series of a combination merged by time. */
function historyTable(context: ChartContext, answered: Answered<readonly TrendSeries[]>): Table {
  const names = [...new Set([...TREND_SERIES, ...answered.flatMap(({ answer }) => answer.map(({ name }) => name))])];
  return flatTable(context, answered, [{ text: 'Time', type: 'time' }, ...names.map(number)], (series) =>
    rowsWithin(mergedRows(series, names, context.query.range), context.query.range),
  );
}

/** A row for each time of any series, from the last point of each before the range. The last of equal points counts. */
function* mergedRows(
  series: readonly TrendSeries[],
  names: readonly string[],
  range: TimeRange,
): Generator<readonly [at: number, ...Cell[]]> {
  const heads = series.map(({ name, at, values }) => ({
    column: names.indexOf(name),
    at,
    values,
    next: firstWithin(at, range),
  }));
  for (;;) {
    const time = heads.reduce((first, { at, next }) => Math.min(first, at[next] ?? first), Number.POSITIVE_INFINITY);
    if (time === Number.POSITIVE_INFINITY) return;
    const row: Cell[] = names.map(() => null);
    for (const head of heads) {
      for (; head.at[head.next] === time; head.next += 1) row[head.column] = known(head.values[head.next]);
    }
    yield [time, ...row];
  }
}

/** The rows within a range, and the last one before it. */
function* rowsWithin(rows: Iterable<readonly [at: number, ...Cell[]]>, range: TimeRange) {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = range;
  let before: readonly [at: number, ...Cell[]] | undefined;
  for (const row of rows) {
    if (row[0] < from) {
      before = row;
      continue;
    }
    if (before !== undefined && before[0] <= to) yield before;
    before = undefined;
    if (row[0] > to) return;
    yield row;
  }
  if (before !== undefined && before[0] <= to) yield before;
}

/** An annotation for each day with denials, cut to the range. */
function* denialsOf(
  { query, localTime }: ChartContext,
  answered: Answered<readonly TrendSeries[]>,
): Generator<void, Frame> {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = query.range;
  const events: Event[] = [];
  for (const { combination, answer } of answered) {
    const { at, values } = answer.find(({ name }) => name === 'Denials') ?? { at: none, values: none };
    for (const [i, time] of at.entries()) {
      yield;
      const value = values[i] as number;
      if (!(value > 0) || time > to) continue;
      const timeEnd = endOfDay(time, localTime);
      if (timeEnd <= from) continue;
      const text = `feature ${combination.feature}: ${value} denial${value === 1 ? '' : 's'}`;
      events.push({ time, timeEnd, title: 'Denials', text, tags: `denials,${combination.feature}` });
      if (events.length > MAX_EVENTS) {
        throw new DatasourceError('too_many', `more than ${MAX_EVENTS} annotations; narrow the time range`);
      }
    }
  }
  return annotations(events);
}
