import type { VendorLicenseObservation } from '../model/observation/observation.ts';
import type { FeatureSettings } from './source-settings.ts';

/** Leaves out the features that `features.include` and `features.exclude` do not select. */
export function selectFeatures(
  observation: VendorLicenseObservation,
  { include, exclude }: Pick<FeatureSettings, 'include' | 'exclude'>,
): VendorLicenseObservation {
  if (include.length === 0 && exclude.length === 0) return observation;
  const isSelected = ({ feature }: { readonly feature: string }): boolean =>
    (include.length === 0 || include.some((expression) => expression.test(feature))) &&
    !exclude.some((expression) => expression.test(feature));
  return { ...observation, pools: observation.pools.filter(isSelected) };
}
