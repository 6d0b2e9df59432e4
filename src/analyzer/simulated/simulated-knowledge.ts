import type { Increment, PoolObservation, VendorLicenseObservation } from '../../base/model/observation/observation.ts';
import type { Sample, Series } from '../history/sample.ts';
import { isExpired, sumLicenses } from '../history/usage.ts';

/**
 * What the analyzer knows of the simulated site: everything, or only what `lmstat -a` of FlexNet prints, without license and
 * options files.
 */
export type SimulatedKnowledge = 'full' | 'flexnet';

/** The series that history keeps of a feature of which FlexNet knows neither package nor version. */
export const asFlexNetSeries = ({ vendorLicense, feature }: Pick<Series, 'vendorLicense' | 'feature'>): Series => ({
  vendorLicense,
  feature,
  package: '',
  featureType: 'feature',
});

/** FlexNet lists only the reservations that are not in use, and no denials. */
export const asFlexNetSample = (sample: Sample): Sample => ({ ...sample, reserved: undefined, denials: undefined });

/** FlexNet prints the expiry only beside the checkouts and reservations of a feature. */
function incrementsOf(pools: readonly PoolObservation[], isPrinted: boolean, at: number): readonly Increment[] {
  const valid = pools
    .flatMap(({ increments }) => increments)
    .filter(({ expires }) => typeof expires !== 'number' || !isExpired(expires, at));
  if (isPrinted && valid.length > 0) return valid;
  return [{ count: valid.reduce((sum, { count = 0 }) => sum + count, 0), expires: 'unknown' }];
}

/** One record of all licenses of a feature: FlexNet counts them together. */
function toFeature(pools: readonly PoolObservation[], at: number): PoolObservation {
  const [{ feature, licenseType }] = pools as [PoolObservation];
  const checkouts = pools.flatMap((pool) => pool.checkouts.map((checkout) => ({ ...checkout, status: undefined })));
  const reservations = pools.flatMap((pool) => pool.reservations ?? []);
  const unusedReserve = reservations.reduce((sum, { licenses, used }) => sum + licenses - used, 0);
  return {
    feature,
    version: '',
    package: '',
    featureType: 'feature',
    licenseType,
    licenseModel: 'concurrent',
    token: 'unknown',
    increments: incrementsOf(pools, checkouts.length > 0 || unusedReserve > 0, at),
    inUse: sumLicenses(checkouts),
    reservations: undefined,
    unusedReserve,
    checkouts,
    unknownOfCheckouts: ['status'],
    // some servers print queued requests; this one does not
    queued: undefined,
    denials: undefined,
  };
}

/** What FlexNet reports about a vendor license at a time. */
export function asFlexNetKnows(
  { isKnownToBeEmpty: _, ...observation }: VendorLicenseObservation,
  at: number,
): VendorLicenseObservation {
  const features = Map.groupBy(observation.pools, ({ feature }) => feature);
  return { ...observation, pools: [...features.values()].map((pools) => toFeature(pools, at)) };
}
