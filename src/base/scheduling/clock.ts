import { uptime } from 'node:os';

/** If wall time and time since boot are further apart than this between two looks, the clock was set. Seconds. */
const JUMP = 10;
/** How often a quiet daemon looks, milliseconds. */
const LOOK_MS = 5000;

/** One look at both clocks of this host. */
export interface Look {
  /** Epoch seconds. */
  readonly wall: number;
  /** Seconds since boot. It goes on while the clock is set, and counts sleep. */
  readonly uptime: number;
}

/** The time of day and the uptime of the machine, read together. Seconds. */
export const lookNow = (): Look => ({ wall: Date.now() / 1000, uptime: uptime() });

/** How far the clock was set between two looks, seconds; 0 if it was not: clocks are also adjusted in small steps. */
export function movedBetween(before: Look, after: Look): number {
  const moved = after.wall - before.wall - (after.uptime - before.uptime);
  return Math.abs(moved) > JUMP ? moved : 0;
}

/** Differences up to this are not corrected: the `Date` header has whole seconds, and requests take time. Seconds. */
const TOLERANCE = 30;

/**
 * How far the clock of another host is ahead, by the `Date` header of its answer, seconds; 0 up to 30 s. Without a header that can
 * be read, both clocks count as equal.
 *
 * @param now when the header came, epoch seconds
 */
export function clockAhead(date: unknown, now: number): number {
  const at = typeof date === 'string' ? Date.parse(date) / 1000 : Number.NaN;
  const ahead = Number.isNaN(at) ? 0 : at - now;
  return Math.abs(ahead) > TOLERANCE ? ahead : 0;
}

/**
 * The time in which ages are measured. When the clock of the host is set, it goes on as if it were not, so that nothing that
 * remembers a time becomes older or younger. Its owner gives all of that the new time, and lets the clock follow.
 */
export interface Clock {
  /** Epoch seconds. */
  readonly now: () => number;
  /** How far the clock of the host was set since it was followed last, seconds; 0 if it was not. */
  moved(): number;
  /** Follows the clock of the host. @returns how far it was set, seconds */
  follow(): number;
  /** Calls back when it followed: what remembers a time must add the seconds to it, so that it is as old as before. */
  onMoved(listener: (by: number) => void): void;
  /** Calls back within 5 seconds after the clock was set, and every 5 seconds until it is followed. @returns what ends that */
  watch(onSet: () => void): () => void;
}

/** A clock whose ages stay right when the time of day is set. */
export function createClock(look: () => Look = lookNow): Clock {
  /** The last look before the clock was set. */
  let last = look();
  const listeners: ((by: number) => void)[] = [];

  const moved = (): number => {
    const next = look();
    const found = movedBetween(last, next);
    if (found === 0) last = next;
    return found;
  };

  return {
    now: () => {
      const next = look();
      if (movedBetween(last, next) !== 0) return last.wall + (next.uptime - last.uptime);
      last = next;
      return next.wall;
    },
    moved,
    follow: () => {
      const found = moved();
      last = look();
      if (found !== 0) for (const listener of listeners) listener(found);
      return found;
    },
    onMoved: (listener) => void listeners.push(listener),
    watch: (onSet) => {
      const timer = setInterval(() => {
        if (moved() !== 0) onSet();
      }, LOOK_MS).unref();
      return () => clearInterval(timer);
    },
  };
}
