import { describe, expect, it } from 'vitest';
import type { Advice } from '../../../src/insight/advice/method/advice.ts';
import { evaluateDemand } from '../../../src/insight/advice/method/evaluation.ts';
import { contextOf } from '../../support/advice-context.ts';
import { type DemandDay, demandOfDays } from '../../support/drawn-demand.ts';
import { seed } from '../../support/seed.ts';
import { LicensePool, people, sessions, type Wishes } from './license-pool.ts';
import { FIRST_DAY } from './recorded-demand.ts';

/** What becomes of a site that follows all advice, once a year. */

const YEAR = 365;
const YEARS = 6;

interface Followed {
  /** Licenses, in each year. */
  readonly bought: readonly number[];
  /** Of demand without a limit, in a year like the first. */
  readonly peak: number;
  readonly refusalDays: readonly number[];
  readonly advice: readonly Advice[];
}

/** Licenses after a purchaser has done what the advice says. */
function obey({ state, count }: Advice, bought: number): number {
  if (state === 'could go') return bought - (count ?? 0);
  if (state === 'missing') return bought + (count ?? Math.ceil(bought / 10));
  return bought;
}

/** @param start licenses of the first year as a share of the peak of demand */
function follow(wishes: Wishes, start: number, of: number): Followed {
  const { peak } = new LicensePool(wishes, of + 7).run(YEAR, 1e6, 0);
  const pool = new LicensePool(wishes, of);
  const days: DemandDay[] = [];
  const bought = [Math.max(1, Math.round(peak * start))];
  const refusalDays: number[] = [];
  const advice: Advice[] = [];
  for (let year = 0; year <= YEARS; year += 1) {
    const now = bought[year] ?? 0;
    const today = FIRST_DAY + (year + 1) * YEAR;
    const { days: recorded, refusalDays: refused } = pool.run(YEAR, now, today - YEAR);
    days.push(...recorded);
    refusalDays.push(refused);
    const next = evaluateDemand(
      demandOfDays(days),
      contextOf({ today, bought: now, interval: 300, refusalsRecorded: true }),
    );
    advice.push(next);
    bought.push(obey(next, now));
  }
  return { bought, peak, refusalDays, advice };
}

const kinds: readonly (readonly [name: string, wishes: Wishes])[] = [
  ['8 sessions a day', sessions(8)],
  ['60 sessions a day', sessions(60)],
  ['250 sessions a day', sessions(250, { mean: 2 * 3600 })],
  ['60 batch jobs a day', sessions(60, { isBatch: true })],
  ['30 people', people(30)],
  ['40 people, more on some days', people(40, { waves: true })],
];

describe('a site that follows all advice for six years', () => {
  it.each(kinds)('has few days with refusals: %s', (_, wishes) => {
    const followed = [1.15, 0.8].map((start, i) => follow(wishes, start, seed * 31 + i));
    // the first year is before any advice
    const refusalDays = followed.flatMap((one) => one.refusalDays.slice(1));
    expect(refusalDays.reduce((sum, days) => sum + days, 0) / refusalDays.length).toBeLessThanOrEqual(15);
    // and does not pay for it with licenses that are not needed: peaks are higher
    for (const { bought, peak } of followed) expect(bought.at(-1)).toBeLessThanOrEqual(peak);
    for (const { advice } of followed) {
      for (const { state, count, reason } of advice) {
        if (/which is \d+ % of the time/.test(reason)) expect([state, count]).toEqual(['missing', undefined]);
      }
    }
  });
});
