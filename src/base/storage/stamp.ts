import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { type Look, movedBetween } from '../scheduling/clock.ts';

/** When something was written, in a file that outlives the process. */
export interface Stamp extends Look {
  /** Names the start of the host: uptimes of another one say nothing. `undefined` if the host does not name it. */
  readonly boot: string | undefined;
}

function readBoot(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // not Linux
    return undefined;
  }
}

const boot = readBoot();

/** @param wall now, epoch seconds, by the clock of the times in the file */
export const stampOf = (wall: number): Stamp => ({ wall, uptime: uptime(), boot });

const isSameBoot = (a: Stamp, b: Stamp): boolean => a.boot !== undefined && a.boot === b.boot;

/**
 * Seconds from one stamp to another: within one boot the smaller of what the two clocks say, so that what counts for a time never
 * ends too early; otherwise of wall times. Never negative: of two clocks, one that was set back since is ignored.
 */
export function elapsed(from: Stamp, to: Stamp): number {
  const ages = [to.wall - from.wall, isSameBoot(from, to) ? to.uptime - from.uptime : -1].filter((age) => age >= 0);
  return ages.length === 0 ? 0 : Math.min(...ages);
}

/**
 * How far the times of a state must be moved so that it is as old as it is, seconds: within one boot by the time since
 * then, else by the clock. It is never from the future.
 *
 * @param found the stamp in a file; files of earlier versions have none
 */
export function movedSince(found: unknown, now: Stamp): number {
  const { wall, uptime: up, boot: of } = (found ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof wall !== 'number' || typeof up !== 'number') return 0;
  const written: Stamp = { wall, uptime: up, boot: typeof of === 'string' ? of : undefined };
  return isSameBoot(written, now) ? movedBetween(written, now) : Math.min(0, now.wall - wall);
}
