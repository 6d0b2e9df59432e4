import type { LogonVerdict } from './ntlm-acceptor.ts';

/** Refused logons of a user at an address, as one line of the log. */
export interface RefusedLogons {
  /** As the client sent it, made fit for a log; empty where the message named nobody. */
  readonly user: string;
  readonly address: string;
  /** Since the line before. */
  readonly count: number;
  /** How many of them for which reason. */
  readonly reasons: Readonly<Record<string, number>>;
}

export interface RefusalLog {
  add(verdict: LogonVerdict): void;
  /** Tells what is due; to be called now and then. */
  flush(): void;
  /** Tells all that was not told yet. */
  end(): void;
}

const INTERVAL_MS = 60_000;
/** Pairs beyond are logged together. */
const MAX_PAIRS = 1000;
const OTHERS: Pair = { user: '(others)', address: '(others)' };
const MAX_NAME_LENGTH = 64;

type Pair = Pick<RefusedLogons, 'user' | 'address'>;

interface Entry extends Pair {
  toldAt: number;
  reasons: Record<string, number>;
}

/** Names are the client's own words: capped, and without what moves cursors, hides or turns around text. */
function printable(name: string): string {
  const characters = [...name.slice(0, 2 * MAX_NAME_LENGTH)];
  const text = characters.slice(0, MAX_NAME_LENGTH).join('');
  const escaped = text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);
  return text.length < name.length ? `${escaped}…` : escaped;
}

/**
 * Sums refused logons up, so that guesses do not flood the log: the first of a user at an address is told at once, and
 * those that follow once a minute.
 *
 * @param now epoch milliseconds
 */
export function createRefusalLog(now: () => number, tell: (refused: RefusedLogons) => void): RefusalLog {
  const entries = new Map<string, Entry>();

  const tellOf = (entry: Entry): void => {
    const { user, address, reasons } = entry;
    const count = Object.values(reasons).reduce((sum, n) => sum + n, 0);
    entry.toldAt = now();
    entry.reasons = {};
    if (count > 0) tell({ user, address, count, reasons });
  };

  const isDue = ({ toldAt }: Entry): boolean => Math.abs(now() - toldAt) >= INTERVAL_MS;

  const find = (pair: Pair): Entry => {
    const key = `${pair.address} ${pair.user.toLowerCase()}`;
    const found = entries.get(key);
    if (found !== undefined) return found;
    if (entries.size >= MAX_PAIRS && pair !== OTHERS) return find(OTHERS);
    const entry = { ...pair, toldAt: Number.NEGATIVE_INFINITY, reasons: {} };
    entries.set(key, entry);
    return entry;
  };

  return {
    add: ({ ok, reason = 'unknown', user = '', address = '' }) => {
      if (ok) return;
      const entry = find({ user: printable(user), address });
      entry.reasons[reason] = (entry.reasons[reason] ?? 0) + 1;
      if (isDue(entry)) tellOf(entry);
    },
    flush: () => {
      for (const [key, entry] of entries) {
        if (!isDue(entry)) continue;
        if (Object.keys(entry.reasons).length === 0) entries.delete(key);
        else tellOf(entry);
      }
    },
    end: () => {
      for (const entry of entries.values()) tellOf(entry);
    },
  };
}
