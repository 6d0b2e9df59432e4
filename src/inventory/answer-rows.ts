import type { ExpirationRecord, FeatureRecord } from '../model/records.ts';
import { parseVendorLicense } from '../model/vendor-license.ts';
import {
  createFeatureRow,
  createReaders,
  expiryFieldOf,
  type FeatureRow,
  type RowReader,
  usageNames,
} from './feature-row.ts';
import type { Inventory } from './inventory.ts';
import { missingValue } from './row-fields.ts';

/** Rows of an answer that is not part of the inventory, such as the features of one user, by the rules of the inventory. */

/** A record that is not compared with the other answer. */
interface AnswerRecord {
  readonly record: FeatureRecord | ExpirationRecord;
  readonly vendorLicense: string;
  /** Whether the record is one of GetFeatures. */
  readonly isReported: boolean;
  readonly isWithheld: boolean;
}

const ownReaders: Readonly<Record<string, RowReader<AnswerRecord>>> = {
  vendorLicense: ({ vendorLicense }) => vendorLicense,
  key: () => '',
  isReported: ({ isReported }) => isReported,
  isWithheld: ({ isWithheld }) => isWithheld,
};

const readers = createReaders<AnswerRecord>((name) => {
  const field = expiryFieldOf.get(name) ?? name;
  const missing = missingValue(field);
  const read = ({ record }: AnswerRecord): unknown =>
    (record as unknown as Readonly<Record<string, unknown>>)[field] ?? missing;
  return ownReaders[name] ?? (usageNames.has(name) ? (row) => (row.isWithheld ? missing : read(row)) : read);
});

/** Features of an answer. The usage of a vendor license that is not current is withheld, as in the inventory. */
export function featureRowsOf(inventory: Inventory, records: readonly FeatureRecord[]): readonly FeatureRow[] {
  const withheld = new Set(
    inventory.vendorLicenses
      .filter(({ isWithheld }) => isWithheld)
      .map(({ vendorLicense }) => vendorLicense.toLowerCase()),
  );
  return records.map((record) => {
    const vendorLicense = `${record.serverName};${record.daemon}`;
    const isWithheld = withheld.has(vendorLicense.toLowerCase());
    return createFeatureRow(readers, { record, vendorLicense, isReported: true, isWithheld });
  });
}

/** Expiries of an answer about one vendor license, by the name that the analyzer uses for it. */
export function expirationRowsOf(product: string, records: readonly ExpirationRecord[]): readonly FeatureRow[] {
  const { vendorLicense } = parseVendorLicense(product);
  return records.map((record) =>
    createFeatureRow(readers, { record, vendorLicense, isReported: false, isWithheld: false }),
  );
}
