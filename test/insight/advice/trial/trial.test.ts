import { describe, expect, it } from 'vitest';
import { evaluateDemand } from '../../../../src/insight/advice/method/evaluation.ts';
import { contextOf } from '../../../support/advice-context.ts';
import { drawHours, type Kind, kinds, PAST } from '../../../support/drawn-hours.ts';
import { recordHours, TODAY } from '../../../support/recorded-hours.ts';
import { seed } from '../../../support/seed.ts';
import { before } from './before.ts';
import { figuresOf, outcomesOf, SIZES } from './outcomes.ts';

/** What the advice brings, and what its sentences name, for demand of many kinds. `npm run advice-trial` tries more of it. */

const HISTORY = 400;
const MONTH = 30.4375;
const DAYS_OFF = 24;

describe('advice for demand of many kinds', () => {
  const outcomes = kinds.flatMap((kind, k) =>
    SIZES.flatMap((size) =>
      [0, 1].flatMap((i) => outcomesOf(kind, size, seed * 31_337 + k * 1009 + size * 7 + i, { histories: [HISTORY] })),
    ),
  );

  it('has more kinds than the method has explanations, each with the figures of the method before', () => {
    expect(kinds.length).toBeGreaterThanOrEqual(50);
    for (const { name } of kinds) expect(before[name], name).toHaveLength(3);
  });

  it('is rarely wrong', () => {
    const { wrong, wrongOfAdvised } = figuresOf(outcomes);
    expect(wrong).toBeLessThan(1.5);
    expect(wrongOfAdvised).toBeLessThan(3);
  });

  it.each([
    [1.3, 65],
    [1, 25],
  ])(
    'gives back most of what an oracle does where demand does not rise, with licenses of %s x the peak',
    (share, least) => {
      const { given } = figuresOf(outcomes.filter(({ kind, share: of }) => kind.gives === true && of === share));
      expect(given).toBeGreaterThan(least);
    },
  );
});

describe('the reason', () => {
  const LICENSES = 300;
  const growthOf = (hours: Int32Array) =>
    evaluateDemand(
      recordHours(hours, HISTORY, () => LICENSES),
      contextOf({ today: TODAY, bought: LICENSES, refusalsRecorded: true }),
    ).growth;
  const step =
    (by: number, months: number): Kind['law'] =>
    () =>
    (day) =>
      day < -months * MONTH ? 1 / (1 + by) : 1;
  const share = (named: readonly boolean[]): number => named.filter(Boolean).length / named.length;
  const drawn = (kind: Kind, count: number): Int32Array[] =>
    [30, 120].flatMap((size) =>
      Array.from({ length: count }, (_, i) => drawHours(kind, size, seed * 7919 + size * 101 + i)),
    );
  const isStep = (growth: ReturnType<typeof growthOf>, months: number): boolean =>
    growth.kind === 'step' && Math.abs(growth.day - (TODAY - months * MONTH)) <= DAYS_OFF;

  it.each([0.3, 0.6, -0.3])('names a step of %s, and when it was', (by) => {
    const named = [2, 4, 8].flatMap((months) =>
      drawn({ name: 'a step', group: 'safe', law: step(by, months) }, 4).map((hours) =>
        isStep(growthOf(hours), months),
      ),
    );
    expect(share(named)).toBeGreaterThanOrEqual(0.8);
  });

  it('names a step without noise', () => {
    for (const months of [2, 4, 8]) {
      for (const size of [30, 60, 120]) {
        const level = step(0.3, months)({} as never);
        const hours = Int32Array.from({ length: 24 * (PAST + 365) }, (_, i) => {
          const day = Math.floor(i / 24) - PAST;
          return i % 24 === 10 ? Math.round(size * level(day)) : 0;
        });
        expect({ months, size, growth: growthOf(hours) }).toMatchObject({ growth: { kind: 'step' } });
        expect(isStep(growthOf(hours), months)).toBe(true);
      }
    }
  });

  it('names no step, and a season, where use has one', () => {
    const named = kinds
      .filter(({ name }) => name.startsWith('season, '))
      .flatMap((kind) => drawn(kind, 4).map((hours) => growthOf(hours).kind));
    expect(share(named.map((kind) => kind === 'step'))).toBeLessThanOrEqual(0.05);
    expect(share(named.map((kind) => kind === 'season'))).toBeGreaterThanOrEqual(0.7);
  });

  it('names neither where use is steady, and growth where it grows', () => {
    const namedFor = (name: string): string[] =>
      kinds.filter((kind) => kind.name === name).flatMap((kind) => drawn(kind, 5).map((hours) => growthOf(hours).kind));
    expect(share(namedFor('steady').map((kind) => kind !== 'not proven'))).toBeLessThanOrEqual(0.2);
    expect(share(namedFor('+2 % a month').map((kind) => kind === 'proven'))).toBeGreaterThanOrEqual(0.8);
  });
});
