import { createLocalTime, dayOfDate, type LocalTime, weekdayOf } from '../../base/model/local-time.ts';

/** Times and dates as license managers print them. Results are epoch seconds. */

const HOUR = 3600;
/** How far a time may lie after the reference time: the zone of the tool may not be the one that is configured. */
const AHEAD = 26 * HOUR;
/** How many years before the reference year are tried. */
const YEARS = 3;
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** The month of a name such as `Jun` in any case, from 1. Undefined for another word. */
export const monthOf = (name: string): number | undefined => MONTHS.indexOf(name.toLowerCase()) + 1 || undefined;

/** Seconds that two clocks may differ. */
export const CLOCK_DIFFERENCE = 300;

export interface ClockTime {
  readonly hour: number;
  readonly minute: number;
  readonly second?: number;
}

/** A day as a license manager writes it, often without a year. */
export interface CalendarDay {
  /** From 1. */
  readonly month: number;
  readonly date: number;
}

/** The day of a date, counted from 1970-01-01. Undefined for a date that does not exist. */
export function dayIn(year: number, { month, date }: CalendarDay): number | undefined {
  const day = dayOfDate(year, month, date);
  if (!Number.isFinite(day)) return undefined;
  const check = new Date(day * 24 * HOUR * 1000);
  return check.getUTCMonth() === month - 1 && check.getUTCDate() === date ? day : undefined;
}

/** When the clock shows a time; of a time that it shows twice the earlier. Undefined if it never does. */
function momentOn(day: number, { hour, minute, second = 0 }: ClockTime, localTime: LocalTime): number | undefined {
  if (minute > 59 || second > 60) return undefined;
  const start = localTime.hoursOf(day).find((one) => one.hour === hour)?.start;
  return start === undefined ? undefined : start + minute * 60 + second;
}

/** A time with its year. Undefined if it does not exist. */
export function timeOf(
  year: number,
  calendarDay: CalendarDay,
  clock: ClockTime,
  localTime: LocalTime,
): number | undefined {
  const day = dayIn(year, calendarDay);
  return day === undefined ? undefined : momentOn(day, clock, localTime);
}

/**
 * A time that was printed without its year: in the newest year in which it exists, has this weekday and is not after the
 * reference time. Undefined if no year fits: a time that cannot be dated is not known.
 *
 * @param weekday `Fri`; without one, the newest year counts
 */
export function yearlessTime(
  calendarDay: CalendarDay,
  clock: ClockTime,
  { reference, localTime, weekday }: { reference: number; localTime: LocalTime; weekday?: string | undefined },
): number | undefined {
  const latest = reference + AHEAD;
  // the day after may be in the next year already
  const newest = new Date(latest * 1000).getUTCFullYear();
  const oldest = new Date(reference * 1000).getUTCFullYear() - YEARS;
  for (let year = newest; year >= oldest; year -= 1) {
    const day = dayIn(year, calendarDay);
    if (day === undefined) continue;
    if (weekday !== undefined && WEEKDAYS[weekdayOf(day)] !== weekday.toLowerCase()) continue;
    const at = momentOn(day, clock, localTime);
    if (at !== undefined && at <= latest) return at;
  }
  return undefined;
}

/** The clock of a source, and the calendar in which its dates are days. */
export interface SourceTime extends LocalTime {
  /** Of the analyzer: a date without a time is a day there, wherever the license server is. */
  readonly calendar: LocalTime;
}

/** @param timeZone of the times in the output @param calendarZone of the analyzer @throws RangeError for an unknown zone */
export const createSourceTime = (timeZone: string, calendarZone: string): SourceTime => ({
  ...createLocalTime(timeZone),
  calendar: createLocalTime(calendarZone),
});

/** The last second of a day. */
export const endOfDay = (day: number, { calendar }: Pick<SourceTime, 'calendar'>): number =>
  calendar.startOf(day + 1) - 1;

/** `undefined` is permanent, as in `Increment`. */
export type Expiry = number | 'unknown' | undefined;

/**
 * The expiry `12-jun-2030`, `permanent`, `permanent(no expiration date)`, or a date in the year 0, which is permanent too:
 * the last second of the day.
 */
export function expiryOf(written: string, localTime: SourceTime): Expiry {
  if (/^permanent/i.test(written)) return undefined;
  const [, date, monthName = '', year] = /^(\d{1,2})-([a-z]{3})-(\d{1,4})$/i.exec(written) ?? [];
  const month = monthOf(monthName);
  if (month === undefined) return 'unknown';
  if (Number(year) === 0) return undefined;
  const day = dayIn(fullYear(Number(year)), { month, date: Number(date) });
  return day === undefined ? 'unknown' : endOfDay(day, localTime);
}

/** License files may have two digits: 90 to 99 are in the last century. */
const fullYear = (year: number): number => {
  if (year >= 100) return year;
  return year >= 90 ? 1900 + year : 2000 + year;
};
