import { dayIn, endOfDay, type SourceTime } from '../times.ts';

/** Times and dates of an observation document: epoch seconds, RFC 3339, `2027-06-30`, `permanent`. */

/** In 1973: smaller numbers are durations. */
export const MIN_TIME = 100_000_000;
/** The end of the year 9999: larger numbers are milliseconds. */
export const MAX_TIME = 253_402_300_799;

const FIRST_YEAR = 1974;

export const DATE = /^\d{4}-\d{2}-\d{2}$/;
/** The form of a time with its zone (RFC 3339). */
export const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

/** The day of a date, undefined for one that does not exist. */
function dayOf(date: string): number | undefined {
  const [year, month, day] = [Number(date.slice(0, 4)), Number(date.slice(5, 7)), Number(date.slice(8, 10))];
  return year >= FIRST_YEAR ? dayIn(year, { month, date: day }) : undefined;
}

/** Epoch seconds of an RFC 3339 time, undefined for one that does not exist or lies outside the limits. */
function secondsOf(text: string): number | undefined {
  const day = dayOf(text.slice(0, 10));
  const [hour, minute, second] = [text.slice(11, 13), text.slice(14, 16), text.slice(17, 19)].map(Number);
  if (day === undefined || hour === undefined || minute === undefined || second === undefined) return undefined;
  const isUtc = /[Zz]$/.test(text);
  const [zoneHours, zoneMinutes] = isUtc ? [0, 0] : [Number(text.slice(-5, -3)), Number(text.slice(-2))];
  if (hour > 23 || minute > 59 || second > 60 || zoneHours > 23 || zoneMinutes > 59) return undefined;
  const ahead = (zoneHours * 60 + zoneMinutes) * 60 * (text.at(-6) === '-' ? -1 : 1);
  const at = day * 86_400 + hour * 3600 + minute * 60 + second - (isUtc ? 0 : ahead);
  return at >= MIN_TIME && at <= MAX_TIME ? at : undefined;
}

/** Whether a text is a date that exists. */
export const isDate = (text: string): boolean => dayOf(text) !== undefined;
/** Whether a text is a time that exists. */
export const isDateTime = (text: string): boolean => secondsOf(text) !== undefined;

/** Epoch seconds, whole ones. @param written a checked value of the document */
export const timeOf = (written: string | number): number =>
  typeof written === 'number' ? Math.floor(written) : (secondsOf(written) ?? Number.NaN);

/** An expiry as in `Increment`; a date is the last second of that day. @param written a checked value of the document */
export function expiryOf(
  written: string | number | null | undefined,
  localTime: SourceTime,
): number | 'unknown' | undefined {
  if (written === undefined || written === null) return 'unknown';
  if (written === 'permanent') return undefined;
  if (typeof written === 'string' && DATE.test(written)) return endOfDay(dayOf(written) ?? 0, localTime);
  return timeOf(written);
}
