import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Averages } from '../../../src/alerting/alerts/averages.ts';

const START = 1_800_000_000;
const WINDOW = 600;
const base = { vendorLicense: 'lic01;cdslmd', feature: 'base', key: 'base 1' };

/** The averages of one feature, evaluated every 30 seconds. `null`: it is not known; `undefined`: its site is not. */
function run(ratios: readonly (number | null | undefined)[], window = WINDOW): (number | undefined)[] {
  const averages = new Averages(window);
  return ratios.map((ratio, i) => {
    averages.begin(START + i * 30, ratio === undefined ? [] : [base.vendorLicense]);
    const average = typeof ratio === 'number' ? averages.add(base, ratio) : undefined;
    averages.end();
    return average;
  });
}

const last = (ratios: Parameters<typeof run>[0]) => run(ratios).at(-1);

describe('the average', () => {
  it('of a constant ratio is that ratio, from its first value on', () => {
    for (const average of run(Array.from({ length: 50 }, () => 0.95))) expect(average).toBeCloseTo(0.95, 12);
  });

  it('counts low ratios as one half, also from before the ratio was high', () => {
    expect(last([0, 0.1, 0.4, 1])).toBeCloseTo((0.5 * 3 + 1) / 4, 12);
    expect(last([1, 0])).toBeCloseTo(0.75, 12);
    expect(last([0.2])).toBe(0.5);
  });

  it('forgets what is older than the window', () => {
    const high = Array.from({ length: 20 }, () => 1);
    expect(last([0, ...high])).toBe(1);
    expect(last([0, ...high.slice(1)])).toBeLessThan(1);
    expect(last([...high, ...high.map(() => 0)])).toBe(0.5);
  });

  it('leaves out times at which nothing is known', () => {
    expect(last([1, null, null, 0.8])).toBeCloseTo(0.9, 12);
    expect(last([1, undefined, undefined, 0.8])).toBeCloseTo(0.9, 12);
    expect(last([0, undefined, undefined, 1])).toBeCloseTo(0.75, 12);
  });

  it('does not mix features', () => {
    const averages = new Averages(WINDOW);
    const other = { ...base, key: 'base 2' };
    for (let i = 0; i < 2; i += 1) {
      averages.begin(START + i * 30, [base.vendorLicense]);
      expect(averages.add(base, 1)).toBe(1);
      expect(averages.add(other, i)).toBe(i === 0 ? 0.5 : 0.75);
      averages.end();
    }
  });

  it('starts again when the clock is set back', () => {
    const averages = new Averages(WINDOW);
    for (const [now, ratio, average] of [
      [START, 1, 1],
      [START - 3600, 0.8, 0.8],
    ] as const) {
      averages.begin(now, [base.vendorLicense]);
      expect(averages.add(base, ratio)).toBeCloseTo(average, 12);
      averages.end();
    }
  });

  it('of a feature is not that of one that was forgotten before', () => {
    const averages = new Averages(WINDOW);
    const other = { ...base, key: 'base 2' };
    for (let i = 0; i < 40; i += 1) {
      averages.begin(START + i * 30, [base.vendorLicense]);
      if (i === 0) averages.add(base, 1);
      // nothing is known of it for longer than the window
      if (i === 30) expect(averages.add(other, 1)).toBeCloseTo((0.5 * 19 + 1) / 20, 12);
      averages.end();
    }
  });

  it('is that of the slow way, for any ratios of features that are forgotten for a while', () => {
    const ratio = fc.double({ min: 0, max: 1, noNaN: true });
    const low = fc.constant(Array<number>(25).fill(0));
    const history = fc.array(fc.oneof(low, fc.array(ratio)), { minLength: 1, maxLength: 4 }).map((all) => all.flat());
    fc.assert(
      fc.property(fc.array(history, { minLength: 1, maxLength: 5 }), (features) => {
        const averages = new Averages(WINDOW);
        for (let i = 0; i < 100; i += 1) {
          averages.begin(START + i * 30, [base.vendorLicense]);
          for (const [at, ratios] of features.entries()) {
            const known = Array.from({ length: Math.min(20, i + 1) }, (_, ago) => ratios[i - ago] ?? 0);
            const expected = known.reduce((sum, one) => sum + Math.max(0.5, one), 0) / known.length;
            expect(averages.add({ ...base, key: `base ${at}` }, ratios[i] ?? 0)).toBeCloseTo(expected, 9);
          }
          averages.end();
        }
      }),
    );
  });
});
