import type { VendorLicenseObservation } from '../../../base/model/observation/observation.ts';
import type { Diagnostics } from '../../../base/model/observation/source.ts';
import type { SourceProblem } from '../../../base/model/observation/source-failure.ts';
import { joined } from '../lines.ts';
import type { Parsed } from '../parsed.ts';
import type { LicenseSupply } from './inventory.ts';
import type { FlexnetSettings } from './own-settings.ts';
import { suppliedPools } from './pool-observations.ts';

/**
 * What license files alone tell: capacity and expiry of each vendor daemon.
 *
 * @param at epoch seconds
 */
export function observeSupplies(
  supplies: readonly LicenseSupply[],
  { servers: [server = ''], part }: FlexnetSettings,
  at: number,
): readonly VendorLicenseObservation[] {
  const byDaemon = Map.groupBy(supplies, ({ daemon }) => daemon);
  return [...byDaemon].map(([daemon, supplied]) => {
    const byFeature = Map.groupBy(supplied, ({ feature }) => feature);
    const pools = [...byFeature].flatMap(([feature, supply]) => suppliedPools(feature, supply, at));
    return { server, daemon, part, reachable: true, pools };
  });
}

/** The reading of a source that has license files alone, with what is wrong with some of them. */
export const parsedSupplies = (
  vendorLicenses: readonly VendorLicenseObservation[],
  problems: readonly SourceProblem[],
  diagnostics: readonly Diagnostics[],
): Parsed => ({
  vendorLicenses,
  problems,
  members: [],
  referenceTime: undefined,
  diagnostics: joined(diagnostics),
});
