/**
 * Slows down whoever guesses passwords. Failures are counted for a user at an address, so that nobody can lock another's
 * account out: from the third one on nothing is accepted for a time that doubles with each.
 */
export interface LogonThrottle {
  isHeld(user: string, address: string): boolean;
  failed(user: string, address: string): void;
  succeeded(user: string, address: string): void;
}

const FREE_FAILURES = 2;
const MAX_HOLD_MS = 15 * 60_000;
/** Failures are forgotten after this long without another. */
const FORGET_MS = 60 * 60_000;
/** So many pairs at most are remembered; the one that failed longest ago is forgotten first. */
const MAX_PAIRS = 10_000;

interface Failures {
  readonly count: number;
  readonly last: number;
}

const holdMs = (count: number): number =>
  count <= FREE_FAILURES ? 0 : Math.min(MAX_HOLD_MS, 1000 * 2 ** (count - FREE_FAILURES - 1));

/** @param now epoch milliseconds */
export function createLogonThrottle(now: () => number): LogonThrottle {
  const pairs = new Map<string, Failures>();
  // names come from the network and may be long
  const keyOf = (user: string, address: string): string => `${address} ${user.toLowerCase().slice(0, 256)}`;
  const find = (key: string): Failures | undefined => {
    const found = pairs.get(key);
    if (found === undefined || now() - found.last < FORGET_MS) return found;
    pairs.delete(key);
    return undefined;
  };
  return {
    isHeld: (user, address) => {
      const found = find(keyOf(user, address));
      return found !== undefined && now() < found.last + holdMs(found.count);
    },
    failed: (user, address) => {
      const key = keyOf(user, address);
      const count = (find(key)?.count ?? 0) + 1;
      // deleted first, so that the order is that of the last failure
      pairs.delete(key);
      pairs.set(key, { count, last: now() });
      const [oldest] = pairs.keys();
      if (pairs.size > MAX_PAIRS && oldest !== undefined) pairs.delete(oldest);
    },
    succeeded: (user, address) => void pairs.delete(keyOf(user, address)),
  };
}
