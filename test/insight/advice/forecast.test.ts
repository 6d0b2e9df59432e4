import { describe, expect, it } from 'vitest';
import type { Advice } from '../../../src/insight/advice/method/advice.ts';
import type { Demand } from '../../../src/insight/advice/method/demand.ts';
import { evaluateDemand } from '../../../src/insight/advice/method/evaluation.ts';
import { contextOf } from '../../support/advice-context.ts';
import { allHoursOf, type DemandDay, demandOfDays } from '../../support/drawn-demand.ts';
import { seed } from '../../support/seed.ts';
import { type Case, cases, HISTORY_DAYS, needOn } from './demand-kinds.ts';
import { FIRST_DAY, recordLaw } from './recorded-demand.ts';

/** Forecasts of demand whose truth is known: how often an alarm is right, and how far the forecast is off. */

const RUNS = 35;
const AHEAD = 90;
const MONTH = 30.4375;
const today = FIRST_DAY + HISTORY_DAYS;

interface Run {
  readonly isAlarm: boolean;
  /** Of the forecast in 90 days, as a share of the licenses. */
  readonly error: number;
  /** Whether the range of the date has the true date; `undefined` without a date. */
  readonly isInRange: boolean | undefined;
}

const evaluate = (demand: Demand, bought: number, on = today): Advice =>
  evaluateDemand(demand, contextOf({ today: on, bought }));

function run({ law, inWeeks }: Case, of: number): Run {
  const { demand, bought } = recordLaw(law, of);
  const { busyWeek = Number.NaN, growth, runsOut } = evaluate(demand, bought);
  const forecast = busyWeek + (growth.kind === 'proven' ? (growth.perMonth * AHEAD) / MONTH : 0);
  const truth = needOn(law, HISTORY_DAYS + AHEAD, of);
  const trueDate = today + 7 * (inWeeks ?? Number.NaN);
  return {
    isAlarm: runsOut !== undefined && runsOut.day - today <= AHEAD,
    error: Math.abs(forecast - truth) / bought,
    isInRange:
      runsOut === undefined || inWeeks === undefined
        ? undefined
        : runsOut.earliest <= trueDate && trueDate <= (runsOut.latest ?? Number.POSITIVE_INFINITY),
  };
}

const alarms = (runs: readonly Run[]): number => runs.filter(({ isAlarm }) => isAlarm).length / runs.length;

function quantile(runs: readonly Run[], share: number): number {
  const errors = runs.map(({ error }) => error).sort((a, b) => a - b);
  return errors[Math.floor(share * errors.length)] ?? Number.NaN;
}

describe('forecast', () => {
  const results = cases.map((one, i) => ({
    ...one,
    runs: Array.from({ length: RUNS }, (_, k) => run(one, seed * 100_003 + i * 1009 + k)),
  }));
  const runsOf = (...kinds: Case['alarm'][]): Run[] =>
    results.filter(({ alarm }) => kinds.includes(alarm)).flatMap(({ runs }) => runs);

  it('has as many kinds of demand as were tried', () => {
    expect(cases.length).toBe(30);
    expect(new Set(cases.map(({ name }) => name)).size).toBe(30);
  });

  it.each(results.filter(({ alarm }) => alarm === 'must not'))('raises no alarm: $name', ({ runs }) => {
    expect(alarms(runs)).toBeLessThanOrEqual(0.03);
  });

  it('raises few false alarms', () => {
    expect(alarms(runsOf('must not', 'not yet'))).toBeLessThanOrEqual(0.04);
  });

  it('raises the alarm four weeks before growth of 2 and 4 % a month needs all licenses', () => {
    const of = (name: string): number => alarms(results.find((one) => one.name === name)?.runs ?? []);
    expect(of('2 % a month, in 4 weeks')).toBeGreaterThanOrEqual(0.75);
    expect(of('4 % a month, in 4 weeks')).toBeGreaterThanOrEqual(0.85);
    expect(alarms(runsOf('must'))).toBeGreaterThanOrEqual(0.5);
  });

  it('is off by little', () => {
    const runs = results.flatMap((one) => one.runs);
    expect(quantile(runs, 0.5)).toBeLessThanOrEqual(0.04);
    expect(quantile(runs, 0.9)).toBeLessThanOrEqual(0.12);
  });

  it('has a range that mostly contains the true date', () => {
    const known = runsOf('must').filter(({ isInRange }) => isInRange !== undefined);
    const share = known.filter(({ isInRange }) => isInRange).length / known.length;
    expect(known.length).toBeGreaterThan(100);
    expect(share).toBeGreaterThan(0.7);
  });
});

describe('an evaluation', () => {
  it('is the same at each hour of a week, except for the days that are over', () => {
    const law = cases.find(({ name }) => name === '2 % a month, in 4 weeks')?.law;
    if (law === undefined) throw new Error('no such case');
    const { demand, bought } = recordLaw(law, seed);
    for (let on = today - 7; on < today; on += 1) {
      const before = demand.drawn.filter(({ day }) => day < on);
      const expected = evaluate(demandOfDays(before), bought, on);
      for (let hour = 0; hour < 24; hour += 1) {
        // a day on which far more is in use than on any other
        const begun: DemandDay = {
          day: on,
          hours: Array.from({ length: hour + 1 }, (_, i) => ({
            hour: i,
            available: bought,
            reserved: 0,
            denials: 99,
            levels: [[5 * bought, 3600]],
          })),
        };
        expect(evaluate(asked([...before, begun]), bought, on)).toEqual(expected);
      }
    }
  });
});

/** Demand of which all recorded days are returned, no matter which were asked for. */
function asked(days: readonly DemandDay[]): Demand {
  return { ...demandOfDays(days), detail: allHoursOf(days) };
}
