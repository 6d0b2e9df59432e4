import type { Field } from '../query-api/field.ts';
import { type ModelRecord, modelName, recordFields } from '../query-api/records.ts';
import type { RowValue } from './row-fields.ts';
import { fieldsBut } from './row-fields.ts';

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

/** From GetFeatures; not known without a fresh record, and for withheld usage. */
type Reported = { readonly [Name in keyof ReportedFields]: RowValue<ReportedFields[Name]> };

/** From GetExpirationFeatures, or else GetFeatures. Times are epoch seconds, `Infinity` for a permanent license. */
type Expiry = { readonly [Name in keyof ExpiryFields as ExpiryName<Name>]: RowValue<ExpiryFields[Name]> };

/** A feature by its five labels, with its usage and expiry as far as known. */
export interface FeatureRow extends FeatureLabels, Reported, Expiry {
  /** The labels as one text, unique and sortable. */
  readonly key: string;
  readonly isReported: boolean;
  readonly isWithheld: boolean;
}

/** The names of the fields in a row that GetFeatures has and GetExpirationFeatures has not. */
const reportedNames: readonly string[] = Object.keys(reportedFields).map(modelName);

/** The fields of GetExpirationFeatures by their name in a row. */
export const expiryFieldOf: ReadonlyMap<string, string> = new Map(
  Object.keys(expiryFields)
    .map(modelName)
    .map((name) => [expiryName(name), name]),
);

const usage = Object.entries<Field>(recordFields.GetFeatures).filter(([, { isUsage }]) => isUsage);

/** The names of the fields that are withheld with the usage. */
export const usageNames: ReadonlySet<string> = new Set(usage.map(([name]) => modelName(name)));

/** The names of all values of a row. */
const rowNames: readonly string[] = [
  ...featureLabelFields,
  'key',
  'isReported',
  'isWithheld',
  ...reportedNames,
  ...expiryFieldOf.keys(),
];

/** Reads one value of a row from its source. */
export type RowReader<Source> = (source: Source) => unknown;

/** A reader of each value of a row. */
export type RowReaders<Source> = readonly RowReader<Source>[];

/** A reader for each value of a row. @param create makes the one of a name */
export const createReaders = <Source>(create: (name: string) => RowReader<Source>): RowReader<Source>[] =>
  rowNames.map(create);

/** A row whose values are read when they are needed. Each getter knows the place of its reader, which needs no search. */
class FeatureView<Source> {
  readonly #readers: RowReaders<Source>;
  readonly #source: Source;

  constructor(readers: RowReaders<Source>, source: Source) {
    this.#readers = readers;
    this.#source = source;
  }

  static {
    for (const [at, name] of rowNames.entries()) {
      const get = function (this: FeatureView<unknown>): unknown {
        return (this.#readers[at] as RowReader<unknown>)(this.#source);
      };
      Object.defineProperty(FeatureView.prototype, name, { get, enumerable: true });
    }
  }
}

/** A row that always shows the same source. */
export const createFeatureRow = <Source>(readers: RowReaders<Source>, source: Source): FeatureRow =>
  // its properties are getters of the class
  new FeatureView(readers, source) as unknown as FeatureRow;
