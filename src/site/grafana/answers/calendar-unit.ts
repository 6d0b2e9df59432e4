import { dateText, dayOfDate, weekdayOf } from '../../../base/model/local-time.ts';
import type { ChartContext } from './chart-context.ts';

/** Days, weeks or months: what a bar or a step of a chart is. Local days of the analyzer are counted from 1970-01-01. */

/** What one value of a chart is about. */
export type Unit = 'day' | 'week' | 'month';

/** More bars cannot be told apart. */
const MOST_BARS = 62;
const WEEK = 7;

/** The first day of the period of a day. A week begins on Monday, as in ISO 8601. */
export function firstOf(unit: Unit, day: number): number {
  if (unit === 'day') return day;
  if (unit === 'week') return day - ((weekdayOf(day) + 6) % WEEK);
  const [year, month] = dateText(day).split('-').map(Number) as [number, number];
  return dayOfDate(year, month, 1);
}

/** The first day of the next period. No month has 32 days, and none has less than 28. */
export const nextOf = (unit: Unit, first: number): number =>
  unit === 'month' ? firstOf(unit, first + 32) : first + (unit === 'week' ? WEEK : 1);

/** `2026-10-26`, or `2026-10`. */
export const periodText = (unit: Unit, first: number): string => dateText(first).slice(0, unit === 'month' ? 7 : 10);

/** The shortest period of which the bars of a range can be told apart. */
function unitOf(first: number, last: number): Unit {
  if (last - first < MOST_BARS) return 'day';
  return (firstOf('week', last) - firstOf('week', first)) / WEEK < MOST_BARS ? 'week' : 'month';
}

/**
 * The unit of a chart, and the last day that its range means, up to today. A range without a bound begins with the first value.
 *
 * @param starts first days of which values are known
 */
export function spanOf(
  { days, localTime, now }: Pick<ChartContext, 'days' | 'localTime' | 'now'>,
  starts: Iterable<number>,
): { readonly unit: Unit; readonly last: number } {
  const last = localTime.dayOf(Math.min(days.to - 1, now) / 1000);
  if (Number.isFinite(days.from)) return { unit: unitOf(localTime.dayOf(days.from / 1000), last), last };
  let first = localTime.dayOf(now / 1000);
  for (const start of starts) first = Math.min(first, start);
  return { unit: unitOf(first, last), last };
}
