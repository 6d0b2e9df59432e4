import { describe, expect, it } from 'vitest';
import { continueStreak, noStreak } from '../../../src/insight/advice/method/run-out-streak.ts';

/** The confirmed dates after passes with these dates. */
function confirmed(dates: readonly (number | undefined)[]): (number | undefined)[] {
  let streak = noStreak;
  return dates.map((date) => {
    streak = continueStreak(streak, date, 1000);
    return streak.confirmed;
  });
}

const none = undefined;

describe('the streak of passes', () => {
  it('confirms a date on the second pass in succession, and keeps the newest', () => {
    expect(confirmed([1100, none, 1100, 1090, 1080])).toEqual([none, none, none, 1090, 1080]);
  });

  it('ends after seven passes in succession without a date, not after six', () => {
    const six = [none, none, none, none, none, none];
    expect(confirmed([1100, 1100, ...six, 1120])).toEqual([none, ...Array(7).fill(1100), 1120]);
    expect(confirmed([1100, 1100, ...six, none, 1120, 1120])).toEqual([none, ...Array(7).fill(1100), none, none, 1120]);
  });

  it('does not count a date more than a year ahead', () => {
    expect(confirmed([1365, 1365])).toEqual([none, 1365]);
    expect(confirmed([1366, 1366])).toEqual([none, none]);
  });
});
