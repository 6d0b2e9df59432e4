import { parseServer } from '../../base/model/license-server.ts';
import type { SimulatedVendorLicense } from './simulated-catalogue.ts';
import type { LongSession, PlannedSession } from './simulated-day.ts';
import { random, randomInteger } from './simulated-random.ts';

/** How licenses of the simulated site come back, or do not: of each kind that could, there are always some. */

const DAY = 86_400;

/** Share of the applications that were left open and have ended since, which the server has not noticed. */
const CRASHED = 0.4;
/** Shares of the borrowed licenses that the server still lists after their end, and that come back before it. */
const [OVERDUE, EARLY] = [0.3, 0.3];

/** Whether an application that was left open has ended. @param key of its pool */
export const hasEnded = (key: number, { user, from }: PlannedSession | LongSession): boolean =>
  random(key, user, from, 'crash') < CRASHED;

/** Until when a borrowed license is lent, epoch seconds. @param key of its pool */
export function lentUntil(key: number, { user, from, to }: LongSession): number {
  const chance = random(key, user, from, 'until');
  if (chance < OVERDUE) return from + Math.floor((to - from) / 3);
  return chance < OVERDUE + EARLY ? to + randomInteger(10, 30, key, user, from, 'early') * DAY : to;
}

/** Which license server can take checkouts of a vendor license back; of some, none is known. @param v counts them from 0 */
export function licenseServerOf({ server, daemon }: SimulatedVendorLicense, v: number): string | undefined {
  const text = v % 5 === 2 ? `rlm:5053@${server}/${daemon}` : `flexnet:27000@${server}`;
  return v % 5 === 3 || parseServer(text) === undefined ? undefined : text;
}
