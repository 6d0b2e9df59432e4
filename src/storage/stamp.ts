import { uptime } from 'node:os';
import { boot } from '../model/steady-clock.ts';
import { movedBetween } from '../scheduling/clock.ts';

/** When a state was written, by the clock and by what passes while the clock is set. */
export interface Stamp {
  /** Epoch seconds. */
  readonly at: number;
  /** Seconds since boot. */
  readonly uptime: number;
  /** Which boot that was. */
  readonly boot: string | undefined;
}

/** A stamp for a state whose times are of this clock. @param at now, epoch seconds */
export const stampOf = (at: number): Stamp => ({ at, uptime: uptime(), boot });

/**
 * How far the times of a state must be moved so that it is as old as it is, seconds: within one boot by the time since
 * then, else by the clock. It is never from the future.
 *
 * @param found the stamp in a file; files of earlier versions have none
 */
export function movedSince(found: unknown, now: Stamp): number {
  const { at, uptime, boot: of } = (found ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof at !== 'number' || typeof uptime !== 'number') return 0;
  if (of !== undefined && of === now.boot) {
    return movedBetween({ wall: at, uptime }, { wall: now.at, uptime: now.uptime });
  }
  return Math.min(0, now.at - at);
}
