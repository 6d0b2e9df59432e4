import type { EfficiencyHistory, HeatMap, ReservedHistory } from '../../../base/model/history.ts';
import { figureAt } from '../../../base/model/history.ts';
import { dateText, type LocalTime } from '../../../base/model/local-time.ts';
import { type Figure, isKnown, unknown } from '../../../base/model/unknown.ts';
import { type Answered, type ChartContext, datapointsWithin, flatTable, timeSeries } from './chart-context.ts';
import { type Combination, suffixOf } from './combinations.ts';
import {
  type Cell,
  cell,
  type Frame,
  LazyList,
  number,
  type PanelData,
  type Table,
  table,
  text,
} from './panel-data.ts';
import { isWithin } from './period.ts';
import { parseIsoTime } from './query.ts';

/** GetHistoryReserved, GetEfficiency and GetHeatMap in the formats of Grafana's panels. */

/** The series of spec 4.7. An empty answer has all of them, without points. */
const RESERVED_SERIES = ['Reserved Licenses', 'Distinct Users', 'Max In Use'] as const;
const EFFICIENCY_SERIES = 'Total Duration';
const HEAT_SERIES = 'Max In Use';
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
/** The columns of a heat map by the hour. A week begins on Monday, wherever the week of the analyzer begins. */
const WIDE = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const none = new Float64Array();

const reservedNames = (answered: Answered<ReservedHistory>): readonly string[] => {
  const names = new Set(answered.flatMap(({ answer }) => answer.series.map(({ name }) => name)));
  return names.size > 0 ? [...names] : RESERVED_SERIES;
};

/** The categories of an answer, and where they are in time. */
interface Days {
  /** Epoch milliseconds; not known for a category that is not a time. */
  readonly times: readonly Figure[];
  /** The indexes of the categories that belong to the range. One that is not a time belongs to every range. */
  readonly shown: readonly number[];
}

function daysOf({ days, localTime }: ChartContext, categories: readonly string[]): Days {
  const times: Figure[] = [];
  const shown: number[] = [];
  for (const [i, category] of categories.entries()) {
    const begin = timeOfCategory(category, localTime);
    times.push(begin);
    if (!isKnown(begin) || isWithin(days, begin)) shown.push(i);
  }
  return { times, shown };
}

/** A row for each category of the range. Missing values of a series are null. */
function reservedRows(
  { categories, series }: ReservedHistory,
  { shown }: Days,
  names: readonly string[],
): Iterable<readonly Cell[]> {
  const columns = names.map((name) => series.find((candidate) => candidate.name === name)?.values ?? none);
  return new LazyList(() =>
    shown.values().map((i) => [categories[i] ?? '', ...columns.map((values) => cell(figureAt(values, i)))]),
  );
}

/** Epoch milliseconds of a category: the start of a local day, or any other time. Not every category is one. */
export function timeOfCategory(category: string, localTime: LocalTime): Figure {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(category) ?? [];
  if (year === undefined) {
    const time = parseIsoTime(category);
    return Number.isFinite(time) ? time : unknown;
  }
  const day = Date.UTC(Number(year), Number(month) - 1, Number(date)) / 86_400_000;
  // 31 February does not exist
  return dateText(day) === category ? localTime.startOf(day) * 1000 : unknown;
}

/** For an order with the largest first: minus the largest of the values that are known, or infinite. */
function rankOfMost(values: Iterable<Figure>): number {
  let rank = Number.POSITIVE_INFINITY;
  for (const value of values) if (isKnown(value)) rank = Math.min(rank, -value);
  return rank;
}

const figuresOf = (values: Float64Array): Iterable<Figure> => values.keys().map((i) => figureAt(values, i));

/** The most licenses in use in the range, for an order with the largest first. */
export function rankOfReserved(context: ChartContext, { categories, series }: ReservedHistory): number {
  const { values } = series.find(({ name }) => name === HEAT_SERIES) ?? { values: none };
  return rankOfMost(daysOf(context, categories).shown.map((i) => figureAt(values, i)));
}

/** The hours in which any license was in use, for an order with the largest first. */
export const rankOfEfficiency = (_: ChartContext, { series: [first] }: EfficiencyHistory): number =>
  rankOfMost(figuresOf(first?.values ?? none));

/** The most licenses in use in any hour, for an order with the largest first. */
export const rankOfHeatMap = (_: ChartContext, { series: [first] }: HeatMap): number =>
  rankOfMost(figuresOf(first?.values ?? none));

/** GetHistoryReserved as lines if its categories are days, as one table for `long`, else as one for each combination. */
export function shapeReserved(context: ChartContext, answered: Answered<ReservedHistory>): readonly PanelData[] {
  const { query, combinations } = context;
  const names = reservedNames(answered);
  const days = new Map<ReservedHistory, Days>();
  for (const { answer } of answered) days.set(answer, daysOf(context, answer.categories));
  const rowsOf = (answer: ReservedHistory): Iterable<readonly Cell[]> =>
    reservedRows(answer, days.get(answer) as Days, names);
  if (query.shape === 'long') {
    return [flatTable(context, answered, [text('Category'), ...names.map(number)], rowsOf)];
  }
  return answered.flatMap(({ combination, answer }): readonly PanelData[] => {
    const suffix = suffixOf(combination, combinations);
    const { times } = days.get(answer) as Days;
    if (query.shape === 'timeseries' && times.every(isKnown)) {
      return names.map((name) => {
        const { values } = answer.series.find((candidate) => candidate.name === name) ?? { values: none };
        return timeSeries(context, combination, `${name}${suffix}`, datapointsWithin(times, values, context.days));
      });
    }
    const columns = [text('Category'), ...names.map((name) => number(`${name}${suffix}`))];
    return [table(`${query.target}${suffix}`, columns, rowsOf(answer))];
  });
}

/** GetEfficiency as tables by category: one for `long`, else one for each combination. */
export function shapeEfficiency(context: ChartContext, answered: Answered<EfficiencyHistory>): readonly PanelData[] {
  const { query, combinations } = context;
  const rowsOf = ({ series: [first] }: EfficiencyHistory): Iterable<readonly Cell[]> =>
    (first?.categories ?? []).map((category, i) => [category, cell(figureAt(first?.values ?? none, i))]);
  const nameOf = ({ series }: EfficiencyHistory): string => series[0]?.name || EFFICIENCY_SERIES;
  if (query.shape === 'long') {
    return [flatTable(context, answered, [text('Category'), number(EFFICIENCY_SERIES)], rowsOf)];
  }
  return answered.map(({ combination, answer }) => {
    const suffix = suffixOf(combination, combinations);
    const columns = [text('Category'), number(`${nameOf(answer)}${suffix}`)];
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
  const [first] = series;
  const values = new Map<string, number | null>();
  for (const [i, hour] of first?.hourIndexes.entries() ?? []) {
    values.set(`${hour},${first?.weekdayIndexes[i]}`, cell(figureAt(first?.values ?? none, i)));
  }
  const labels = hours.length > 0 ? hours : Array.from({ length: 24 }, (_, hour) => String(hour));
  return {
    name: first?.name || HEAT_SERIES,
    hours: labels.map((label, i) => (/^\d+$/.test(label) ? Number(label) : i)),
    weekdays: weekdays.length > 0 ? weekdays : WEEKDAYS,
    at: (hour, weekday) => values.get(`${hour},${weekday}`) ?? null,
  };
}

/** Weekday by hour, for a table with coloured cells. */
function heatTable(name: string, { hours, weekdays, at }: Grid): Table {
  return table(
    name,
    [text('Weekday'), ...hours.map((hour) => number(String(hour).padStart(2, '0')))],
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

/** A row for each hour and weekday that has a value. */
const heatRows = ({ hours, weekdays, at }: Grid): Iterable<readonly Cell[]> =>
  weekdays
    .flatMap((weekday, j) => hours.map((hour, i) => [hour, weekday, j, at(i, j)] as const))
    .filter(([, , , value]) => value !== null);

/** A row an hour; the first one has the end of the scale. Without a known value there is no row: nothing could be drawn. */
function wideTable(name: string, { hours, weekdays, at }: Grid, bought: Figure): Table {
  // an analyzer may write Monday, or MON
  const places = WIDE.map((day) =>
    weekdays.findIndex((weekday) => weekday.slice(0, 3).toLowerCase() === day.toLowerCase()),
  );
  const rows = hours
    .map((hour, i): readonly Cell[] => [hour, ...places.map((j) => at(i, j))])
    .toSorted(([a], [b]) => Number(a) - Number(b))
    .map((row, i): readonly Cell[] => [...row, i === 0 ? cell(bought) : null]);
  const hasValues = hours.some((_, i) => places.some((j) => at(i, j) !== null));
  return table(name, [number('Hour'), ...WIDE.map(number), number('Bought')], hasValues ? rows : []);
}

/**
 * GetHeatMap as tables, with an empty cell where nothing is recorded.
 *
 * @param boughtOf the licenses that are bought now
 */
export function shapeHeatMap(
  context: ChartContext,
  answered: Answered<HeatMap>,
  boughtOf: (combination: Combination) => Figure,
): readonly PanelData[] {
  const { query, combinations } = context;
  const grids: { combination: Combination; answer: Grid }[] = [];
  for (const { combination, answer } of answered) grids.push({ combination, answer: gridOf(answer) });
  if (query.shape === 'long') {
    const columns = [number('Hour'), text('Weekday'), number('Weekday index'), number('Value')];
    return [flatTable(context, grids, columns, heatRows)];
  }
  return grids.map(({ combination, answer: grid }) => {
    const name = `${grid.name}${suffixOf(combination, combinations)}`;
    if (query.shape === 'wide') return wideTable(name, grid, boughtOf(combination));
    return query.shape === 'table' ? heatTable(name, grid) : heatFrame(name, grid);
  });
}
