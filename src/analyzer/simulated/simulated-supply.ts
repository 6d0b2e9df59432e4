import type { LocalTime } from '../../base/model/local-time.ts';
import type { Increment } from '../../base/model/observation/observation.ts';
import type { SimulatedPool, SimulatedVendorLicense } from './simulated-catalogue.ts';
import { growthOn } from './simulated-load.ts';
import { random, randomInteger } from './simulated-random.ts';

/** What the simulated site has to give at a time. */

/** In about every fifth week, the server that goes down is away for 55 minutes. */
const OUTAGE_PERIOD = 7 * 86_400;
const OUTAGE = 55 * 60;
const OUTAGES = 0.2;

/** What decides when that server is away. */
export interface Outages {
  readonly seed: number;
  /** From then on it does not come back, epoch seconds. Without it, the outages go on as before. */
  readonly downSince?: number;
}

/** Whether the server of a license is down. @param at epoch seconds */
export function isOut(license: SimulatedVendorLicense, at: number, { seed, downSince }: Outages): boolean {
  if (!license.goesDown) return false;
  if (downSince !== undefined && at >= downSince) return true;
  const week = Math.floor(at / OUTAGE_PERIOD);
  const from = week * OUTAGE_PERIOD + randomInteger(0, OUTAGE_PERIOD - OUTAGE, seed, 'outage', week);
  return random(seed, 'outages', week) < OUTAGES && at >= from && at < from + OUTAGE;
}

/** Licenses of a pool on a day. */
export const countOn = ({ count, course }: Pick<SimulatedPool, 'count' | 'course'>, day: number): number =>
  Math.round(count * growthOn(course, day).bought);

const YEAR = 365;
/** A trial is extended again and again on its last day. */
const TRIAL = 14;

/** The first day after `day` on which a license with this period and phase ends. */
const nextEnd = (day: number, period: number, phase: number): number =>
  day + period - ((((day - phase) % period) + period) % period);

/** Increment of which everything is known. */
export interface SimulatedIncrement extends Increment {
  readonly count: number;
  readonly expires: number | undefined;
}

/** Expiries follow the calendar, so that they are as far away at any time. */
export function incrementsOf(pool: SimulatedPool, day: number, localTime: LocalTime): SimulatedIncrement[] {
  const { contract, renewedBefore } = pool;
  const endOf = (last: number): number => localTime.startOf(last + 1) - 1;
  const renewal = (phase: number): number => endOf(nextEnd(day + renewedBefore, YEAR, phase));
  const count = countOn(pool, day);
  const half = Math.ceil(count / 2);
  switch (pool.expiry) {
    case 'permanent':
      return [{ count, expires: undefined }];
    case 'contract':
      return [{ count, expires: renewal(contract) }];
    case 'two contracts':
      return [
        { count: half, expires: renewal(contract) },
        { count: count - half, expires: renewal(contract + 180) },
      ];
    case 'trial':
      return [{ count, expires: endOf(nextEnd(day, TRIAL, contract)) }];
  }
}
