/** Calendar arithmetic in a named time zone. Times are epoch seconds, days are counted from 1970-01-01. */
export interface LocalTime {
  /** Local day of a time. */
  dayOf(at: number): number;
  /** First second of a local day. */
  startOf(day: number): number;
}

const DAY = 86_400;

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

  const dayOf = (at: number): number => Math.floor((at + offset(at)) / DAY);

  const starts = new Map<number, number>();
  const startOf = (day: number): number => {
    const known = starts.get(day);
    if (known !== undefined) return known;
    const utc = day * DAY;
    // by the offset before and after a change of the clock, if there is one about then; where that is at midnight, only
    // one of the two moments lies in the day, or both do and the earlier counts
    const before = utc - offset(utc - DAY);
    const after = utc - offset(utc + DAY);
    const start = [Math.min(before, after), Math.max(before, after)].find((at) => dayOf(at) === day) ?? after;
    starts.set(day, start);
    return start;
  };

  return { dayOf, startOf };
}

/** 0 is Sunday. 1970-01-01 was a Thursday. */
export const weekdayOf = (day: number): number => (((day + 4) % 7) + 7) % 7;
