import type { FeatureRow } from '../inventory/feature-row.ts';
import type { Inventory } from '../inventory/inventory.ts';

/** What the last poll says about the features that a query may be about. */

/** Features read between two yields. */
const SLICE = 256;

export interface KnownFeature {
  /** Higher for a feature of which more can be expected in a chart: requests wait, or most licenses are in use. */
  readonly rank: number;
  /** Whether it is known that nobody holds a license or waits for one. */
  readonly isIdle: boolean;
}

/** Features by vendor license and name. */
export type KnownFeatures = ReadonlyMap<string, ReadonlyMap<string, KnownFeature>>;

function describe(row: FeatureRow): KnownFeature {
  const { inUse, maxInUse, maxQueued, maxAvailable } = row;
  const used = maxInUse ?? inUse ?? 0;
  const share = maxAvailable === undefined || maxAvailable === 0 ? 0 : used / maxAvailable;
  return { rank: (maxQueued ?? 0) + Math.min(share, 1) / 2, isIdle: inUse === 0 && maxQueued === 0 };
}

/** Of several rows of one feature, such as its versions, the highest counts. */
const joined = (one: KnownFeature | undefined, other: KnownFeature): KnownFeature =>
  one === undefined ? other : { rank: Math.max(one.rank, other.rank), isIdle: one.isIdle && other.isIdle };

/** The features of some vendor licenses. It visits each feature only once, because a large site has 100,000. */
export function* knownFeatures(
  inventory: Inventory,
  owners: ReadonlySet<string>,
  featureType: string | undefined,
): Generator<void, KnownFeatures> {
  const found = new Map<string, Map<string, KnownFeature>>();
  let read = 0;
  for (const row of inventory.features) {
    read += 1;
    if (read % SLICE === 0) yield;
    const { vendorLicense, feature } = row;
    if (!owners.has(vendorLicense) || (featureType !== undefined && row.featureType !== featureType)) continue;
    const features = found.get(vendorLicense) ?? new Map<string, KnownFeature>();
    found.set(vendorLicense, features);
    features.set(feature, joined(features.get(feature), describe(row)));
  }
  return found;
}
