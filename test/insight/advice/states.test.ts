import { describe, expect, it } from 'vitest';
import { dateText } from '../../../src/base/model/local-time.ts';
import type { Advice, AdviceContext } from '../../../src/insight/advice/method/advice.ts';
import type { Demand } from '../../../src/insight/advice/method/demand.ts';
import { evaluateDemand } from '../../../src/insight/advice/method/evaluation.ts';
import { contextOf } from '../../support/advice-context.ts';
import {
  type DemandDay,
  type DemandHour,
  type DrawnDemand,
  demandOfDays,
  hoursOf,
} from '../../support/drawn-demand.ts';
import { asCurve, FIRST_DAY } from './recorded-demand.ts';

/** Every state, and every guard that stops advice. Demand is drawn by hand: figures can be checked by counting. */

const today = FIRST_DAY + 400;

interface Hour {
  readonly available?: number | undefined;
  readonly reserved?: number | undefined;
  readonly denials?: number | undefined;
  /** Maximum in use. */
  readonly inUse?: number | undefined;
}

/** Hours of a day by age (0 is yesterday); `undefined` for a gap. */
type Draw = (age: number, hour: number) => Hour | undefined;

/** In use from 8 to 17 on working days. */
const isWork = (age: number, hour: number): boolean => {
  const weekday = (today - 1 - age + 4) % 7;
  return weekday >= 1 && weekday <= 5 && hour >= 8 && hour < 18;
};

function draw(days: number, hours: Draw): DrawnDemand {
  const drawn: DemandDay[] = [];
  for (let age = days - 1; age >= 0; age -= 1) {
    const ofDay: DemandHour[] = [];
    for (let hour = 0; hour < 24; hour += 1) {
      const given = hours(age, hour);
      if (given === undefined) continue;
      const { inUse } = given;
      ofDay.push({
        hour,
        available: 'available' in given ? given.available : 20,
        reserved: 'reserved' in given ? given.reserved : 0,
        denials: 'denials' in given ? given.denials : 0,
        levels: [[inUse, 3600]],
      });
    }
    if (ofDay.length > 0) drawn.push({ day: today - 1 - age, hours: ofDay });
  }
  return demandOfDays(drawn);
}

const evaluate = (demand: Demand, given: Partial<AdviceContext> = {}): Advice =>
  evaluateDemand(demand, contextOf({ today, bought: 20, ...given }));

const advise = (days: number, hours: Draw, given: Partial<AdviceContext> = {}): Advice =>
  evaluate(draw(days, hours), given);

/** 10 to 12 in use at work, in no order that could be growth; 16 for three hours a year. */
const steady: Draw = (age, hour) => {
  if (age === 100 && hour >= 9 && hour < 12) return { inUse: 16 };
  return { inUse: isWork(age, hour) ? 10 + ((age * 7 + hour) % 3) : 0 };
};

describe('could go', () => {
  it('is what was enough but for the tolerance, in sentences of figures', () => {
    const advice = advise(400, (age, hour) => ({ inUse: steady(age, hour)?.inUse }));
    expect(advice).toMatchObject({
      state: 'could go',
      count: 7,
      needed: 12,
      enough: 13,
      peak: 16,
      confidence: 'high',
      days: 365,
    });
    expect([advice.peakDay, advice.recentPeak]).toEqual([today - 101, 12]);
    expect(advice.reason).toBe(
      '20 bought. 12 were enough in the last year, but for 3 h. Use is level. 13 are enough for the coming year with a chance of 9 in 10, so 7 could go. No request was refused. 365 of 365 days are recorded.',
    );
  });

  it('keeps what a year of growth adds', () => {
    // one more every 10 weeks: a step explains no part of it better
    const advice = advise(
      400,
      (age, hour) => ({ available: 30, inUse: isWork(age, hour) ? 12 - Math.floor(age / 70) : 0 }),
      { bought: 30 },
    );
    expect(advice.growth).toMatchObject({ kind: 'proven' });
    const perYear = advice.growth.kind === 'proven' ? advice.growth.perMonth * 12 : Number.NaN;
    expect(perYear).toBeGreaterThan(5);
    expect(perYear).toBeLessThan(8);
    const { enough = Number.NaN } = advice;
    expect(enough).toBeGreaterThanOrEqual(Math.floor(12 + perYear));
    expect(advice).toMatchObject({ state: 'could go', count: 30 - enough, confidence: 'provisional' });
    expect(advice.reason).toMatch(/Use grows by 4.\d % a month \(0.5 licenses\)\./);
    expect(advice.reason).toContain('This is provisional, because use grows.');
  });

  it('keeps one license', () => {
    const advice = advise(400, (age, hour) => ({ inUse: age === 5 && hour === 9 ? 1 : 0 }));
    expect(advice).toMatchObject({ state: 'could go', needed: 0, count: 19 });
  });

  it('keeps what was in use on more than 6 days a year, however briefly', () => {
    const brief =
      (days: number): Draw =>
      (age, hour) => ({
        inUse: isWork(age, hour) ? 10 : 0,
        ...(age % 40 === 1 && age < 40 * days && hour === 9 && { inUse: 14 }),
      });
    // half a minute of each of these hours
    const half = [
      [14, 30],
      [10, 3570],
    ] as const;
    const shorten = (demand: DrawnDemand): Demand => ({
      ...demand,
      detail: hoursOf(
        demand.drawn.map(({ day, hours }) => ({
          day,
          hours: hours.map((hour) => (hour.levels[0]?.[0] === 14 ? { ...hour, levels: half } : hour)),
        })),
      ),
    });
    const advice = evaluate(shorten(draw(365, brief(7))));
    expect(advice).toMatchObject({ state: 'could go', needed: 10, count: 5 });
    expect(advice.reason).toContain(
      '14 were enough in the last year, in all samples. 10 would have been too few on more than 6 days.',
    );
    expect(evaluate(shorten(draw(365, brief(6))))).toMatchObject({ needed: 10, count: 9 });
  });

  it('is provisional until the season is seen', () => {
    const advice = advise(200, steady);
    expect(advice).toMatchObject({ state: 'could go', confidence: 'provisional', days: 200 });
    expect(advice.reason).toContain(
      '200 of 365 days are recorded. This is provisional, because the season is not seen yet.',
    );
  });

  it('is stopped by refusals on more than 3 days a year', () => {
    const refusing =
      (days: number): Draw =>
      (age, hour) => ({
        ...steady(age, hour),
        ...(hour === 10 && age % 50 === 1 && age < 50 * days && { inUse: 20, denials: 7 }),
      });
    expect(advise(400, refusing(3))).toMatchObject({ state: 'could go', refusalDays: 3, refusalHours: 3 });
    const stopped = advise(400, refusing(4));
    expect(stopped).toMatchObject({ state: 'fine', refusalDays: 4, count: undefined });
    expect(stopped.reason).toContain(
      'could go, but requests were refused on 4 of 365 days whose denials are known, and at most 3 a year allow it',
    );
  });

  it('does not call enough what was refused, and says a rise from next to nothing in licenses', () => {
    const full: Draw = (age, hour) => ({
      inUse: isWork(age, hour) ? 20 : 0,
      ...(hour === 10 && age % 50 === 1 && age < 200 && { denials: 7 }),
    });
    const { reason } = advise(400, full);
    expect(reason).toContain('Up to 20 were in use in the last year. ');
    expect(reason).toMatch(/Requests were refused on \d of 365 days whose denials are known\./);
    expect(reason).not.toContain('enough in the last year');
    const risen: Draw = (age, hour) => ({ inUse: isWork(age, hour) ? (age < 150 ? 12 : age % 7 === 3 ? 1 : 0) : 0 });
    expect(advise(400, risen).reason).toMatch(/Use rose by [\d.]+ licenses about /);
  });

  it('without recorded refusals, needs 2 free licenses at all times', () => {
    const unrecorded =
      (peak: number, denials: number | undefined = undefined): Draw =>
      (age, hour) => ({ ...steady(age, hour), ...(age === 50 && hour === 10 && { inUse: peak }), denials });
    const enough = advise(400, unrecorded(18));
    const unknown = { refusalDays: undefined, otherRefusals: undefined, denials: undefined };
    expect(enough).toMatchObject({ state: 'could go', ...unknown });
    expect(enough.reason).toContain('Refusals are not known (they are not recorded here)');
    expect(enough.reason).toContain('At least 2 were free in all samples');
    const stopped = advise(400, unrecorded(19));
    expect(stopped).toMatchObject({ state: 'fine', count: undefined });
    expect(stopped.reason).toContain(
      '7 could go, but refusals are not known (they are not recorded here) and the peak left 1 license free, not 2',
    );
    // where others of the vendor license have refusals, 0 here is 0
    expect(advise(400, unrecorded(19, 0), { refusalsRecorded: true })).toMatchObject({ state: 'could go' });
    expect(advise(400, unrecorded(19, 0), { refusalsRecorded: false })).toMatchObject({ state: 'fine' });
  });

  describe('where reservations are not recorded', () => {
    const unreserved: Draw = (age, hour) => ({ ...steady(age, hour), reserved: undefined });

    /** One request is refused on some days, while licenses seem to be free. */
    const refusedOn =
      (days: number): Draw =>
      (age, hour) => ({ ...unreserved(age, hour), denials: age % 30 === 1 && age < 30 * days && hour === 12 ? 2 : 0 });

    it('is certain if no request was refused, and says what to check', () => {
      const advice = advise(400, unreserved);
      expect(advice).toMatchObject({ state: 'could go', count: 7, confidence: 'high', reservedUnneeded: undefined });
      expect(advice.reason).toMatch(
        / No request was refused\. 365 of 365 days are recorded\. Reservations are not recorded: check that no licenses are reserved before you give any back\.$/,
      );
    });

    it('is certain as long as the refusals are too few to change it', () => {
      const few = advise(365, refusedOn(3));
      expect(few).toMatchObject({ state: 'could go', count: 7, confidence: 'high', refusalDays: 0, denials: 6 });
      expect(few.reason).toContain('No request was refused for want of licenses (unclear on 3 days).');
      const known: Draw = (age, hour) =>
        age === 200 && hour === 12 ? { inUse: 20, denials: 1, reserved: undefined } : refusedOn(3)(age, hour);
      const more = advise(365, known);
      expect(more).toMatchObject({ state: 'could go', confidence: 'provisional', refusalDays: 1 });
      expect(more.reason).toContain(
        'This is provisional, because reservations are not recorded, and 6 requests were refused while licenses seemed to be free. Check that no licenses are reserved before you give any back.',
      );
    });

    it('is provisional if more requests were refused while licenses seemed to be free', () => {
      const advice = advise(365, refusedOn(4));
      expect(advice).toMatchObject({ state: 'could go', confidence: 'provisional', refusalDays: undefined });
      expect(advice.reason).toContain('reservations are not recorded, and 8 requests were refused');
    });

    it('is certain of refusals in other hours of days on which licenses were wanting', () => {
      const advice = advise(365, (age, hour) => ({
        ...unreserved(age, hour),
        ...(age % 150 === 1 && hour === 15 && { inUse: 20, denials: 1 }),
        ...(age % 150 === 1 && hour === 12 && { denials: 1 }),
      }));
      expect(advice).toMatchObject({ confidence: 'high', refusalDays: 3, denials: 6 });
      expect(advice.reason).not.toContain('unclear');
    });

    it('is provisional where only the free licenses say that nobody was refused', () => {
      const advice = advise(400, (age, hour) => ({ ...unreserved(age, hour), denials: undefined }));
      expect(advice).toMatchObject({ state: 'could go', confidence: 'provisional', reservedUnneeded: undefined });
      expect(advice.reason).toContain(
        'This is provisional, because reservations are not recorded, so that fewer licenses may have been free.',
      );
    });

    it('is provisional for other advice too, if requests were refused while licenses seemed to be free', () => {
      const advice = advise(365, refusedOn(4), { bought: 13 });
      expect(advice).toMatchObject({ state: 'fine', confidence: 'provisional' });
      expect(advice.reason).toContain('Reservations are not recorded, and 8 requests were refused while');
      const missing = advise(365, (age, hour) => ({
        ...refusedOn(1)(age, hour),
        ...(age % 10 === 5 && hour === 15 && { inUse: 20, denials: 1 }),
      }));
      expect(missing).toMatchObject({ state: 'missing', confidence: 'provisional' });
      expect(missing.reason).toMatch(/Reservations are not recorded, and 2 requests were refused while .*\.$/);
    });

    it('does not change other advice', () => {
      const advice = advise(400, (age, hour) => ({ ...unreserved(age, hour), denials: undefined }), { bought: 13 });
      expect(advice).toMatchObject({ state: 'fine', confidence: 'high' });
    });

    it('but for a part of the year, is known in each hour that knows it', () => {
      /** Imported, and live of the last 100 days: in the morning of the first one the daemon did not run. */
      const part =
        (denials: number | undefined): Draw =>
        (age, hour) => ({
          ...steady(age, hour),
          denials,
          reserved: age < 99 || (age === 99 && hour > 12) ? 0 : undefined,
        });
      const certain = advise(365, part(0));
      expect(certain).toMatchObject({ state: 'could go', confidence: 'high' });
      expect(certain.reason).not.toContain('eserv');
      const uncertain = advise(365, part(undefined));
      expect(uncertain).toMatchObject({ state: 'could go', confidence: 'provisional' });
      expect(uncertain.reason).toContain(`reservations are recorded only since ${dateText(today - 99)}, so that`);
    });

    it('is known of licenses that had expired', () => {
      const advice = advise(365, (age, hour) => ({
        ...(age > 30 && age < 40 ? { available: 0, inUse: 0, reserved: undefined } : steady(age, hour)),
        denials: undefined,
      }));
      expect(advice).toMatchObject({ state: 'could go', confidence: 'high' });
    });

    it('is the same by the day', () => {
      const demand = asCurve(draw(400, unreserved), today);
      expect(evaluate(demand)).toMatchObject({ state: 'could go', confidence: 'high' });
      const refused = asCurve(
        draw(400, (age, hour) => ({ ...unreserved(age, hour), denials: undefined })),
        today,
      );
      expect(evaluate(refused)).toMatchObject({ state: 'could go', confidence: 'provisional' });
      expect(evaluate(demand).reason).toContain('Reservations are not recorded: check');
    });
  });

  it('says what is reserved now', () => {
    const unrecorded: Draw = (age, hour) => ({ ...steady(age, hour), reserved: undefined });
    const { reason } = advise(400, unrecorded, { reservedNow: 1 });
    expect(reason).toMatch(/recorded\. At least 1 license is reserved now, which leaves fewer to others\.$/);
    expect(advise(400, (age, hour) => ({ ...steady(age, hour), reserved: 2 }), { reservedNow: 2 }).reason).toMatch(
      /recorded\. Up to 2 licenses were reserved\.$/,
    );
  });

  it('says where reservations are recorded although a setting says that no licenses are reserved', () => {
    const { reason } = advise(400, steady, { reservedOn: today - 5 });
    expect(reason).toContain(
      `The setting rightsizing.without_reservations does not count here, because licenses were reserved on ${dateText(today - 5)}.`,
    );
  });

  it('names reserved licenses', () => {
    const advice = advise(400, (age, hour) => ({ ...steady(age, hour), reserved: age === 3 ? 4 : 3 }));
    expect(advice).toMatchObject({ state: 'could go', reservedUnneeded: 0 });
    expect(advice.reason).toContain('Up to 4 licenses were reserved');
  });

  it('needs 90 days', () => {
    // four days of each of 15 weeks
    const advice = advise(105, (age, hour) => (age % 7 < 4 ? steady(age, hour) : undefined));
    expect(advice).toMatchObject({ state: 'fine', days: 60, confidence: 'none' });
    expect(advice.reason).toContain('3 could go, but only 60 days of 90 are recorded');
  });
});

describe('missing', () => {
  /** Full and refused from 10 to 11 on every nth day. */
  const short =
    (every: number, given: Hour = {}): Draw =>
    (age, hour) => ({
      inUse: isWork(age, hour) ? 14 : 0,
      ...(hour === 10 && age % every === 0 && { inUse: 20, denials: 500, ...given }),
    });

  it('is said of more than 12 days a year with refusals, with an estimate and its range', () => {
    expect(advise(365, short(31)).state).toBe('tight');
    const advice = advise(365, short(10));
    expect(advice).toMatchObject({ state: 'missing', refusalDays: 37, refusalHours: 37, otherRefusals: 0 });
    expect(advice.fullHours).toBe(37);
    const [least = 0, most = 0] = advice.countRange ?? [];
    expect(advice.count).toBeGreaterThanOrEqual(1);
    expect(least).toBeLessThanOrEqual(advice.count ?? 0);
    expect(most).toBeGreaterThan(advice.count ?? 0);
    expect(advice.reason).toMatch(
      /^20 bought\. Requests were refused on 37 of 365 days whose denials are known\. All were in use for 37 h a year\. About 2\d are needed \(\d+ to \d+\), so \d (is|are) missing\./,
    );
  });

  it('has no number where the pool is full for more than 15 % of the working time', () => {
    // 2 of 10 hours of work
    const advice = advise(365, (age, hour) => ({
      inUse: isWork(age, hour) ? (hour < 10 ? 20 : 12) : 0,
      denials: hour === 9 && isWork(age, hour) ? 1 : 0,
    }));
    expect(advice).toMatchObject({ state: 'missing', count: undefined, countRange: undefined });
    expect(advice.reason).toContain(
      'All were in use for 522 h a year, 20 % of the working time. History cannot say how many are missing.',
    );
    expect(advice.reason).toContain('Buy a tenth more (2), and check again after 4 weeks.');
  });

  it('counts what was refused since the number of licenses changed', () => {
    const raised =
      (age: number): Draw =>
      (at, hour) => ({ ...short(5)(at, hour), ...(at < age ? { available: 20 } : { available: 15, inUse: 15 }) });
    const changed = advise(365, raised(200));
    expect(changed).toMatchObject({ state: 'missing', refusalDays: 73, refusalsNow: { days: 40, recordedDays: 200 } });
    expect(changed.reason).toContain(
      'Requests were refused on 73 of 365 days whose denials are known, and on 40 of the 200 with this number of licenses.',
    );
    // too few days with this number
    const young = advise(365, raised(20));
    expect(young.state).toBe('not enough data');
    expect(young.reason).toContain('bought rose from 15 to 20 on ');
    expect(young.reason).toContain('only 20 days of 28 are recorded with this number of licenses');
    // a level of less than 14 days is no change, but what is bought now is not what was full
    const new_ = advise(365, raised(10));
    expect(new_.state).toBe('not enough data');
    expect(new_.reason).toContain('too few days are recorded since bought rose from 15 to 20');
  });

  it('after a cut, is named as a guard until 28 days are recorded', () => {
    const cut: Draw = (age, hour) => ({
      inUse: isWork(age, hour) ? 14 : 0,
      available: age < 20 ? 14 : 20,
      denials: age < 20 && hour === 10 ? 1 : 0,
    });
    const advice = advise(365, cut, { bought: 14 });
    expect(advice.state).toBe('tight');
    expect(advice.reason).toContain(
      'Requests were refused at a rate of more than 12 days a year, but only 20 days of 28 are recorded',
    );
  });

  it('after a cut, has what was in use before it', () => {
    const cut: Draw = (age, hour) => ({
      inUse: isWork(age, hour) ? (age < 60 ? 12 : 15 + ((age * 7 + hour) % 3)) : 0,
      available: age < 60 ? 12 : 20,
      denials: age < 60 && isWork(age, hour) ? 1 : 0,
    });
    const advice = advise(365, cut, { bought: 12 });
    expect(advice).toMatchObject({ state: 'missing', count: 5 });
    expect(advice.countRange?.[0]).toBeGreaterThanOrEqual(1);
    expect(advice.reason).toMatch(
      /20 were bought until 20\d\d-\d\d-\d\d, and up to 17 of them were in use on most days\. About 17 are needed/,
    );
  });

  it('without recorded refusals, needs a clear lack', () => {
    const full =
      (hours: number): Draw =>
      (age, hour) => ({ inUse: isWork(age, hour) ? (hour < 8 + hours ? 20 : 12) : 0 });
    // none recorded while full for 20 h: refusals are not recorded
    const clear = advise(365, full(1));
    expect(clear).toMatchObject({ state: 'missing', refusalDays: undefined });
    expect(clear.reason).toContain('Refusals are not known (none was ever recorded here)');
    expect(clear.count).toBeGreaterThanOrEqual(2);
    // where others of the vendor license have refusals, nobody waited
    expect(advise(365, full(1), { refusalsRecorded: true })).toMatchObject({ state: 'tight', refusalDays: 0 });
  });

  it('is not said of one license that is in use for an hour of most working days', () => {
    const advice = advise(
      365,
      (age, hour) => ({ available: 1, inUse: isWork(age, hour) && hour === 9 && age % 7 < 5 ? 1 : 0 }),
      { bought: 1 },
    );
    expect(advice.fullHours).toBeGreaterThan(150);
    expect(advice.state).not.toBe('missing');
    expect(advice.count).toBeUndefined();
  });

  it('is a matter of reservations if reserved licenses were not in use at the refusals', () => {
    const advice = advise(365, short(10, { inUse: 17, reserved: 3 }));
    expect(advice).toMatchObject({ state: 'reserved', count: undefined, fullHours: 0, refusalDays: 37 });
    expect(advice.reason).toContain('Free the reservation first');
  });
});

describe('refusals', () => {
  const refused = (hours: Draw): Advice => advise(365, hours);

  it('are others while licenses were free', () => {
    const advice = refused((age, hour) => ({ ...steady(age, hour), denials: hour === 9 ? 2 : 0 }));
    expect(advice).toMatchObject({ state: 'could go', refusalDays: 0, otherRefusals: 730 });
  });

  it('are unclear if the pool was full in another hour of the day', () => {
    const advice = refused((age, hour) => ({
      ...steady(age, hour),
      ...(age % 92 === 0 && hour === 15 && { inUse: 20 }),
      denials: age % 92 === 0 && hour === 9 ? 2 : 0,
    }));
    expect(advice).toMatchObject({ refusalDays: 0, refusalHours: 0, otherRefusals: 0, state: 'could go' });
    expect(advice.reason).toContain('No request was refused for want of licenses (unclear on 4 days)');
  });

  it('in other hours of a day with a match are others', () => {
    const advice = refused((age, hour) => ({
      ...steady(age, hour),
      ...(age === 73 && hour === 15 && { inUse: 20, denials: 3 }),
      ...(age === 73 && hour === 16 && { inUse: 3, denials: 4 }),
    }));
    expect(advice).toMatchObject({ refusalDays: 1, refusalHours: 1, otherRefusals: 4, denials: 7 });
  });

  it('of an expired license are not for want of licenses', () => {
    const advice = refused((age, hour) =>
      age > 30 && age < 40 ? { available: 0, inUse: 0, denials: 5 } : steady(age, hour),
    );
    expect(advice).toMatchObject({ refusalDays: 0, otherRefusals: 9 * 24 * 5, fullHours: 0 });
  });

  it.each([
    ['samples are far apart', { interval: 3600 }, {}, 'samples every 60 minutes are too far apart'],
    ['most of the time has none', {}, { denials: undefined }, 'they are recorded for less than half of the time'],
    [
      'licenses were not known',
      {},
      { available: undefined, denials: 1 },
      'licenses or reservations were not known at the time',
    ],
    [
      'reservations were not known',
      {},
      { reserved: undefined, denials: 1 },
      'licenses or reservations were not known at the time',
    ],
  ])('are not known if %s', (_, context, hour, because) => {
    const advice = advise(365, (age, at) => ({ ...steady(age, at), ...(age < 200 && hour) }), context);
    expect(advice).toMatchObject({ refusalDays: undefined, refusalHours: undefined, otherRefusals: undefined });
    expect(advice.reason).toContain(`Refusals are not known (${because})`);
  });
});

describe('not enough data', () => {
  it.each([
    [5, '1 of 13 weeks are recorded'],
    [80, '11 of 13 weeks are recorded'],
  ])('of %i days', (days, guard) => {
    const advice = advise(days, steady);
    expect(advice).toMatchObject({ state: 'not enough data', count: undefined });
    expect(advice.reason).toContain(guard);
  });

  it('with too many gaps', () => {
    const advice = advise(365, (age, hour) => (age % 28 < 7 ? undefined : steady(age + 1, hour)));
    expect(advice.state).toBe('no advice');
    const later = advise(365, (age, hour) => (age % 28 > 20 ? undefined : steady(age, hour)));
    expect(later.state).toBe('not enough data');
    expect(later.reason).toContain('39 of the last 51 weeks are recorded');
  });

  it('for 90 days after bought rose, named with both guards', () => {
    const raised =
      (age: number): Draw =>
      (at, hour) => ({ ...steady(at, hour), available: at < age ? 20 : 18 });
    expect(advise(365, raised(90)).state).toBe('could go');
    expect(advise(365, raised(89)).state).toBe('not enough data');
    expect(advise(50, raised(30)).reason).toMatch(
      /7 of 13 weeks are recorded and bought rose from 18 to 20 on \S+, less/,
    );
  });
});

describe('unused', () => {
  it('needs half a year without use', () => {
    const last =
      (age: number): Draw =>
      (at, hour) => ({ inUse: at >= age && isWork(at, hour) ? 3 : 0 });
    expect(advise(400, last(178)).state).toBe('could go');
    const advice = advise(400, last(181));
    expect(advice).toMatchObject({ state: 'unused', count: undefined, isNeverUsed: false });
    expect(advice.reason).toMatch(
      /^No use was seen since 20\d\d-\d\d-\d\d in samples every 1 minute\. This must be confirmed/,
    );
  });

  it('is said of what was never used, with the first day of its history', () => {
    const advice = advise(200, () => ({ inUse: 0 }));
    expect(advice).toMatchObject({
      state: 'unused',
      isNeverUsed: true,
      unusedSince: undefined,
      needed: 0,
      reason: expect.stringContaining(dateText(today - 200)),
    });
    expect(advise(170, () => ({ inUse: 0 })).state).not.toBe('unused');
  });
});

describe('tight and fine', () => {
  it('are the same for one license, unless a user was refused', () => {
    const alone =
      (every: number, denials: number): Draw =>
      (age, hour) => ({
        available: 1,
        inUse: isWork(age, hour) && (age * 7 + hour) % every === 0 ? 1 : 0,
        denials: age % 40 === 0 && hour === 10 ? denials : 0,
      });
    for (const every of [1, 2, 5, 20, 60]) {
      const advice = advise(365, alone(every, 0), { bought: 1, refusalsRecorded: true });
      expect({ every, state: advice.state }).toEqual({ every, state: 'fine' });
    }
    expect(advise(365, alone(1, 1), { bought: 1, refusalsRecorded: true }).state).toBe('tight');
  });

  it('say that it was one week that needed so many', () => {
    const advice = advise(
      400,
      (age, hour) => ({
        available: 60,
        inUse: isWork(age, hour) ? (age >= 100 && age < 107 ? 55 : 20 + ((age * 7 + hour) % 3)) : 0,
      }),
      { bought: 60 },
    );
    expect(advice.needed).toBe(55);
    expect(advice.reason).toMatch(/More than 22 were in use about 20\d\d-\d\d-\d\d only\./);
  });

  it('differ by the busy week', () => {
    const busy =
      (peak: number): Draw =>
      (age, hour) => ({ inUse: isWork(age, hour) ? (hour === 10 ? peak : 9) : 0 });
    const tight = advise(365, busy(20), { refusalsRecorded: true });
    expect(tight).toMatchObject({ state: 'tight', busyWeek: 20 });
    expect(tight.reason).toContain('A busy week has 20 of 20 in use, which leaves little room.');
    const fine = advise(365, (age, hour) => ({ ...busy(age === 200 ? 20 : 18)(age, hour), denials: undefined }));
    expect(fine).toMatchObject({ state: 'fine', busyWeek: 18 });
  });
});

describe('no advice', () => {
  it.each<[string, Draw, Partial<AdviceContext>, string]>([
    ['excluded', steady, { exclusion: 'is a component of a package' }, 'it is a component of a package'],
    ['uncounted', steady, { bought: 99_999 }, 'its licenses are not counted'],
    ['expired', steady, { bought: 0 }, 'it has no valid license now'],
    ['not recorded', () => undefined, {}, 'no use is recorded'],
    ['of unknown use', () => ({}), {}, 'no use is recorded'],
    ['outdated', (age, hour) => (age < 3 ? undefined : steady(age, hour)), {}, 'its last data is of '],
    [
      'unknown',
      (age, hour) => ({ ...steady(age, hour), available: undefined }),
      { bought: undefined },
      'the number of licenses is not known',
    ],
  ])('%s', (_, hours, context, reason) => {
    const advice = advise(365, hours, context);
    expect(advice).toMatchObject({ state: 'no advice', count: undefined, runsOut: undefined });
    expect(advice.reason).toContain(reason);
  });

  it('names every reason', () => {
    const old: Draw = (age, hour) => (age < 9 ? undefined : steady(age, hour));
    const reason = advise(365, old, { bought: 0 }).reason;
    expect(reason).toMatch(/^No advice: it has no valid license now and its last data is of 20\d\d-\d\d-\d\d\.$/);
    expect(advise(365, old, { exclusion: 'is a component' }).reason).toContain(
      'it is a component and its last data is of',
    );
  });

  it('is not for data of the day before yesterday', () => {
    expect(advise(365, (age, hour) => (age < 2 ? undefined : steady(age, hour))).state).toBe('could go');
  });
});

describe('edge cases', () => {
  it('a server that is down 55 minutes of every 3 hours', () => {
    const advice = advise(365, (age, hour) => (hour % 3 === 0 ? undefined : steady(age, hour)));
    expect(advice).toMatchObject({ state: 'could go', days: 365, needed: 12 });
  });

  it('two versions side by side for less than 14 days', () => {
    const advice = advise(365, (age, hour) => ({
      ...steady(age, hour),
      ...(age >= 60 && age < 73 && { available: 40 }),
    }));
    expect(advice).toMatchObject({ state: 'could go', count: 7 });
    const now = advise(365, (age, hour) => ({ ...steady(age, hour), ...(age < 10 && { available: 40 }) }), {
      bought: 40,
    });
    expect(now.state).toBe('not enough data');
  });

  it('an expired month is no change of what was bought', () => {
    const advice = advise(365, (age, hour) => (age >= 30 && age < 60 ? { available: 0, inUse: 0 } : steady(age, hour)));
    expect(advice).toMatchObject({ state: 'could go', fullHours: 0 });
  });

  it('a vendor license that is not current', () => {
    const advice = advise(365, (age, hour) => (age < 1 ? undefined : steady(age, hour)), { bought: undefined });
    expect(advice).toMatchObject({ state: 'could go', bought: 20, boughtAsOf: today - 2 });
    expect(advice.reason).toMatch(/^20 bought as of 20\d\d-\d\d-\d\d\. /);
  });

  it('a day that comes twice, and days of 23 and 25 hours', () => {
    const demand = draw(365, steady);
    const twice: Demand = { ...demand, detail: hoursOf(demand.drawn.flatMap((day) => [day, day])) };
    expect(evaluate(twice)).toEqual(evaluate(demand));
    const changed = demand.drawn.map(({ day, hours }, i) => ({
      day,
      hours: hours.map((hour) => (i === 200 && hour.hour === 2 ? { ...hour, levels: [[0, 7200]] as const } : hour)),
    }));
    const advice = evaluate({ ...demand, detail: hoursOf(changed) });
    expect(advice.hoursAtLeast[1]).toBeCloseTo(((evaluate(demand).hoursAtLeast[1] ?? 0) * 8760) / 8761, 6);
  });

  it('a gap since the last use is not time without use', () => {
    const used: Draw = (age, hour) => (age < 2 ? undefined : { inUse: isWork(age, hour) || age === 2 ? 3 : 0 });
    expect(advise(365, used)).toMatchObject({ unusedSince: undefined, isNeverUsed: false });
    const since: Draw = (age, hour) => ({ inUse: age >= 20 && isWork(age, hour) ? 3 : 0 });
    const lastUse = advise(365, since).unusedSince ?? 0;
    expect(today - lastUse).toBeGreaterThanOrEqual(20);
    expect(today - lastUse).toBeLessThanOrEqual(23);
  });

  it('reserved licenses that nobody uses', () => {
    const advice = advise(365, (age, hour) => ({ ...steady(age, hour), reserved: 18 }));
    expect(advice.reservedUnneeded).toBe(2);
  });
});

describe('a foreign analyzer', () => {
  const foreign = (hours: Draw, given: Partial<AdviceContext> = {}): Advice =>
    evaluate(asCurve(draw(365, hours), today), { interval: undefined, ...given });

  it('has the same curve, and neither percentiles nor refusal hours', () => {
    const [own, other] = [advise(365, steady), foreign(steady)];
    expect(other).toMatchObject({ state: 'could go', count: own.count, needed: own.needed, peak: 16, days: 365 });
    expect(other).toMatchObject({ p95: undefined, p99: undefined, refusalHours: undefined, refusalDays: 0 });
    expect(own).toMatchObject({ p95: 12, p99: 12 });
    expect(other.hoursAtLeast).toEqual(own.hoursAtLeast);
    expect(other.reason).toContain('(matched by the day)');
  });

  it('matches refusals by the day', () => {
    const advice = foreign((age, hour) => ({
      ...steady(age, hour),
      ...(age % 10 === 0 && hour === 10 && { inUse: 20 }),
      denials: hour === 15 && age % 5 === 0 ? 2 : 0,
    }));
    expect(advice).toMatchObject({ state: 'missing', refusalDays: 37, otherRefusals: 72 });
    expect(advice.fullHours).toBeCloseTo(37, 6);
    expect(advice.reason).toContain('estimated over all hours, nights included');
  });

  it('does not know how long the pool was full where it was cut', () => {
    const advice = foreign((age, hour) => ({ ...steady(age, hour), available: age > 100 ? 25 : 20 }));
    expect(advice).toMatchObject({ fullHours: undefined, state: 'could go' });
  });

  it('needs a curve, unless nothing was ever in use', () => {
    const demand = draw(365, steady);
    const none: Demand = { ...demand, detail: { kind: 'curve', hoursAtLeast: new Float64Array(0) } };
    const advice = evaluate(none);
    expect(advice).toMatchObject({ needed: undefined, count: undefined, state: 'fine' });
    expect(advice.reason).toContain('How many are needed is not known');
    const idle: Demand = { ...draw(365, () => ({ inUse: 0 })), detail: none.detail };
    expect(evaluate(idle)).toMatchObject({ needed: 0, state: 'unused' });
  });
});

describe('days with refusals', () => {
  it('are counted, of those whose denials are known, and never scaled', () => {
    const recent: Draw = (age, hour) => ({
      ...steady(age, hour),
      denials: undefined,
      ...(age < 140 && { denials: age % 70 === 1 && hour === 10 ? 3 : 0 }),
      ...(age === 1 && hour === 10 && { inUse: 20 }),
    });
    const few = advise(200, recent);
    const days = { deniedDays: 2, denialsKnownDays: 140 };
    expect(few).toMatchObject({ denials: 6, ...days, refusalDays: 1, refusalHours: 1, otherRefusals: 3 });
    expect(few.reason).toContain('Requests were refused on 1 of 140 days whose denials are known.');
    // too short a part of the year to know how many were for want of licenses: what was counted is a fact
    const unknown = advise(365, recent);
    expect(unknown).toMatchObject({ denials: 6, ...days, refusalDays: undefined, refusalsNow: undefined });
    const none = advise(365, (age, hour) => ({ ...steady(age, hour), denials: undefined }));
    expect(none).toMatchObject({ denials: undefined, deniedDays: undefined, denialsKnownDays: undefined });
  });

  it('say so of none with the number of licenses of now', () => {
    const raised: Draw = (age, hour) => ({
      ...steady(age, hour),
      ...(age >= 100 && { available: 15 }),
      ...(age >= 100 && age % 50 === 1 && hour === 10 && { inUse: 15, denials: 2 }),
    });
    const advice = advise(365, raised);
    expect(advice).toMatchObject({ refusalDays: 6, refusalsNow: { days: 0, recordedDays: 100 } });
    expect(advice.reason).toContain('and on none of the 100 with this number of licenses.');
  });

  it('are no more than there are days, where only some hours of each day are recorded', () => {
    const alternating: Draw = (_, hour) => (hour % 2 === 0 ? { inUse: 20, denials: 3 } : undefined);
    expect(advise(400, alternating)).toMatchObject({ refusalDays: 365, refusalHours: 12 * 365 });
  });
});
