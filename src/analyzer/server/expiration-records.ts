import type { Collected, PoolObservation } from '../../base/model/observation/observation.ts';
import { formatDate } from '../../base/query-api/dates.ts';
import type { WireExpiration } from '../../base/query-api/records.ts';
import { filter, type Parameters } from '../history/recorded-days.ts';
import { earliestExpiry, earliestOf, isExpired, isExpiring } from '../history/usage.ts';

/** Feature types each search level of spec 4.5 covers. */
const searchLevels: readonly (readonly string[])[] = [
  ['feature'],
  ['feature', 'package'],
  ['feature', 'package', 'component'],
];

/** Spec 4.5. */
export function getExpirationFeatures(
  current: readonly Collected[],
  now: number,
  parameters: Parameters,
): WireExpiration[] {
  const isProduct = filter(parameters.product);
  const isPackage = filter(parameters.package);
  const isFeature = filter(parameters.filters);
  const types = searchLevels[Number(parameters.search ?? '0')] ?? [];
  return current
    .filter(({ name }) => isProduct(name))
    .flatMap(({ observation: { pools } }) => {
      const key = (pool: PoolObservation): string => JSON.stringify([pool.feature, pool.package]);
      const related = Map.groupBy(pools, key);
      return pools
        .filter((pool) => types.includes(pool.featureType) && isPackage(pool.package) && isFeature(pool.feature))
        .map((pool) => {
          const expiry = earliestExpiry(pool, now);
          return {
            Feature: pool.feature,
            Version: pool.version,
            Package: pool.package,
            LicenseExpiration: expiry,
            MinLicenseExpiration: earliestOf((related.get(key(pool)) ?? []).map((other) => earliestExpiry(other, now))),
            ShowExpired: expiry === undefined ? undefined : isExpired(expiry, now),
            ShowWarning: expiry === undefined ? undefined : isExpiring(expiry, now),
            LicenseType: pool.licenseType,
            FeatureType: pool.featureType,
            LicenseExpirationToDate: expiry === undefined ? undefined : formatDate(expiry * 1000),
          };
        });
    });
}
