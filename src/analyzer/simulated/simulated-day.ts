import type { SimulatedPool } from './simulated-catalogue.ts';
import { patienceOf, retryOf, type Wish, wishesOf } from './simulated-load.ts';
import { random, randomInteger } from './simulated-random.ts';
import { countOn } from './simulated-supply.ts';

/** What happens to a pool on one local day. Times are epoch seconds. */
export interface DayPlan {
  readonly sessions: readonly PlannedSession[];
  readonly queued: readonly { readonly user: string; readonly from: number; readonly to: number }[];
  readonly refused: readonly RefusedRequest[];
  readonly long: readonly LongSession[];
}

/** A request that is refused, and repeated by a user who wants the license until then. Epoch seconds. */
export interface RefusedRequest {
  readonly user: string;
  readonly from: number;
  readonly to: number;
}

/** A checkout that will happen: who holds how many licenses, from when to when. Epoch seconds. */
export interface PlannedSession {
  readonly user: string;
  readonly from: number;
  readonly to: number;
  readonly reserved: boolean;
  /** The tokens that it takes; 1 license if missing. */
  readonly licenses?: number;
  /** The pool whose application it is: that which takes the tokens, or the package of a component. */
  readonly by?: SimulatedPool;
}

/** A license that is held over several days. */
export interface LongSession {
  readonly user: string;
  readonly from: number;
  readonly to: number;
  /** Whether it is borrowed, left open by a user who went home, or held by a program. */
  readonly kind: 'borrowed' | 'left open' | 'service';
  readonly licenses?: number;
  readonly by?: SimulatedPool;
}

const HOUR = 3600;

interface Granted {
  readonly sessions: { user: string; from: number; to: number }[];
  readonly queued: { user: string; from: number; to: number }[];
  readonly refused: { user: string; from: number; to: number }[];
}

/** First come, first served against a number of licenses. One license to a worker, however many windows are open. */
function grant(pool: SimulatedPool, wishes: readonly Wish[], licenses: number): Granted {
  const result: Granted = { sessions: [], queued: [], refused: [] };
  let running: { worker: number; to: number }[] = [];
  let waiting: { wish: Wish; givesUp: number }[] = [];

  const begin = (wish: Wish, at: number): void => {
    const to = at + wish.seconds;
    running.push({ worker: wish.worker, to });
    result.sessions.push({ user: wish.user, from: at === wish.at ? wish.since : at, to });
  };
  const refuse = (wish: Wish, at: number): void => {
    result.refused.push({ user: wish.user, from: at, to: at + retryOf(wish) });
  };
  /** Ends sessions up to a time, and gives each freed license to the next user in the queue. */
  const advance = (until: number): void => {
    for (;;) {
      const next = running.reduce<number>((earliest, { to }) => Math.min(earliest, to), Number.POSITIVE_INFINITY);
      if (next > until) return;
      running = running.filter(({ to }) => to > next);
      // who still asks then has found another license
      if (waiting.length === 0) for (const one of result.refused) one.to = Math.max(one.from, Math.min(one.to, next));
      while (waiting.length > 0 && running.length < licenses) {
        const [first, ...others] = waiting;
        waiting = others;
        if (first === undefined) break;
        const { wish, givesUp } = first;
        result.queued.push({ user: wish.user, from: wish.at, to: Math.min(next, givesUp) });
        if (givesUp >= next) begin(wish, next);
        else refuse(wish, givesUp);
      }
    }
  };

  for (const wish of wishes) {
    advance(wish.at);
    if (running.some(({ worker }) => worker === wish.worker)) continue;
    if (running.length < licenses) {
      begin(wish, wish.at);
      continue;
    }
    const patience = patienceOf(pool, wish);
    if (patience > 0) waiting.push({ wish, givesUp: wish.at + patience });
    else refuse(wish, wish.at);
  }
  advance(Number.MAX_SAFE_INTEGER);
  return result;
}

type StartOf = (day: number) => number;
type LongOfWorker = LongSession & { readonly worker: number };

/** Days from one restart of a program, or one chance to borrow or to forget a license, to the next. */
const CYCLE = { service: 28, 'left open': 6, borrowed: 14 };
/** Of an uncounted pool too. */
const MOST_BORROWERS = 40;
/** Share of the chances to borrow a license that are used. */
const LOANS = 0.12;

/** Hours of the local clock between which something begins or ends. */
const between = (start: number, hour: number, later: number, ...keys: readonly (number | string)[]): number =>
  start + hour * HOUR + randomInteger(0, later * HOUR, ...keys);

/** From when to when a license is held in a cycle that begins on a day. @returns undefined if it is not held */
function spanOf(
  kind: LongSession['kind'],
  first: number,
  startOf: StartOf,
  keys: readonly number[],
): readonly [from: number, to: number] | undefined {
  const last = first + CYCLE[kind] - 1;
  switch (kind) {
    case 'service':
      return [between(startOf(first), 3, 1, ...keys), startOf(last + 1) + 3 * HOUR];
    case 'left open':
      return [between(startOf(first), 7, 2, ...keys), between(startOf(last), 15, 2, ...keys)];
    case 'borrowed': {
      if (random(...keys, 'loan') >= LOANS) return undefined;
      const from = between(startOf(first), 8, 9, ...keys);
      return [from, from + randomInteger(2 * 24, 9 * 24, ...keys, 'hours') * HOUR];
    }
  }
}

/** Sessions of some workers, one after another: each worker is in another part of the cycle. */
function cyclesOf(
  pool: SimulatedPool,
  kind: LongSession['kind'],
  workers: number,
  day: number,
  startOf: StartOf,
): LongOfWorker[] {
  const { key, users } = pool;
  const days = CYCLE[kind];
  return users.slice(0, workers).flatMap((user, worker) => {
    const phase = Math.floor(((worker + random(key, 'cycle')) * days) / workers);
    const begun = day - ((((day - phase) % days) + days) % days);
    return [begun, begun - days].flatMap((first): LongOfWorker[] => {
      const span = spanOf(kind, first, startOf, [key, worker, first]);
      return span === undefined ? [] : [{ user, worker, from: span[0], to: span[1], kind }];
    });
  });
}

/** What is held over days, as far as it lies in a day. */
function longOf(pool: SimulatedPool, count: number, day: number, startOf: StartOf): readonly LongOfWorker[] {
  const [start, end] = [startOf(day), startOf(day + 1)];
  const ofDay = (kind: LongSession['kind'], workers: number): readonly LongOfWorker[] =>
    cyclesOf(pool, kind, workers, day, startOf).filter(({ from, to }) => from < end && to > start);
  if (pool.shape === 'service') return ofDay('service', pool.crew);
  // one license is left even if all of these borrow one
  const borrowers = Math.min(pool.users.length, count - pool.reserved - pool.forgetful - 1, MOST_BORROWERS);
  const loans = pool.lends && borrowers > 0 ? ofDay('borrowed', borrowers) : [];
  return [...ofDay('left open', pool.forgetful), ...loans];
}

/** The tokens that the pools which take them hold. */
function planTokens(takers: readonly SimulatedPool[], day: number, startOf: StartOf): DayPlan {
  const plans = takers.map((pool) => {
    const { sessions, long } = planDay(pool, day, startOf);
    const licenses = pool.token?.cost ?? 1;
    return {
      sessions: sessions.map((session) => ({ ...session, reserved: false, licenses, by: pool })),
      long: long.map((session) => ({ ...session, licenses, by: pool })),
    };
  });
  return {
    sessions: plans.flatMap(({ sessions }) => sessions),
    long: plans.flatMap(({ long }) => long),
    queued: [],
    refused: [],
  };
}

/** Share of those who hold a package that use one of its components in a session. */
const COMPONENT = 0.6;

function planComponent({ key }: SimulatedPool, suite: SimulatedPool, { sessions, long }: DayPlan): DayPlan {
  const isUsed = ({ user, from }: { user: string; from: number }): boolean => random(key, user, from) < COMPONENT;
  return {
    sessions: sessions.filter(isUsed).map((session) => ({ ...session, by: suite })),
    long: long.filter(isUsed).map((session) => ({ ...session, by: suite })),
    queued: [],
    refused: [],
  };
}

/** Plans a local day of a pool: a pure function of the pool and the day. */
export function planDay(pool: SimulatedPool, day: number, startOf: StartOf): DayPlan {
  if (pool.takers !== undefined) return planTokens(pool.takers, day, startOf);
  if (pool.suite !== undefined) return planComponent(pool, pool.suite, planDay(pool.suite, day, startOf));
  const span = [day, startOf(day), startOf(day + 1)] as const;
  const count = countOn(pool, day);
  const long = longOf(pool, count, day, startOf);
  const away = new Set(long.map(({ worker }) => worker));
  const others = [...pool.users.keys()].filter((worker) => !away.has(worker));
  const reservedUsers = { ...pool, crew: pool.reserved, users: pool.reservedUsers };
  const wishes = wishesOf(pool, others, long.length, span);
  const reserved = wishesOf(reservedUsers, [...pool.reservedUsers.keys()], 0, span);
  // nobody else gets a license of those who have it over days, not even after its end
  const general = grant(pool, wishes, Math.max(1, count - pool.reserved - long.length));
  const kept = grant(pool, reserved, pool.reserved);
  return {
    sessions: [
      ...general.sessions.map((session) => ({ ...session, reserved: false })),
      ...kept.sessions.map((session) => ({ ...session, reserved: true })),
    ],
    queued: [...general.queued, ...kept.queued],
    refused: [...general.refused, ...kept.refused].sort((a, b) => a.from - b.from),
    long,
  };
}
