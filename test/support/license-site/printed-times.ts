import { type LocalTime, weekdayOf } from '../../../src/base/model/local-time.ts';
import type { SiteDate } from './site.ts';

/** Times as license managers print them. */

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** Offsets from UTC are multiples of it, seconds. */
const QUARTER = 900;

export interface PrintedTime {
  readonly weekday: string;
  readonly monthName: string;
  readonly year: number;
  readonly month: number;
  readonly date: number;
  readonly hour: number;
  /** Seconds of the hour. */
  readonly rest: number;
}

export const two = (value: number): string => String(value).padStart(2, '0');

/** What the clock of a zone shows at a time. It remembers quarters of hours, so that many times are printed quickly. */
export function createClock(localTime: LocalTime): (at: number) => PrintedTime {
  const known = new Map<number, PrintedTime>();
  const read = (at: number): PrintedTime => {
    const day = localTime.dayOf(at);
    const hour = localTime.hoursOf(day).findLast(({ start }) => start <= at);
    const date = new Date(day * 86_400_000);
    return {
      weekday: WEEKDAYS[weekdayOf(day)] ?? '',
      monthName: MONTHS[date.getUTCMonth()] ?? '',
      year: date.getUTCFullYear(),
      month: date.getUTCMonth() + 1,
      date: date.getUTCDate(),
      hour: hour?.hour ?? 0,
      // of an hour that the clock shows twice, the second one has the same minutes
      rest: (at - (hour?.start ?? at)) % 3600,
    };
  };
  return (at) => {
    const quarter = Math.floor(at / QUARTER);
    const start = known.get(quarter) ?? read(quarter * QUARTER);
    known.set(quarter, start);
    return { ...start, rest: start.rest + at - quarter * QUARTER };
  };
}

/** `9:05`. */
export const hourAndMinute = ({ hour, rest }: PrintedTime): string => `${hour}:${two(Math.floor(rest / 60))}`;

/** `Wed Nov 3 12:32:30 2021`. */
export const fullTime = (time: PrintedTime): string =>
  `${time.weekday} ${time.monthName} ${time.date} ${two(time.hour)}:${two(Math.floor(time.rest / 60))}:${two(time.rest % 60)} ${time.year}`;

/** `1-jul-2030`, or what stands for a permanent license. */
export const expiryText = (expires: SiteDate | 'permanent', permanent: string): string =>
  expires === 'permanent' ? permanent : `${expires.date}-${MONTHS[expires.month - 1]?.toLowerCase()}-${expires.year}`;
