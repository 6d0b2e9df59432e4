import type { ExpirationRecord, FeatureRecord } from '../../base/model/records.ts';
import type { Field } from '../../base/query-api/field.ts';
import { type ModelRecord, modelName, recordFields } from '../../base/query-api/records.ts';
import { fieldsBut, missingValue, type RowValue } from './row-fields.ts';
import { isFieldWithheld } from './withholding.ts';

export interface FeatureLabels {
  readonly vendorLicense: string;
  readonly feature: string;
  readonly version: string;
  readonly package: string;
  readonly featureType: string;
}

/** The labels. */
const featureLabelFields = [
  'vendorLicense',
  'feature',
  'version',
  'package',
  'featureType',
] as const satisfies readonly (keyof FeatureLabels)[];

const expiryFields = fieldsBut(recordFields.GetExpirationFeatures, 'identity', 'attribute');
const featureFields = fieldsBut(recordFields.GetFeatures, 'identity');

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

/** From GetFeatures; not known without a fresh record, and for withheld usage. */
type Reported = { readonly [Name in keyof ReportedFields]: RowValue<ReportedFields[Name]> };

/** From GetExpirationFeatures, or else GetFeatures. Times are epoch seconds, `Infinity` for a permanent license. */
type Expiry = { readonly [Name in keyof ExpiryFields as ExpiryName<Name>]: RowValue<ExpiryFields[Name]> };

/** A feature by its five labels, with its usage and expiry as far as known. A row never changes. */
export interface FeatureRow extends FeatureLabels, Reported, Expiry {
  /** The labels as one text, unique and sortable. */
  readonly key: string;
  readonly isReported: boolean;
  readonly isWithheld: boolean;
}

/** Whether nearly all licenses of a feature are in use now; `undefined` if their share is not known, and without counted licenses. */
export type IsSaturated = (row: FeatureRow) => boolean | undefined;

/** Labels and key of a row. */
export type FeatureIdentity = FeatureLabels & Pick<FeatureRow, 'key'>;

/** The identity of the row of a record. */
export function identityOf(
  vendorLicense: string,
  { feature, version, package: pkg, featureType }: Omit<FeatureLabels, 'vendorLicense'>,
): FeatureIdentity {
  const key = JSON.stringify([vendorLicense, feature, version, pkg, featureType]);
  return { vendorLicense, feature, version, package: pkg, featureType, key };
}

/** What a row shows. */
interface FeatureParts {
  readonly labels: FeatureIdentity;
  readonly record: FeatureRecord | undefined;
  readonly expiration: ExpirationRecord | undefined;
  /** Whether the usage is withheld. */
  readonly isWithheld: boolean;
}

const reported = Object.entries<Field>(featureFields)
  .filter(([name]) => !Object.hasOwn(expiryFields, name))
  .map(([name, { isUsage }]) => ({ name: modelName(name), isUsage, missing: missingValue(modelName(name)) }));

const expiries = Object.keys(expiryFields)
  .map(modelName)
  .map((from) => ({ from, name: expiryName(from), missing: missingValue(from) }));

/** Copies of one object share its shape, which makes rows faster to use. */
const empty: Readonly<Record<string, unknown>> = Object.fromEntries(
  [...featureLabelFields, 'key', 'isReported', 'isWithheld', ...[...reported, ...expiries].map(({ name }) => name)].map(
    (name) => [name, undefined],
  ),
);

type Values = Readonly<Record<string, unknown>>;
const none: Values = {};

/** Shows the records of a feature: where one does not know a value, the other one may. */
export function createFeatureRow({ labels, record, expiration, isWithheld }: FeatureParts): FeatureRow {
  const row: Record<string, unknown> = { ...empty };
  const [ofFeature, ofExpiration] = [(record ?? none) as Values, (expiration ?? none) as Values];
  row.vendorLicense = labels.vendorLicense;
  row.feature = labels.feature;
  row.version = labels.version;
  row.package = labels.package;
  row.featureType = labels.featureType;
  row.key = labels.key;
  row.isReported = record !== undefined;
  row.isWithheld = isWithheld;
  for (const { name, isUsage, missing } of reported) {
    row[name] = isFieldWithheld(isUsage, isWithheld) ? missing : (ofFeature[name] ?? missing);
  }
  for (const { from, name, missing } of expiries) row[name] = ofExpiration[from] ?? ofFeature[from] ?? missing;
  // its names are those of the fields
  return row as unknown as FeatureRow;
}

/** The row of one record of an answer that is not part of the inventory, such as the features of one user. */
export function rowOfAnswer(
  vendorLicense: string,
  answer: Partial<Pick<FeatureParts, 'record' | 'expiration' | 'isWithheld'>>,
): FeatureRow {
  const { record, expiration, isWithheld = false } = answer;
  const unnamed = { feature: '', version: '', package: '', featureType: '' };
  const labels = identityOf(vendorLicense, record ?? expiration ?? unnamed);
  return createFeatureRow({ labels, record, expiration, isWithheld });
}
