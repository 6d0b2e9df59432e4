import type { ExpirationRecord, FeatureRecord } from '../model/records.ts';
import { parseVendorLicense } from '../model/vendor-license.ts';
import { createFeatureRow, type FeatureRow } from './feature-row.ts';
import type { Inventory } from './inventory.ts';

/** Rows of an answer that is not part of the inventory, such as the features of one user, by the rules of the inventory. */

const labelsOf = ({ feature, version, package: pkg, featureType }: FeatureRecord | ExpirationRecord) => ({
  // an answer is not compared with another one
  key: '',
  feature,
  version,
  package: pkg,
  featureType,
});

/** Features of an answer. The usage of a vendor license that is not current is withheld, as in the inventory. */
export function featureRowsOf(inventory: Inventory, records: readonly FeatureRecord[]): readonly FeatureRow[] {
  const withheld = new Set(
    inventory.vendorLicenses
      .rows()
      .filter(({ isWithheld }) => isWithheld)
      .map(({ vendorLicense }) => vendorLicense.toLowerCase()),
  );
  return records.map((record) => {
    const vendorLicense = `${record.serverName};${record.daemon}`;
    return createFeatureRow({ ...labelsOf(record), vendorLicense, record }, withheld.has(vendorLicense.toLowerCase()));
  });
}

/** Expiries of an answer about one vendor license, by the name that the analyzer uses for it. */
export function expirationRowsOf(product: string, records: readonly ExpirationRecord[]): readonly FeatureRow[] {
  const { vendorLicense } = parseVendorLicense(product);
  return records.map((record) =>
    createFeatureRow({ ...labelsOf(record), vendorLicense, expirationRecord: record }, false),
  );
}
