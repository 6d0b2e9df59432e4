import type { RunsOut } from './advice.ts';
import type { Slope } from './growth.ts';
import { quantileOf, sorted } from './statistics.ts';
import { type WeeklyPeaks, WINDOW_DAYS } from './window.ts';

/** When a busy week has all licenses in use. */

/** Newest weeks that show how busy a week is. */
const NEWEST_WEEKS = 13;
const BUSY = 0.75;
const WEEK = 7;
/** A date further ahead than this is no end of a range. Days. */
const NO_END = 10 * 365;

/** Peaks of the newest weeks, ascending, as if this growth had brought each of them to the newest week. */
export function newestPeaks({ week, peak }: WeeklyPeaks, perWeek: number): Float64Array {
  const first = Math.max(0, peak.length - NEWEST_WEEKS);
  return sorted(peak.slice(first).map((value, i) => value - perWeek * (week[first + i] ?? 0)));
}

/** Peak use of a busy week; `undefined` without weeks. */
export const busyWeekOf = (newest: Float64Array): number | undefined =>
  newest.length === 0 ? undefined : quantileOf(newest, BUSY);

/**
 * @param historyDays length of the history: no date is further ahead
 * @returns `undefined` if growth is not proven, if use falls, or if the date is too far ahead
 */
export function runsOutOf(
  { weeks, slope, bought, historyDays }: { weeks: WeeklyPeaks; slope: Slope; bought: number; historyDays: number },
  today: number,
): RunsOut | undefined {
  if (slope.perWeek <= 0 || weeks.peak.length === 0) return undefined;
  const daysTo = (share: number, perWeek: number): number =>
    Math.max(0, (WEEK * (bought - quantileOf(newestPeaks(weeks, perWeek), share))) / perWeek);
  const days = daysTo(BUSY, slope.perWeek);
  if (days > Math.min(WINDOW_DAYS, historyDays)) return undefined;
  const earliest = daysTo(0.9, slope.high);
  const latest = slope.low > 0 ? daysTo(0.5, slope.low) : Number.POSITIVE_INFINITY;
  return {
    day: today + Math.round(days),
    earliest: today + Math.round(earliest),
    latest: latest <= NO_END ? today + Math.round(latest) : undefined,
  };
}
