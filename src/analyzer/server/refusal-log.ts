import type { LogonVerdict } from './ntlm-acceptor.ts';

/** Refused logons of a user at an address, as one line of the log. */
export interface RefusedLogons {
  /** As sent by the client, escaped for the log; empty if the message contained no user. */
  readonly user: string;
  readonly address: string;
  /** Since the previous line. */
  readonly count: number;
  /** Count by reason. */
  readonly reasons: Readonly<Record<string, number>>;
}

/** Logs refused logons: the first of each kind at once, the others as counts. */
export interface RefusalLog {
  add(verdict: LogonVerdict): void;
  /** Logs what is due. Must be called regularly. */
  flush(): void;
  /** Logs everything that was not logged yet. */
  end(): void;
}

const INTERVAL_MS = 60_000;
/** Further pairs are logged together. */
const MAX_PAIRS = 1000;
const OTHERS: Pair = { user: '(others)', address: '(others)' };
const MAX_NAME_LENGTH = 64;

type Pair = Pick<RefusedLogons, 'user' | 'address'>;

interface Entry extends Pair {
  loggedAt: number;
  reasons: Record<string, number>;
}

/** Shortens a name from a client, and escapes control characters, invisible characters and changes of direction. */
function printable(name: string): string {
  const characters = [...name.slice(0, 2 * MAX_NAME_LENGTH)];
  const text = characters.slice(0, MAX_NAME_LENGTH).join('');
  const escaped = text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);
  return text.length < name.length ? `${escaped}…` : escaped;
}

/**
 * Aggregates refused logons, so that guesses do not flood the log. The first one of a user at an address is logged at once,
 * further ones once a minute.
 *
 * @param now epoch milliseconds
 */
export function createRefusalLog(now: () => number, write: (refused: RefusedLogons) => void): RefusalLog {
  const entries = new Map<string, Entry>();

  const logEntry = (entry: Entry): void => {
    const { user, address, reasons } = entry;
    const count = Object.values(reasons).reduce((sum, n) => sum + n, 0);
    entry.loggedAt = now();
    entry.reasons = {};
    if (count > 0) write({ user, address, count, reasons });
  };

  const isDue = ({ loggedAt }: Entry): boolean => Math.abs(now() - loggedAt) >= INTERVAL_MS;

  const find = (pair: Pair): Entry => {
    const key = `${pair.address} ${pair.user.toLowerCase()}`;
    const found = entries.get(key);
    if (found !== undefined) return found;
    if (entries.size >= MAX_PAIRS && pair !== OTHERS) return find(OTHERS);
    const entry = { ...pair, loggedAt: Number.NEGATIVE_INFINITY, reasons: {} };
    entries.set(key, entry);
    return entry;
  };

  return {
    add: ({ ok, reason = 'unknown', user = '', address = '' }) => {
      if (ok) return;
      const entry = find({ user: printable(user), address });
      entry.reasons[reason] = (entry.reasons[reason] ?? 0) + 1;
      if (isDue(entry)) logEntry(entry);
    },
    flush: () => {
      for (const [key, entry] of entries) {
        if (!isDue(entry)) continue;
        if (Object.keys(entry.reasons).length === 0) entries.delete(key);
        else logEntry(entry);
      }
    },
    end: () => {
      for (const entry of entries.values()) logEntry(entry);
    },
  };
}
