import { describe, expect, it } from 'vitest';
import type { Advice } from '../../../src/insight/advice/method/advice.ts';
import { evaluateDemand } from '../../../src/insight/advice/method/evaluation.ts';
import { contextOf } from '../../support/advice-context.ts';
import { createRandom } from '../../support/random.ts';
import { demandOf, HISTORY_DAYS, type Law, needOn } from './demand-kinds.ts';
import { FIRST_DAY, recordLaw } from './recorded-demand.ts';

/** What "could go" brings in the year after it, for demand that rises and for demand that does not. */

const MONTH = 30.4375;
const YEAR = 365;
/** A year with more days with refusals lacks licenses. */
const MOST_REFUSAL_DAYS = 12;
const RUNS = 8;
const today = FIRST_DAY + HISTORY_DAYS;

/** Days before the end of the history. */
const ago = (months: number): number => HISTORY_DAYS - months * MONTH;
const growing =
  (percent: number, everyMonths = 1) =>
  (size: number): Law['level'] =>
  (day) =>
    size * (1 + percent / 100) ** ((day - HISTORY_DAYS) / (everyMonths * MONTH));
const stepUp =
  (share: number, months: number) =>
  (size: number): Law['level'] =>
  (day) =>
    day < ago(months) ? size / (1 + share) : size;
const stairs =
  (percent: number, months: number) =>
  (size: number): Law['level'] =>
  (day) =>
    size * (1 + percent / 100) ** Math.floor((day - HISTORY_DAYS) / (months * MONTH));
const season =
  (share: number, peakAgo: number) =>
  (size: number): Law['level'] =>
  (day) =>
    size * (1 + share * Math.cos((2 * Math.PI * (day - HISTORY_DAYS + peakAgo)) / YEAR));

interface Kind {
  readonly name: string;
  readonly level: (size: number) => Law['level'];
}

const rising: readonly Kind[] = [
  {
    name: 'a step of 30 % four months ago, and another one in eight months',
    level: (size) => (day) => size * 1.3 ** Math.floor((day - ago(4)) / YEAR),
  },
  { name: '2 % a month', level: growing(2) },
  { name: '5 % a month', level: growing(5) },
  { name: '6 % each quarter', level: stairs(6, 3) },
];

const level: readonly Kind[] = [
  { name: 'level', level: (size) => () => size },
  { name: 'a step of 30 % four months ago', level: stepUp(0.3, 4) },
  { name: 'a season with its peak 150 days ago', level: season(0.2, 150) },
  { name: 'a season with its peak 90 days ago', level: season(0.2, 90) },
  { name: 'falling', level: growing(-1) },
];

interface Outcome {
  readonly advice: Advice;
  readonly isWrong: boolean;
}

/** Follows the advice of one history for a year. */
function outcomeOf({ level: levelOf }: Kind, size: number, share: number, seed: number): Outcome {
  const law: Law = {
    level: levelOf(size),
    bought: (of, _, seedOf) => Math.ceil(needOn(of, HISTORY_DAYS, seedOf) * share),
  };
  const { demand, bought } = recordLaw(law, seed);
  const advice = evaluateDemand(demand, contextOf({ today, bought, refusalsRecorded: true }));
  const kept = bought - (advice.count ?? 0);
  let days = 0;
  for (const hours of demandOf(law, seed, HISTORY_DAYS, HISTORY_DAYS + YEAR, createRandom(seed + 1))) {
    if (hours.some((demanded) => demanded > kept)) days += 1;
  }
  return { advice, isWrong: advice.state === 'could go' && days > MOST_REFUSAL_DAYS };
}

const SIZES = [3, 25, 150];
const SHARES = [1.3, 1.8];

const outcomesOf = (kind: Kind): Outcome[] =>
  SIZES.flatMap((size) =>
    SHARES.flatMap((share) => Array.from({ length: RUNS }, (_, i) => outcomeOf(kind, size, share, 7919 * i + size))),
  );

const isCut = ({ advice }: Outcome): boolean => advice.state === 'could go';
const isSure = (outcome: Outcome): boolean => isCut(outcome) && outcome.advice.confidence === 'high';

describe('the year after "could go"', () => {
  it.each(rising)('has no refusals by advice of high confidence: $name', (kind) => {
    const outcomes = outcomesOf(kind);
    // otherwise nothing is shown; where use grows fast, hardly any is given
    expect(outcomes.filter(isCut).length).toBeGreaterThan(0);
    expect(outcomes.filter((outcome) => isSure(outcome) && outcome.isWrong)).toEqual([]);
    for (const { advice } of outcomes.filter((outcome) => isCut(outcome) && !isSure(outcome))) {
      expect(advice.reason).toMatch(/This is provisional, because use (grows|rose|may rise)/);
    }
  });

  it.each(level)('has few refusals with any confidence: $name', (kind) => {
    const outcomes = outcomesOf(kind);
    expect(outcomes.filter(isCut).length).toBeGreaterThan(outcomes.length / 3);
    expect(outcomes.filter(({ isWrong }) => isWrong).length).toBeLessThanOrEqual(1);
  });

  it.each(level.filter(({ name }) => name === 'level' || name === 'falling'))('can be sure: $name', (kind) => {
    const cuts = outcomesOf(kind).filter(isCut);
    expect(cuts.filter(isSure).length).toBeGreaterThanOrEqual(0.85 * cuts.length);
  });

  it('has a step up in its own sentence, and is not sure of it', () => {
    const steps = level
      .filter(({ name }) => name.startsWith('a step'))
      .flatMap(outcomesOf)
      .filter(isCut);
    expect(steps.length).toBeGreaterThan(0);
    // of very few licenses, a step looks like any other week
    expect(steps.filter(isSure).length).toBeLessThan(0.1 * steps.length);
    expect(steps.filter((outcome) => isSure(outcome) && outcome.isWrong)).toEqual([]);
    const unsure = steps.filter((outcome) => !isSure(outcome));
    for (const { advice } of unsure) expect(advice.reason).toContain('This is provisional, because use');
  });
});
