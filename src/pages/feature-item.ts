import { SATURATED } from '../datasource/feature-answers.ts';
import type { FeatureRow } from '../inventory/feature-row.ts';
import { isUncounted } from '../model/uncounted.ts';

/** One feature of one vendor license. */
export interface FeatureName {
  readonly vendorLicense: string;
  readonly feature: string;
}

/** A feature as the pages show it. It can be kept longer than its inventory. Unknown values are `undefined`. */
export interface FeatureItem extends FeatureName {
  readonly version: string;
  readonly package: string;
  readonly featureType: string;
  readonly bought: number | 'uncounted' | undefined;
  readonly inUse: number | undefined;
  readonly available: number | undefined;
  /** Most licenses waited for since the previous collection. */
  readonly waiting: number | undefined;
  readonly idle: number | undefined;
  readonly borrowed: number | undefined;
  readonly reserved: number | undefined;
  /** Epoch seconds; `Infinity` for a permanent license. */
  readonly expiration: number | undefined;
  readonly isWithheld: boolean;
  readonly isReported: boolean;
}

/** What share of the licenses is in use, 0 to 1; `undefined` if that is not known, or if any number can be in use. */
export function shareOf({ inUse, bought }: Pick<FeatureItem, 'inUse' | 'bought'>): number | undefined {
  return inUse === undefined || typeof bought !== 'number' || bought === 0 ? undefined : inUse / bought;
}

export const isSaturated = (item: Pick<FeatureItem, 'inUse' | 'bought'>): boolean => (shareOf(item) ?? 0) >= SATURATED;

/** A copy of a row, which cannot be read once its inventory is released. */
export function itemOf(row: FeatureRow): FeatureItem {
  const { vendorLicense, feature, version, package: pkg, featureType, inUse, expiration } = row;
  return {
    vendorLicense,
    feature,
    version,
    package: pkg,
    featureType,
    bought: isUncounted(row) ? 'uncounted' : row.maxAvailable,
    inUse,
    available: row.available,
    waiting: row.maxQueued,
    idle: row.inactiveUse,
    borrowed: row.borrowedUse,
    reserved: row.unusedReserve,
    expiration,
    isWithheld: row.isWithheld,
    isReported: row.isReported,
  };
}
