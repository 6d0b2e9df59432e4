import { networkOf } from '../../base/model/peer-address.ts';

/**
 * Slows down password guessing. Unknown users are treated like known ones.
 *
 * - A user at an address: two failures are free, then nothing is admitted for 1, 2, 4 … 900 seconds after each.
 * - A user over all addresses: from the 20th failure on one attempt per 1, 2 … 30 seconds.
 * - A network (/24 or /64) over all users: the same from the 100th failure in 10 minutes on.
 *
 * If a user has logged on from an address in the last 30 days, only the first limit applies there, and failures count for it
 * alone. So no other client can lock that user out. The state is kept in memory and is lost at a restart.
 */
export interface LogonThrottle {
  /** Milliseconds until an attempt is admitted, 0 for now. Called before the password is checked. */
  wait(user: string, address: string): number;
  failed(user: string, address: string): void;
  succeeded(user: string, address: string): void;
}

const MINUTE_MS = 60_000;
const KNOWN_MS = 30 * 24 * 60 * MINUTE_MS;
/** Maximum number of pairs, users, networks and known pairs. The one that changed longest ago is dropped first. */
const MAX_ENTRIES = 10_000;
/** Names come from the network and may be long. */
const MAX_NAME_LENGTH = 256;

/** When something failed, epoch milliseconds, oldest first. */
type Failures = readonly number[];

interface FailureRule {
  /** Seconds without an attempt after a number of failures. */
  readonly hold: (count: number) => number;
  /** More failures than these lengthen no hold, and are not remembered. */
  readonly enough: number;
  /** The failures that still count. */
  readonly counted: (failures: Failures, now: number) => Failures;
}

/** Forgotten after an hour without another. */
const untilQuiet = (failures: Failures, now: number): Failures =>
  now - (failures.at(-1) ?? 0) < 60 * MINUTE_MS ? failures : [];

const inTenMinutes = (failures: Failures, now: number): Failures => failures.filter((at) => now - at < 10 * MINUTE_MS);

const FREE_OF_PAIR = 2;
const ofPair: FailureRule = {
  hold: (count) => (count <= FREE_OF_PAIR ? 0 : Math.min(900, 2 ** (count - FREE_OF_PAIR - 1))),
  enough: 16,
  counted: untilQuiet,
};

/** One attempt per 1, 2 … 30 seconds. */
const spreadFrom = (first: number): Pick<FailureRule, 'hold' | 'enough'> => ({
  hold: (count) => Math.min(30, Math.max(0, count - first + 1)),
  enough: first + 30,
});
const ofUser: FailureRule = { ...spreadFrom(20), counted: untilQuiet };
const ofNetwork: FailureRule = { ...spreadFrom(100), counted: inTenMinutes };

function setNewest<T>(entries: Map<string, T>, key: string, value: T): void {
  // deleted first, so that the order is that of the last change
  entries.delete(key);
  entries.set(key, value);
  const [oldest] = entries.keys();
  if (entries.size > MAX_ENTRIES && oldest !== undefined) entries.delete(oldest);
}

interface FailureLimit {
  wait(key: string): number;
  failed(key: string): void;
  forget(key: string): void;
}

function createFailureLimit({ hold, enough, counted }: FailureRule, now: () => number): FailureLimit {
  const entries = new Map<string, Failures>();
  const find = (key: string): Failures => counted(entries.get(key) ?? [], now());
  return {
    wait: (key) => {
      const failures = find(key);
      const last = failures.at(-1);
      return last === undefined ? 0 : Math.max(0, last + hold(failures.length) * 1000 - now());
    },
    failed: (key) => setNewest(entries, key, [...find(key), now()].slice(-enough)),
    forget: (key) => void entries.delete(key),
  };
}

/** A clock that stands still where the given one is set back, which would prolong what is held. */
function steady(now: () => number): () => number {
  let last = now();
  let lost = 0;
  return () => {
    const at = now();
    lost += Math.max(0, last - at);
    last = at;
    return at + lost;
  };
}

/** @param wallClock epoch milliseconds */
export function createLogonThrottle(wallClock: () => number): LogonThrottle {
  const now = steady(wallClock);
  const pairs = createFailureLimit(ofPair, now);
  const users = createFailureLimit(ofUser, now);
  const networks = createFailureLimit(ofNetwork, now);
  /** When a user last logged on at an address. */
  const known = new Map<string, number>();

  const nameOf = (user: string): string => user.toLowerCase().slice(0, MAX_NAME_LENGTH);
  const pairOf = (user: string, address: string): string => `${address} ${nameOf(user)}`;
  const isKnown = (pair: string): boolean => {
    const at = known.get(pair);
    return at !== undefined && now() - at < KNOWN_MS;
  };
  return {
    wait: (user, address) => {
      const pair = pairOf(user, address);
      if (isKnown(pair)) return pairs.wait(pair);
      return Math.max(pairs.wait(pair), users.wait(nameOf(user)), networks.wait(networkOf(address)));
    },
    failed: (user, address) => {
      const pair = pairOf(user, address);
      pairs.failed(pair);
      if (isKnown(pair)) return;
      users.failed(nameOf(user));
      networks.failed(networkOf(address));
    },
    succeeded: (user, address) => {
      const pair = pairOf(user, address);
      pairs.forget(pair);
      setNewest(known, pair, now());
    },
  };
}
