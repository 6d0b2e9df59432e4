import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';

/**
 * A clock that nobody sets. It counts sleep, unlike `performance.now()`. It shows wall time until the clock of the host is
 * set, so that an age on it is always right.
 */
const start = Date.now() - uptime() * 1000;

/** Epoch milliseconds. */
export const steadyNow = (): number => start + uptime() * 1000;

/** The wall time of a time of the steady clock, epoch milliseconds: what a person reads. The clock was set by whole seconds. */
export const toWall = (steady: number): number => steady + Math.round((Date.now() - steadyNow()) / 1000) * 1000;

/** A time that outlives the process, on both clocks of the host. */
export interface Moment {
  /** Epoch milliseconds. */
  readonly wall: number;
  /** Since the host was started, milliseconds. */
  readonly uptime?: number;
  /** See `boot`. */
  readonly boot?: string;
}

function readBoot(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // not Linux
    return undefined;
  }
}

/** Names the start of the host: uptimes of another one say nothing. `undefined` if the host does not name it. */
export const boot = readBoot();

export const momentNow = (): Moment => ({
  wall: Date.now(),
  uptime: uptime() * 1000,
  ...(boot !== undefined && { boot }),
});

/**
 * Milliseconds from one moment to another: since the start of the host the smaller of what its two clocks say, so that what
 * counts for a time never ends too early; otherwise of wall times. Never negative: of two clocks, one that was set back since
 * is ignored.
 */
export function elapsed(from: Moment, to: Moment): number {
  const isSameBoot = from.boot !== undefined && from.boot === to.boot;
  const ages = [to.wall - from.wall, isSameBoot ? (to.uptime ?? 0) - (from.uptime ?? 0) : -1].filter((age) => age >= 0);
  return ages.length === 0 ? 0 : Math.min(...ages);
}
