import { describe, expect, it } from 'vitest';
import { type ExplanationKind, explain } from '../../../src/insight/advice/method/explanations.ts';
import { growthOf } from '../../../src/insight/advice/method/growth.ts';
import { fitColumns, leverageOf } from '../../../src/insight/advice/method/least-squares.ts';
import { chanceOf, limitOf, outlookOf } from '../../../src/insight/advice/method/outlook.ts';
import { createWindowDays, type WeeklyPeaks } from '../../../src/insight/advice/method/window.ts';
import { createRandom } from '../../support/random.ts';

/** Explanations of weekly peaks, and what they expect of the coming year. */

const WEEKS = 57;
const week = Array.from({ length: WEEKS }, (_, i) => i - WEEKS + 1);
const YEAR = 365.25 / 7;

/** Peaks of about this logarithm, with noise of 2 %. */
const peaksOf = (logarithm: (week: number) => number, noise = 0.02): number[] => {
  const random = createRandom(3);
  return week.map((one) => Math.exp(logarithm(one) + noise * random.normal()));
};

describe('least squares', () => {
  it('has the coefficients, what is left, and how uncertain a value is', () => {
    const columns = [Float64Array.of(1, 1, 1, 1), Float64Array.of(0, 1, 2, 3)];
    const fit = fitColumns(columns, Float64Array.of(1, 3, 5, 8));
    expect(fit?.coefficients[0]).toBeCloseTo(0.8);
    expect(fit?.coefficients[1]).toBeCloseTo(2.3);
    expect(fit?.residual).toBeCloseTo(0.3);
    // 1/4 + (x - 1.5)^2 / 5
    if (fit === undefined) throw new Error('no fit');
    expect(leverageOf(fit, [1, 1.5])).toBeCloseTo(0.25);
    expect(leverageOf(fit, [1, 6.5])).toBeCloseTo(5.25);
  });

  it('has no fit for columns that are combinations of each other', () => {
    expect(fitColumns([Float64Array.of(1, 1, 1), Float64Array.of(2, 2, 2)], Float64Array.of(1, 2, 3))).toBeUndefined();
  });
});

describe('the explanation with the most weight', () => {
  it.each<[ExplanationKind, (week: number) => number, number?]>([
    ['level', () => 4],
    ['line', (w) => 4 + 0.006 * w],
    ['step', (w) => (w < -20 ? 4 : 4.3), -20],
    ['two steps', (w) => (w < -40 ? 4 : w < -15 ? 4.2 : 4.5), -15],
    ['two steps', (w) => (w >= -30 && w < -20 ? 3.6 : 4), -20],
    ['season', (w) => 4 + 0.25 * Math.cos((2 * Math.PI * (w + 12)) / YEAR)],
    ['line and season', (w) => 4 + 0.01 * w + 0.25 * Math.cos((2 * Math.PI * (w + 12)) / YEAR)],
    ['line that begins', (w) => 4 + 0.02 * Math.max(0, w + 25), -25],
    ['line that has ended', (w) => 4 + 0.02 * Math.min(0, w + 25), -25],
    ['step and line', (w) => 4 - 0.02 * w + (w < -28 ? 0 : 0.9), -28],
  ])('is that of the demand: %s', (kind, logarithm, from) => {
    const { items } = explain(week, peaksOf(logarithm));
    expect(items.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1);
    expect(items[0]?.kind).toBe(kind);
    if (from !== undefined) expect(Math.abs((items[0]?.breaks.at(-1) ?? 0) - from)).toBeLessThanOrEqual(3);
  });

  it('is not changed by holidays, and by what happened once', () => {
    const holidays = (w: number): number => (w === -50 || w === -49 ? 2 : w === -20 ? 5 : 4);
    const peak = peaksOf(holidays);
    expect(growthOf(explain(week, peak), 55, 20_000)).toEqual({ kind: 'not proven' });
  });

  it('names no step after a dip, and no two steps for a rise that has ended', () => {
    const named = (logarithm: (week: number) => number) => {
      const peak = peaksOf(logarithm);
      return growthOf(explain(week, peak), 55, 20_000);
    };
    expect(named((w) => (w >= -30 && w < -20 ? 3.6 : 4))).toEqual({ kind: 'not proven' });
    expect(named((w) => (w < -40 ? 4 : w < -15 ? 4.2 : 4.5))).toMatchObject({
      kind: 'step',
      share: expect.closeTo(0.35, 1),
    });
    // what it needed may be needed again
    const risen = explain(
      week,
      peaksOf((w) => (w >= -30 && w < -20 ? 4.4 : 4)),
    ).items;
    expect(risen.find(({ kind }) => kind === 'two steps')?.weight ?? 0).toBeLessThan(0.2);
  });

  it('is not changed by four weeks of holidays at either end', () => {
    for (const isHoliday of [(w: number) => w > -4, (w: number) => w < 5 - WEEKS]) {
      const peak = peaksOf((w) => (isHoliday(w) ? 3.4 : 4 + 0.006 * w));
      expect(growthOf(explain(week, peak), 55, 20_000)).toMatchObject({ kind: 'proven' });
    }
  });

  it('names no growth that cannot go on', () => {
    // used on a few days of the last weeks only
    const peak = peaksOf((w) => Math.max(-1.2, 4 + 0.9 * w));
    expect(growthOf(explain(week, peak), 55, 20_000).kind).not.toBe('proven');
  });

  it('has a weight also for peaks that never change, and for none', () => {
    for (const peaks of [week.map(() => 7), week.map(() => 0)]) {
      expect(explain(week, peaks).items[0]).toMatchObject({ kind: 'level' });
    }
  });
});

describe('the outlook', () => {
  const daysOf = (peaks: readonly number[]) => {
    const days = createWindowDays();
    days.isCounted.fill(1);
    for (let age = 0; age < days.peak.length; age += 1) {
      days.peak[age] = peaks[WEEKS - 1 - Math.floor(age / 7)] ?? Number.NaN;
    }
    return days;
  };
  const outlook = (logarithm: (week: number) => number) => {
    const peak = peaksOf(logarithm).map(Math.round);
    const weeks: WeeklyPeaks = { week, peak, mean: peak };
    const found = outlookOf(weeks, daysOf(peak));
    if (found === undefined) throw new Error('no outlook');
    return found;
  };

  it('expects what was, where use is level', () => {
    const level = outlook(() => Math.log(100));
    expect(limitOf(level, 0.5)).toBeGreaterThan(98);
    expect(limitOf(level, 0.9)).toBeLessThan(110);
  });

  it('expects as much growth as there was, and more with less of a chance', () => {
    const grown = outlook((w) => Math.log(100) + 0.006 * w);
    expect(limitOf(grown, 0.5)).toBeGreaterThan(125);
    expect(limitOf(grown, 0.5)).toBeLessThan(150);
    expect(limitOf(grown, 0.9)).toBeGreaterThan(limitOf(grown, 0.5));
  });

  it('has a chance that rises with the licenses, and the limit for it', () => {
    const grown = outlook((w) => Math.log(30) + 0.003 * w);
    let last = 0;
    for (let licenses = 1; licenses < 100; licenses += 1) {
      const chance = chanceOf(grown, 'year', licenses);
      expect(chance).toBeGreaterThanOrEqual(last);
      last = chance;
    }
    expect(last).toBeGreaterThan(0.99);
    for (const chance of [0.1, 0.5, 0.9])
      expect(chanceOf(grown, 'year', limitOf(grown, chance))).toBeCloseTo(chance, 4);
  });

  it('does not exist without weeks', () => {
    expect(outlookOf({ week: [], peak: [], mean: [] }, createWindowDays())).toBeUndefined();
  });
});
