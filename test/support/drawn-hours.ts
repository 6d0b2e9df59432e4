import { createRandom, type Random } from './random.ts';

/**
 * Kinds of demand whose law is known, to try advice on: the demand of each hour of years, drawn from a level that is the mean
 * of the busiest hour of a working day. Day 0 is the first of the coming year; earlier days are negative.
 */

/** Days of history that a trial has, and days that follow. */
export const PAST = 730;
export const AHEAD = 365;
const MONTH = 30.4375;
const YEAR = 365;

export interface Kind {
  readonly name: string;
  /** In what group its figures are demanded. */
  readonly group: 'safe' | 'harder' | 'hardest' | 'weak';
  /** Level, as a share of the size, on a day. Draws what is random of a history once. */
  readonly law: (random: Random) => (day: number) => number;
  /** Standard deviation of the mood of a day, and how much of it is left the next day. */
  readonly mood?: readonly [deviation: number, rest: number];
  readonly profile?: 'office' | 'batch' | 'rare';
  /** Whether it gives licenses back for sure: its share of them is demanded. */
  readonly gives?: boolean;
}

const office = [1, 1, 1, 1, 1, 2, 8, 30, 65, 91, 100, 95, 74, 85, 98, 95, 80, 55, 30, 15, 8, 5, 3, 2].map(
  (x) => x / 100,
);
const batch = Array.from({ length: 24 }, () => 0.9);
const weekdays = [1, 1, 1, 1, 0.93, 0.1, 0.1];

const grows =
  (percent: number) =>
  () =>
  (day: number): number =>
    (1 + percent / 100) ** (day / MONTH);
const step =
  (share: number, months: number) =>
  () =>
  (day: number): number =>
    day < -months * MONTH ? 1 / (1 + share) : 1;
const season =
  (peakAgo: number, share = 0.25) =>
  () =>
  (day: number): number =>
    (1 + share * Math.cos((2 * Math.PI * (day + peakAgo)) / YEAR)) / (1 + share);
const hires =
  (percent: number, everyMonths: number) =>
  (random: Random): ((day: number) => number) => {
    const shift = random.next() * everyMonths;
    return (day) => (1 + percent / 100) ** Math.floor(day / MONTH / everyMonths + shift);
  };

const steps = [15, 30, 60].flatMap((percent) =>
  [1, 2, 4, 8].map(
    (months): Kind => ({
      name: `step of +${percent} % ${months} months ago`,
      group: 'safe',
      law: step(percent / 100, months),
    }),
  ),
);
const falls = [-15, -30, -60].flatMap((percent) =>
  [1, 4, 8].map(
    (months): Kind => ({
      name: `step of ${percent} % ${months} months ago`,
      group: 'safe',
      law: step(percent / 100, months),
    }),
  ),
);

export const kinds: readonly Kind[] = [
  { name: 'steady', group: 'safe', law: () => () => 1, gives: true },
  {
    name: 'bursts',
    group: 'safe',
    gives: true,
    law: (random) => {
      const drawn = createRandom(Math.floor(random.next() * 2 ** 31));
      const busy = new Set<number>();
      for (let day = -PAST; day < AHEAD; day += 1) if (drawn.next() < 0.03) busy.add(day);
      return (day) => (busy.has(day) ? 1 : 0.65);
    },
  },
  {
    name: 'projects',
    group: 'safe',
    gives: true,
    law: (random) => {
      const of = Math.floor(random.next() * 2 ** 20);
      return (day) => 0.6 + 0.4 * createRandom(of * 131 + Math.floor((day + 5000) / 56)).next();
    },
  },
  { name: 'month-end', group: 'safe', gives: true, law: () => (day) => (((day % 30) + 30) % 30 >= 27 ? 1 : 0.7) },
  { name: 'season, peak 150 days ago', group: 'safe', gives: true, law: season(150) },
  { name: 'season, peak 90 days ago', group: 'safe', gives: true, law: season(90) },
  { name: 'season, peak in 40 days', group: 'safe', gives: true, law: season(-40) },
  {
    name: 'one-off week',
    group: 'safe',
    law: (random) => {
      const at = -20 - Math.floor(random.next() * 300);
      return (day) => (day >= at && day < at + 5 ? 1.6 : 1);
    },
  },
  {
    name: 'shut-downs',
    group: 'safe',
    law: () => (day) => {
      const date = (((day + 100) % YEAR) + YEAR) % YEAR;
      return date < 14 || (date >= 190 && date < 211) ? 0.1 : 1;
    },
  },
  { name: 'falling 1 % a month', group: 'safe', law: grows(-1) },
  { name: 'falling 3 % a month', group: 'safe', law: grows(-3) },
  ...steps,
  ...falls,
  { name: '+5 % a month', group: 'safe', law: grows(5) },
  { name: 'linear growth', group: 'safe', law: () => (day) => Math.max(0.05, 1 + (0.25 * day) / YEAR) },
  { name: 'hires of 6 %', group: 'safe', law: hires(6, 3) },
  { name: 'tiny', group: 'safe', law: () => () => 0.05 },
  { name: 'batch', group: 'safe', law: () => () => 1, profile: 'batch' },
  { name: '+0.5 % a month', group: 'harder', law: grows(0.5) },
  { name: '+1 % a month', group: 'harder', law: grows(1) },
  { name: '+2 % a month', group: 'harder', law: grows(2) },
  {
    name: 'season and growth',
    group: 'harder',
    law: () => {
      const [a, b] = [season(150)(), grows(1)()];
      return (day) => a(day) * b(day);
    },
  },
  {
    name: 'a dip',
    group: 'harder',
    law: (random) => {
      const at = -60 - Math.floor(random.next() * 200);
      return (day) => (day >= at && day < at + 60 ? 0.6 : 1);
    },
  },
  { name: 'hires of 3 %', group: 'hardest', law: hires(3, 3) },
  {
    name: 'step and growth',
    group: 'hardest',
    law: () => {
      const [a, b] = [step(0.3, 5)(), grows(1)()];
      return (day) => a(day) * b(day);
    },
  },
  { name: 'noisy growth', group: 'hardest', law: grows(1.5), mood: [0.15, 0.6] },
  {
    name: 'growth that began three months ago',
    group: 'weak',
    law: () => (day) => (day < -91 ? 1 : 1.03 ** ((day + 91) / MONTH)),
  },
  { name: 'slow noise', group: 'weak', law: () => () => 1, mood: [0.12, 0.98] },
  { name: 'growth that has ended', group: 'weak', law: () => (day) => 1.02 ** (Math.min(0, day + 100) / MONTH) },
  { name: 'two steps', group: 'weak', law: () => (day) => (day < -300 ? 0.6 : day < -120 ? 0.8 : 1) },
  {
    name: 'two terms a year',
    group: 'weak',
    law: () => (day) => {
      const date = (((day + 60) % YEAR) + YEAR) % YEAR;
      return (date >= 20 && date < 130) || (date >= 230 && date < 320) ? 1 : 0.5;
    },
  },
];

/** The demand of each hour, from the first day of the past on. */
export function drawHours(kind: Kind, size: number, seed: number): Int32Array {
  const random = createRandom(seed);
  const level = kind.law(random);
  const [deviation, rest] = kind.mood ?? [0.05, 0.6];
  const profile = kind.profile === 'batch' ? batch : office;
  const hours = new Int32Array((PAST + AHEAD) * 24);
  let mood = random.normal();
  for (let day = -PAST; day < AHEAD; day += 1) {
    mood = rest * mood + Math.sqrt(1 - rest * rest) * random.normal();
    const week = (((day + PAST) % 7) + 7) % 7;
    const share = kind.profile === 'batch' ? (week >= 5 ? 0.9 : 1) : (weekdays[week] as number);
    const mean = size * level(day) * share * Math.exp(deviation * mood);
    for (let hour = 0; hour < 24; hour += 1) {
      hours[(day + PAST) * 24 + hour] = random.poisson(mean * (profile[hour] as number));
    }
  }
  return hours;
}
