import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Advice } from '../../../src/insight/advice/method/advice.ts';
import { evaluateDemand } from '../../../src/insight/advice/method/evaluation.ts';
import { contextOf } from '../../support/advice-context.ts';
import { demandOfDays } from '../../support/drawn-demand.ts';
import { FIRST_DAY } from './recorded-demand.ts';

/** The first day on which there can be advice, compared with what the passes of the following days say. */

/** Advice on a day, from the days before it on which use is recorded. */
function adviceOn(
  today: number,
  isRecorded: (day: number) => boolean,
  boughtOn: (day: number) => number,
  inUseOn: (day: number, hour: number) => number = (day, hour) => 3 + ((day + hour) % 3),
): Advice {
  const days = Array.from({ length: today - FIRST_DAY }, (_, i) => FIRST_DAY + i).filter(isRecorded);
  const demand = demandOfDays(
    days.map((day) => ({
      day,
      hours: Array.from({ length: 24 }, (_, hour) => ({
        hour,
        available: boughtOn(day),
        reserved: 0,
        denials: 0,
        levels: [[inUseOn(day, hour), 3600]] as const,
      })),
    })),
  );
  return evaluateDemand(demand, contextOf({ today, bought: boughtOn(today) }));
}

const twenty = (): number => 20;

describe('the first day with advice', () => {
  it.each([
    [1, 87],
    [3, 85],
    [40, 48],
    [87, 1],
  ])('comes when 12 weeks and 4 days are recorded: after %d days, in %d', (recorded, left) => {
    const today = FIRST_DAY + recorded;
    const advice = adviceOn(today, () => true, twenty);
    expect([advice.state, advice.enoughFrom]).toEqual(['not enough data', today + left]);
  });

  it('is not known where there is advice', () => {
    expect(adviceOn(FIRST_DAY + 88, () => true, twenty)).toMatchObject({ state: 'fine', enoughFrom: undefined });
  });

  it('waits for what was bought to be used for a while', () => {
    const rose = FIRST_DAY + 200;
    const bought = (day: number): number => (day < rose ? 20 : 30);
    const advice = adviceOn(rose + 30, () => true, bought);
    expect([advice.state, advice.enoughFrom]).toEqual(['not enough data', rose + 90]);
    expect(adviceOn(rose + 89, () => true, bought).state).toBe('not enough data');
    expect(adviceOn(rose + 90, () => true, bought).state).not.toBe('not enough data');
  });

  it('is the first on which a pass gives advice, with any gaps so far', () => {
    const share = fc.constantFrom(0.3, 0.5, 0.7, 1);
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 110 }),
        share,
        fc.infiniteStream(fc.double({ min: 0, max: 1 })),
        (length, p, draws) => {
          const today = FIRST_DAY + length;
          const past = new Set(Array.from({ length }, (_, i) => FIRST_DAY + i).filter(() => draws.next().value < p));
          // yesterday too: without any use there is no advice at all
          past.add(today - 1);
          const isRecorded = (day: number): boolean => past.has(day) || day >= today;
          const { state, enoughFrom } = adviceOn(today, isRecorded, twenty);
          if (state !== 'not enough data') return;
          expect(enoughFrom).toBeGreaterThan(today);
          for (let day = today + 1; day < (enoughFrom ?? 0); day += 7) {
            expect(adviceOn(day, isRecorded, twenty).state).toBe('not enough data');
          }
          expect(adviceOn((enoughFrom ?? 0) - 1, isRecorded, twenty).state).toBe('not enough data');
          expect(adviceOn(enoughFrom ?? 0, isRecorded, twenty).state).not.toBe('not enough data');
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe('without enough data', () => {
  /** Three more licenses each two weeks. */
  const growing = (day: number): number => 4 + Math.floor(((day - FIRST_DAY) * 3) / 14);

  it('there is no day on which licenses run out, and with it there is', () => {
    const of = (recorded: number) => {
      const bought = growing(FIRST_DAY + recorded) + 2;
      const { state, runsOut } = adviceOn(
        FIRST_DAY + recorded,
        () => true,
        () => bought,
        growing,
      );
      return [state === 'not enough data', runsOut !== undefined];
    };
    expect([42, 56, 70, 87].map(of)).toEqual([42, 56, 70, 87].map(() => [true, false]));
    // whether use grows is known from 26 weeks on
    expect(of(150)).toEqual([false, false]);
    expect(of(240)).toEqual([false, true]);
  });
});
