import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillSamples } from '../../../src/analyzer/history/fill-samples.ts';
import type { Sample } from '../../../src/analyzer/history/sample.ts';

const SLOT = 300;
const END = 24 * SLOT;
const figures = ['available', 'inUse', 'reserved', 'users'] as const;

const unknown = { available: undefined, inUse: undefined, reserved: undefined, users: undefined, denials: undefined };
const figure = fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined, freq: 2 });

/** Samples of an analyzer that is down at times. @param seconds between two looks */
const recording = (seconds: number): fc.Arbitrary<readonly Sample[]> =>
  fc
    .array(
      fc.record({
        isUp: fc.boolean(),
        available: figure,
        inUse: figure,
        reserved: figure,
        users: figure,
        denials: figure,
      }),
      { minLength: END / seconds, maxLength: END / seconds },
    )
    .map((slots) =>
      slots.flatMap(({ isUp, ...known }, i) => (isUp ? [{ ...unknown, ...known, at: i * seconds, seconds }] : [])),
    );

/** What a recording knows at a second. */
const at = (samples: readonly Sample[], second: number): Sample | undefined => {
  const last = samples.findLast((sample) => sample.at <= second);
  return last !== undefined && second < last.at + last.seconds ? last : undefined;
};

describe('two recordings of one time', () => {
  it.each([60, 100, 300, 600, 900])('are united, one of which looks every %i s', (seconds) => {
    fc.assert(
      fc.property(recording(seconds), recording(SLOT), (kept, more) => {
        const filled = fillSamples(kept, more);
        expect(filled.map((sample) => sample.at)).toEqual(filled.map((sample) => sample.at).toSorted((a, b) => a - b));
        const moments = Array.from({ length: END / 20 }, (_, i) => i * 20);
        const each = (of: (second: number, name: (typeof figures)[number]) => number | undefined) =>
          moments.flatMap((second) => figures.map((name) => [second, name, of(second, name)]));
        expect(each((second, name) => at(filled, second)?.[name])).toEqual(
          each((second, name) => at(kept, second)?.[name] ?? at(more, second)?.[name]),
        );
      }),
      { numRuns: 200 },
    );
  });

  it.each([60, 300, 900])(
    'count no denial twice, and none that only one of them knows less than once: %i s',
    (seconds) => {
      const count = (samples: readonly Sample[]): number => samples.reduce((sum, { denials = 0 }) => sum + denials, 0);
      fc.assert(
        fc.property(recording(seconds), recording(SLOT), (kept, more) => {
          const filled = fillSamples(kept, more);
          // what is kept stays, and what is added has begun where nobody knew
          const isKnown = (second: number): boolean => at(kept, second)?.denials !== undefined;
          const overlaps = (sample: Sample): boolean =>
            Array.from({ length: sample.seconds / 20 }, (_, i) => sample.at + i * 20).some(isKnown);
          const apart = more.filter((sample) => !overlaps(sample));
          expect(count(filled)).toBeGreaterThanOrEqual(count(kept) + count(apart));
          expect(count(filled)).toBeLessThanOrEqual(count(kept) + count(more));
          if (apart.length === more.length) expect(count(filled)).toBe(count(kept) + count(more));
          if (kept.every(({ denials }) => denials !== undefined) && kept.length === END / seconds)
            expect(count(filled)).toBe(count(kept));
        }),
        { numRuns: 200 },
      );
    },
  );

  it('keep what one of them knows of a whole slot only where the slot stays whole', () => {
    const whole = { peak: 9, licenseSeconds: 700 };
    const log = [{ ...unknown, at: 0, seconds: SLOT, inUse: 2, whole }];
    expect(fillSamples([], log)).toEqual(log);
    expect(fillSamples([{ ...unknown, at: 0, seconds: SLOT, users: 3 }], log)).toEqual([
      { ...unknown, at: 0, seconds: SLOT, inUse: 2, users: 3, whole },
    ]);
    const cut = fillSamples([{ ...unknown, at: 60, seconds: 60, inUse: 1 }], log);
    expect(cut.map(({ at: from, seconds, inUse, whole: kept }) => [from, seconds, inUse, kept])).toEqual([
      [0, 60, 2, undefined],
      [60, 60, 1, undefined],
      [120, 180, 2, undefined],
    ]);
  });
});
