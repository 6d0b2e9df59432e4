import type { ExpirationRecord, FeatureRecord } from '../model/records.ts';
import { recordFields } from '../query-api/records.ts';
import { RecordView } from './record-view.ts';

/** The labels that stand for a feature. */
export interface FeatureLabels {
  readonly vendorLicense: string;
  readonly feature: string;
  readonly version: string;
  readonly package: string;
  readonly featureType: string;
}

/** Known by other names in a row: its labels, whose it is, and its expiry. */
const ownNames = [
  'feature',
  'version',
  'package',
  'featureType',
  'serverName',
  'daemon',
  'licenseExpiration',
  'showExpired',
  'showWarning',
] as const satisfies readonly (keyof FeatureRecord)[];

/** From GetFeatures; `undefined` where it has no fresh record, and use that is withheld. */
type Reported = {
  readonly [K in Exclude<keyof FeatureRecord, (typeof ownNames)[number]>]: FeatureRecord[K] | undefined;
};

/** A feature by its five labels, with what is known of its use and of its expiry. */
export interface FeatureRow extends FeatureLabels, Reported {
  /** The labels as one text, unique and sortable. */
  readonly key: string;
  readonly isReported: boolean;
  readonly isWithheld: boolean;
  /** From GetExpirationFeatures, or from GetFeatures where that has none. Epoch seconds, `Infinity` for permanent. */
  readonly expiration: number | undefined;
  readonly minExpiration: number | undefined;
  readonly expired: boolean | undefined;
  readonly expirationWarning: boolean | undefined;
}

/** What a row is made from. */
export interface FeatureParts extends FeatureLabels {
  readonly key: string;
  readonly record?: FeatureRecord | undefined;
  readonly expirationRecord?: ExpirationRecord | undefined;
}

class FeatureView extends RecordView {
  readonly key: string;
  readonly vendorLicense: string;
  readonly feature: string;
  readonly version: string;
  readonly package: string;
  readonly featureType: string;
  readonly expiration: number | undefined;
  readonly minExpiration: number | undefined;
  readonly expired: boolean | undefined;
  readonly expirationWarning: boolean | undefined;

  constructor({ record, expirationRecord, ...labels }: FeatureParts, isWithheld: boolean) {
    super(record, isWithheld);
    this.key = labels.key;
    this.vendorLicense = labels.vendorLicense;
    this.feature = labels.feature;
    this.version = labels.version;
    this.package = labels.package;
    this.featureType = labels.featureType;
    this.expiration = expirationRecord?.licenseExpiration ?? record?.licenseExpiration;
    this.minExpiration = expirationRecord?.minLicenseExpiration;
    this.expired = expirationRecord?.showExpired ?? record?.showExpired;
    this.expirationWarning = expirationRecord?.showWarning ?? record?.showWarning;
  }
}
RecordView.defineFields(FeatureView, recordFields.GetFeatures, new Set(ownNames));

/** @param isWithheld whether its use is not shown */
export const createFeatureRow = (parts: FeatureParts, isWithheld: boolean): FeatureRow =>
  // the fields of GetFeatures are getters of the class
  new FeatureView(parts, isWithheld) as FeatureView & Reported;
