import { createRandom, type Random } from '../../support/random.ts';

/**
 * Kinds of demand whose truth is known: the peak of a week to come is computed from the law that the demand was drawn from. Days count from the start of the history, a Monday.
 */

export const HISTORY_DAYS = 400;
const MONTH = 30.4375;
const YEAR = 365;

/** The law of a kind of demand. */
export interface Law {
  /** Mean demand in the busiest hour of a working day. */
  level(day: number, seed: number): number;
  /** Licenses on a day. */
  readonly bought: (law: Law, day: number, seed: number) => number;
  readonly isBatch?: boolean;
  readonly lacksDays?: boolean;
}

export interface Case {
  readonly name: string;
  readonly law: Law;
  /** Whether an alarm within 90 days is right. */
  readonly alarm: 'must' | 'not yet' | 'must not';
  /** Weeks after the history in which the peak of a week is expected to need all licenses, if ever. */
  readonly inWeeks?: number;
}

const office = [1, 1, 1, 1, 1, 2, 9, 31, 66, 90, 100, 94, 72, 86, 97, 93, 79, 53, 29, 14, 8, 5, 3, 2];
const allDay = Array.from({ length: 24 }, () => 88);

/** Day of the year on which the history begins. It ends in April: the holidays are not in its newest 13 weeks. */
const START = 62;
const dateOf = (day: number): number => (day + START) % YEAR;
const isHoliday = (day: number): boolean => dateOf(day) >= 357 || dateOf(day) <= 4;

/** The share of a working day's demand. */
function dayShare(day: number, { isBatch = false }: Law): number {
  if (isBatch) return day % 7 >= 5 ? 0.92 : 1;
  if (isHoliday(day)) return 0.15;
  return [1, 1, 1, 1, 0.92, 0.1, 0.1][day % 7] ?? 1;
}

/** Demand hour by hour. Days are alike for a while: correlation 0.6 from day to day. */
export function* demandOf(law: Law, seed: number, from: number, to: number, random: Random): Generator<number[]> {
  let mood = random.normal();
  for (let day = from; day < to; day += 1) {
    mood = 0.6 * mood + 0.8 * random.normal();
    const mean = law.level(day, seed) * dayShare(day, law) * Math.exp(0.05 * mood);
    yield (law.isBatch === true ? allDay : office).map((share) => random.poisson((mean * share) / 100));
  }
}

const needs = new Map<string, number>();
const SAMPLES = 100;

/** The peak that a week is expected to have if demand stays as it is on a day: the mean of many weeks without holidays. */
export function needOn(law: Law, day: number, seed: number): number {
  const level = law.level(day, seed);
  const key = `${level.toFixed(6)} ${law.isBatch}`;
  const known = needs.get(key);
  if (known !== undefined) return known;
  const steady: Law = { ...law, level: () => level };
  const random = createRandom(977);
  let sum = 0;
  for (let i = 0; i < SAMPLES; i += 1) sum += Math.max(...[...demandOf(steady, seed, 7, 14, random)].flat());
  needs.set(key, sum / SAMPLES);
  return sum / SAMPLES;
}

/** As many as the peak that a week is expected to have in some weeks. */
const runsOutIn =
  (weeks: number): Law['bought'] =>
  (law, _, seed) =>
    Math.round(needOn(law, HISTORY_DAYS + 7 * weeks, seed));

/** A share more than the peak of a week at the end of the history, and at least a number more. */
const free =
  (share: number, least = 1): Law['bought'] =>
  (law, _, seed) => {
    const need = needOn(law, HISTORY_DAYS, seed);
    return Math.round(Math.max(need + least, need * (1 + share)));
  };

/** First too few, then enough since some weeks before the end. */
const raised =
  (weeks: number): Law['bought'] =>
  (law, day, seed) => {
    const need = needOn(law, HISTORY_DAYS, seed);
    return Math.round(day < HISTORY_DAYS - 7 * weeks ? need * 0.85 : need * 1.15);
  };

const growing =
  (percent: number) =>
  (day: number): number =>
    72 * Math.exp((Math.log(1 + percent / 100) * (day - HISTORY_DAYS)) / MONTH);
const linear = (day: number): number => 70 + (1.5 * (day - HISTORY_DAYS)) / MONTH;
const small = (day: number): number => 2.6 + (2.2 * day) / HISTORY_DAYS;
const flat = (): number => 68;
const stepUp =
  (weeks: number) =>
  (day: number): number =>
    day < HISTORY_DAYS - 7 * weeks ? 55 : 70;
const isSummer = (day: number): boolean => dateOf(day) >= 190 && dateOf(day) < 250;
const oneWeek = (day: number): number => (day >= HISTORY_DAYS - 6 && day < HISTORY_DAYS ? 92 : 65);
const waves = (day: number, seed: number): number => 45 + 30 * createRandom(seed * 1009 + Math.floor(day / 56)).next();

export const cases: readonly Case[] = [
  ...[1, 2, 4].flatMap((percent): Case[] =>
    [4, 9, 30].map((weeks) => ({
      name: `${percent} % a month, in ${weeks} weeks`,
      law: { level: growing(percent), bought: runsOutIn(weeks) },
      alarm: weeks === 30 ? 'not yet' : 'must',
      inWeeks: weeks,
    })),
  ),
  ...[4, 9].flatMap((weeks): Case[] => [
    {
      name: `1.5 a month, in ${weeks} weeks`,
      law: { level: linear, bought: runsOutIn(weeks) },
      alarm: 'must',
      inWeeks: weeks,
    },
    {
      name: `small pool, in ${weeks} weeks`,
      law: { level: small, bought: runsOutIn(weeks) },
      alarm: 'must',
      inWeeks: weeks,
    },
  ]),
  {
    name: 'days missing, in 9 weeks',
    law: { level: growing(2), bought: runsOutIn(9), lacksDays: true },
    alarm: 'must',
    inWeeks: 9,
  },
  ...[0.08, 0.15].map(
    (share): Case => ({
      name: `flat, ${share * 100} % free`,
      law: { level: flat, bought: free(share) },
      alarm: 'must not',
    }),
  ),
  ...[6, 20, 35].map(
    (weeks): Case => ({
      name: `step up ${weeks} weeks ago`,
      law: { level: stepUp(weeks), bought: free(0.15) },
      alarm: 'must not',
    }),
  ),
  {
    name: 'summer dip',
    law: { level: (day) => (isSummer(day) ? 45 : 75), bought: free(0.08) },
    alarm: 'must not',
  },
  { name: 'one busy week now', law: { level: oneWeek, bought: free(0.1) }, alarm: 'must not' },
  { name: 'waves of projects', law: { level: waves, bought: () => 100 }, alarm: 'must not' },
  { name: 'small flat pool, 1 free', law: { level: () => 1.7, bought: free(0) }, alarm: 'must not' },
  {
    name: 'falling',
    law: { level: growing(-2), bought: free(0.08) },
    alarm: 'must not',
  },
  { name: 'batch', law: { level: () => 60, bought: free(0.08), isBatch: true }, alarm: 'must not' },
  { name: 'days missing, flat', law: { level: flat, bought: free(0.08), lacksDays: true }, alarm: 'must not' },
  ...[5, 20, 30].map(
    (weeks): Case => ({
      name: `raised ${weeks} weeks ago`,
      law: { level: flat, bought: raised(weeks) },
      alarm: 'must not',
    }),
  ),
  {
    name: 'cut 4 weeks ago',
    law: {
      level: flat,
      bought: (law, day, seed) => Math.round(needOn(law, HISTORY_DAYS, seed) * (day < HISTORY_DAYS - 28 ? 1.3 : 1.08)),
    },
    alarm: 'must not',
  },
];
