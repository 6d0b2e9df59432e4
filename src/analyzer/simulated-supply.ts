import type { LocalTime } from '../model/local-time.ts';
import type { Increment } from '../observation/observation.ts';
import type { SimulatedPool, SimulatedVendorLicense } from './simulated-catalogue.ts';
import { randomInteger } from './simulated-random.ts';

/** What the simulated site has to give at a time. */

/** The server that goes down is away for 55 minutes of every 3 hours. */
const OUTAGE_PERIOD = 3 * 3600;
const OUTAGE = 55 * 60;

/** What decides when that server is away. */
export interface Outages {
  readonly seed: number;
  /** From then on it does not come back, epoch seconds. Without it, the outages go on as before. */
  readonly downSince?: number;
}

export function isOut(license: SimulatedVendorLicense, at: number, { seed, downSince }: Outages): boolean {
  if (license.goesDown && downSince !== undefined && at >= downSince) return true;
  const phase = randomInteger(0, OUTAGE_PERIOD - 1, seed, 'outage');
  return license.goesDown && (at + phase) % OUTAGE_PERIOD < OUTAGE;
}

/** The first day after `day` on which a license with this period and phase ends. */
const nextEnd = (day: number, period: number, phase: number): number =>
  day + period - ((((day - phase) % period) + period) % period);

/** Increment of which everything is known. */
export interface SimulatedIncrement extends Increment {
  readonly count: number;
  readonly expires: number | undefined;
}

/** Expiries follow the calendar, so that at any time some licenses end soon and some have just ended. */
export function incrementsOf(pool: SimulatedPool, day: number, localTime: LocalTime): SimulatedIncrement[] {
  const endOf = (last: number): number => localTime.startOf(last + 1) - 1;
  const phase = randomInteger(0, 364, pool.key, 'phase');
  const half = Math.ceil(pool.count / 2);
  const whole = (end: number): SimulatedIncrement[] => [{ count: pool.count, expires: endOf(end) }];
  switch (pool.expiry) {
    case 'permanent':
      return [{ count: pool.count, expires: undefined }];
    case 'annual':
      return whole(nextEnd(day, 365, phase));
    case 'monthly':
      return whole(nextEnd(day, 28, phase));
    case 'weekly':
      return whole(nextEnd(day, 7, phase) - 1);
    case 'expired':
      return whole(nextEnd(day, 28, phase) - 29);
    case 'staggered':
      return [
        { count: half, expires: endOf(nextEnd(day, 365, phase)) },
        { count: pool.count - half, expires: endOf(nextEnd(day, 365, phase + 180)) },
      ];
  }
}
