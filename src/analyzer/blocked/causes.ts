import type { BlockedCause, Collected, Elsewhere, PoolObservation } from '../../base/model/observation/observation.ts';
import { reclaimable } from '../../base/model/reclaim.ts';
import { isDown } from '../history/collector.ts';
import { heldLicenses } from '../history/held-licenses.ts';
import { freeLicenses, reservedLicenses } from '../history/usage.ts';
import type { Refused } from './person-log.ts';

/** Why a person was refused: what the log says, and where it says that all licenses are in use, what the last collection says of it. */

/** What the cause of a refusal is, and where licenses were free. */
export interface Divided {
  readonly cause: BlockedCause;
  readonly elsewhere: Elsewhere | undefined;
}

/** Whether an application that nobody uses, or that has ended, holds licenses. */
const isHeldIdle = (pools: readonly PoolObservation[], now: number): boolean =>
  reclaimable(heldLicenses(pools), now).some(({ kind }) => kind === 'idle' || kind === 'orphan');

/** The most licenses that are free in one of the pools; undefined if none is known to be free, and of one it is not known. */
function mostFree(pools: readonly PoolObservation[], now: number): number | undefined {
  const free = pools.map((pool) => freeLicenses(pool, now));
  const most = Math.max(0, ...free.map((licenses = 0) => licenses));
  return most === 0 && free.includes(undefined) ? undefined : most;
}

const poolsOf = ({ observation }: Collected, feature: string): readonly PoolObservation[] =>
  observation.pools.filter((pool) => pool.feature.toLowerCase() === feature.toLowerCase());

/** @param current the last collection of all vendor licenses @param now epoch seconds */
export function divide(refused: Refused, current: readonly Collected[], now: number): Divided {
  const { vendorLicense, feature, cause = 'unknown' } = refused;
  if (cause !== 'all_in_use') return { cause, elsewhere: undefined };
  const isOwn = ({ name }: Collected): boolean => name.toLowerCase() === vendorLicense.toLowerCase();
  const up = current.filter((one) => !isDown(one, now));
  const others = up
    .filter((one) => !isOwn(one))
    .map((one) => ({ vendorLicense: one.name, licenses: mostFree(poolsOf(one, feature), now) }));
  const free = others.filter((one): one is Elsewhere => (one.licenses ?? 0) > 0);
  const [elsewhere] = free.sort((a, b) => b.licenses - a.licenses);
  if (elsewhere !== undefined) return { cause: 'free_elsewhere', elsewhere };
  const pools = up.filter(isOwn).flatMap((one) => poolsOf(one, feature));
  const reserved = pools.map((pool) => reservedLicenses(pool).unused);
  if (reserved.some((licenses = 0) => licenses > 0)) return { cause: 'reserved_for_others', elsewhere };
  // the collection is older than the refusal, or does not know it
  const isFull = pools.length > 0 && mostFree(pools, now) === 0;
  const isKnown = others.every(({ licenses }) => licenses !== undefined) && !reserved.includes(undefined);
  if (!isFull || !isKnown) return { cause, elsewhere };
  return { cause: isHeldIdle(pools, now) ? 'held_idle' : 'all_busy', elsewhere };
}
