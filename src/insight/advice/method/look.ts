import type { Growth } from './advice.ts';
import { growthOf, isProvenRise } from './growth.ts';
import { busyWeekOf, limitOf, type Outlook, outlookOf, tuning, weightOfRise } from './outlook.ts';
import { newestWeeks, someDays, WEEK, WEEKS, WINDOW_DAYS, type WindowDays, weeklyPeaks } from './window.ts';

/**
 * What is expected of the coming year, as it looks on each of the last seven days. Weeks are counted back from the day before, so that
 * each day cuts them at another weekday: the middle one of the looks does not depend on the weekday of the newest one.
 */

/** What is expected from the days before one day. */
export interface Look {
  /** The day; its history ends the day before. */
  readonly day: number;
  readonly outlook: Outlook;
  /** See `Advice`. */
  readonly growth: Growth;
  readonly busyWeek: number;
  /** Licenses, not whole, that are enough with a chance of one half, and of 9 in 10. */
  readonly likely: number;
  readonly enough: number;
  /** How likely it is that use may rise further than its history tells. */
  readonly rise: number;
}

/** Weeks that are explained. */
const EXPLAINED = 2 * WEEKS;
/** Weeks of which days must be given. */
export const LOOK_WEEKS = EXPLAINED + 1;
/** Chances with which licenses are enough. */
const LIKELY = 0.5;
const ENOUGH = 0.9;
/**
 * If a rise is more likely, use may rise. So that advice does not become provisional and certain in turn, a change of that needs
 * more.
 */
const MOST_RISE = { first: 0.3, afterRise: 0.2, afterNone: 0.4 } as const;

function mostRise(mayRiseBefore: boolean | undefined): number {
  if (mayRiseBefore === undefined) return MOST_RISE.first;
  return mayRiseBefore ? MOST_RISE.afterRise : MOST_RISE.afterNone;
}

/** Whether use grows, or rose in a step. */
const isRise = (growth: Growth): boolean => isProvenRise(growth) || (growth.kind === 'step' && growth.by > 0);

function lookOf(days: WindowDays, day: number): Look | undefined {
  const weeks = weeklyPeaks(days);
  const outlook = outlookOf(weeks, someDays(days, 0, WINDOW_DAYS));
  const busyWeek = busyWeekOf(newestWeeks(weeks, tuning.newestWeeks).peak);
  if (outlook === undefined || busyWeek === undefined) return undefined;
  const growth = growthOf(outlook.lastYear, busyWeek, day);
  return {
    day,
    outlook,
    growth,
    busyWeek,
    likely: limitOf(outlook, LIKELY),
    enough: limitOf(outlook, ENOUGH),
    rise: isRise(growth) ? 1 : weightOfRise(outlook),
  };
}

/**
 * The looks of today and of the six days before, the newest first; fewer if there are not enough weeks. A look takes about half a
 * millisecond.
 *
 * @param days with those of a week more than are explained
 */
export function* looksOf(days: WindowDays, today: number): Generator<void, readonly Look[]> {
  const looks: Look[] = [];
  for (let ago = 0; ago < WEEK; ago += 1) {
    const look = lookOf(someDays(days, ago, EXPLAINED * WEEK), today - ago);
    if (look !== undefined) looks.push(look);
    yield;
  }
  return looks;
}

/** The middle one in an order; of two, the later one. `undefined` without any. */
export const middleOf = <T>(items: readonly T[], compare: (a: T, b: T) => number): T | undefined =>
  items.toSorted(compare)[Math.floor(items.length / 2)];

const byEnough = (a: Look, b: Look): number => a.enough - b.enough;

/** What is expected by all looks together. */
export interface Expected extends Omit<Look, 'day'> {
  readonly looks: readonly Look[];
  /** Whether use may rise further than its history tells. */
  readonly mayRise: boolean;
}

/**
 * The middle one of the looks by what is enough. Whether use may rise, all of them decide; what use did is said by one that agrees.
 *
 * @param mayRiseBefore by the pass before, if there was one
 */
export function expectedBy(looks: readonly Look[], mayRiseBefore: boolean | undefined): Expected | undefined {
  const middle = middleOf(looks, byEnough);
  if (middle === undefined) return undefined;
  const rise = looks.reduce((sum, look) => sum + look.rise, 0) / looks.length;
  const most = mostRise(mayRiseBefore);
  const mayRise = rise > most;
  const agreeing = looks.filter((look) => look.rise > most === mayRise);
  const { growth } = middleOf(agreeing, byEnough) ?? middle;
  return { ...middle, growth, rise, mayRise, looks };
}
