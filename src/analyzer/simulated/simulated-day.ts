import { weekdayOf } from '../../base/model/local-time.ts';
import type { SimulatedPool } from './simulated-catalogue.ts';
import { patienceOf, siteDay, type Wish, wishesOf } from './simulated-load.ts';
import { random, randomInteger } from './simulated-random.ts';
import { countOn } from './simulated-supply.ts';

/** What happens to a pool on one local day. Times are epoch seconds. */
export interface DayPlan {
  readonly sessions: readonly PlannedSession[];
  readonly queued: readonly { readonly user: string; readonly from: number; readonly to: number }[];
  /** When requests were refused. */
  readonly denials: readonly number[];
  readonly long: readonly LongSession[];
}

/** A checkout that will happen: who holds how many licenses, from when to when. Epoch seconds. */
export interface PlannedSession {
  readonly user: string;
  readonly from: number;
  readonly to: number;
  readonly reserved: boolean;
  /** The tokens that it takes; 1 license if missing. */
  readonly licenses?: number;
}

/** A license that is held over several days. */
export interface LongSession {
  readonly user: string;
  readonly from: number;
  readonly to: number;
  /** Whether it is borrowed, left open by a user who went home, or held by a program. */
  readonly kind: 'borrowed' | 'left open' | 'service';
  readonly licenses?: number;
}

const HOUR = 3600;

interface Granted {
  readonly sessions: { user: string; from: number; to: number }[];
  readonly queued: { user: string; from: number; to: number }[];
  readonly denials: number[];
}

/** First come, first served against a number of licenses. One license to a worker, however many windows are open. */
function grant(pool: SimulatedPool, wishes: readonly Wish[], licenses: number): Granted {
  const result: Granted = { sessions: [], queued: [], denials: [] };
  let running: { worker: number; to: number }[] = [];
  let waiting: { wish: Wish; givesUp: number }[] = [];

  const begin = (wish: Wish, at: number): void => {
    const to = at + wish.seconds;
    running.push({ worker: wish.worker, to });
    result.sessions.push({ user: wish.user, from: at, to });
  };
  /** Ends sessions up to a time, and gives each freed license to the next user in the queue. */
  const advance = (until: number): void => {
    for (;;) {
      const next = running.reduce<number>((earliest, { to }) => Math.min(earliest, to), Number.POSITIVE_INFINITY);
      if (next > until) return;
      running = running.filter(({ to }) => to > next);
      while (waiting.length > 0 && running.length < licenses) {
        const [first, ...others] = waiting;
        waiting = others;
        if (first === undefined) break;
        const { wish, givesUp } = first;
        result.queued.push({ user: wish.user, from: wish.at, to: Math.min(next, givesUp) });
        if (givesUp >= next) begin(wish, next);
        else result.denials.push(givesUp);
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
    else result.denials.push(wish.at);
  }
  advance(Number.MAX_SAFE_INTEGER);
  return result;
}

type StartOf = (day: number) => number;
type LongOfWorker = LongSession & { readonly worker: number };

/** Loans run from Monday 09:00 to Thursday 17:00 and keep their license all the while. */
function loansOf(pool: SimulatedPool, count: number, day: number, startOf: StartOf): LongOfWorker[] {
  if (!pool.lends || count < 3) return [];
  const monday = day - ((weekdayOf(siteDay(pool, day)) + 6) % 7);
  const [from, to] = [startOf(monday) + 9 * HOUR, startOf(monday + 3) + 17 * HOUR];
  return pool.users
    .map((user, worker) => ({ user, worker, from, to, kind: 'borrowed' as const }))
    .filter(({ worker }) => random(pool.key, worker, monday, 'loan') < 0.15)
    .slice(0, Math.max(1, Math.floor(Math.min(count, 99) / 5)));
}

/** Days from one restart of a program to the next, and from one morning of a user who leaves the application open to the next. */
const CYCLE = { service: 28, 'left open': 6 };

/** Sessions of the first workers, one after another: each worker is in another part of the cycle. */
function cyclesOf(pool: SimulatedPool, kind: keyof typeof CYCLE, day: number, startOf: StartOf): LongOfWorker[] {
  const workers = kind === 'service' ? pool.crew : pool.forgetful;
  const days = CYCLE[kind];
  return pool.users.slice(0, workers).flatMap((user, worker) => {
    const phase = Math.floor(((worker + random(pool.key, 'cycle')) * days) / workers);
    const begun = day - ((((day - phase) % days) + days) % days);
    return [begun, begun - days].map((first): LongOfWorker => {
      const minutes = randomInteger(0, 90, pool.key, worker, first) * 60;
      const session =
        kind === 'service'
          ? { from: startOf(first) + 3 * HOUR + minutes, to: startOf(first + days) + 3 * HOUR }
          : { from: startOf(first) + 7 * HOUR + minutes, to: startOf(first + days - 1) + 16 * HOUR + minutes };
      return { user, worker, ...session, kind };
    });
  });
}

/** What is held over days, as far as it lies in a day. */
function longOf(pool: SimulatedPool, count: number, day: number, startOf: StartOf): readonly LongOfWorker[] {
  const all = [
    ...loansOf(pool, count, day, startOf),
    ...(pool.shape === 'service' ? cyclesOf(pool, 'service', day, startOf) : []),
    ...(pool.forgetful > 0 ? cyclesOf(pool, 'left open', day, startOf) : []),
  ];
  const [start, end] = [startOf(day), startOf(day + 1)];
  return all.filter(({ from, to }) => from < end && to > start);
}

/** The tokens that the pools which take them hold. */
function planTokens(takers: readonly SimulatedPool[], day: number, startOf: StartOf): DayPlan {
  const plans = takers.map((pool) => {
    const { sessions, long } = planDay(pool, day, startOf);
    const licenses = pool.token?.cost ?? 1;
    return {
      sessions: sessions.map((session) => ({ ...session, reserved: false, licenses })),
      long: long.map((session) => ({ ...session, licenses })),
    };
  });
  return {
    sessions: plans.flatMap(({ sessions }) => sessions),
    long: plans.flatMap(({ long }) => long),
    queued: [],
    denials: [],
  };
}

/** Plans a local day of a pool: a pure function of the pool and the day. */
export function planDay(pool: SimulatedPool, day: number, startOf: StartOf): DayPlan {
  if (pool.takers !== undefined) return planTokens(pool.takers, day, startOf);
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
    denials: [...general.denials, ...kept.denials].sort((a, b) => a - b),
    long,
  };
}
