import { describe, expect, it } from 'vitest';
import type { Advice, AdviceContext } from '../../../src/insight/advice/method/advice.ts';
import type { Demand } from '../../../src/insight/advice/method/demand.ts';
import { evaluateDemand } from '../../../src/insight/advice/method/evaluation.ts';
import { contextOf } from '../../support/advice-context.ts';
import { drawHours, kinds, PAST } from '../../support/drawn-hours.ts';
import { isMatrix } from '../../support/extent.ts';
import { recordHours, TODAY } from '../../support/recorded-hours.ts';
import { seed } from '../../support/seed.ts';
import { simulatedDemand } from './simulated-demand.ts';

/** How much the advice changes from one day to the next one, without a change of demand. */

const DAYS = 21;

/** What one feature is advised on each of the days, the first one first. */
type Days = readonly Advice[];

const lastDays = (today: number): number[] => Array.from({ length: DAYS }, (_, i) => today - DAYS + 1 + i);

const countOf = ({ state, count, confidence }: Advice): number =>
  state === 'could go' && confidence === 'high' ? (count ?? 0) : 0;

/** Licenses that could go of all features, as a report counts them, on each day. */
const totalsOf = (features: readonly Days[]): number[] =>
  Array.from({ length: DAYS }, (_, i) => features.reduce((sum, days) => sum + countOf(days[i] as Advice), 0));

/** By which share a total changes from each day to the next one, ascending. */
const movesOf = (totals: readonly number[]): number[] =>
  totals
    .slice(1)
    .map((total, i) => Math.abs(total - (totals[i] as number)) / Math.max(total, totals[i] as number))
    .sort((a, b) => a - b);

/** The share of days on which the number of a feature is another one than the day before. */
function changesOf(features: readonly Days[]): number {
  const pairs = features.flatMap((days) => days.slice(1).map((day, i) => [days[i] as Advice, day] as const));
  const changed = pairs.filter(([a, b]) => a.state !== b.state || a.count !== b.count);
  return changed.length / pairs.length;
}

const at = (values: readonly number[], share: number): number =>
  values[Math.floor(share * values.length)] ?? Number.NaN;

const SIZES = [30, 4, 120];
const drawn = kinds.flatMap((kind, k) =>
  (isMatrix ? [0, 1, 2] : [0]).map((i) => {
    const size = SIZES[(k + i) % SIZES.length] as number;
    const hours = drawHours(kind, size, seed * 7907 + k * 101 + i);
    const year = hours.subarray((PAST - 365) * 24, PAST * 24);
    const bought = Math.round(1.3 * year.reduce((most, one) => Math.max(most, one), 1));
    return { hours, bought };
  }),
);

/** The advice of passes on some days, each with what was recorded before. */
function passesOn(
  days: readonly number[],
  demandBefore: (today: number) => Demand,
  more: Partial<AdviceContext> = {},
): readonly Advice[] {
  let mayRiseBefore: boolean | undefined;
  return days.map((today) => {
    const advice = evaluateDemand(demandBefore(today), contextOf({ ...more, today, mayRiseBefore }));
    mayRiseBefore = advice.mayRise;
    return advice;
  });
}

const drawnFeatures: readonly Days[] = drawn.map(({ hours, bought }) =>
  passesOn(lastDays(TODAY), (today) => recordHours(hours, 430, () => bought, today - TODAY), {
    bought,
    refusalsRecorded: true,
  }),
);

const SIMULATED = 20_779;
const simulatedFeatures: readonly Days[] = simulatedDemand(
  { seed, vendorLicenses: isMatrix ? 6 : 3, featuresPerVendorLicense: 20 },
  SIMULATED,
).map((demand: Demand) => passesOn(lastDays(SIMULATED), () => demand));

describe.each([
  ['demand of many kinds', drawnFeatures],
  ['the simulated site', simulatedFeatures],
])('the advice on 21 days in a row: %s', (_, features) => {
  const totals = totalsOf(features);

  it('has about the same total, and the same numbers', () => {
    expect(Math.min(...totals)).toBeGreaterThan(20);
    const moves = movesOf(totals);
    expect(at(moves, 0.5)).toBeLessThanOrEqual(0.025);
    // of few features, one is a large share
    expect(at(moves, 0.9)).toBeLessThanOrEqual(15 / features.length);
    expect(changesOf(features)).toBeLessThanOrEqual(0.1);
  });
});

describe('a purchaser who gives back what could go', () => {
  it('is not advised to give back more in the next three weeks', () => {
    const first = drawn.map((one, i) => ({ ...one, advice: drawnFeatures[i]?.[0] as Advice }));
    const given = first.filter(({ advice }) => advice.state === 'could go');
    const again = given.filter(({ hours, bought, advice: { computed, count = 0 } }) => {
      const left = bought - count;
      const on = (day: number): number => (day < computed - TODAY ? bought : left);
      const next = passesOn(lastDays(TODAY).slice(1), (today) => recordHours(hours, 430, on, today - TODAY), {
        bought: left,
        refusalsRecorded: true,
      });
      return next.some((one) => one.state === 'could go' && (one.count ?? 0) > Math.max(1, 0.1 * count));
    });
    expect(given.length).toBeGreaterThan(15);
    expect(again.length / given.length).toBeLessThan(0.1);
  });
});
