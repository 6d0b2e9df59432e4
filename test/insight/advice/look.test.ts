import { describe, expect, it } from 'vitest';
import { runAtOnce } from '../../../src/base/scheduling/slices.ts';
import type { Growth } from '../../../src/insight/advice/method/advice.ts';
import { expectedBy, LOOK_WEEKS, type Look, looksOf, middleOf } from '../../../src/insight/advice/method/look.ts';
import { chanceOf, limitOf } from '../../../src/insight/advice/method/outlook.ts';
import { runsOutBy } from '../../../src/insight/advice/method/run-out.ts';
import { createWindowDays, WEEK, type WindowDays } from '../../../src/insight/advice/method/window.ts';
import { createRandom } from '../../support/random.ts';

/** Seven looks at the coming year, and what they say together. */

const TODAY = 20_000;
const DAYS = LOOK_WEEKS * WEEK;

/** Days with a peak of about this many licenses, by their age. */
function daysOf(level: (age: number) => number, noise = 1): WindowDays {
  const random = createRandom(5);
  const days = createWindowDays(DAYS);
  days.isCounted.fill(1);
  for (let age = 0; age < DAYS; age += 1) days.peak[age] = Math.round(level(age) + noise * random.normal());
  return days;
}

const looksAt = (days: WindowDays): readonly Look[] => runAtOnce(looksOf(days, TODAY));

const steadyUse: Growth = { kind: 'not proven' };
const growing: Growth = { kind: 'proven', perMonth: 1, share: 0.02, since: undefined };

describe('the looks', () => {
  it('are those of the last seven days, each from the days before it', () => {
    const days = daysOf(() => 30);
    const looks = looksAt(days);
    expect(looks.map(({ day }) => day)).toEqual([0, 1, 2, 3, 4, 5, 6].map((ago) => TODAY - ago));
    // what came after the day of a look does not change it
    const changed = { ...days, peak: Float64Array.from(days.peak, (peak, age) => (age < 6 ? 90 : peak)) };
    expect(looksAt(changed)[6]?.enough).toBe(looks[6]?.enough);
    expect(looksAt(changed)[0]?.enough).not.toBe(looks[0]?.enough);
  });

  it('are fewer while there are not enough weeks', () => {
    const recorded = (count: number): number => {
      const days = daysOf(() => 30);
      days.isCounted.fill(0, count);
      days.peak.fill(Number.NaN, count);
      return looksAt(days).length;
    };
    expect([35, 42, 45, 60].map(recorded)).toEqual([0, 4, 7, 7]);
  });
});

describe('what is expected', () => {
  const [first] = looksAt(daysOf(() => 30));
  const lookWith = (ago: number, fields: Partial<Look>): Look => ({ ...(first as Look), day: TODAY - ago, ...fields });
  const seven = (fields: (ago: number) => Partial<Look>): readonly Look[] =>
    Array.from({ length: WEEK }, (_, ago) => lookWith(ago, fields(ago)));

  it('is the middle one by what is enough, of two the larger', () => {
    expect(middleOf([3, 1, 2], (a, b) => a - b)).toBe(2);
    expect(middleOf([1, 2], (a, b) => a - b)).toBe(2);
    const found = expectedBy(
      seven((ago) => ({ enough: [50, 31, 33, 30, 32, 34, 90][ago] as number, likely: ago })),
      undefined,
    );
    expect([found?.enough, found?.likely]).toEqual([33, 2]);
    expect(expectedBy([], undefined)).toBeUndefined();
  });

  it('may rise by all looks together, and needs more to change that', () => {
    const by = (rise: number, before?: boolean): boolean | undefined =>
      expectedBy(
        seven(() => ({ rise })),
        before,
      )?.mayRise;
    expect([0.25, 0.35].map((rise) => by(rise))).toEqual([false, true]);
    expect([0.15, 0.25, 0.35, 0.45].map((rise) => by(rise, true))).toEqual([false, true, true, true]);
    expect([0.15, 0.25, 0.35, 0.45].map((rise) => by(rise, false))).toEqual([false, false, false, true]);
  });

  it('names what use did by a look that agrees about a rise', () => {
    // the middle one by what is enough does not
    const looks = seven((ago) => ({
      enough: 30 + ago,
      rise: ago === 3 ? 0 : 1,
      growth: ago === 3 ? steadyUse : growing,
    }));
    expect(expectedBy(looks, undefined)).toMatchObject({ enough: 33, mayRise: true, growth: growing });
  });

  it('takes growth that has just begun to no more than half as much in a year, and is unsure of it', () => {
    const begun = looksAt(daysOf((age) => 30 * Math.exp(0.05 * Math.max(0, 13 - age / WEEK)), 0.5));
    const { outlook } = begun[0] as Look;
    const now = Math.max(
      ...daysOf((age) => 30 * Math.exp(0.05 * Math.max(0, 13 - age / WEEK)), 0.5).peak.subarray(0, 14),
    );
    expect(limitOf(outlook, 0.5)).toBeGreaterThan(1.2 * now);
    expect(limitOf(outlook, 0.5)).toBeLessThan(1.7 * now);
    expect(chanceOf(outlook, 'year', 1.2 * now)).toBeLessThan(0.4);
  });
});

describe('the day on which licenses run out', () => {
  const looks = looksAt(daysOf((age) => 40 * Math.exp((-0.02 * age) / 30.4), 0.6));
  const expected = expectedBy(looks, undefined);
  const dayOf = (of: typeof expected, bought: number): number | undefined =>
    of === undefined ? undefined : runsOutBy(of, bought, DAYS)?.day;

  it('is the middle one of those of all looks', () => {
    const single = looks.map((look) => {
      const alone = expectedBy([look], undefined);
      return alone && dayOf({ ...alone, growth: growing }, 46);
    });
    expect(new Set(single).size).toBeGreaterThan(1);
    expect(dayOf(expected, 46)).toBe(single.map((day) => day ?? 0).sort((a, b) => a - b)[3]);
  });

  it('is today at the soonest, and is not known without proven growth, or if most looks have none', () => {
    expect(dayOf(expected, 30)).toBe(TODAY);
    expect(expected && dayOf({ ...expected, growth: steadyUse }, 46)).toBeUndefined();
    const [steady] = looksAt(daysOf(() => 30));
    const few = looks.map((look, i) => (i < 3 ? look : { ...look, outlook: (steady as Look).outlook }));
    expect(expected && dayOf({ ...expected, looks: few }, 46)).toBeUndefined();
  });
});
