import { describe, expect, it } from 'vitest';
import type { Advice, AdviceContext } from '../../../src/insight/advice/method/advice.ts';
import type { Demand } from '../../../src/insight/advice/method/demand.ts';
import { evaluateDemand } from '../../../src/insight/advice/method/evaluation.ts';
import { contextOf } from '../../support/advice-context.ts';
import { drawHours, kinds, PAST } from '../../support/drawn-hours.ts';
import { isMatrix } from '../../support/extent.ts';
import { recordHours, TODAY } from '../../support/recorded-hours.ts';
import { conflictsIn, contradictionsIn } from '../../support/said-figures.ts';
import { seed } from '../../support/seed.ts';
import { simulatedDemand } from './simulated-demand.ts';

/** The sentences of advice say the same as its columns, and the columns the same as each other. */

const unknownReserved = (demand: Demand): Demand => {
  const { detail, days } = demand;
  return {
    ...demand,
    days: { ...days, reserved: days.reserved.map(() => Number.NaN) },
    detail:
      detail.kind === 'curve'
        ? detail
        : {
            ...detail,
            *hours(from, to) {
              for (const day of detail.hours(from, to)) yield { ...day, reserved: day.reserved.map(() => Number.NaN) };
            },
          },
  };
};

/** A number of licenses on each day, from the most that a year wanted. */
const supplies: readonly ((most: number) => (day: number) => number)[] = [
  (most) => () => Math.round(1.5 * most),
  (most) => () => Math.round(1.2 * most),
  (most) => () => most,
  (most) => () => Math.max(1, Math.round(0.8 * most)),
  (most) => (day) => (day < -50 ? Math.round(1.4 * most) : Math.max(1, Math.round(0.9 * most))),
  (most) => (day) => (day < -100 ? most : Math.round(1.4 * most)),
  () => () => 1,
];

const histories = [60, 150, 250, 400, PAST];

function* drawn(): Generator<readonly [Demand, Partial<AdviceContext>]> {
  const runs = isMatrix ? 6 : 2;
  for (let k = 0; k < kinds.length * runs; k += 1) {
    const kind = kinds[k % kinds.length] as (typeof kinds)[number];
    const hours = drawHours(kind, [4, 30, 120][k % 3] as number, seed * 6007 + k);
    const most = hours.subarray((PAST - 365) * 24, PAST * 24).reduce((a, b) => Math.max(a, b), 1);
    for (const [i, supply] of supplies.entries()) {
      const bought = supply(most);
      const recorded = recordHours(hours, histories[(k + i) % histories.length] as number, bought);
      const context = { bought: bought(0), refusalsRecorded: i === 3 ? undefined : true };
      yield [(k + i) % 4 === 0 ? unknownReserved(recorded) : recorded, context];
    }
  }
}

function* simulated(): Generator<readonly [Demand, Partial<AdviceContext>]> {
  const today = 20_779;
  for (const demand of simulatedDemand({ seed, vendorLicenses: 3, featuresPerVendorLicense: 20 }, today))
    yield [demand, { today }];
}

describe.each([
  ['demand of many kinds', drawn],
  ['the simulated site', simulated],
])('advice for %s', (_, demands) => {
  const advised: readonly Advice[] = [...demands()].map(([demand, context]) =>
    evaluateDemand(demand, contextOf({ today: TODAY, ...context })),
  );

  it('is of many kinds', () => {
    const found = new Set(advised.map(({ state, confidence }) => `${state}, ${confidence}`));
    for (const one of ['could go, high', 'could go, provisional', 'missing, high', 'tight, high', 'fine, high']) {
      expect(found).toContain(one);
    }
  });

  it('says in its sentences what its columns have', () => {
    const found = advised.flatMap((advice) => contradictionsIn(advice).map((text) => `${text} (${advice.reason})`));
    expect(found).toEqual([]);
  });

  it('has columns that agree', () => {
    const found = advised.flatMap((advice) => conflictsIn(advice).map((text) => `${text} (${advice.reason})`));
    expect(found).toEqual([]);
  });
});

describe('a contradiction', () => {
  it('is found', () => {
    const hours = drawHours(kinds[0] as (typeof kinds)[number], 30, seed);
    const advice = evaluateDemand(
      recordHours(hours, 400, () => 60),
      contextOf({ today: TODAY, bought: 60, refusalsRecorded: true }),
    );
    expect(contradictionsIn({ ...advice, bought: 7 })).not.toEqual([]);
    expect(contradictionsIn({ ...advice, reason: `${advice.reason} So be it.` })).toEqual(['not known: So be it']);
    expect(conflictsIn({ ...advice, state: 'could go', count: 0 })).toContain('at least one could go');
  });
});
