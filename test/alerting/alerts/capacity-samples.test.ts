import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CapacitySamples, lowestOfDayAgo, withSample } from '../../../src/alerting/alerts/capacity-samples.ts';

/** The number of licenses of a day ago: the lowest of three hours, 22.5 to 25.5 hours ago. */

const NOW = 1_800_000_000;
const HOUR = 3600;

const samplesOf = (...changes: readonly (readonly [hoursAgo: number, licenses: number])[]): CapacitySamples =>
  changes.reduce<CapacitySamples>(
    (samples, [hoursAgo, licenses]) => withSample(samples, NOW - hoursAgo * HOUR, licenses),
    [],
  );

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
    expect(lowestOfDayAgo(samples, NOW, [])).toBe(expected);
    expect(lowestOfDayAgo(withSample(samples, NOW, 1), NOW, [])).toBe(expected);
  });

  it.each([
    ['that has expired since', 1, undefined, 12],
    ['of which a part has expired', 1, 5, 17],
    ['that still has its licenses after its expiry', 1, 9, 20],
    ['that expires now', 0, undefined, 12],
    ['that expires later', -1, undefined, 20],
    ['that had expired before', 30, undefined, 20],
  ])('leaves out a version %s', (_, hoursAgo, counted, expected) => {
    const expiration = NOW - hoursAgo * HOUR;
    const version = { version: '1', package: '', featureType: 'feature', licenses: 8, expiration, counted };
    expect(lowestOfDayAgo(samplesOf([30, 20], [1, 10]), NOW, [version])).toBe(expected);
  });

  it('is kept only where it changes', () => {
    const samples = samplesOf([1, 5]);
    expect(withSample(samples, NOW - 1000, 5)).toBe(samples);
    expect(withSample(samples, NOW, 6)).toEqual([
      [NOW - HOUR, 5],
      [NOW, 6],
    ]);
  });

  it('is forgotten when it has ended before', () => {
    expect(withSample(samplesOf([100, 20], [26, 12], [25, 30]), NOW, 6)).toEqual([
      [NOW - 26 * HOUR, 12],
      [NOW - 25 * HOUR, 30],
      [NOW, 6],
    ]);
  });

  it('is as low as a slow search finds it, and needs little memory', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1800, maxLength: 1800 }), (numbers) => {
        // one poll in each minute, for 30 hours
        const at = (i: number): number => NOW - 30 * HOUR + i * 60;
        const samples = numbers.reduce<CapacitySamples>((all, licenses, i) => withSample(all, at(i), licenses), []);
        expect(samples.length).toBeLessThanOrEqual((2 * 26 * HOUR) / 600);
        const found = lowestOfDayAgo(samples, NOW, []) ?? Number.NaN;
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
