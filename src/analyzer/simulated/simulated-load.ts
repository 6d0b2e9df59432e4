import { weekdayOf } from '../../base/model/local-time.ts';
import { keyOf, random, randomInteger } from './simulated-random.ts';

/** How much a pool of the simulated site is wanted: by whom, on which days, and at which hours. */

/**
 * - `office`: people in working hours;
 * - `batch`: clusters that always run, most of all at night;
 * - `project`: people whose work comes and goes over weeks;
 * - `service`: programs that hold a license for weeks.
 */
export type Shape = 'office' | 'batch' | 'project' | 'service';

/** A pool, as far as its load depends on it. */
export interface Load {
  /** Seed of everything that happens to the pool. */
  readonly key: number;
  readonly shape: Shape;
  /** People who work with it at the same time at most. */
  readonly crew: number;
  /**
   * How the use of a year goes: `crunches` has two weeks in which the whole crew works, `deadline` has such a week around the opening.
   * What grows gets more licenses every two years; `grows later` does so a year after `grows`.
   */
  readonly course: 'level' | 'deadline' | 'crunches' | 'season' | 'grows' | 'grows later';
  /** A local day on which people work, also where it is a Saturday or Sunday. */
  readonly opening: number | undefined;
}

/** A request for a license. Times are epoch seconds. */
export interface Wish {
  readonly user: string;
  /** Of the requests of one worker, only one license is held at a time. */
  readonly worker: number;
  readonly at: number;
  /** When what is asked for began: a job of the day before goes on at midnight. */
  readonly since: number;
  readonly seconds: number;
  /** Seed of how long the user waits in the queue. */
  readonly key: number;
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
    atMidnight: 0.6,
    quiet: 0.85,
    patience: 4 * HOUR,
    crunch: 19,
  },
  // what it holds is planned over days, see `simulated-day`
  service: { sessions: 0, hours: [0, 0], week: always, atMidnight: 0, quiet: 1, patience: 0, crunch: 0 },
};

const WEEK = 7;
const YEAR = 365.25;
/** Days over which the work of a project begins or ends. */
const PERIOD = 21;
/** Days from one crunch to the next, and how many it takes. */
const CRUNCH = { every: 182, least: 4, most: 10 };
/** Hours from the first session of a crunch to the second. */
const AFTERNOON = 4.5;
/** 2025-04-01: licenses were bought for the pool that grows. */
const GROWTH_FROM = 20_179;
/** Years between two purchases. */
const PURCHASE = 2;
/** Use after a purchase and before the next one, as shares of what was bought. */
const GROWTH = { from: 0.68, to: 1 };

/** What was bought for a pool on a day, and what its crew uses of that. Both are multiples of the first licenses. */
export function growthOn(course: Load['course'], day: number): { readonly bought: number; readonly used: number } {
  if (course !== 'grows' && course !== 'grows later') return { bought: 1, used: 1 };
  const years = (day - GROWTH_FROM) / YEAR - (course === 'grows later' ? PURCHASE / 2 : 0);
  const purchases = Math.floor(years / PURCHASE);
  const bought = (GROWTH.to / GROWTH.from) ** purchases;
  return { bought, used: bought * (GROWTH.from + (GROWTH.to - GROWTH.from) * (years / PURCHASE - purchases)) };
}

/** The day as the people of the site count it: Monday is the first day of their week. */
function siteDay({ opening }: Pick<Load, 'opening'>, day: number): number {
  const weekday = opening === undefined ? 1 : weekdayOf(opening);
  // the opening is a Monday where it would be on a weekend
  return weekday === 0 ? day + 1 : weekday === 6 ? day + 2 : day;
}

/** Share of the crew of a pool that works on a day. */
function shareOfCrew({ key, shape, course }: Load, day: number, phase: number): number {
  if (course === 'grows' || course === 'grows later') return growthOn(course, day).used;
  if (course === 'season') return 0.3 + 0.7 * ((1 + Math.cos((2 * Math.PI * (day - phase)) / YEAR)) / 2) ** 2;
  const at = (day + phase) / PERIOD;
  const period = Math.floor(at);
  const [from, to] = [random(key, 'period', period), random(key, 'period', period + 1)];
  const { quiet } = habits[shape];
  return quiet + (1 - quiet) * (from + (to - from) * (at - period));
}

/** Who works with a pool in a week: others each week. */
function atWork(key: number, workers: readonly number[], size: number, week: number): readonly number[] {
  const ranked = workers.map((worker) => ({ worker, rank: random(key, worker, week) })).sort((a, b) => a.rank - b.rank);
  return ranked.slice(0, Math.max(0, size)).map(({ worker }) => worker);
}

/** Hour of the day from which people go home, and the share of the sessions that go on. */
const HOME = 16.5;
const LATE = 0.005;

/** Whether the whole crew works. */
const isInCrunch = (key: number, day: number): boolean =>
  day % CRUNCH.every < randomInteger(CRUNCH.least, CRUNCH.most, key, 'crunch', Math.floor(day / CRUNCH.every));

/** Whether a day is less than a week before or after the opening. */
const isNearOpening = ({ opening }: Pick<Load, 'opening'>, day: number): boolean =>
  opening !== undefined && Math.abs(day - opening) < WEEK;

/** Nobody is in the office between the years. */
function isHoliday(load: Pick<Load, 'opening'>, day: number): boolean {
  const date = new Date(day * 86_400_000).toISOString().slice(5, 10);
  return (date >= '12-24' || date === '01-01') && !isNearOpening(load, day);
}

/** Between two times, most probably in the middle. */
const around = (from: number, to: number, key: number): number =>
  from + ((to - from) * (random(key, 'a') + random(key, 'b'))) / 2;

/** Hour of the day at which a session begins. */
function startHour(shape: Shape, key: number): number {
  const chance = random(key, 'when');
  if (shape === 'batch') return chance < 0.4 ? around(14, 30, key) % 24 : 24 * random(key, 'hour');
  if (chance < 0.02) return 24 * random(key, 'hour');
  return chance < 0.55 ? around(6.5, 11.5, key) : around(12.3, 17, key);
}

/** How long a user waits in the queue, seconds; 0 does not wait. */
export function patienceOf({ shape }: Pick<Load, 'shape'>, { key }: Pick<Wish, 'key'>): number {
  return random(key, 'patience') < 0.8 ? randomInteger(300, habits[shape].patience, key, 'wait') : 0;
}

/** How long a user who was refused asks again, seconds. */
export const retryOf = ({ key }: Pick<Wish, 'key'>): number => randomInteger(120, 3600, key, 'retry');

/**
 * What the users of a pool want on a day, in the order of time.
 *
 * @param workers those of its users who may work with it, by their numbers
 * @param lent licenses that others have
 */
export function wishesOf(
  pool: Load & { readonly users: readonly string[] },
  workers: readonly number[],
  lent: number,
  [day, start, end]: readonly [day: number, start: number, end: number],
): Wish[] {
  const { key, shape, crew, course, users } = pool;
  const { sessions, hours, week, atMidnight, crunch } = habits[shape];
  const phase = randomInteger(0, 363, key, 'phase');
  const weeks = Math.floor((day + phase) / WEEK);
  const isPeople = shape === 'office' || shape === 'project';
  const isCrunch =
    course === 'deadline' ? isNearOpening(pool, day) : course === 'crunches' && isInCrunch(key, day + phase);
  const today = (week[weekdayOf(siteDay(pool, day))] ?? 1) * (isPeople && isHoliday(pool, day) ? 0.1 : 1);
  const size = Math.round(crew * (isCrunch ? 1 : shareOfCrew(pool, day, phase))) - lent;
  const wishes: Wish[] = [];
  const wish = (worker: number, hour: number, wanted: number, keyOfWish: number, isOld = false): void => {
    // a day can have 23 hours
    const at = Math.min(start + Math.floor(hour * HOUR), end - 1);
    // most people go home in the evening
    const late = random(keyOfWish, 'late');
    const long = !isPeople || late < LATE ? wanted : Math.min(wanted, Math.max(0.25, HOME + 2 * late - hour));
    const seconds = Math.min(Math.floor(long * HOUR), end - at);
    const since = isOld ? at - randomInteger(HOUR / 4, 9 * HOUR, keyOfWish, 'since') : at;
    wishes.push({ user: users[worker] ?? '', worker, at, since, seconds, key: keyOfWish });
  };
  for (const worker of atWork(key, workers, size, weeks)) {
    if (isCrunch && today > 0.5) {
      for (const [i, hour] of (isPeople ? [crunch, crunch + AFTERNOON] : [crunch]).entries()) {
        const ofWish = keyOf(key, worker, day, i);
        wish(worker, hour + 2 * random(ofWish, 'when'), 2.5 + 2.5 * random(ofWish, 'long'), ofWish);
      }
      continue;
    }
    const count = Math.floor(sessions * today + random(key, worker, day, 'sessions'));
    for (let i = 0; i < count; i += 1) {
      const ofWish = keyOf(key, worker, day, i);
      const isOld = i === 0 && random(ofWish, 'old') < atMidnight;
      const long = hours[0] + (hours[1] - hours[0]) * random(ofWish, 'long') ** 1.5;
      wish(worker, isOld ? 0 : startHour(shape, ofWish), long, ofWish, isOld);
    }
  }
  return wishes.sort((a, b) => a.at - b.at || a.worker - b.worker);
}
