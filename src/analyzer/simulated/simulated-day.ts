import { weekdayOf } from '../../base/model/local-time.ts';
import type { SimulatedPool } from './simulated-catalogue.ts';
import { type Wish, wishesOf } from './simulated-load.ts';
import { random } from './simulated-random.ts';
import { countOn } from './simulated-supply.ts';

/** What happens to a pool on one local day. Times are epoch seconds. */
export interface DayPlan {
  readonly sessions: readonly PlannedSession[];
  readonly queued: readonly { readonly user: string; readonly from: number; readonly to: number }[];
  /** When requests were refused. */
  readonly denials: readonly number[];
  readonly loans: readonly PlannedLoan[];
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

/** A borrowed license, over several days. */
export interface PlannedLoan {
  readonly user: string;
  readonly from: number;
  readonly to: number;
  readonly licenses?: number;
}

const HOUR = 3600;

interface Granted {
  readonly sessions: { user: string; from: number; to: number }[];
  readonly queued: { user: string; from: number; to: number }[];
  readonly denials: number[];
}

/** First come, first served against a number of licenses. One license to a user, however many windows are open. */
function grant(wishes: readonly Wish[], licenses: number): Granted {
  const result: Granted = { sessions: [], queued: [], denials: [] };
  let running: { user: string; from: number; to: number }[] = [];
  let waiting: Wish[] = [];

  const begin = (wish: Wish, at: number): void => {
    const session = { user: wish.user, from: at, to: at + wish.seconds };
    running.push(session);
    result.sessions.push(session);
  };
  /** Ends sessions up to a time, and gives each freed license to the next user in the queue. */
  const advance = (until: number): void => {
    for (;;) {
      const next = running.reduce<number>((earliest, { to }) => Math.min(earliest, to), Number.POSITIVE_INFINITY);
      if (next > until) return;
      running = running.filter(({ to }) => to > next);
      while (waiting.length > 0 && running.length < licenses) {
        const [wish, ...others] = waiting;
        waiting = others;
        if (wish === undefined) break;
        const givesUp = wish.at + wish.patience;
        result.queued.push({ user: wish.user, from: wish.at, to: Math.min(next, givesUp) });
        if (givesUp >= next) begin(wish, next);
        else result.denials.push(givesUp);
      }
    }
  };

  for (const wish of wishes) {
    advance(wish.at);
    if (running.some(({ user }) => user === wish.user)) continue;
    if (running.length < licenses) begin(wish, wish.at);
    else if (wish.patience > 0) waiting.push(wish);
    else result.denials.push(wish.at);
  }
  advance(Number.MAX_SAFE_INTEGER);
  return result;
}

/** Loans run from Monday 09:00 to Thursday 17:00 and keep their license all the while. */
function loansOf(pool: SimulatedPool, count: number, day: number, startOf: (day: number) => number): PlannedLoan[] {
  if (!pool.lends || count < 3) return [];
  const monday = day - ((weekdayOf(day) + 6) % 7);
  return pool.users
    .filter((user) => random(pool.key, user, monday, 'loan') < 0.15)
    .slice(0, Math.max(1, Math.floor(Math.min(count, 99) / 5)))
    .map((user) => ({ user, from: startOf(monday) + 9 * HOUR, to: startOf(monday + 3) + 17 * HOUR }));
}

/** The tokens that the pools which take them hold. */
function planTokens(takers: readonly SimulatedPool[], day: number, startOf: (day: number) => number): DayPlan {
  const plans = takers.map((pool) => {
    const { sessions, loans } = planDay(pool, day, startOf);
    const licenses = pool.token?.cost ?? 1;
    return {
      sessions: sessions.map((session) => ({ ...session, reserved: false, licenses })),
      loans: loans.map((loan) => ({ ...loan, licenses })),
    };
  });
  return {
    sessions: plans.flatMap(({ sessions }) => sessions),
    loans: plans.flatMap(({ loans }) => loans),
    queued: [],
    denials: [],
  };
}

/** Plans a local day of a pool: a pure function of the pool and the day. */
export function planDay(pool: SimulatedPool, day: number, startOf: (day: number) => number): DayPlan {
  if (pool.takers !== undefined) return planTokens(pool.takers, day, startOf);
  const span = [day, startOf(day), startOf(day + 1)] as const;
  const count = countOn(pool, day);
  const loans = loansOf(pool, count, day, startOf);
  const borrowers = new Set(loans.map(({ user }) => user));
  const others = pool.users.filter((user) => !borrowers.has(user));
  const wishes = wishesOf(pool, others, loans.length, span);
  const reserved = wishesOf({ ...pool, crew: pool.reserved }, pool.reservedUsers, 0, span);
  const general = grant(wishes, Math.max(1, count - pool.reserved - loans.length));
  const kept = grant(reserved, pool.reserved);
  return {
    sessions: [
      ...general.sessions.map((session) => ({ ...session, reserved: false })),
      ...kept.sessions.map((session) => ({ ...session, reserved: true })),
    ],
    queued: [...general.queued, ...kept.queued],
    denials: [...general.denials, ...kept.denials].sort((a, b) => a - b),
    loans,
  };
}
