import { createLocalTime, dateText, type LocalTime } from './local-time.ts';
import type { Figure } from './unknown.ts';

/**
 * The day on which a license expires. License managers write a date without a time and a zone. The API has only an instant: it
 * is a date again only in the calendar of the analyzer (`datasource.time_zone`), and for every viewer the same one.
 *
 * The instant is the last second of the day or, of other analyzers, its first. Both lie in it.
 */

/** In the year 9999: a date has a year of four digits, in every time zone. Epoch seconds. */
export const LAST_EXPIRY = Date.UTC(9999, 11, 30) / 1000;
/** Known days of a time zone before they are forgotten. Many licenses expire at the same time, and a calendar is slow. */
const MAX_KNOWN = 10_000;

const calendars = new Map<string, LocalTime>();
const knownDays = new Map<string, Map<number, string>>();

/**
 * @param at epoch seconds
 * @param timeZone of the analyzer, IANA name
 * @returns such as `2026-12-31`; `undefined` for a license that never expires, or whose expiry is not known
 */
export function expiryDay(at: Figure | undefined, timeZone: string): string | undefined {
  if (typeof at !== 'number' || !(Math.abs(at) <= LAST_EXPIRY)) return undefined;
  const known = knownDays.get(timeZone) ?? new Map<number, string>();
  const found = known.get(at);
  if (found !== undefined) return found;
  const calendar = calendars.get(timeZone) ?? createLocalTime(timeZone);
  const day = dateText(calendar.dayOf(at));
  if (known.size >= MAX_KNOWN) known.clear();
  calendars.set(timeZone, calendar);
  knownDays.set(timeZone, known.set(at, day));
  return day;
}
