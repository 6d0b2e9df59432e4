/** Calendar arithmetic in a time zone. Times are epoch seconds, days are counted from 1970-01-01. */
export interface LocalTime {
  readonly timeZone: string;
  /** Seconds that local time is ahead of UTC. */
  offsetAt(at: number): number;
  /** Local day of a time. */
  dayOf(at: number): number;
  /** First second of a local day. */
  startOf(day: number): number;
  /**
   * The hours of a local day in order, each up to the start of the next. An hour that the clock shows twice is one long
   * hour; a skipped hour is missing.
   */
  hoursOf(day: number): readonly LocalHour[];
}

/** An hour of a local day. On the day of a change of the clocks, one is missing or there twice. */
export interface LocalHour {
  readonly start: number;
  /** Hour of the clock, 0 to 23. */
  readonly hour: number;
}

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
/** Times whose day is kept: a calendar takes ten microseconds, and the points of many series are at the same times. */
const MAX_KNOWN = 10_000;

/** @throws RangeError for a time zone that does not exist */
export function createLocalTime(timeZone: string): LocalTime {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });

  /** Seconds that local time is ahead of UTC. */
  const offset = (at: number): number => {
    const parts = Object.fromEntries(format.formatToParts(at * 1000).map(({ type, value }) => [type, Number(value)]));
    const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - Math.floor(at);
  };

  const days = new Map<number, number>();
  const dayOf = (at: number): number => {
    const known = days.get(at);
    if (known !== undefined) return known;
    const day = Math.floor((at + offset(at)) / DAY);
    if (days.size >= MAX_KNOWN) days.clear();
    days.set(at, day);
    return day;
  };
  const hourOf = (at: number): number => Math.floor((at + offset(at) - dayOf(at) * DAY) / HOUR);

  const starts = new Map<number, number>();
  const startOf = (day: number): number => {
    const known = starts.get(day);
    if (known !== undefined) return known;
    const utc = day * DAY;
    // tries the offsets before and after a possible clock change; if it is at midnight, the result is the earlier moment
    // that lies in the day
    const before = utc - offset(utc - DAY);
    const after = utc - offset(utc + DAY);
    const start = [Math.min(before, after), Math.max(before, after)].find((at) => dayOf(at) === day) ?? after;
    starts.set(day, start);
    return start;
  };

  const findHours = (day: number): LocalHour[] => {
    const [start, end] = [startOf(day), startOf(day + 1)];
    if (end - start === DAY) return Array.from({ length: 24 }, (_, hour) => ({ start: start + hour * HOUR, hour }));
    const hours: LocalHour[] = [];
    for (let at = start; at < end; ) {
      const hour = hourOf(at);
      if (hours.at(-1)?.hour !== hour) hours.push({ start: at, hour });
      const ahead = offset(at);
      const nextHour = at + HOUR - ((at + ahead) % HOUR);
      // the clock changes before that, always at a full minute
      at = offset(nextHour) === ahead ? nextHour : at + MINUTE;
    }
    return hours;
  };

  const hours = new Map<number, readonly LocalHour[]>();
  const hoursOf = (day: number): readonly LocalHour[] => {
    const known = hours.get(day) ?? findHours(day);
    hours.set(day, known);
    return known;
  };

  return { timeZone, offsetAt: offset, dayOf, startOf, hoursOf };
}

/** 0 is Sunday. 1970-01-01 was a Thursday. */
export const weekdayOf = (day: number): number => (((day + 4) % 7) + 7) % 7;

/** The day of a date; `month` counts from 1 and may lie outside the year. */
export const dayOfDate = (year: number, month: number, date: number): number =>
  Date.UTC(year, month - 1, date) / (DAY * 1000);

/** `2026-11-18` of a day. */
export const dateText = (day: number): string => new Date(day * DAY * 1000).toISOString().slice(0, 10);
