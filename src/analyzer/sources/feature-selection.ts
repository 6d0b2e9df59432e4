import type { VendorLicenseObservation } from '../../base/model/observation/observation.ts';
import type { FeatureSettings } from './source-settings.ts';

type Patterns = Pick<FeatureSettings, 'include' | 'exclude'>;

/** Whether `features.include` and `features.exclude` select a feature. */
export function isSelected(feature: string, { include, exclude }: Patterns): boolean {
  const isIn = (patterns: readonly RegExp[]): boolean => patterns.some((pattern) => feature.search(pattern) !== -1);
  return (include.length === 0 || isIn(include)) && !isIn(exclude);
}

/** Leaves out the features that the settings do not select. */
export function selectFeatures(observation: VendorLicenseObservation, patterns: Patterns): VendorLicenseObservation {
  if (patterns.include.length === 0 && patterns.exclude.length === 0) return observation;
  return { ...observation, pools: observation.pools.filter(({ feature }) => isSelected(feature, patterns)) };
}
