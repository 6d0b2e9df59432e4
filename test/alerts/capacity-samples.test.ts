import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addSample, forgetOld, lowestOfDayAgo } from '../../src/alerts/capacity-samples.ts';

/** The number of licenses of a day ago: the lowest of three hours, 22.5 to 25.5 hours ago. */

const NOW = 1_800_000_000;
const HOUR = 3600;

const samplesOf = (...changes: readonly (readonly [hoursAgo: number, licenses: number])[]): number[] => {
  const samples: number[] = [];
  for (const [hoursAgo, licenses] of changes) addSample(samples, NOW - hoursAgo * HOUR, licenses);
  return samples;
};

describe('the number of licenses of a day ago', () => {
  it.each([
    ['is the last one before', [[100, 20]], 20],
    ['is not known if it was seen later', [[22, 20]], undefined],
    ['is known from the end of the three hours', [[22.5, 20]], 20],
    [
      'is the lowest of the three hours',
      [
        [100, 20],
        [25, 12],
        [24, 30],
      ],
      12,
    ],
    [
      'is not one that ended before',
      [
        [100, 5],
        [25.5, 20],
      ],
      20,
    ],
    [
      'is not one that came after',
      [
        [100, 20],
        [22.4, 10],
      ],
      20,
    ],
  ] as const)('%s', (_, changes, expected) => {
    const samples = samplesOf(...changes);
    expect(lowestOfDayAgo(samples, NOW)).toBe(expected);
    forgetOld(samples, NOW);
    expect(lowestOfDayAgo(samples, NOW)).toBe(expected);
  });

  it('is kept only where it changes', () => {
    const samples: number[] = [];
    expect([addSample(samples, NOW, 5), addSample(samples, NOW + 1000, 5), addSample(samples, NOW + 2000, 6)]).toEqual([
      true,
      false,
      true,
    ]);
    expect(samples).toEqual([NOW, 5, NOW + 2000, 6]);
  });

  it('is as low as a slow search finds it, and needs little memory', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1800, maxLength: 1800 }), (numbers) => {
        // one poll in each minute, for 30 hours
        const at = (i: number): number => NOW - 30 * HOUR + i * 60;
        const samples: number[] = [];
        for (const [i, licenses] of numbers.entries()) {
          addSample(samples, at(i), licenses);
          forgetOld(samples, at(i));
        }
        expect(samples.length / 2).toBeLessThanOrEqual((2 * 26 * HOUR) / 600);
        const found = lowestOfDayAgo(samples, NOW) ?? Number.NaN;
        // what ends or begins within ten minutes of the ends of the three hours may count
        const within = (slack: number) =>
          numbers.filter((_, i) => at(i + 1) > NOW - 25.5 * HOUR - slack && at(i) <= NOW - 22.5 * HOUR + slack);
        expect(found).toBeGreaterThanOrEqual(Math.min(...within(720)));
        expect(found).toBeLessThanOrEqual(Math.min(...within(-720)));
      }),
      { numRuns: 20, seed: 3 },
    );
  });
});
