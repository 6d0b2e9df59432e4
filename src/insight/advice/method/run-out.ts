import type { RunsOut } from './advice.ts';
import { chanceOf, LEAST_AGE, type Outlook, weightOfGrowth } from './outlook.ts';
import { WEEK, WEEKS } from './window.ts';

/** When a busy week has all licenses in use. */

/** Chances that the licenses are still enough: on the day itself, and at both ends of the range. */
const EVEN = 0.5;
const EARLIEST = 0.95;
const LATEST = 0.05;
/** A date further ahead than this is no end of a range. Weeks. */
const NO_END = 3 * WEEKS;

/**
 * @param historyDays length of the history: no date is further ahead
 * @returns `undefined` unless it is likely that use grows and that the licenses run out within a year
 */
export function runsOutOf(
  outlook: Outlook,
  bought: number,
  { today, historyDays }: { today: number; historyDays: number },
): RunsOut | undefined {
  if (weightOfGrowth(outlook, LEAST_AGE) < EVEN) return undefined;
  const weekOf = (chance: number, last: number): number | undefined => {
    for (let week = 0; week <= last; week += 1) {
      if (chanceOf(outlook, 'busyWeek', bought, week) < chance) return week;
    }
    return undefined;
  };
  const week = weekOf(EVEN, Math.min(WEEKS, Math.floor(historyDays / WEEK)));
  if (week === undefined) return undefined;
  const latest = weekOf(LATEST, NO_END);
  return {
    day: today + WEEK * week,
    earliest: today + WEEK * (weekOf(EARLIEST, week) ?? week),
    latest: latest === undefined ? undefined : today + WEEK * latest,
  };
}
