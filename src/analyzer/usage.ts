import type { Checkout, Increment, PoolObservation } from './source.ts';

/** Figures of pools, by the meaning of the wire fields. Times are epoch seconds. */

/** What the API says for uncounted licenses. */
export const UNCOUNTED = 99_999;
/** What the API says for a permanent license. */
export const PERMANENT = 2_147_483_647;
/** ShowWarning: an expiry within this many seconds. */
const WARNING = 30 * 86_400;

export const isActive = ({ status }: Checkout): boolean => status?.state === 'active';
/** Whether the application is known to be anything but active. */
export const isInactive = ({ status }: Checkout): boolean => status !== undefined && status.state !== 'active';

/** Checkouts of any set of pools, counted by the status of their application. */
export interface CheckoutCounts {
  readonly active: number;
  readonly inactive: number;
  readonly indeterminate: number;
}

export function countByStatus(checkouts: readonly Checkout[]): CheckoutCounts {
  const active = checkouts.filter(isActive).length;
  const inactive = checkouts.filter(isInactive).length;
  return { active, inactive, indeterminate: checkouts.length - active - inactive };
}

/** Distinct names, compared without case. */
export function countUsers(checkouts: readonly Checkout[]): number {
  return new Set(checkouts.map(({ user }) => user.toLowerCase())).size;
}

export const sumLicenses = (checkouts: readonly { readonly licenses: number }[]): number =>
  checkouts.reduce((sum, { licenses }) => sum + licenses, 0);

/** Licenses of all unexpired increments; the last second of one is part of it. */
export function poolCapacity(increments: readonly Increment[], now: number): number {
  const valid = increments.filter(({ expires }) => expires === undefined || expires >= now);
  const count = valid.reduce((sum, increment) => sum + increment.count, 0);
  return count === Number.POSITIVE_INFINITY ? UNCOUNTED : count;
}

export const maxAvailable = ({ increments }: PoolObservation, now: number): number => poolCapacity(increments, now);

/** Earliest expiry of the increments, `PERMANENT` when none of them ends. */
export function earliestExpiry({ increments }: PoolObservation): number {
  return increments.reduce((earliest, { expires }) => Math.min(earliest, expires ?? PERMANENT), PERMANENT);
}

export const isExpired = (expiry: number, now: number): boolean => expiry !== PERMANENT && expiry < now;

export const isExpiring = (expiry: number, now: number): boolean =>
  expiry !== PERMANENT && expiry >= now && expiry - now <= WARNING;

export function reservedLicenses({ reservations }: PoolObservation): { used: number; unused: number } {
  const used = reservations.reduce((sum, reservation) => sum + reservation.used, 0);
  return { used, unused: reservations.reduce((sum, reservation) => sum + reservation.licenses, 0) - used };
}

/** log10 of a plain value, 0 for 0 and 1; NaN for one that is not known. */
export function log10(value: number | undefined): number {
  if (value === undefined) return Number.NaN;
  return value <= 1 ? 0 : Math.log10(value);
}
