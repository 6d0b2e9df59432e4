import { describe, expect, it } from 'vitest';
import { type BlockedCause, blockedCauses, type EndedWaits } from '../../../src/base/model/observation/observation.ts';
import type { Advice } from '../../../src/insight/advice/method/advice.ts';
import type { WaitsByDay } from '../../../src/insight/advice/method/demand.ts';
import { evaluateDemand } from '../../../src/insight/advice/method/evaluation.ts';
import { contextOf } from '../../support/advice-context.ts';
import { type DemandDay, demandOfDays, hoursOf } from '../../support/drawn-demand.ts';
import { contradictionsIn } from '../../support/said-figures.ts';
import { FIRST_DAY } from './recorded-demand.ts';

/** What the people who waited change of advice. */

const DAYS = 365;
const today = FIRST_DAY + 400;
const BOUGHT = 20;

/** Of each tenth day, on which requests are refused. */
interface Refused {
  readonly inUse: number;
  readonly reserved?: number;
  readonly denials?: number;
}

const isRefused = (age: number): boolean => age % 10 === 5;

/** 12 in use from 8 to 17; on each tenth day something else from 10 to 11, when requests are refused. */
function demandOf({ inUse, reserved = 0, denials = 360 }: Refused): DemandDay[] {
  return Array.from({ length: DAYS }, (_, i) => {
    const age = DAYS - 1 - i;
    return {
      day: today - 1 - age,
      hours: Array.from({ length: 24 }, (__, hour) => {
        const isThen = isRefused(age) && hour === 10;
        return {
          hour,
          available: BOUGHT,
          reserved: isThen ? reserved : 0,
          denials: isThen ? denials : 0,
          levels: [[isThen ? inUse : hour >= 8 && hour < 18 ? 12 : 0, 3600] as const],
        };
      }),
    };
  });
}

const waitOf = (cause: BlockedCause): EndedWaits => ({ cause, ended: 'got', episodes: 2, seconds: 120, people: 1 });

/** @param waits of each tenth day; undefined if people are not known */
function advise(refused: Refused, waits: readonly EndedWaits[] | undefined): Advice {
  const days = demandOf(refused);
  const known: WaitsByDay = new Map(
    days.flatMap(({ day }) => (waits === undefined || !isRefused(today - 1 - day) ? [] : [[day, waits] as const])),
  );
  const advice = evaluateDemand(
    { ...demandOfDays(days), detail: hoursOf(days, known) },
    contextOf({ today, bought: BOUGHT, refusalsRecorded: true }),
  );
  expect(contradictionsIn(advice)).toEqual([]);
  return advice;
}

const full: Refused = { inUse: BOUGHT };
const free: Refused = { inUse: 12 };
const RATE = 36;

describe('people who wait', () => {
  it('because all licenses are at work want licenses, also if they were free at other times of the hour', () => {
    const wanted = advise(full, [waitOf('all_busy')]);
    expect(wanted).toMatchObject({ state: 'missing', refusalDays: RATE, refusalHours: RATE, otherRefusals: 0 });
    expect(wanted.reason).toContain(' People waited 72 times, 72 min in all: all licenses were busy. ');
    expect(advise(free, [waitOf('all_busy')])).toMatchObject({ refusalDays: RATE, refusalHours: RATE });
    expect(advise(free, undefined)).toMatchObject({ refusalDays: 0, otherRefusals: 360 * RATE });
  });

  it.each(['all_in_use', 'unknown'] as const)('for %s want licenses where the hours say so', (cause) => {
    expect(advise(full, [waitOf(cause)])).toMatchObject({ state: 'missing', refusalDays: RATE });
    expect(advise(free, [waitOf(cause)])).toMatchObject({ state: 'could go', refusalDays: 0 });
  });

  it('for another cause want none', () => {
    const wanting: readonly BlockedCause[] = ['all_busy', 'all_in_use', 'unknown'];
    const before = advise(full, undefined);
    expect(before.state).toBe('missing');
    for (const cause of blockedCauses.filter((one) => !wanting.includes(one))) {
      const advice = advise(full, [waitOf(cause)]);
      expect(advice, cause).toMatchObject({ refusalDays: 0, refusalHours: 0, denials: before.denials });
      expect(advice.otherRefusals, cause).toBe(before.denials);
      expect(advice.count, cause).toBeUndefined();
    }
    expect(advise(full, [waitOf('free_elsewhere'), { ...waitOf('held_idle'), episodes: 1 }]).reason).toContain(
      ' No request was refused for want of licenses. People waited 108 times, 144 min in all (free on another vendor license: 72, held idle: 36): no more licenses are needed for them. ',
    );
  });

  it('for reserved licenses first want the reservation to be freed', () => {
    const { state, reason, refusalDays } = advise(full, [waitOf('reserved_for_others')]);
    expect([state, refusalDays]).toEqual(['reserved', 0]);
    expect(reason).toContain('(reserved for others: 72): no more licenses are needed for them');
    // the cause that is a want of licenses decides about a day with both
    expect(advise(full, [waitOf('reserved_for_others'), waitOf('all_busy')])).toMatchObject({ state: 'missing' });
  });

  it('do not want one where each refusal was followed by a license', () => {
    const advice = advise(full, []);
    expect(advice).toMatchObject({ refusalDays: 0, otherRefusals: 360 * RATE });
    expect(advice.reason).not.toContain('waited');
  });

  it('count as of the day on which their wait has ended', () => {
    expect(advise({ ...full, denials: 0 }, [waitOf('all_busy')])).toMatchObject({
      refusalDays: RATE,
      deniedDays: RATE,
    });
  });
});
