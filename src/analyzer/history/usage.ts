import type {
  Checkout,
  Increment,
  PoolObservation,
  UnknownOfCheckouts,
} from '../../base/model/observation/observation.ts';
import { UNCOUNTED } from '../../base/model/uncounted.ts';

/** Figures of pools, with the meaning of the wire fields. Times are epoch seconds. `undefined` means unknown. */

/** What the API says for a permanent license. */
export const PERMANENT = 2_147_483_647;
/** ShowWarning: an expiry within this many seconds. */
const WARNING = 30 * 86_400;

/** Whether the application is known to be active. */
export const isActive = ({ status }: Checkout): boolean => status?.state === 'active';
/** Whether the application is known to be anything but active. */
export const isInactive = ({ status }: Checkout): boolean => status !== undefined && status.state !== 'active';

/** Checkouts of any set of pools, counted by the status of their application. */
export interface CheckoutCounts {
  readonly active: number;
  readonly inactive: number;
  readonly indeterminate: number;
}

/** Checkouts by what is known of their applications. Every checkout is in one of the three. */
export function countByStatus(checkouts: readonly Checkout[]): CheckoutCounts {
  const active = checkouts.filter(isActive).length;
  const inactive = checkouts.filter(isInactive).length;
  return { active, inactive, indeterminate: checkouts.length - active - inactive };
}

/** Distinct names, compared without case. */
export function countUsers(checkouts: readonly Checkout[]): number {
  return new Set(checkouts.map(({ user }) => user.toLowerCase())).size;
}

/** The licenses that checkouts hold or requests wait for. */
export const sumLicenses = (checkouts: readonly { readonly licenses: number }[]): number =>
  checkouts.reduce((sum, { licenses }) => sum + licenses, 0);

/** The sum, unknown when one of the figures is. */
export function sumOf(figures: readonly (number | undefined)[]): number | undefined {
  let sum = 0;
  for (const figure of figures) {
    if (figure === undefined) return undefined;
    sum += figure;
  }
  return sum;
}

/** Whether the source knows these things of the checkouts of all pools. */
export function isKnown(pools: readonly PoolObservation[], ...what: readonly UnknownOfCheckouts[]): boolean {
  return pools.every(({ unknownOfCheckouts: unknown = [] }) => what.every((one) => !unknown.includes(one)));
}

/** Licenses of all unexpired increments; the last second of one is part of it. `UNCOUNTED` if one of them is uncounted. */
export function poolCapacity(increments: readonly Increment[], now: number): number | undefined {
  let capacity: number | undefined = 0;
  for (const { count, expires } of increments) {
    if (typeof expires === 'number' && expires < now) continue;
    if (count === Number.POSITIVE_INFINITY) return UNCOUNTED;
    capacity = count === undefined || capacity === undefined ? undefined : capacity + count;
  }
  return capacity;
}

/** The licenses of a pool; not known if an increment does not say its number. @param now epoch seconds */
export const maxAvailable = ({ increments }: PoolObservation, now: number): number | undefined =>
  poolCapacity(increments, now);

/** Licenses of all versions of a feature; `UNCOUNTED` if one of them is uncounted. */
export const sumOfVersions = (capacities: readonly (number | undefined)[]): number | undefined =>
  capacities.includes(UNCOUNTED) ? UNCOUNTED : sumOf(capacities);

/**
 * The server's own count where there is one: it can list more checkouts than licenses, because some are shared, or fewer,
 * because some are hidden.
 */
export function licensesInUse(pool: PoolObservation): number | undefined {
  return pool.inUse ?? (isKnown([pool], 'list') ? sumLicenses(pool.checkouts) : undefined);
}

/** A date can be after the time that stands for permanent, from 2038-01-19 on. */
const endOf = (expiry: number): number => (expiry === PERMANENT ? Number.POSITIVE_INFINITY : expiry);

/** `PERMANENT` when none of them ends. An unknown expiry is ignored beside a date, but not beside a permanent one. */
export function earliestOf(expiries: readonly (number | undefined)[]): number | undefined {
  const known = expiries.filter((expiry) => expiry !== undefined);
  const earliest = known.reduce((first, expiry) => (endOf(expiry) < endOf(first) ? expiry : first), PERMANENT);
  return earliest === PERMANENT && expiries.includes(undefined) ? undefined : earliest;
}

/** Whether a license has ended. @param expiry epoch seconds @param now epoch seconds */
export const isExpired = (expiry: number, now: number): boolean => expiry !== PERMANENT && expiry < now;

/**
 * Earliest expiry of the increments, `PERMANENT` when none of them ends. Those that have expired are left out if others
 * have not, as in the number of licenses. @param now epoch seconds
 */
export function earliestExpiry({ increments }: PoolObservation, now: number): number | undefined {
  const ends = increments.map(({ expires }) => (expires === 'unknown' ? undefined : (expires ?? PERMANENT)));
  const valid = ends.filter((end) => end === undefined || !isExpired(end, now));
  return earliestOf(valid.length > 0 ? valid : ends);
}

/** Whether a license ends so soon that the analyzer warns. @param expiry epoch seconds @param now epoch seconds */
export const isExpiring = (expiry: number, now: number): boolean =>
  expiry !== PERMANENT && expiry >= now && expiry - now <= WARNING;

export interface Reserve {
  readonly used: number | undefined;
  readonly unused: number | undefined;
  readonly total: number | undefined;
}

/** Where two of the three figures are known, the third one follows. */
export function reservedLicenses({ reservations, ...known }: PoolObservation): Reserve {
  if (reservations !== undefined) {
    const used = reservations.reduce((sum, reservation) => sum + reservation.used, 0);
    const total = reservations.reduce((sum, { licenses }) => sum + licenses, 0);
    return { used, unused: total - used, total };
  }
  const { usedReserve: used, unusedReserve: unused, reserved: total } = known;
  const rest = (part: number | undefined): number | undefined =>
    total === undefined || part === undefined ? undefined : Math.max(0, total - part);
  return { used: used ?? rest(unused), unused: unused ?? rest(used), total: total ?? sumOf([used, unused]) };
}

/** Licenses that can be checked out now. */
export function freeLicenses(pool: PoolObservation, now: number): number | undefined {
  if (pool.available !== undefined) return pool.available;
  const taken = sumOf([licensesInUse(pool), reservedLicenses(pool).unused]);
  const capacity = maxAvailable(pool, now);
  return taken === undefined || capacity === undefined ? undefined : Math.max(0, capacity - taken);
}

/** log10 of a plain value, 0 for 0 and 1; NaN for one that is not known. */
export function log10(value: number | undefined): number {
  if (value === undefined) return Number.NaN;
  return value <= 1 ? 0 : Math.log10(value);
}
