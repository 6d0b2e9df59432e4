import type { ExpirationRecord, FeatureRecord } from '../model/records.ts';
import { parseVendorLicense } from '../model/vendor-license.ts';
import { createFeatureRow, expiryFieldOf, type FeatureRow, usageNames } from './feature-row.ts';
import type { Inventory } from './inventory.ts';

/** Rows of an answer that is not part of the inventory, such as the features of one user, by the rules of the inventory. */

type Values = Readonly<Record<string, unknown>>;

/** @param isReported whether the record is one of GetFeatures */
function rowOf(
  record: FeatureRecord | ExpirationRecord,
  vendorLicense: string,
  isReported: boolean,
  isWithheld: boolean,
): FeatureRow {
  // an answer is not compared with another one
  const own: Values = { vendorLicense, key: '', isReported, isWithheld };
  return createFeatureRow((name) => {
    if (Object.hasOwn(own, name)) return own[name];
    if (isWithheld && usageNames.has(name)) return undefined;
    return (record as unknown as Values)[expiryFieldOf.get(name) ?? name];
  });
}

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
    return rowOf(record, vendorLicense, true, withheld.has(vendorLicense.toLowerCase()));
  });
}

/** Expiries of an answer about one vendor license, by the name that the analyzer uses for it. */
export function expirationRowsOf(product: string, records: readonly ExpirationRecord[]): readonly FeatureRow[] {
  const { vendorLicense } = parseVendorLicense(product);
  return records.map((record) => rowOf(record, vendorLicense, false, false));
}
