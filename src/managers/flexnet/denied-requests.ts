import type { PoolObservation, VendorLicenseObservation } from '../../observation/observation.ts';

/**
 * Adds the denials of a debug log. A feature without any had none; which of its versions were asked for, the log does not say,
 * so the first one has them all.
 *
 * @param denied by feature; undefined if they are not known
 */
export function withDenials(
  observation: VendorLicenseObservation,
  denied: ReadonlyMap<string, number> | undefined,
): VendorLicenseObservation {
  if (denied === undefined) return observation;
  const left = new Map(denied);
  const pools = observation.pools.map((pool): PoolObservation => {
    const denials = left.get(pool.feature) ?? 0;
    left.delete(pool.feature);
    return { ...pool, denials };
  });
  return { ...observation, pools };
}
