import type { EfficiencyHistory, HeatMap, ReservedHistory, TrendSeries } from '../model/history.ts';
import { dateText, type LocalTime } from '../model/local-time.ts';
import { annotations, type Event } from './annotations.ts';
import { type Combination, type CombinationAnswers, type Combinations, suffixOf } from './combinations.ts';
import {
  type Cell,
  type Column,
  cell,
  type Frame,
  type PanelData,
  type Table,
  type TimeSeries,
  table,
} from './panel-data.ts';
import { parseIsoTime, type Query, type TimeRange } from './query.ts';

/** The chart series of spec 2.6 in the formats of Grafana's panels. */

export interface ChartContext {
  readonly query: Query;
  readonly combinations: Combinations;
  readonly localTime: LocalTime;
}
type Answered<T> = CombinationAnswers<T>['answers'];

/** The series of spec 4.6 and 4.7. An empty answer has all of them, without points. */
const TREND_SERIES = ['Max Available', 'Elapsed Time', 'Denials'] as const;
const RESERVED_SERIES = ['Reserved Licenses', 'Distinct Users', 'Max In Use'] as const;
const EFFICIENCY_SERIES = 'Total Duration';
const HEAT_SERIES = 'Max In Use';
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

const string = (text: string): Column => ({ text, type: 'string' });
const number = (text: string): Column => ({ text, type: 'number' });

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
function flatTable<T>(
  context: ChartContext,
  answered: Answered<T>,
  columns: readonly Column[],
  rowsOf: (answer: T) => readonly (readonly Cell[])[],
): Table {
  const owner = ownerOf(context);
  return table(
    context.query.target,
    [...owner.columns, ...columns],
    answered.flatMap(({ combination, answer }) => rowsOf(answer).map((row) => [...owner.cells(combination), ...row])),
  );
}

const tagsOf = ({ query }: ChartContext, { product, feature }: Combination): Record<string, string> => {
  const { package: pkg, ftype } = query.values;
  return { product, feature, ...(pkg !== undefined && { package: pkg }), ...(ftype !== undefined && { ftype }) };
};

/** The points within a range, and the last one before it, so that lines start at the edge. */
function within<T>(points: readonly T[], timeOf: (point: T) => number, { from, to }: TimeRange): readonly T[] {
  const first = from === undefined ? 0 : points.findIndex((point) => timeOf(point) >= from);
  const begin = first === -1 ? points.length : first;
  return points
    .slice(Math.max(0, begin - (from === undefined ? 0 : 1)))
    .filter((point) => to === undefined || timeOf(point) <= to);
}

const orEmpty = (series: readonly TrendSeries[]): readonly TrendSeries[] =>
  series.length > 0 ? series : TREND_SERIES.map((name) => ({ name, points: [] }));

export function shapeHistory(context: ChartContext, answered: Answered<readonly TrendSeries[]>): readonly PanelData[] {
  const { query } = context;
  if (query.shape === 'annotations') return [annotations(answered.flatMap((each) => denialsOf(context, each)))];
  if (query.shape === 'long') return [historyTable(context, answered)];
  return answered.flatMap(({ combination, answer }) =>
    orEmpty(answer).map(({ name, points }): TimeSeries => {
      const title = `${name}${suffixOf(combination, context.combinations)}`;
      const datapoints = within(points, ([at]) => at, query.range).map(([at, value]) => [cell(value), at] as const);
      return { target: title, title, tags: tagsOf(context, combination), datapoints };
    }),
  );
}

/** All series of a combination merged by time. */
function historyTable(context: ChartContext, answered: Answered<readonly TrendSeries[]>): Table {
  const names = [...new Set([...TREND_SERIES, ...answered.flatMap(({ answer }) => answer.map(({ name }) => name))])];
  const rowsOf = (series: readonly TrendSeries[]): (readonly Cell[])[] => {
    const byTime = new Map<number, Map<string, number | null>>();
    for (const { name, points } of series) {
      for (const [at, value] of points) {
        const row = byTime.get(at) ?? new Map<string, number | null>();
        byTime.set(at, row.set(name, cell(value)));
      }
    }
    const rows = [...byTime].sort(([a], [b]) => a - b);
    return within(rows, ([at]) => at, context.query.range).map(([at, values]) => [
      at,
      ...names.map((name) => values.get(name) ?? null),
    ]);
  };
  return flatTable(context, answered, [{ text: 'Time', type: 'time' }, ...names.map(number)], rowsOf);
}

/** An annotation for each day with denials, cut to the range. */
function denialsOf(
  { query, localTime }: ChartContext,
  { combination, answer }: Answered<readonly TrendSeries[]>[number],
): readonly Event[] {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = query.range;
  const points = answer.find(({ name }) => name === 'Denials')?.points ?? [];
  return points.flatMap(([time, value]): Event[] => {
    const timeEnd = endOfDay(time, localTime);
    if (value === undefined || value <= 0 || timeEnd <= from || time > to) return [];
    const text = `feature ${combination.feature}: ${value} denial${value === 1 ? '' : 's'}`;
    return [{ time, timeEnd, title: 'Denials', text, tags: `denials,${combination.feature}` }];
  });
}

const reservedNames = (answered: Answered<ReservedHistory>): readonly string[] => {
  const names = new Set(answered.flatMap(({ answer }) => answer.series.map(({ name }) => name)));
  return names.size > 0 ? [...names] : RESERVED_SERIES;
};

/** A row for each category of the range. Missing values of a series are null. */
function reservedRows(
  { query, localTime }: ChartContext,
  { categories, series }: ReservedHistory,
  names: readonly string[],
): (readonly Cell[])[] {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = query.range;
  const isOutside = (category: string): boolean => {
    const begin = timeOfCategory(category, localTime);
    // a category that is not a time belongs to every range
    return Number.isFinite(begin) && (begin > to || endOfDay(begin, localTime) <= from);
  };
  return categories.flatMap((category, i) =>
    isOutside(category)
      ? []
      : [[category, ...names.map((name) => cell(series.find((candidate) => candidate.name === name)?.values[i]))]],
  );
}

/** The end of the local day that contains a time, epoch milliseconds. */
const endOfDay = (at: number, localTime: LocalTime): number => localTime.startOf(localTime.dayOf(at / 1000) + 1) * 1000;

/** Epoch milliseconds of a category: the start of a local day, or any other time. */
function timeOfCategory(category: string, localTime: LocalTime): number {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(category) ?? [];
  if (year === undefined) return parseIsoTime(category);
  const day = Date.UTC(Number(year), Number(month) - 1, Number(date)) / 86_400_000;
  // 31 February does not exist
  return dateText(day) === category ? localTime.startOf(day) * 1000 : Number.NaN;
}

export function shapeReserved(context: ChartContext, answered: Answered<ReservedHistory>): readonly PanelData[] {
  const { query, combinations, localTime } = context;
  const names = reservedNames(answered);
  if (query.shape === 'long') {
    return [
      flatTable(context, answered, [string('Category'), ...names.map(number)], (answer) =>
        reservedRows(context, answer, names),
      ),
    ];
  }
  return answered.flatMap(({ combination, answer }): readonly PanelData[] => {
    const suffix = suffixOf(combination, combinations);
    const times = answer.categories.map((category) => timeOfCategory(category, localTime));
    if (query.shape === 'timeseries' && times.every(Number.isFinite)) {
      return names.map((name): TimeSeries => {
        const values = answer.series.find((candidate) => candidate.name === name)?.values ?? [];
        const points = times.map((at, i) => [cell(values[i]), at] as const);
        const title = `${name}${suffix}`;
        const datapoints = within(points, ([, at]) => at, query.range);
        return { target: title, title, tags: tagsOf(context, combination), datapoints };
      });
    }
    const columns = [string('Category'), ...names.map((name) => number(`${name}${suffix}`))];
    return [table(`${query.target}${suffix}`, columns, reservedRows(context, answer, names))];
  });
}

export function shapeEfficiency(context: ChartContext, answered: Answered<EfficiencyHistory>): readonly PanelData[] {
  const { query, combinations } = context;
  const rowsOf = ({ series }: EfficiencyHistory): (readonly Cell[])[] =>
    (series[0]?.pairs ?? []).map(([category, value]) => [category, cell(value)]);
  const nameOf = ({ series }: EfficiencyHistory): string => series[0]?.name || EFFICIENCY_SERIES;
  if (query.shape === 'long') {
    return [flatTable(context, answered, [string('Category'), number(EFFICIENCY_SERIES)], rowsOf)];
  }
  return answered.map(({ combination, answer }) => {
    const suffix = suffixOf(combination, combinations);
    const columns = [string('Category'), number(`${nameOf(answer)}${suffix}`)];
    return table(`${query.target}${suffix}`, columns, rowsOf(answer));
  });
}

interface Grid {
  readonly name: string;
  /** Hours, 0 to 23. */
  readonly hours: readonly number[];
  readonly weekdays: readonly string[];
  readonly at: (hour: number, weekday: number) => number | null;
}

/** Every hour of every weekday. Cells without data are null. An answer without categories gets the default ones. */
function gridOf({ hours, weekdays, series }: HeatMap): Grid {
  const values = new Map(series[0]?.cells.map(([hour, weekday, value]) => [`${hour},${weekday}`, cell(value)]));
  const labels = hours.length > 0 ? hours : Array.from({ length: 24 }, (_, hour) => String(hour));
  return {
    name: series[0]?.name || HEAT_SERIES,
    hours: labels.map((label, i) => (/^\d+$/.test(label) ? Number(label) : i)),
    weekdays: weekdays.length > 0 ? weekdays : WEEKDAYS,
    at: (hour, weekday) => values.get(`${hour},${weekday}`) ?? null,
  };
}

/** Weekday by hour, for a table with coloured cells. */
function heatTable(name: string, { hours, weekdays, at }: Grid): Table {
  return table(
    name,
    [string('Weekday'), ...hours.map((hour) => number(String(hour).padStart(2, '0')))],
    weekdays.map((weekday, j) => [weekday, ...hours.map((_, i) => at(i, j))]),
  );
}

/** Hours as numbers, and a field for each weekday, for the heatmap panel. */
function heatFrame(name: string, { hours, weekdays, at }: Grid): Frame {
  return {
    name,
    meta: { type: 'heatmap-rows' },
    fields: [
      { name: 'Hour', type: 'number', values: hours },
      ...weekdays.map((weekday, j) => ({
        name: weekday,
        type: 'number' as const,
        config: {},
        values: hours.map((_, i) => at(i, j)),
      })),
    ],
  };
}

export function shapeHeatMap(context: ChartContext, answered: Answered<HeatMap>): readonly PanelData[] {
  const { query, combinations } = context;
  if (query.shape === 'long') {
    const columns = [number('Hour'), string('Weekday'), number('Weekday index'), number('Value')];
    return [
      flatTable(context, answered, columns, (answer) => {
        const { hours, weekdays, at } = gridOf(answer);
        return weekdays.flatMap((weekday, j) =>
          hours.flatMap((hour, i) => (at(i, j) === null ? [] : [[hour, weekday, j, at(i, j)]])),
        );
      }),
    ];
  }
  return answered.map(({ combination, answer }) => {
    const grid = gridOf(answer);
    const name = `${grid.name}${suffixOf(combination, combinations)}`;
    return query.shape === 'table' ? heatTable(name, grid) : heatFrame(name, grid);
  });
}
