/** Numbers, plurals, lists, durations and days, as every text for people has them. */

/** `1,234`. */
export const numberText = (value: number): string => value.toLocaleString('en-US');

/** `1 feature`, `1,234 features`. @param several the plural, if it is not the singular with an s */
export const countText = (count: number, one: string, several = `${one}s`): string =>
  `${numberText(count)} ${count === 1 ? one : several}`;

/**
 * What follows a number in use: ` of 32 licenses in use`, or ` in use of 100 licenses (20 over)`. More are in use than there are by an
 * overdraft, or because licenses have expired while they were in use.
 *
 * @param noun such as `license`; none if missing
 */
export function inUseOfText(inUse: number, licenses: number, noun?: string): string {
  const all = noun === undefined ? numberText(licenses) : countText(licenses, noun);
  return inUse > licenses ? ` in use of ${all} (${numberText(inUse - licenses)} over)` : ` of ${all} in use`;
}

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** `1,240`, `16`, `3.4`: of a number that was computed. */
export const roundedText = (value: number): string => (Math.abs(value) < 10 ? tenths : whole).format(value);

/** `1 day`, `3.4 days`, `16 days`. */
export function roundedCountText(value: number, unit: string): string {
  const text = roundedText(value);
  return `${text} ${unit}${text === '1' ? '' : 's'}`;
}

/** Names that a sentence lists. */
const MAX_NAMES = 5;

/** `a, b, c, d, e and 7 more` */
export function namesText(names: readonly string[], most = MAX_NAMES): string {
  const more = names.length > most ? ` and ${names.length - most} more` : '';
  return `${names.slice(0, most).join(', ')}${more}`;
}

/** `2d 3h`, `45m`, `30s`: seconds in the two largest units. */
export function durationText(seconds: number): string {
  const units: readonly (readonly [string, number])[] = [
    ['d', 86_400],
    ['h', 3600],
    ['m', 60],
    ['s', 1],
  ];
  let rest = Math.max(0, Math.floor(seconds));
  const first = units.findIndex(([, size]) => rest >= size);
  if (first === -1) return '0s';
  const parts = units.slice(first, first + 2).map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest %= size;
    return count === 0 ? '' : `${count}${unit}`;
  });
  return parts.filter((part) => part !== '').join(' ');
}

/** `in 13 days`, `today`, `2 days ago`: how far away a day of the calendar is. */
export function dayDistanceText(days: number): string {
  if (days === 0) return 'today';
  return days > 0 ? `in ${countText(days, 'day')}` : `${countText(-days, 'day')} ago`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** `2026-11-18 10:30 CET`. @param at epoch seconds @param timeZone IANA name */
export function localTimeText(at: number, timeZone: string): string {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-GB', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      timeZoneName: 'short',
    });
  formats.set(timeZone, format);
  const parts = Object.fromEntries(format.formatToParts(at * 1000).map(({ type, value }) => [type, value]));
  const { year, month, day, hour, minute, timeZoneName } = parts;
  return `${year}-${month}-${day} ${hour}:${minute} ${timeZoneName}`;
}

/** `2026-11-18`. @param at epoch seconds @param timeZone IANA name */
export const localDateText = (at: number, timeZone: string): string => localTimeText(at, timeZone).slice(0, 10);

/** Sunday first, as JavaScript counts them. */
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** `Thursday 2026-12-03 10:30 CET`: a date, or a time that begins with one, with its day of the week. */
export function withWeekday(text: string): string {
  const day = weekdays[new Date(text.slice(0, 10)).getUTCDay()];
  return day === undefined ? text : `${day} ${text}`;
}

/** `95 %`. @param share 1 is all */
export const percentText = (share: number): string => `${roundedText(share * 100)} %`;

/** `2027-03`. @param day local day, counted from 1970-01-01 */
export const monthText = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 7);

/** A text that begins a sentence. */
export const capitalized = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
