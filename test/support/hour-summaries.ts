import fc from 'fast-check';
import type { HourSummary } from '../../src/analyzer/history/hour-summary.ts';

/** Random hours, as the history keeps them. */

/** A figure that may be unknown: mostly small, sometimes of several bytes. */
export const randomFigure = fc.oneof(
  fc.nat({ max: 3 }),
  fc.nat({ max: 1_000_000 }),
  fc.constant(2 ** 40),
  fc.constant(undefined),
);

const level = fc.tuple(fc.option(fc.nat({ max: 500 }), { nil: undefined }), fc.integer({ min: 1, max: 3600 }));

/** The hours of a day, with at most this many levels in each. */
export const randomHours = (maxLevels: number): fc.Arbitrary<HourSummary[]> =>
  fc
    .array(
      fc.record({
        available: randomFigure,
        reserved: randomFigure,
        users: randomFigure,
        denials: randomFigure,
        levels: fc.array(level, { maxLength: maxLevels }),
      }),
      { maxLength: 25 },
    )
    .map((hours) => hours.map((one, index) => ({ index, ...one })));
