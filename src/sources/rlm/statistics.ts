import type { LocalTime } from '../../model/local-time.ts';
import { timeOf } from '../times.ts';

/** The statistics lines of a server. Their ends are the time at which the tool ran. */

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** `Recent Statistics (00:16:08), init time: Wed Nov 3 12:32:30 2021`, or `Todays Statistics`. */
const STATISTICS = /^\s*(Recent|Todays|Today's)\s+Statistics\s*\(([^()]{1,40})\),\s*init time:(.+)$/i;
/** `5d 14:26:14`. */
const DURATION = /^\s*(?:(\d{1,6})d\s+)?(\d{1,6}):(\d{2}):(\d{2})$/;
/** `Wed Nov  3 12:32:30 2021`. */
const MOMENT = /^\s*(?:[a-z]{3}\s+)?([a-z]{3})\s+(\d{1,2})\s+(\d{1,2}):(\d{2}):(\d{2})\s+(\d{4})$/i;

/** Seconds of `5d 14:26:14`. */
function durationOf(written: string): number | undefined {
  const [, days = '0', hours, minutes, seconds] = DURATION.exec(written) ?? [];
  if (hours === undefined) return undefined;
  return ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
}

/** Epoch seconds of `Wed Nov  3 12:32:30 2021`. */
function momentOf(written: string, localTime: LocalTime): number | undefined {
  const [, monthName = '', date, hour, minute, second, year] = MOMENT.exec(written) ?? [];
  const month = MONTHS.indexOf(monthName.toLowerCase()) + 1;
  if (month === 0) return undefined;
  const clock = { hour: Number(hour), minute: Number(minute), second: Number(second) };
  return timeOf(Number(year), { month, date: Number(date) }, clock, localTime);
}

/** The counts of a server since its start or since they were reset. */
export interface Statistics {
  /** `Recent Statistics`: those are reset most often, so that rounding and changes of the clock matter least. */
  readonly isRecent: boolean;
  /** When the statistics ended, that is when the tool ran. Undefined if that cannot be computed. */
  readonly end: number | undefined;
}

/** Undefined for a line of another form. */
export function statisticsOf(line: string, localTime: LocalTime): Statistics | undefined {
  const [, name, elapsed = '', init = ''] = STATISTICS.exec(line) ?? [];
  if (name === undefined) return undefined;
  const [start, seconds] = [momentOf(init, localTime), durationOf(elapsed)];
  const end = start === undefined || seconds === undefined ? undefined : start + seconds;
  return { isRecent: /^recent$/i.test(name), end };
}
