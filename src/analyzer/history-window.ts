import { dateText, dayOfDate, type LocalTime, weekdayOf } from '../model/local-time.ts';

/** A span of time, from the first second to before the other, epoch seconds. */
export interface HistoryWindow {
  readonly from: number;
  readonly to: number;
}

export interface HistoryWindowParameters {
  readonly year: string;
  readonly month: string;
  /** Duration code of spec 4.8; wins over year and month. */
  readonly last?: string;
}

const HOUR = 3600;

/** The current hour and the hours before it, `hours` in total: the maximum that a heat map can distinguish. */
function hoursUpTo(now: number, hours: number, localTime: LocalTime): HistoryWindow {
  const running = localTime.hoursOf(localTime.dayOf(now)).findLast(({ start }) => start <= now)?.start ?? now;
  return { from: running - (hours - 1) * HOUR, to: Number.POSITIVE_INFINITY };
}

/** The period of a request to GetEfficiency or GetHeatMap, on the calendar of the time zone. */
export function historyWindowOf(
  { year, month, last }: HistoryWindowParameters,
  now: number,
  localTime: LocalTime,
): HistoryWindow {
  const days = (from: number, to: number): HistoryWindow => ({
    from: localTime.startOf(from),
    to: localTime.startOf(to),
  });
  const months = (y: number, m: number, count: number): HistoryWindow =>
    days(dayOfDate(y, m, 1), dayOfDate(y, m + count, 1));
  const today = localTime.dayOf(now);
  const sunday = today - weekdayOf(today);
  const [thisYear = 0, thisMonth = 0] = dateText(today).split('-').map(Number);
  switch (last) {
    case '101':
      return hoursUpTo(now, 24, localTime);
    case '107':
      return hoursUpTo(now, 7 * 24, localTime);
    case '465':
      return hoursUpTo(now, 365 * 24, localTime);
    case '201':
      return days(sunday - 7, sunday);
    case '301':
      return months(thisYear, thisMonth - 1, 1);
    case '401':
      return months(thisYear, thisMonth - ((thisMonth - 1) % 3) - 3, 3);
    default:
      return months(Number(year), Number(month), 1);
  }
}
