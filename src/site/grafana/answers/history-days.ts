import { figureAt, type ReservedHistory, type TrendSeries } from '../../../base/model/history.ts';
import { type Figure, isKnown } from '../../../base/model/unknown.ts';
import { type Answered, type ChartContext, flatTable, MAX_AVAILABLE, withoutUncounted } from './chart-context.ts';
import type { Combination } from './combinations.ts';
import { timeOfCategory } from './history-answers.ts';
import { type Cell, LazyList, number, type Table } from './panel-data.ts';

/** The shape `days` of `history`: GetHistory and GetHistoryReserved in one table, for lines of steps. */

/** The columns of GetHistoryReserved that are shown. */
export const RESERVED_COLUMNS = ['Max In Use', 'Distinct Users', 'Reserved Licenses'] as const;
const COLUMNS = [MAX_AVAILABLE, ...RESERVED_COLUMNS] as const;

/** The answers about one combination; `undefined` for one that failed. */
export interface DaySources {
  readonly history: readonly TrendSeries[] | undefined;
  readonly reserved: ReservedHistory | undefined;
}

/** The values of local days, in the order of the columns. A day without a known value has no entry. */
type Days = Map<number, (number | null)[]>;

/** Adds a value. Of several points of a day the highest counts: but for the users, all are the most of a day. */
function put(days: Days, day: number, column: number, value: number): void {
  const row = days.get(day) ?? COLUMNS.map(() => null);
  days.set(day, row);
  row[column] = Math.max(row[column] ?? value, value);
}

function daysOf({ query, localTime }: ChartContext, { history = [], reserved }: DaySources): Days {
  const days: Days = new Map();
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = query.range;
  // a part of a day is drawn as long as it is
  const isShown = (day: number): boolean =>
    localTime.startOf(day) * 1000 < to && localTime.startOf(day + 1) * 1000 > from;
  const add = (time: Figure, column: number, value: Figure): void => {
    // a category that is no day has no place on an axis of time
    if (!isKnown(value) || !isKnown(time)) return;
    const day = localTime.dayOf(time / 1000);
    if (isShown(day)) put(days, day, column, value);
  };
  for (const { name, at, values } of history.map(withoutUncounted)) {
    if (name !== MAX_AVAILABLE) continue;
    for (const [i, time] of at.entries()) {
      add(time, 0, figureAt(values, i));
    }
  }
  const names: readonly string[] = COLUMNS;
  const columns = (reserved?.series ?? []).map(({ name, values }) => ({ column: names.indexOf(name), values }));
  for (const [i, category] of (reserved?.categories ?? []).entries()) {
    const time = timeOfCategory(category, localTime);
    for (const { column, values } of columns) if (column >= 0) add(time, column, figureAt(values, i));
  }
  return days;
}

/**
 * A row for each day from the first to the last with a known value. The line breaks at a day without one. The first row is in
 * the range, and the last day has a second row at its end, so that the line of one day has a length.
 */
function* stepsOf(
  days: ReadonlyMap<number, readonly Cell[]>,
  { query, localTime, now }: ChartContext,
): Generator<readonly Cell[]> {
  const known = [...days.keys()];
  const last = known.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const { from = Number.NEGATIVE_INFINITY, to = now } = query.range;
  const startOf = (day: number): number => localTime.startOf(day) * 1000;
  let time = Number.POSITIVE_INFINITY;
  for (let day = known.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY); day <= last; day += 1) {
    time = Math.max(startOf(day), from);
    yield [time, ...(days.get(day) ?? COLUMNS.map(() => null))];
  }
  // what follows a day without data after it is not known
  const end = Math.min(to, now, last === Number.NEGATIVE_INFINITY ? time : startOf(last + 1));
  if (end > time) yield [end, ...(days.get(last) ?? [])];
}

/** The licenses, their use and their reservations by local day, for lines of steps. */
export function shapeDays(context: ChartContext, answered: Answered<DaySources>): Table {
  const known: { combination: Combination; answer: Days }[] = [];
  for (const { combination, answer } of answered) {
    known.push({ combination, answer: daysOf(context, answer) });
  }
  const columns = [{ text: 'Time', type: 'time' } as const, ...COLUMNS.map(number)];
  return flatTable(context, known, columns, (days) => new LazyList(() => stepsOf(days, context)));
}
