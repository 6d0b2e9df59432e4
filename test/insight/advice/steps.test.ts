import { describe, expect, it } from 'vitest';
import { neededFor, stepsOf } from '../../../src/insight/advice/method/curve.ts';
import { adviceOf, curveOf } from '../../support/advice-table.ts';

describe('the steps of a feature', () => {
  it('begin below what is bought, or at the peak, and end below what is needed', () => {
    expect(stepsOf(adviceOf(), 4)).toEqual([
      { licenses: 18, hoursShort: 0 },
      { licenses: 17, hoursShort: 1 },
      { licenses: 16, hoursShort: 4 },
      { licenses: 15, hoursShort: 13 },
      { licenses: 14, hoursShort: 329 },
      { licenses: 13, hoursShort: 645 },
    ]);
    expect(stepsOf(adviceOf({ bought: 17 }), 4)[0]).toEqual({ licenses: 16, hoursShort: 4 });
  });

  it('follow the tolerance', () => {
    const needed = [0, 1, 3.9, 4, 12, 13, 329, 100_000].map((tolerance) => neededFor(adviceOf(), tolerance));
    expect(needed).toEqual([18, 17, 17, 16, 16, 15, 14, 0]);
    // the same as counting
    for (const tolerance of [0, 1, 2, 5, 100, 1000]) {
      const { hoursAtLeast } = adviceOf();
      const counted = [...hoursAtLeast.keys()].find((n) => (hoursAtLeast[n + 1] ?? 0) <= tolerance);
      expect(neededFor(adviceOf(), tolerance)).toBe(counted);
    }
    expect(stepsOf(adviceOf(), 400).at(-1)?.licenses).toBe(11);
  });

  it('do not exist without a curve, without licenses, and for an uncounted feature', () => {
    expect(neededFor(adviceOf({ hoursAtLeast: new Float64Array() }), 4)).toBeUndefined();
    for (const fields of [
      { hoursAtLeast: new Float64Array() },
      { bought: undefined },
      { bought: 99_999 },
      { bought: 0 },
    ]) {
      expect(stepsOf(adviceOf(fields), 4)).toEqual([]);
    }
  });

  it('are a bounded number', () => {
    const hoursAtLeast = curveOf([...Array.from({ length: 4000 }, () => 0), ...Array.from({ length: 100 }, () => 10)]);
    expect(stepsOf(adviceOf({ bought: 5000, peak: 4099, hoursAtLeast }), 4)).toHaveLength(4);
    const flat = Float64Array.from({ length: 1001 }, (_, n) => (n < 1000 ? 5 : 0));
    expect(stepsOf(adviceOf({ bought: 1100, peak: 999, hoursAtLeast: flat }), 5)).toHaveLength(50);
  });
});
