import type { Checkout, PoolObservation } from '../../base/model/observation/observation.ts';
import type { HeldLicenses } from '../../base/model/reclaim.ts';
import { isKnown } from './usage.ts';

/** What sources say of checkouts, as licenses that could come back are found by it. */

/** The checkouts of a feature, in all of its versions and packages. */
export function heldLicenses(pools: readonly PoolObservation[]): readonly HeldLicenses[] {
  const isBorrowedKnown = isKnown(pools, 'borrowed');
  const heldOf = (checkout: Checkout): HeldLicenses => ({
    user: checkout.user,
    host: checkout.host,
    licenses: checkout.licenses,
    since: checkout.since,
    handle: checkout.handle ?? '',
    shareHandle: checkout.shareHandle ?? '',
    isBorrowed: checkout.borrowed || (isBorrowedKnown ? false : undefined),
    until: checkout.until,
    application: checkout.status?.state,
    seconds: checkout.status?.seconds,
  });
  return pools.flatMap(({ checkouts }) => checkouts.map(heldOf));
}
