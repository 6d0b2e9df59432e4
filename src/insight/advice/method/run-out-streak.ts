import type { Advice } from './advice.ts';

/** In how many passes in succession the licenses were expected to run out, so that an alert does not come and go. */
export interface Streak {
  /** Passes in succession with a date, and without one. One of the two is 0. */
  readonly dated: number;
  readonly undated: number;
  /** The day on which the licenses run out, after it was confirmed and until it is not expected any more. */
  readonly confirmed: number | undefined;
}

/** Before the first pass: nothing has been confirmed. */
export const noStreak: Streak = { dated: 0, undated: 0, confirmed: undefined };

/** Passes after which a date is confirmed, and after which it is not expected any more. */
const CONFIRMED_AFTER = 2;
const ENDED_AFTER = 7;

/** Days ahead that a date can be. */
const MOST_AHEAD = 365;

/**
 * The streak after another pass.
 *
 * @param day the day on which the licenses run out; `undefined` without a date
 */
export function continueStreak(streak: Streak, day: number | undefined, today: number): Streak {
  if (day === undefined || day > today + MOST_AHEAD) {
    const undated = streak.undated + 1;
    return { dated: 0, undated, confirmed: undated >= ENDED_AFTER ? undefined : streak.confirmed };
  }
  const dated = streak.dated + 1;
  const isConfirmed = dated >= CONFIRMED_AFTER || streak.confirmed !== undefined;
  return { dated, undated: 0, confirmed: isConfirmed ? day : undefined };
}

/** The streak after the advice of another pass. Without enough data, a date that was confirmed is not known any more. */
export const streakAfter = (
  streak: Streak,
  { state, runsOut }: Pick<Advice, 'state' | 'runsOut'>,
  today: number,
): Streak => (state === 'not enough data' ? noStreak : continueStreak(streak, runsOut?.day, today));
