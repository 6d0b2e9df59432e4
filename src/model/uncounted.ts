/** MaxAvailable of an uncounted license (spec 2.2). It is no number of licenses. */
export const UNCOUNTED = 99_999;

/** What shows that a feature is uncounted. */
export interface LicenseCount {
  readonly licenseType: string | undefined;
  readonly maxAvailable: number | undefined;
}

/** Whether any number of licenses can be in use. */
export const isUncounted = ({ licenseType, maxAvailable }: LicenseCount): boolean =>
  licenseType === 'uncounted' || maxAvailable === UNCOUNTED;
