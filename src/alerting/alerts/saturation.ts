import { isKnown, shareOf } from '../../base/model/unknown.ts';
import type { IsSaturated } from '../../exporter/inventory/feature-row.ts';
import { createLookup } from './alert-settings.ts';
import type { RuleSettings } from './rules.ts';

/**
 * The condition of LicenseFeatureSaturated on the usage of now, for what counts and marks saturated features. It does not depend on
 * whether the alert is enabled.
 */
export function createSaturation(rules: Pick<RuleSettings, 'LicenseFeatureSaturated'>): IsSaturated {
  const settingsOf = createLookup(rules.LicenseFeatureSaturated);
  return (row) => {
    const { inUse, maxAvailable } = row;
    const share = shareOf(inUse, maxAvailable);
    if (!isKnown(share) || !isKnown(maxAvailable)) return undefined;
    const { raise, minLicenses } = settingsOf(row);
    return maxAvailable >= minLicenses && share >= raise;
  };
}
