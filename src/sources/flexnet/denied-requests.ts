import type { DenialCause, PoolObservation, VendorLicenseObservation } from '../../model/observation/observation.ts';
import type { Denials } from './debug-log.ts';

/**
 * Adds the denials of a debug log. A feature without any had none; which of its versions were asked for, the log does not say,
 * so the first one has them all. The log can spell a feature in other letters than lmstat.
 *
 * @param denied undefined if they are not known
 */
export function withDenials(
  observation: VendorLicenseObservation,
  denied: readonly Denials[] | undefined,
): VendorLicenseObservation {
  if (denied === undefined) return observation;
  const left = Map.groupBy(denied, ({ feature }) => feature.toLowerCase());
  const pools = observation.pools.map((pool): PoolObservation => {
    const name = pool.feature.toLowerCase();
    const found = left.get(name) ?? [];
    left.delete(name);
    const denialCauses: Partial<Record<DenialCause, number>> = {};
    for (const { cause, count } of found) {
      if (cause !== undefined) denialCauses[cause] = (denialCauses[cause] ?? 0) + count;
    }
    return { ...pool, denials: found.reduce((sum, { count }) => sum + count, 0), denialCauses };
  });
  return { ...observation, pools };
}
