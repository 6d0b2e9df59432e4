import { LAST_EXPIRY } from '../../base/model/expiry-day.ts';
import type { OwnerMapping } from '../../base/model/owners.ts';
import { isUncounted } from '../../base/model/uncounted.ts';
import { type Figure, isKnown } from '../../base/model/unknown.ts';
import { forEachSliced } from '../../base/scheduling/slices.ts';
import type { FeatureRow } from '../../exporter/inventory/feature-row.ts';
import type { Inventory } from '../../exporter/inventory/inventory.ts';
import { createUnknownExpiries, type UnknownExpiry } from './unknown-expiry.ts';

/** Which licenses expire when. */

/** A feature with a date. Permanent licenses have none. */
export interface Expiry {
  readonly vendorLicense: string;
  readonly feature: string;
  readonly version: string;
  readonly package: string;
  readonly featureType: string;
  readonly licenses: Figure | 'uncounted';
  /** Epoch seconds, before the year 10000. */
  readonly expiration: number;
  /** `undefined` without an owner. */
  readonly owner: string | undefined;
}

/** What is known about expiries, and what is not. */
export interface KnownExpiries {
  /** By date, and by label on the same date. */
  readonly expiries: readonly Expiry[];
  /** By vendor license. */
  readonly unknown: readonly UnknownExpiry[];
}

/** Which expiries are read. */
export interface ExpirySelection {
  /** The owners of features and vendor licenses. */
  readonly owners: OwnerMapping;
  /** Whether the features of an owner are wanted. */
  readonly isOwnerAsked: (owner: string | undefined) => boolean;
  /** Only expiries from here on, epoch seconds. */
  readonly from: number;
  /** Only expiries before it, epoch seconds. */
  readonly to: number;
}

const licensesOf = (row: FeatureRow): Expiry['licenses'] => (isUncounted(row) ? 'uncounted' : row.maxAvailable);

/**
 * Reads the expiries of the inventory.
 *
 * @throws ExpiriesUnknown if no expiry of any vendor license is known
 */
export async function readExpiries(
  inventory: Inventory,
  { owners, isOwnerAsked, from, to }: ExpirySelection,
): Promise<KnownExpiries> {
  const unknowns = createUnknownExpiries(inventory, owners, isOwnerAsked);
  const found: Expiry[] = [];
  await forEachSliced(inventory.features, (row) => {
    const { vendorLicense, feature, version, package: pkg, featureType, expiration } = row;
    const { owner } = owners.of(vendorLicense, feature);
    if (!isOwnerAsked(owner)) return;
    unknowns.see(vendorLicense, isKnown(expiration));
    if (!isKnown(expiration) || expiration > LAST_EXPIRY || expiration < from || expiration >= to) return;
    const licenses = licensesOf(row);
    found.push({ vendorLicense, feature, version, package: pkg, featureType, licenses, expiration, owner });
  });
  // the rows are in the order of their labels, and stay in it on the same date
  const expiries = found.sort((a, b) => a.expiration - b.expiration);
  return { expiries, unknown: unknowns.list() };
}
