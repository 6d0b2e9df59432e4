import type { ExpirationRecord, FeatureRecord } from '../../src/base/model/records.ts';
import { WHOLE } from '../../src/base/model/snapshot.ts';
import { unknown } from '../../src/base/model/unknown.ts';
import { parseVendorLicense } from '../../src/base/model/vendor-license.ts';
import type { FeatureRow } from '../../src/exporter/inventory/feature-row.ts';
import { mergeExpirations, mergeFeatures } from '../../src/exporter/inventory/merge.ts';
import { createSelection, type SelectionRules } from '../../src/exporter/inventory/selection.ts';
import { createSpelling } from '../../src/exporter/inventory/spelling.ts';

/** The obvious way to derive features: it groups and merges the records of all parts. */

export type AnyRecord = FeatureRecord | ExpirationRecord;

export interface Part<R> {
  readonly part: string;
  readonly records: readonly R[];
}

export interface Poll {
  readonly features: readonly Part<FeatureRecord>[];
  readonly expirations: readonly Part<ExpirationRecord>[];
  readonly products: readonly string[];
  readonly withheld: readonly string[];
  readonly selection: SelectionRules;
}

export interface Expected {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly merged: readonly [number, number];
}

/** The values of a row that are compared. */
export const valuesOf = (row: FeatureRow) => ({
  key: row.key,
  vendorLicense: row.vendorLicense,
  feature: row.feature,
  version: row.version,
  inUse: row.inUse,
  maxAvailable: row.maxAvailable,
  mappedTo: row.mappedTo,
  isReported: row.isReported,
  isWithheld: row.isWithheld,
  expiration: row.expiration,
  minExpiration: row.minExpiration,
  expired: row.expired,
});

export function deriveSlowly({ features, expirations, products, withheld, selection }: Poll): Expected {
  const { ownsVendorLicense, ownsFeature } = createSelection(selection);
  const spell = createSpelling(products);
  const rows = new Map<
    string,
    { owner: string; labels: string[]; record?: FeatureRecord; expiry?: ExpirationRecord }
  >();
  const merged: [number, number] = [0, 0];
  const each = <R extends AnyRecord>(parts: readonly Part<R>[], add: (row: object, record: R) => boolean, i: 0 | 1) => {
    for (const { part, records } of parts) {
      for (const record of records) {
        const named =
          'serverName' in record ? parseVendorLicense(`${record.serverName};${record.daemon}`).vendorLicense : '';
        const owner = spell(part === WHOLE ? named : parseVendorLicense(part).vendorLicense);
        if (!ownsVendorLicense(owner) || !ownsFeature(record.feature)) continue;
        const labels = [owner, record.feature, record.version, record.package, record.featureType];
        const key = JSON.stringify(labels);
        const row = rows.get(key) ?? { owner, labels };
        rows.set(key, row);
        if (add(row, record)) merged[i] += 1;
      }
    }
  };
  each(
    features,
    (row: { record?: FeatureRecord }, record) => {
      const before = row.record;
      row.record = before === undefined ? record : mergeFeatures(before, record);
      return before !== undefined;
    },
    0,
  );
  each(
    expirations,
    (row: { expiry?: ExpirationRecord }, record) => {
      const before = row.expiry;
      row.expiry = before === undefined ? record : mergeExpirations(before, record);
      return before !== undefined;
    },
    1,
  );
  const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  const sorted = [...rows].sort(([a, { owner: x }], [b, { owner: y }]) => compare(x, y) || compare(a, b));
  return {
    merged,
    rows: sorted.map(([key, { owner, labels, record, expiry }]) => {
      const isWithheld = withheld.includes(owner);
      return {
        key,
        vendorLicense: owner,
        feature: labels[1],
        version: labels[2],
        inUse: (isWithheld ? undefined : record?.inUse) ?? unknown,
        maxAvailable: record?.maxAvailable ?? unknown,
        mappedTo: record?.mappedTo,
        isReported: record !== undefined,
        isWithheld,
        expiration: expiry?.licenseExpiration ?? record?.licenseExpiration ?? unknown,
        minExpiration: expiry?.minLicenseExpiration ?? unknown,
        expired: expiry?.showExpired ?? record?.showExpired,
      };
    }),
  };
}
