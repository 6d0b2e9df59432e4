/** Relative links between the pages. Names are in the query: a proxy can change a path, and a name can contain anything. */

/** One feature of one vendor license. */
export interface FeatureName {
  readonly vendorLicense: string;
  readonly feature: string;
}

/** The page of a vendor license, relative to the pages. */
export const vendorLicenseUrl = (vendorLicense: string): string =>
  `vendor-license?${new URLSearchParams({ name: vendorLicense })}`;

/** What could come back of a feature, relative to the pages. */
export const reclaimUrl = ({ vendorLicense, feature }: FeatureName): string =>
  `reclaim?${new URLSearchParams({ vendor_license: vendorLicense, feature })}`;

/** The page of a feature, relative to the pages. */
export const featureUrl = ({ vendorLicense, feature }: FeatureName): string =>
  `feature?${new URLSearchParams({ vendor_license: vendorLicense, feature })}`;
