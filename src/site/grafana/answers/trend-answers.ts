import { figureAt, type TrendSeries } from '../../../base/model/history.ts';
import { dateText } from '../../../base/model/local-time.ts';
import { type Figure, isKnown, unknown } from '../../../base/model/unknown.ts';
import { parseVendorLicense } from '../../../base/model/vendor-license.ts';
import { countText, namesText } from '../../../base/texts.ts';
import { firstOf, nextOf, periodText, spanOf, type Unit } from './calendar-unit.ts';
import {
  type Answered,
  type ChartContext,
  DENIALS,
  datapointsWithin,
  drawnOf,
  ELAPSED,
  flatTable,
  MAX_AVAILABLE,
  TREND_SERIES,
  timeSeries,
  uncountedNotice,
  withoutUncounted,
} from './chart-context.ts';
import { type Combination, productCell, suffixOf } from './combinations.ts';
import { DatasourceError } from './errors.ts';
import {
  annotations,
  type Cell,
  cell,
  type Event,
  type Frame,
  keyOf,
  LazyList,
  type Notice,
  number,
  type PanelData,
  type Table,
  type TimeSeries,
  table,
  text,
} from './panel-data.ts';
import { type DayRange, isWithin } from './period.ts';
import { show } from './query.ts';
import { waitedCells } from './waited.ts';

/**
 * GetHistory in the formats of Grafana's panels. The shape `periods` of `history`: a row for each bar of a chart whose axis is
 * text. Bars on an axis of time have the width of the closest two points, and begin at midnight in the zone of the viewer.
 */

/** What is known of a period; `undefined` where no value is. */
interface Bar {
  hours: number | undefined;
  denials: number | undefined;
  available: number | undefined;
}

const add = (value: number, sum = 0): number => sum + value;
const most = (value: number, highest = value): number => Math.max(highest, value);

const parts = [
  [ELAPSED, 'hours', add],
  [DENIALS, 'denials', add],
  [MAX_AVAILABLE, 'available', most],
] as const;

/** The series that the query asks for. Of a period in which only others are known, nothing is shown. */
function partsOf({ query }: ChartContext): readonly (typeof parts)[number][] {
  const asked = query.values.lists.columns ?? [];
  const named = parts.filter(([name]) => asked.includes(name) || asked.includes(keyOf(name)));
  return named.length > 0 ? named : parts;
}

/** What an answer knows, by the first day of the period. A period without a known value has no entry. */
function barsOf(context: ChartContext, answer: readonly TrendSeries[], unit: Unit): ReadonlyMap<number, Bar> {
  const { days, localTime } = context;
  const bars = new Map<number, Bar>();
  for (const [name, key, join] of partsOf(context)) {
    const { at = [], values = [] } = answer.find((series) => series.name === name) ?? {};
    for (const [i, time] of at.entries()) {
      const value = figureAt(values, i);
      if (!isKnown(value) || !isWithin(days, time)) continue;
      const first = firstOf(unit, localTime.dayOf(time / 1000));
      const bar = bars.get(first) ?? { hours: undefined, denials: undefined, available: undefined };
      bars.set(first, bar);
      bar[key] = join(value, bar[key]);
    }
  }
  return bars;
}

/** The periods of an answer from the first with a known value on. What is not known is no bar of 0. */
function rowsOf(bars: ReadonlyMap<number, Bar>, unit: Unit, last: number): readonly (readonly Cell[])[] {
  const rows: Cell[][] = [];
  const begin = [...bars.keys()].reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  for (let first = begin; first <= last; first = nextOf(unit, first)) {
    const { hours = null, denials = null, available = null } = bars.get(first) ?? {};
    rows.push([periodText(unit, first), hours, denials, available]);
  }
  return rows;
}

/** Hours, denials and licenses by day, week or month, and a notice of which of them a bar is. */
export function periodsTable(
  context: ChartContext,
  answered: Answered<readonly TrendSeries[]>,
): { readonly bars: Table; readonly notice: Notice } {
  const { localTime } = context;
  const starts = answered.flatMap(({ answer }) => answer.flatMap(({ at }) => at[0] ?? []));
  const { unit, last } = spanOf(
    context,
    starts.map((start) => localTime.dayOf(start / 1000)),
  );
  const known: { combination: (typeof answered)[number]['combination']; answer: ReadonlyMap<number, Bar> }[] = [];
  for (const { combination, answer } of answered) {
    known.push({ combination, answer: barsOf(context, answer, unit) });
  }
  const columns = [text('Period'), number(ELAPSED), number(DENIALS), number(MAX_AVAILABLE)];
  const bars = flatTable(context, known, columns, (answer) => new LazyList(() => rowsOf(answer, unit, last).values()));
  return { bars, notice: { severity: 'info', text: `a bar is a ${unit}` } };
}

/** Maximum number of annotations, each a line in a panel. They are sorted without a pause. */
const MAX_EVENTS = 20_000;

const none = new Float64Array();

/** Charts, and what they leave out. */
export interface Shaped {
  readonly items: readonly PanelData[];
  readonly notices: readonly Notice[];
}

/** Without a value, a series is unknown: it is left out, because Grafana shows 0 as its total. */
function hasValue(datapoints: TimeSeries['datapoints']): boolean {
  for (const [value] of datapoints) if (value !== null) return true;
  return false;
}

/** @throws DatasourceError for a column that is not a series, or if a panel cannot show so many annotations */
export function shapeHistory(context: ChartContext, raw: Answered<readonly TrendSeries[]>): Shaped {
  const { query } = context;
  if (query.shape === 'annotations') return { items: [denialsOf(context, raw)], notices: [] };
  const notices = uncountedNotice(context, raw);
  const answered: { combination: Combination; answer: readonly TrendSeries[] }[] = [];
  for (const { combination, answer } of raw) {
    answered.push({ combination, answer: answer.map(withoutUncounted) });
  }
  if (query.shape === 'long') return { items: [historyTable(context, answered)], notices };
  if (query.shape === 'totals') return { items: [totalsTable(context, answered)], notices };
  if (query.shape === 'periods') {
    const { bars, notice } = periodsTable(context, answered);
    return { items: [bars], notices: [...notices, notice] };
  }
  const charts = historyCharts(context, answered);
  return { items: charts.items, notices: [...notices, ...charts.notices] };
}

/** The known values of a series in some days. */
function valuesIn(answer: readonly TrendSeries[], name: string, days: DayRange): readonly number[] {
  const { at = [], values = [] } = answer.find((series) => series.name === name) ?? {};
  const found: number[] = [];
  for (const [i, time] of at.entries()) {
    const value = figureAt(values, i);
    if (isWithin(days, time) && isKnown(value)) found.push(value);
  }
  return found;
}

/** The sum of the values of a series in some days; not known if no value is. */
function totalOf(answer: readonly TrendSeries[], name: string, days: DayRange): Figure {
  const values = valuesIn(answer, name, days);
  return values.length === 0 ? unknown : values.reduce((sum, value) => sum + value);
}

/** The series of each combination. `columns` chooses them, and `top` the combinations with the highest total of `sort`. */
function historyCharts(context: ChartContext, answered: Answered<readonly TrendSeries[]>): Shaped {
  const { query, combinations, days } = context;
  const { top, sort = `-${DENIALS}`, lists } = query.values;
  const names = new Set<string>([...TREND_SERIES, ...answered.flatMap(({ answer }) => answer.map(({ name }) => name))]);
  const by = sort.replace(/^-/, '');
  for (const name of [by, ...(lists.columns ?? [])]) {
    if (names.has(name)) continue;
    const valid = [...names].join(', ');
    throw new DatasourceError('bad_parameter', `${query.target}: ${show(name)} is not a series; valid are ${valid}`);
  }
  const direction = sort.startsWith('-') ? -1 : 1;
  const rankOf = (answer: readonly TrendSeries[]): number => {
    const total = totalOf(answer, by, days);
    return isKnown(total) ? direction * total : Number.POSITIVE_INFINITY;
  };
  // two unknown totals are equal
  const compare = (a: number, b: number): number => (a === b ? 0 : a - b);
  const { drawn, notices } = drawnOf(answered, rankOf, by);
  const shown =
    top === undefined
      ? drawn
      : answered.toSorted((a, b) => compare(rankOf(a.answer), rankOf(b.answer))).slice(0, Number(top));
  const items = shown.flatMap(({ combination, answer }) =>
    answer.flatMap(({ name, at, values }): readonly PanelData[] => {
      if (lists.columns !== undefined && !lists.columns.includes(name)) return [];
      const datapoints = datapointsWithin(at, values, days);
      const title = `${name}${suffixOf(combination, combinations)}`;
      return hasValue(datapoints) ? [timeSeries(context, combination, title, datapoints)] : [];
    }),
  );
  const cut = `${shown.length} of ${answered.length} combinations, by ${by}`;
  if (top === undefined) return { items, notices };
  return { items, notices: shown.length < answered.length ? [{ severity: 'info', text: cut }] : [] };
}

/** What a combination had in all days together, the most denials first. */
function totalsTable(context: ChartContext, answered: Answered<readonly TrendSeries[]>): Table {
  const { query, days, waited } = context;
  const people =
    waited === undefined
      ? []
      : waitedCells(({ product, feature }: Combination) =>
          waited({ vendorLicense: parseVendorLicense(product).vendorLicense, feature }),
        );
  const rows: (readonly [product: string, feature: string, denials: number | null, ...Cell[]])[] = [];
  for (const { combination, answer } of answered) {
    const denials = valuesIn(answer, DENIALS, days);
    const available = valuesIn(answer, MAX_AVAILABLE, days);
    rows.push([
      productCell(combination, query.isForRows),
      combination.feature,
      cell(totalOf(answer, DENIALS, days)),
      denials.length === 0 ? null : denials.filter((value) => value > 0).length,
      cell(totalOf(answer, ELAPSED, days)),
      available.length === 0 ? null : available.reduce((highest, value) => Math.max(highest, value)),
      ...people.map(([, read]) => read(combination)),
    ]);
  }
  const columns = [
    text('Product'),
    text('Feature'),
    number('Denials'),
    number('Days with denials'),
    number('License-hours'),
    number('Max available'),
    ...people.map(([column]) => column),
  ];
  return table(
    query.target,
    columns,
    rows.sort((a, b) => (b[2] ?? -1) - (a[2] ?? -1)),
  );
}

/** All series of a combination merged by time. */
function historyTable(context: ChartContext, answered: Answered<readonly TrendSeries[]>): Table {
  const names = [...new Set([...TREND_SERIES, ...answered.flatMap(({ answer }) => answer.map(({ name }) => name))])];
  return flatTable(context, answered, [{ text: 'Time', type: 'time' }, ...names.map(number)], (series) =>
    mergedRows(series, names, context.days),
  );
}

/** A row for each time of any series in some days. The last of equal points counts. */
function* mergedRows(
  series: readonly TrendSeries[],
  names: readonly string[],
  days: DayRange,
): Generator<readonly [at: number, ...Cell[]]> {
  const heads = series.map(({ name, at, values }) => ({ column: names.indexOf(name), at, values, next: 0 }));
  for (;;) {
    const time = heads.reduce((first, { at, next }) => Math.min(first, at[next] ?? first), Number.POSITIVE_INFINITY);
    if (time === Number.POSITIVE_INFINITY) return;
    const row: Cell[] = names.map(() => null);
    for (const head of heads) {
      for (; head.at[head.next] === time; head.next += 1) row[head.column] = cell(figureAt(head.values, head.next));
    }
    if (isWithin(days, time)) yield [time, ...row];
  }
}

/** One annotation for each day with denials, over all features: a region for each feature would cover the whole chart. */
function denialsOf({ query, localTime, days }: ChartContext, answered: Answered<readonly TrendSeries[]>): Frame {
  const byDay = new Map<number, Map<string, number>>();
  for (const { combination, answer } of answered) {
    const { at, values } = answer.find(({ name }) => name === DENIALS) ?? { at: none, values: none };
    for (const [i, time] of at.entries()) {
      const value = figureAt(values, i);
      if (!isKnown(value) || value <= 0 || !isWithin(days, time)) continue;
      const day = localTime.dayOf(time / 1000);
      const features = byDay.get(day) ?? new Map<string, number>();
      features.set(combination.feature, (features.get(combination.feature) ?? 0) + value);
      byDay.set(day, features);
      if (byDay.size > MAX_EVENTS) {
        throw new DatasourceError('too_many', `more than ${MAX_EVENTS} annotations; narrow the time range`);
      }
    }
  }
  const events: Event[] = [];
  for (const [day, features] of byDay) {
    const total = [...features.values()].reduce((sum, value) => sum + value);
    const mostFirst = [...features].sort((a, b) => b[1] - a[1]).map(([feature, value]) => `${feature} (${value})`);
    // the sum of the analyzer has no names
    const names = query.values.wildcard === 'upstream' ? '' : ` of ${namesText(mostFirst)}`;
    events.push({
      time: localTime.startOf(day) * 1000,
      title: 'Denials',
      text: `${dateText(day)}: ${countText(total, 'denial')}${names}`,
      tags: 'denials',
    });
  }
  return annotations(events);
}
