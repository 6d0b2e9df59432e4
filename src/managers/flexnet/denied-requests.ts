import type { PoolObservation, VendorLicenseObservation } from '../../observation/observation.ts';

/**
 * Adds the denials of a debug log. A feature without any had none; which of its versions were asked for, the log does not say,
 * so the first one has them all. The log can spell a feature in other letters than lmstat.
 *
 * @param denied by feature; undefined if they are not known
 */
export function withDenials(
  observation: VendorLicenseObservation,
  denied: ReadonlyMap<string, number> | undefined,
): VendorLicenseObservation {
  if (denied === undefined) return observation;
  const left = new Map<string, number>();
  for (const [feature, count] of denied) {
    const name = feature.toLowerCase();
    left.set(name, (left.get(name) ?? 0) + count);
  }
  const pools = observation.pools.map((pool): PoolObservation => {
    const name = pool.feature.toLowerCase();
    const denials = left.get(name) ?? 0;
    left.delete(name);
    return { ...pool, denials };
  });
  return { ...observation, pools };
}
