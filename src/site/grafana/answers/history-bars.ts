import type { TrendSeries } from '../../../base/model/history.ts';
import { figureAt } from '../../../base/model/history.ts';
import { dateText, dayOfDate, weekdayOf } from '../../../base/model/local-time.ts';
import { isKnown } from '../../../base/model/unknown.ts';
import { type Answered, type ChartContext, DENIALS, ELAPSED, flatTable, MAX_AVAILABLE } from './chart-context.ts';
import { type Cell, keyOf, LazyList, type Notice, number, type Table, text } from './panel-data.ts';
import { isWithin } from './period.ts';

/**
 * The shape `periods` of `history`: a row for each bar of a chart whose axis is text. Bars on an axis of time have the width of
 * the closest two points, and begin at midnight in the zone of the viewer.
 */

type Unit = 'day' | 'week' | 'month';

/** More bars cannot be told apart. */
const MOST_BARS = 62;
const WEEK = 7;

/** The first day of the period of a day. A week begins on Monday, as in ISO 8601. */
function firstOf(unit: Unit, day: number): number {
  if (unit === 'day') return day;
  if (unit === 'week') return day - ((weekdayOf(day) + 6) % WEEK);
  const [year, month] = dateText(day).split('-').map(Number) as [number, number];
  return dayOfDate(year, month, 1);
}

/** The first day of the next period. No month has 32 days, and none has less than 28. */
const nextOf = (unit: Unit, first: number): number =>
  unit === 'month' ? firstOf(unit, first + 32) : first + (unit === 'week' ? WEEK : 1);

const nameOf = (unit: Unit, first: number): string => dateText(first).slice(0, unit === 'month' ? 7 : 10);

/** The shortest period of which the bars of a range can be told apart. */
function unitOf(first: number, last: number): Unit {
  if (last - first < MOST_BARS) return 'day';
  return (firstOf('week', last) - firstOf('week', first)) / WEEK < MOST_BARS ? 'week' : 'month';
}

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

/** The first and the last day that the range means, up to today. Without a bound, it begins with the first point. */
function boundsOf(
  { days, localTime, now }: ChartContext,
  answered: Answered<readonly TrendSeries[]>,
): readonly [first: number, last: number] {
  const starts = answered.flatMap(({ answer }) => answer.flatMap(({ at }) => at[0] ?? []));
  const from = Number.isFinite(days.from) ? days.from : starts.reduce((a, b) => Math.min(a, b), now);
  return [localTime.dayOf(from / 1000), localTime.dayOf(Math.min(days.to - 1, now) / 1000)];
}

/** The periods of an answer from the first with a known value on. What is not known is no bar of 0. */
function rowsOf(bars: ReadonlyMap<number, Bar>, unit: Unit, last: number): readonly (readonly Cell[])[] {
  const rows: Cell[][] = [];
  const begin = [...bars.keys()].reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  for (let first = begin; first <= last; first = nextOf(unit, first)) {
    const { hours = null, denials = null, available = null } = bars.get(first) ?? {};
    rows.push([nameOf(unit, first), hours, denials, available]);
  }
  return rows;
}

/** Hours, denials and licenses by day, week or month, and a notice of which of them a bar is. */
export function periodsTable(
  context: ChartContext,
  answered: Answered<readonly TrendSeries[]>,
): { readonly bars: Table; readonly notice: Notice } {
  const [first, last] = boundsOf(context, answered);
  const unit = unitOf(first, last);
  const known: { combination: (typeof answered)[number]['combination']; answer: ReadonlyMap<number, Bar> }[] = [];
  for (const { combination, answer } of answered) {
    known.push({ combination, answer: barsOf(context, answer, unit) });
  }
  const columns = [text('Period'), number(ELAPSED), number(DENIALS), number(MAX_AVAILABLE)];
  const bars = flatTable(context, known, columns, (answer) => new LazyList(() => rowsOf(answer, unit, last).values()));
  return { bars, notice: { severity: 'info', text: `a bar is a ${unit}` } };
}
