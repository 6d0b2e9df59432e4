import { describe, expect, it } from 'vitest';
import { neededFor, stepsOf } from '../../../src/insight/advice/method/curve.ts';
import { noMoney } from '../../../src/insight/advice/pass/money.ts';
import type { Effect } from '../../../src/insight/advice/pass/renewal.ts';
import type { KeptAdvice } from '../../../src/insight/advice/pass/rightsizing.ts';
import { advisedSteps, whyKeptText } from '../../../src/insight/advice/pass/steps.ts';
import { adviceOf, curveOf } from '../../support/advice-table.ts';

describe('the steps of a feature', () => {
  it('begin below what is bought, or at the peak, and end below what is needed', () => {
    expect(stepsOf(adviceOf(), 4, undefined)).toEqual([
      { licenses: 18, hoursShort: 0 },
      { licenses: 17, hoursShort: 1 },
      { licenses: 16, hoursShort: 4 },
      { licenses: 15, hoursShort: 13 },
      { licenses: 14, hoursShort: 329 },
      { licenses: 13, hoursShort: 645 },
    ]);
    expect(stepsOf(adviceOf({ bought: 17 }), 4, undefined)[0]).toEqual({ licenses: 16, hoursShort: 4 });
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
    expect(stepsOf(adviceOf(), 400, undefined).at(-1)?.licenses).toBe(11);
  });

  it('do not exist without a curve, without licenses, and for an uncounted feature', () => {
    expect(neededFor(adviceOf({ hoursAtLeast: new Float64Array() }), 4)).toBeUndefined();
    for (const fields of [
      { hoursAtLeast: new Float64Array() },
      { bought: undefined },
      { bought: 99_999 },
      { bought: 0 },
    ]) {
      expect(stepsOf(adviceOf(fields), 4, undefined)).toEqual([]);
    }
  });

  it('are a bounded number', () => {
    const hoursAtLeast = curveOf([...Array.from({ length: 4000 }, () => 0), ...Array.from({ length: 100 }, () => 10)]);
    expect(stepsOf(adviceOf({ bought: 5000, peak: 4099, hoursAtLeast }), 4, undefined)).toHaveLength(4);
    const flat = Float64Array.from({ length: 1001 }, (_, n) => (n < 1000 ? 5 : 0));
    expect(stepsOf(adviceOf({ bought: 1100, peak: 999, hoursAtLeast: flat }), 5, undefined).length).toBeLessThan(51);
  });
});

const licensesOf = (steps: readonly { readonly licenses: number }[]): number[] => steps.map(({ licenses }) => licenses);

describe('the steps beside the number that is kept', () => {
  it('have it, wherever it is', () => {
    // above the peak, and below it
    expect(licensesOf(stepsOf(adviceOf({ bought: 30 }), 4, 22))).toEqual([23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13]);
    expect(licensesOf(stepsOf(adviceOf(), 4, 16))).toEqual([18, 17, 16, 15, 14, 13]);
    // all that is bought
    expect(licensesOf(stepsOf(adviceOf(), 4, 20))).toEqual([20, 19, 18, 17, 16, 15, 14, 13]);
    expect(licensesOf(stepsOf(adviceOf(), 4, 19))[0]).toBe(19);
  });

  it('have it and the needed number on the largest features, too', () => {
    const flat = Float64Array.from({ length: 1001 }, (_, n) => (n < 600 ? 50 : n < 1000 ? 3 : 0));
    const large = { bought: 1100, peak: 999, hoursAtLeast: flat };
    const steps = licensesOf(stepsOf(adviceOf(large), 4, 750));
    expect(steps.length).toBeLessThan(51);
    expect(steps).toEqual(expect.arrayContaining([999, 750, 599, 598, 597, 596]));
    expect(steps).toEqual(steps.toSorted((a, b) => b - a));
  });

  const proposalOf = (advice: Partial<KeptAdvice>, per: 'year' | 'once' = 'year') => ({
    advice: adviceOf(advice),
    money: { ...noMoney, price: 100, per, currency: 'EUR' },
    renewalDay: undefined,
    noticeDays: undefined,
    isBoughtOnce: per === 'once',
  });
  const savings = (advice: Partial<KeptAdvice>, effect: Effect = 'at renewal', per: 'year' | 'once' = 'year') =>
    advisedSteps(proposalOf(advice, per), effect, 4).map(({ licenses, place, saving }) => [licenses, place, saving]);

  it('save nothing that is not advised', () => {
    expect(savings({ count: 3 })).toEqual([
      [18, 'more', 200],
      [17, 'kept', 300],
      [16, 'less', undefined],
      [15, 'less', undefined],
      [14, 'less', undefined],
      [13, 'less', undefined],
    ]);
    for (const of of [
      savings({}, 'maintenance only'),
      savings({}, 'too late'),
      savings({}, 'at renewal', 'once'),
      savings({ state: 'fine', count: undefined }),
      savings({ state: 'missing', count: 3 }),
      savings({ state: 'unused', count: undefined }),
    ]) {
      expect(of.length).toBeGreaterThan(5);
      expect(new Set(of.map(([, , saving]) => saving))).toEqual(new Set([undefined]));
    }
    expect(savings({ state: 'fine', count: undefined })[0]).toEqual([20, 'kept', undefined]);
    expect(savings({ state: 'unused', count: undefined })[0]).toEqual([18, 'not known', undefined]);
  });

  it.each<[Partial<KeptAdvice>, string | undefined]>([
    [{}, '15 would have been too few for 13 h a year; 4 h are tolerated'],
    [
      { enough: 18, count: 2 },
      '16 were enough in the last year, but for 4 h; 18 are kept, because the coming year may need more',
    ],
    [
      { enough: 12, lastYear: 17, count: 3 },
      '16 were enough in the last year, but for 4 h; 17 are kept, because fewer would have been too few on more than 6 days',
    ],
    [
      { hoursAtLeast: curveOf([8000, 3]), peak: 1, enough: 0, bought: 5, count: 4 },
      '0 were enough in the last year, but for 3 h; 1 is kept, because at least one license is kept',
    ],
    [
      { state: 'fine', count: undefined, enough: 21 },
      '16 were enough in the last year, but for 4 h; 20 are kept, because the coming year may need more',
    ],
    [
      { state: 'fine', count: undefined, enough: 12 },
      '16 were enough in the last year, but for 4 h; 20 are kept, for the reason that the advice gives',
    ],
    [
      { state: 'missing', count: 2 },
      '16 were enough in the last year, but for 4 h; 20 are kept, because licenses are missing',
    ],
    [{ state: 'unused', count: undefined }, undefined],
    [{ hoursAtLeast: new Float64Array() }, undefined],
  ])('say why no fewer are advised: %o', (advice, text) => {
    expect(whyKeptText(adviceOf(advice), 4)).toBe(text);
  });
});
