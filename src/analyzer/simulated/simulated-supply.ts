import type { LocalTime } from '../../base/model/local-time.ts';
import type { Increment } from '../../base/model/observation/observation.ts';
import type { SimulatedPool, SimulatedVendorLicense } from './simulated-catalogue.ts';
import { purchasesUntil } from './simulated-load.ts';
import { randomInteger } from './simulated-random.ts';

/** What the simulated site has to give at a time. */

/** The server that goes down is away for 55 minutes of every week. */
const OUTAGE_PERIOD = 7 * 86_400;
const OUTAGE = 55 * 60;

/** What decides when that server is away. */
export interface Outages {
  readonly seed: number;
  /** From then on it does not come back, epoch seconds. Without it, the outages go on as before. */
  readonly downSince?: number;
}

/** Whether the server of a license is down. @param at epoch seconds */
export function isOut(license: SimulatedVendorLicense, at: number, { seed, downSince }: Outages): boolean {
  if (license.goesDown && downSince !== undefined && at >= downSince) return true;
  const phase = randomInteger(0, OUTAGE_PERIOD - 1, seed, 'outage');
  return license.goesDown && (at + phase) % OUTAGE_PERIOD < OUTAGE;
}

/** Licenses of a pool on a day. */
export const countOn = ({ count, course }: Pick<SimulatedPool, 'count' | 'course'>, day: number): number =>
  course === 'grows' ? count + Math.ceil(0.54 * count) * purchasesUntil(day) : count;

const YEAR = 365;
/** Days before its end on which a contract is renewed: earlier than an alert is about it. */
const RENEWED_BEFORE = 75;
const TRIAL = 28;
/** What has expired did so in the last month, but longer ago than an alert is about it. */
const EXPIRED_BEFORE = 15;
const EXPIRED_PERIOD = 14;

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
  const endOf = (last: number): number => localTime.startOf(last + 1) - 1;
  const renewal = (phase: number): number => endOf(nextEnd(day + RENEWED_BEFORE, YEAR, phase));
  const count = countOn(pool, day);
  const half = Math.ceil(count / 2);
  const { contract } = pool;
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
    case 'expired':
      return [{ count, expires: endOf(nextEnd(day, EXPIRED_PERIOD, contract) - EXPIRED_PERIOD - EXPIRED_BEFORE) }];
  }
}
