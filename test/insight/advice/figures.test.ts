import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDaySummary } from '../../../src/analyzer/history/day-summary.ts';
import type { Sample } from '../../../src/analyzer/history/sample.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import type { Advice } from '../../../src/insight/advice/method/advice.ts';
import type { Demand } from '../../../src/insight/advice/method/demand.ts';
import { evaluateDemand } from '../../../src/insight/advice/method/evaluation.ts';
import { createWindowDays, recentPeakOf } from '../../../src/insight/advice/method/window.ts';
import { contextOf, workingTime } from '../../support/advice-context.ts';
import { type DemandDay, type DrawnDemand, demandOfDays } from '../../support/drawn-demand.ts';
import { asCurve } from './recorded-demand.ts';

/** Figures against a slow recomputation from the samples, which uses nothing of the program. */

const localTime = createLocalTime('Europe/Berlin');
/** A week after summer time ends. */
const today = Date.UTC(2026, 10, 1) / 86_400_000;
const DAYS = 10;

interface Drawn {
  /** Seconds between samples. */
  readonly interval: number;
  readonly samples: readonly Sample[];
}

const rarely = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 12, arbitrary: value }, { weight: 1, arbitrary: fc.constant(undefined) });

/** Samples of some days, with gaps and unknown figures. */
const drawn: fc.Arbitrary<Drawn> = fc
  .record({
    interval: fc.constantFrom(300, 900, 1800, 3600),
    figures: fc.array(
      fc.record({
        available: rarely(fc.integer({ min: 0, max: 12 })),
        inUse: rarely(fc.nat({ max: 12 })),
        reserved: rarely(fc.nat({ max: 3 })),
        denials: rarely(fc.constantFrom(0, 0, 0, 1, 5)),
        isGap: fc.constantFrom(false, false, false, true),
      }),
      { minLength: 40, maxLength: 600 },
    ),
  })
  .map(({ interval, figures }) => ({
    interval,
    samples: figures.flatMap(({ isGap, ...rest }, i): Sample[] => {
      const at = localTime.startOf(today - DAYS) + i * interval;
      return isGap || localTime.dayOf(at) >= today ? [] : [{ at, seconds: interval, users: undefined, ...rest }];
    }),
  }));

const summarise = createDaySummary();

function toDemand(samples: readonly Sample[]): DrawnDemand {
  const days: DemandDay[] = [];
  for (const [day, ofDay] of Map.groupBy(samples, ({ at }) => localTime.dayOf(at))) {
    const frame = localTime.hoursOf(day);
    const hours = summarise([{ samples: ofDay }], { hours: frame, end: localTime.startOf(day + 1) });
    days.push({ day, hours: hours.map(({ index, ...hour }) => ({ hour: frame[index]?.hour ?? 0, ...hour })) });
  }
  return demandOfDays(days);
}

const evaluate = (demand: Demand, tolerance = 4): Advice =>
  evaluateDemand(demand, contextOf({ today, bought: 10, tolerance }));

/** The same in seconds, one by one in the order of their numbers in use. */
function spentAt(samples: readonly Sample[], isIncluded: (at: number) => boolean): [inUse: number, seconds: number][] {
  return samples.flatMap(({ at, seconds, inUse }): [number, number][] =>
    inUse !== undefined && isIncluded(at) ? [[inUse, seconds]] : [],
  );
}

const total = (spent: readonly (readonly [number, number])[]): number =>
  spent.reduce((sum, [, seconds]) => sum + seconds, 0);

describe('figures', () => {
  it('needed is the smallest number that is exceeded for at most the tolerance', () => {
    fc.assert(
      fc.property(drawn, fc.double({ min: 0, max: 3000, noNaN: true }), ({ samples }, tolerance) => {
        const spent = spentAt(samples, () => true);
        const { needed, peak } = evaluate(toDemand(samples), tolerance);
        if (spent.length === 0) return needed === undefined && peak === undefined;
        const short = (n: number): number => (total(spent.filter(([inUse]) => inUse > n)) * 8760) / total(spent);
        let expected = 0;
        while (short(expected) > tolerance) expected += 1;
        expect(needed).toBe(expected);
        expect(peak).toBe(Math.max(...spent.map(([inUse]) => inUse)));
        return true;
      }),
      { numRuns: 150 },
    );
  });

  it('percentiles cover their share of the working time', () => {
    fc.assert(
      fc.property(drawn, ({ samples }) => {
        const isWork = (at: number): boolean => {
          const day = localTime.dayOf(at);
          const hour = localTime.hoursOf(day).findLast(({ start }) => start <= at)?.hour ?? 0;
          const weekday = new Date(day * 86_400_000).getUTCDay();
          return workingTime.weekdays.has(weekday) && hour >= workingTime.from && hour < workingTime.to;
        };
        const spent = spentAt(samples, isWork);
        const advice = evaluate(toDemand(samples));
        for (const [share, found] of [
          [0.95, advice.p95],
          [0.99, advice.p99],
        ] as const) {
          if (spent.length === 0) expect(found).toBeUndefined();
          else {
            let expected = 0;
            while (total(spent.filter(([inUse]) => inUse <= expected)) < share * total(spent) - 1e-6) expected += 1;
            expect(found).toBe(expected);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('hours in full are those with all licenses in use', () => {
    // the regime is all of it: the same number throughout
    fc.assert(
      fc.property(drawn, ({ samples }) => {
        const steady = samples.map((sample) => ({ ...sample, available: 9 }));
        const spent = spentAt(steady, () => true);
        const { fullHours } = evaluate(toDemand(steady));
        if (spent.length === 0) return fullHours === undefined;
        expect(fullHours).toBeCloseTo((total(spent.filter(([inUse]) => inUse >= 9)) * 8760) / total(spent), 6);
        return true;
      }),
      { numRuns: 60 },
    );
  });

  it('utilisation is the license-hours in use, as a share of those bought', () => {
    fc.assert(
      fc.property(drawn, ({ samples }) => {
        const steady = samples.map((sample) => ({ ...sample, available: 9 }));
        const spent = spentAt(steady, () => true);
        const [own, curve] = [toDemand(steady), asCurve(toDemand(steady), today)].map(
          (demand) => evaluate(demand).utilisation,
        );
        if (spent.length === 0) return own === undefined && curve === undefined;
        const used = spent.reduce((sum, [inUse, seconds]) => sum + inUse * seconds, 0);
        expect(own).toBeCloseTo(used / (9 * total(spent)), 9);
        expect(curve).toBeCloseTo(own ?? Number.NaN, 9);
        return true;
      }),
      { numRuns: 60 },
    );
  });

  it('utilisation counts the licenses that were bought at the time, and no time without a valid one', () => {
    const daysOf = (availableOf: (i: number) => number | undefined) =>
      demandOfDays(
        Array.from({ length: 100 }, (_, i): DemandDay => {
          const available = availableOf(i);
          const levels = [[available === 0 ? 0 : 6, 3600]] as const;
          const hours = [...Array(24).keys()].map((hour) => ({ hour, available, reserved: 0, denials: 0, levels }));
          return { day: today - 100 + i, hours };
        }),
      );
    const utilisation = (demand: DrawnDemand) =>
      [demand, asCurve(demand, today)].map((one) => evaluate(one).utilisation);
    // 6 of 20 for half of the time, then 6 of 10
    const cut = utilisation(daysOf((i) => (i < 50 ? 20 : 10)));
    expect(cut).toEqual([expect.closeTo(0.4, 9), expect.closeTo(0.4, 9)]);
    expect(utilisation(daysOf((i) => (i < 50 ? 0 : 10)))).toEqual([expect.closeTo(0.6, 9), expect.closeTo(0.6, 9)]);
    expect(utilisation(daysOf(() => undefined))).toEqual([undefined, undefined]);
    expect(utilisation(daysOf(() => 0))).toEqual([undefined, undefined]);
  });
});

/** Paths of values that are neither known nor undefined. */
function brokenValues(value: unknown, path: string): string[] {
  if (typeof value === 'number') return Number.isFinite(value) ? [] : [`${path} is ${value}`];
  if (typeof value === 'string') return /NaN|Infinity|undefined|null/.test(value) ? [`${path}: ${value}`] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => brokenValues(one, `${path}.${key}`));
}

describe('what is unknown', () => {
  const figures = [
    'peak',
    'needed',
    'p95',
    'p99',
    'utilisation',
    'fullHours',
    'refusalDays',
    'otherRefusals',
    'busyWeek',
  ] as const;

  it('is never NaN, infinite or 0, for any demand with gaps', () => {
    const bought = fc.constantFrom(undefined, 0, 1, 5, 12, 99_999);
    fc.assert(
      fc.property(drawn, bought, fc.boolean(), fc.integer({ min: 0, max: 400 }), (given, now, isCurve, later) => {
        const recorded = toDemand(given.samples);
        const demand = isCurve ? asCurve(recorded, today) : recorded;
        const advice = evaluateDemand(demand, contextOf({ today: today + later, bought: now }));
        expect(brokenValues(advice, 'advice')).toEqual([]);
        expect(advice.reason).toMatch(/^[A-Z\d].*\.$/);
        const isSeen = given.samples.some(
          ({ at, inUse }) => inUse !== undefined && localTime.dayOf(at) >= today + later - 365,
        );
        if (!isSeen) for (const figure of figures) expect([figure, advice[figure]]).toEqual([figure, undefined]);
      }),
      { numRuns: 300 },
    );
  });

  it('is undefined where nothing of a kind is recorded', () => {
    const days: DemandDay[] = Array.from({ length: 200 }, (_, i) => ({
      day: today - 200 + i,
      hours: [...Array(24).keys()].map((hour) => ({
        hour,
        available: undefined,
        reserved: undefined,
        denials: undefined,
        levels: [[hour % 5, 3600]] as const,
      })),
    }));
    const advice = evaluate(demandOfDays(days));
    expect(advice).toMatchObject({
      needed: 4,
      peak: 4,
      fullHours: undefined,
      refusalDays: undefined,
      refusalHours: undefined,
      otherRefusals: undefined,
      reservedUnneeded: undefined,
      state: 'fine',
    });
    expect(advice.reason).toContain(
      'refusals are not known (they are not recorded here), nor how many licenses were free',
    );
  });
});

describe('the peak of the last 90 days', () => {
  const peakOf = (recorded: number, at: number, peak: number) => {
    const days = createWindowDays();
    days.isCounted.fill(1, 0, recorded);
    days.peak.fill(2, 0, recorded);
    days.peak[at] = peak;
    return recentPeakOf(days);
  };

  it.each([
    ['is the highest', 365, 89, 7, 7],
    ['leaves out the days before', 365, 90, 7, 2],
    ['is known of 72 days', 72, 3, 7, 7],
    ['is not known of fewer', 71, 3, 7, undefined],
    ['is not known without any', 0, 100, 7, undefined],
    ['reads days with too few hours', 72, 80, 7, 7],
    ['does not count them', 71, 80, 7, undefined],
  ] as const)('%s', (_, recorded, at, peak, expected) => {
    expect(peakOf(recorded, at, peak)).toBe(expected);
  });
});
