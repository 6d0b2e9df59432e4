import { describe, expect, it } from 'vitest';
import type { Advice } from '../../../src/insight/advice/method/advice.ts';
import { evaluateDemand } from '../../../src/insight/advice/method/evaluation.ts';
import { contextOf } from '../../support/advice-context.ts';
import { seed } from '../../support/seed.ts';
import { poolsOf, simulatedDemand, trueNeed } from './simulated-demand.ts';

/** Advice for the simulated site of the demo. One pool of it grows, and what the others need without a limit is known. */

const TOLERANCE = 4;
const WEEK = 7;
/** 2026-11-22. */
const today = 20_779;
const size = { seed, vendorLicenses: 3, featuresPerVendorLicense: 20 };
const GROWING = 'fluid_solver';

interface Advised {
  readonly advice: Advice;
  readonly bought: number;
  readonly need: number;
}

const demands = simulatedDemand(size, today);

function advise(): Advised[] {
  const pools = poolsOf(size);
  const refusing = new Set(
    demands.flatMap(({ series, days }) => (days.denials.some((count) => count > 0) ? series.vendorLicense : [])),
  );
  return demands.map((demand) => {
    const own = pools.get(JSON.stringify(Object.values(demand.series))) ?? [];
    const bought = own.reduce((sum, { count }) => sum + count, 0);
    const context = contextOf({
      today,
      bought,
      tolerance: TOLERANCE,
      refusalsRecorded: refusing.has(demand.series.vendorLicense),
    });
    const advice = evaluateDemand(demand, context);
    const isCompared = advice.state === 'could go' || advice.state === 'missing';
    return { advice, bought, need: isCompared ? trueNeed(own, today, TOLERANCE) : Number.NaN };
  });
}

describe('the simulated site', () => {
  const advised = advise();
  const of = (state: Advice['state']): Advised[] => advised.filter(({ advice }) => advice.state === state);

  it('has advice of many kinds', () => {
    const states = new Set(advised.map(({ advice }) => advice.state));
    for (const state of ['could go', 'missing', 'unused', 'fine', 'no advice']) expect(states).toContain(state);
    expect(advised.length).toBeGreaterThan(55);
  });

  it('has as many licenses as most of its pools need', () => {
    const total = (counts: readonly (number | undefined)[]): number =>
      counts.reduce<number>((sum, count = 0) => sum + count, 0);
    expect(of('fine').length + of('tight').length).toBeGreaterThan(0.4 * advised.length);
    expect(of('tight').length).toBeLessThan(advised.length / 3);
    expect(of('could go').length).toBeLessThan(advised.length / 2);
    expect(of('missing').length).toBeLessThan(3);
    const bought = total(advised.map((one) => one.bought).filter(Number.isFinite));
    expect(total(of('could go').map(({ advice }) => advice.count))).toBeLessThan(0.15 * bought);
  });

  it('runs out of licenses where use grows, on each day of a week', () => {
    const found = Array.from({ length: WEEK }, (_, i) => today - i).flatMap((on) =>
      // what is bought is that of the last day before
      demands.map((demand) => evaluateDemand(demand, contextOf({ today: on }))),
    );
    expect(Math.min(...found.map(({ days }) => days))).toBeGreaterThan(300);
    const due = found.filter(({ runsOut }) => runsOut !== undefined).map(({ feature }) => feature);
    expect(due.filter((feature) => feature === GROWING)).toHaveLength(WEEK);
    // a project that begins can look like growth
    expect(due.length - WEEK).toBeLessThan(0.01 * found.length);
  });

  it('could drop most of what its pools would not need without a limit, and nothing that they need', () => {
    const couldGo = of('could go');
    expect(couldGo.length).toBeGreaterThan(8);
    for (const { advice, bought, need } of couldGo) expect(bought - (advice.count ?? 0)).toBeGreaterThanOrEqual(need);
    const sum = (licenses: (one: Advised) => number): number =>
      couldGo.reduce((total, one) => total + licenses(one), 0);
    expect(sum(({ advice }) => advice.count ?? 0)).toBeGreaterThan(0.5 * sum(({ bought, need }) => bought - need));
  });

  it('lacks licenses where its pools need more, and the estimate has the truth in its range', () => {
    for (const { advice, bought, need } of of('missing')) {
      expect(need).toBeGreaterThan(bought);
      const [least = 1, most = Number.POSITIVE_INFINITY] = advice.countRange ?? [];
      expect(need - bought).toBeGreaterThanOrEqual(least);
      expect(need - bought).toBeLessThanOrEqual(most);
    }
  });
});
