import type { ExpirationRecord, FeatureRecord } from '../model/records.ts';
import { type ModelRecord, recordFields } from '../query-api/records.ts';
import { defineFields, fieldsBut } from './record-view.ts';

/** The labels that identify a feature. */
export interface FeatureLabels {
  readonly vendorLicense: string;
  readonly feature: string;
  readonly version: string;
  readonly package: string;
  readonly featureType: string;
}

/** The labels in the order of a key. */
export const featureLabelFields = [
  'vendorLicense',
  'feature',
  'version',
  'package',
  'featureType',
] as const satisfies readonly (keyof FeatureLabels)[];

const expiryFields = fieldsBut(recordFields.GetExpirationFeatures, 'identity', 'attribute');
const featureFields = fieldsBut(recordFields.GetFeatures, 'identity');
const reportedFields = Object.fromEntries(
  Object.entries(featureFields).filter(([name]) => !Object.hasOwn(expiryFields, name)),
);

type ExpiryFields = ModelRecord<typeof expiryFields>;
type ReportedFields = Omit<ModelRecord<typeof featureFields>, keyof ExpiryFields>;

/** Fields of GetExpirationFeatures that have a different name in a row. */
const expiryNames = {
  licenseExpiration: 'expiration',
  minLicenseExpiration: 'minExpiration',
  showExpired: 'expired',
  showWarning: 'expirationWarning',
} as const satisfies Partial<Record<keyof ExpiryFields, string>>;

type ExpiryName<Name> = Name extends keyof typeof expiryNames ? (typeof expiryNames)[Name] : Name;

/** The name in a row of a field of GetExpirationFeatures. */
export function expiryName<Name extends string>(name: Name): ExpiryName<Name> {
  const names: Readonly<Record<string, string>> = expiryNames;
  return (names[name] ?? name) as ExpiryName<Name>;
}

/** From GetFeatures; `undefined` without a fresh record, and for withheld usage. */
type Reported = { readonly [Name in keyof ReportedFields]: ReportedFields[Name] | undefined };

/** From GetExpirationFeatures, or else GetFeatures. Times are epoch seconds, `Infinity` for a permanent license. */
type Expiry = { readonly [Name in keyof ExpiryFields as ExpiryName<Name>]: ExpiryFields[Name] | undefined };

/** A feature by its five labels, with its usage and expiry as far as known. */
export interface FeatureRow extends FeatureLabels, Reported, Expiry {
  /** The labels as one text, unique and sortable. */
  readonly key: string;
  readonly isReported: boolean;
  readonly isWithheld: boolean;
}

/** The sources of a row. */
export interface FeatureParts extends FeatureLabels {
  readonly key: string;
  readonly record?: FeatureRecord | undefined;
  readonly expirationRecord?: ExpirationRecord | undefined;
}

type Values = Readonly<Record<string, unknown>> | undefined;

class FeatureView implements FeatureLabels {
  readonly key: string;
  readonly vendorLicense: string;
  readonly feature: string;
  readonly version: string;
  readonly package: string;
  readonly featureType: string;
  readonly isWithheld: boolean;
  readonly #record: Values;
  readonly #expirationRecord: Values;

  constructor({ record, expirationRecord, ...labels }: FeatureParts, isWithheld: boolean) {
    this.key = labels.key;
    this.vendorLicense = labels.vendorLicense;
    this.feature = labels.feature;
    this.version = labels.version;
    this.package = labels.package;
    this.featureType = labels.featureType;
    this.isWithheld = isWithheld;
    this.#record = record as Values;
    this.#expirationRecord = expirationRecord as Values;
  }

  get isReported(): boolean {
    return this.#record !== undefined;
  }

  static {
    const { prototype } = FeatureView;
    defineFields(prototype, reportedFields, (row, name) => row.#record?.[name]);
    defineFields(
      prototype,
      expiryFields,
      (row, name) => row.#expirationRecord?.[name] ?? row.#record?.[name],
      expiryName,
    );
  }
}

/** @param isWithheld whether its usage is withheld */
export const createFeatureRow = (parts: FeatureParts, isWithheld: boolean): FeatureRow =>
  // the fields are getters of the class
  new FeatureView(parts, isWithheld) as FeatureView & FeatureRow;
