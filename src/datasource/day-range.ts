import type { LocalTime } from '../model/local-time.ts';
import type { TimeRange } from './query.ts';

/** Whole days of the analyzer, epoch milliseconds. `to` is the first moment after them. */
export interface DayRange {
  readonly from: number;
  readonly to: number;
}

/** Epoch milliseconds. Farther times, such as the end of the calendar of `Date`, are no bounds. */
const FAR = 8e15;

/** Whether the point of a day is shown. */
export const isWithin = ({ from, to }: DayRange, at: number): boolean => at >= from && at < to;

/**
 * The days of the analyzer that a time range means. Charts of history have one point a day, so that a total is right only over
 * whole days. A day belongs to the range if at least half of it does: October in a browser of another time zone is still
 * October. Of today, only the part that has passed counts. A range without such a day means the day in which it ends.
 *
 * @param now epoch milliseconds
 */
export function dayRange(range: TimeRange, now: number, localTime: LocalTime): DayRange {
  const [from, to] = [range.from, range.to].map((at) => (Math.abs(at ?? FAR) < FAR ? at : undefined));
  const dayOf = (at: number): number => localTime.dayOf(at / 1000);
  const startOf = (day: number): number => localTime.startOf(day) * 1000;
  const isMostlyWithin = (day: number): boolean => {
    const [start, midnight] = [startOf(day), startOf(day + 1)];
    const end = now > start && now < midnight ? now : midnight;
    const shown = Math.min(end, to ?? end) - Math.max(start, from ?? start);
    return shown > 0 && 2 * shown >= end - start;
  };
  const first = from === undefined ? Number.NEGATIVE_INFINITY : dayOf(from);
  const last = to === undefined ? Number.POSITIVE_INFINITY : dayOf(to);
  const [begin, end] = [
    from === undefined || isMostlyWithin(first) ? first : first + 1,
    to === undefined || isMostlyWithin(last) ? last : last - 1,
  ];
  if (begin > end) {
    const only = dayOf(Math.max(from ?? 0, (to ?? 0) - 1));
    return { from: startOf(only), to: startOf(only + 1) };
  }
  return {
    from: from === undefined ? begin : startOf(begin),
    to: to === undefined ? end : startOf(end + 1),
  };
}
