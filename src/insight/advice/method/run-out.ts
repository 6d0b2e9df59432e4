import type { RunsOut } from './advice.ts';
import { isProvenRise } from './growth.ts';
import { type Expected, type Look, middleOf } from './look.ts';
import { chanceOf, tuning, weightOfGrowth } from './outlook.ts';
import { WEEK, WEEKS } from './window.ts';

/** When the licenses run out. */

/** Chances that the licenses are still enough: on the day itself, and at both ends of the range. */
const EVEN = 0.5;
const EARLIEST = 0.95;
const LATEST = 0.05;
/** A date further ahead than this is no end of a range. Weeks. */
const NO_END = 3 * WEEKS;

/** @returns `undefined` unless it is likely that use grows and that the licenses run out within a year */
function runsOutOf({ outlook, day }: Look, bought: number, historyDays: number): RunsOut | undefined {
  if (weightOfGrowth(outlook, tuning.leastAge) < EVEN) return undefined;
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
    day: day + WEEK * week,
    earliest: day + WEEK * (weekOf(EARLIEST, week) ?? week),
    latest: latest === undefined ? undefined : day + WEEK * latest,
  };
}

/**
 * The middle one of the dates of all looks, if most of them have one. Only where growth is proven: the sentence names it then.
 *
 * @param historyDays length of the history: no date is further ahead
 */
export function runsOutBy({ looks, growth }: Expected, bought: number, historyDays: number): RunsOut | undefined {
  if (!isProvenRise(growth)) return undefined;
  const found = looks.map((look) => runsOutOf(look, bought, historyDays)).filter((one) => one !== undefined);
  const middle = middleOf(found, (a, b) => a.day - b.day);
  const today = looks[0]?.day;
  if (middle === undefined || today === undefined || 2 * found.length <= looks.length) return undefined;
  // a look of some days ago may say that they run out on that day
  const notPast = (day: number): number => Math.max(day, today);
  const { latest } = middle;
  return {
    day: notPast(middle.day),
    earliest: notPast(middle.earliest),
    latest: latest === undefined ? undefined : notPast(latest),
  };
}
