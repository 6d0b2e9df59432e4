import { weekdayOf } from '../../base/model/local-time.ts';
import { random, randomInteger } from './simulated-random.ts';

/** How much a pool of the simulated site is wanted: by whom, on which days, and at which hours. */

/**
 * - `office`: people in working hours;
 * - `batch`: clusters that always run, most of all at night;
 * - `project`: people whose work comes and goes over weeks;
 * - `service`: programs that never give their license back.
 */
export type Shape = 'office' | 'batch' | 'project' | 'service';

/** A pool, as far as its load depends on it. */
export interface Load {
  /** Seed of everything that happens to the pool. */
  readonly key: string;
  readonly shape: Shape;
  /** People who work with it at the same time at most. */
  readonly crew: number;
  /** How the use of a year goes: `crunches` has two weeks in which the whole crew works. */
  readonly course: 'level' | 'crunches' | 'season' | 'grows';
}

/** A request for a license. Times are epoch seconds. */
export interface Wish {
  readonly user: string;
  readonly at: number;
  readonly seconds: number;
  /** How long the user waits in the queue, seconds; 0 does not wait. */
  readonly patience: number;
}

interface Habits {
  /** Sessions that a user starts on a working day, on average. */
  readonly sessions: number;
  /** Length of a session, hours. */
  readonly hours: readonly [least: number, most: number];
  /** Share of a working day's sessions on each day of the week, from Sunday on. */
  readonly week: readonly number[];
  /** Share of the users whose session of the day before goes on at midnight. */
  readonly atMidnight: number;
  /** Share of the crew that works in the quietest weeks. */
  readonly quiet: number;
  /** Longest wait in the queue, seconds. */
  readonly patience: number;
  /** In a crunch, hour of the day from which the whole crew works. */
  readonly crunch: number;
}

const HOUR = 3600;
const always = [1, 1, 1, 1, 1, 1, 1] as const;
const people = {
  sessions: 2.4,
  hours: [0.5, 8],
  week: [0.02, 0.9, 1, 1, 0.95, 0.7, 0.05],
  atMidnight: 0,
  patience: 5400,
  crunch: 8.5,
} as const;

const habits: Readonly<Record<Shape, Habits>> = {
  office: { ...people, quiet: 0.85 },
  project: { ...people, quiet: 0 },
  batch: {
    sessions: 4,
    hours: [1, 12],
    week: [0.7, 0.9, 1, 1, 1, 1, 0.75],
    atMidnight: 0.5,
    quiet: 0.85,
    patience: 4 * HOUR,
    crunch: 19,
  },
  service: { sessions: 1, hours: [25, 25], week: always, atMidnight: 1, quiet: 1, patience: 0, crunch: 0 },
};

const WEEK = 7;
const YEAR = 365.25;
/** Days over which the work of a project begins or ends. */
const PERIOD = 21;
/** Weeks from one crunch to the next. It takes a week. */
const CRUNCH = 26;
/** 2025-04-01: the crew of the pool that grows was `GROWTH.atFirst` of its crew then, and has grown since then. */
const GROWTH_FROM = 20_179;
const GROWTH = { atFirst: 0.72, perYear: 0.4 };
/** Years after which the pool that grows gets more licenses. */
const PURCHASE = 2;

const yearsOfGrowth = (day: number): number => Math.max(0, (day - GROWTH_FROM) / YEAR);

/** How often licenses were bought for the pool that grows. */
export const purchasesUntil = (day: number): number => Math.floor(yearsOfGrowth(day) / PURCHASE);

/** Share of the crew of a pool that works on a day. */
function shareOfCrew({ key, shape, course }: Load, day: number, phase: number): number {
  if (course === 'grows') return GROWTH.atFirst + GROWTH.perYear * yearsOfGrowth(day);
  if (course === 'season') return 0.3 + 0.7 * ((1 + Math.cos((2 * Math.PI * (day - phase)) / YEAR)) / 2) ** 2;
  const at = (day + phase) / PERIOD;
  const period = Math.floor(at);
  const [from, to] = [random(key, 'period', period), random(key, 'period', period + 1)];
  const { quiet } = habits[shape];
  return quiet + (1 - quiet) * (from + (to - from) * (at - period));
}

/** Who works with a pool in a week: others each week. */
function atWork(key: string, users: readonly string[], size: number, week: number): readonly string[] {
  const ranked = users.map((user) => ({ user, rank: random(key, user, week) })).sort((a, b) => a.rank - b.rank);
  return ranked.slice(0, Math.max(0, size)).map(({ user }) => user);
}

/** Nobody is in the office between the years. */
const isHoliday = (day: number): boolean => {
  const date = new Date(day * 86_400_000).toISOString().slice(5, 10);
  return date >= '12-24' || date === '01-01';
};

type Keys = readonly (number | string)[];

/** Between two times, most probably in the middle. */
const around = (from: number, to: number, ...keys: Keys): number =>
  from + ((to - from) * (random(...keys, 'a') + random(...keys, 'b'))) / 2;

/** Hour of the day at which a session begins. */
function startHour(shape: Shape, ...keys: Keys): number {
  const chance = random(...keys, 'when');
  if (shape === 'batch') return chance < 0.4 ? around(14, 30, ...keys) % 24 : 24 * random(...keys, 'hour');
  if (chance < 0.04) return 24 * random(...keys, 'hour');
  return chance < 0.55 ? around(7, 12, ...keys) : around(12.3, 17, ...keys);
}

/**
 * What the users of a pool want on a day, in the order of time.
 *
 * @param users those that may work with it
 * @param lent licenses that others have borrowed
 */
export function wishesOf(
  pool: Load,
  users: readonly string[],
  lent: number,
  [day, start, end]: readonly [day: number, start: number, end: number],
): Wish[] {
  const { key, shape, crew, course } = pool;
  const { sessions, hours, week, atMidnight, patience, crunch } = habits[shape];
  const phase = randomInteger(0, 363, key, 'phase');
  const weeks = Math.floor((day + phase) / WEEK);
  const isPeople = shape === 'office' || shape === 'project';
  const isCrunch = course === 'crunches' && weeks % CRUNCH === 0;
  const today = (week[weekdayOf(day)] ?? 1) * (isPeople && isHoliday(day) ? 0.1 : 1);
  const size = Math.round(crew * (isCrunch ? 1 : shareOfCrew(pool, day, phase))) - lent;
  const wishes: Wish[] = [];
  const wish = (user: string, hour: number, long: number, keys: Keys): void => {
    // a day can have 23 hours
    const at = Math.min(start + Math.floor(hour * HOUR), end - 1);
    const isPatient = random(...keys, 'patience') < 0.8;
    wishes.push({
      user,
      at,
      seconds: Math.min(Math.floor(long * HOUR), end - at),
      patience: isPatient ? randomInteger(300, patience, ...keys) : 0,
    });
  };
  for (const user of atWork(key, users, size, weeks)) {
    if (isCrunch && today > 0.5) {
      wish(user, crunch + random(key, user, day), 3 + 3 * random(key, user, day, 'long'), [key, user, day]);
      continue;
    }
    const count = Math.floor(sessions * today + random(key, user, day, 'sessions'));
    for (let i = 0; i < count; i += 1) {
      const keys = [key, user, day, i];
      const isOld = i === 0 && random(...keys, 'old') < atMidnight;
      const long = hours[0] + (hours[1] - hours[0]) * random(...keys, 'long') ** 2;
      wish(user, isOld ? 0 : startHour(shape, ...keys), long, keys);
    }
  }
  return wishes.sort((a, b) => a.at - b.at || (a.user < b.user ? -1 : 1));
}
