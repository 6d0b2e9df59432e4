import { expiryName, type FeatureRow } from '../../src/inventory/feature-row.ts';
import { type Table, tableOf } from '../../src/inventory/table.ts';
import { collectGauges, fieldGauges, labelsOf } from '../../src/metrics/columns.ts';
import { createFamily, type Family } from '../../src/metrics/family.ts';
import { expirationMetrics, featureMetrics } from '../../src/metrics/feature-metrics.ts';
import { attributeLabels } from '../../src/metrics/info-metrics.ts';
import { type Enabled, featureLabels } from '../../src/metrics/metric.ts';
import { buildRows, type Rows } from '../../src/metrics/rows.ts';
import { noOwners, type Owners } from '../../src/model/owners.ts';
import { recordFields } from '../../src/query-api/records.ts';

const reportedGauges = fieldGauges(recordFields.GetFeatures, featureMetrics, (name) => name);
const expiryGauges = fieldGauges(recordFields.GetExpirationFeatures, expirationMetrics, expiryName);

const rowsOf = (names: readonly string[], table: Table<FeatureRow>, labels: (row: number) => readonly string[]): Rows =>
  buildRows(
    names,
    Array.from({ length: table.count }, (_, row) => labels(row)),
  );

const ownerValues = (owners: Owners, { vendorLicense, feature }: FeatureRow): readonly string[] => {
  const values = owners.of(vendorLicense, feature);
  return owners.names.map((name) => values[name] ?? '');
};

/** Metrics of GetFeatures (spec 2.2). */
export function collectFeatures(
  all: Table<FeatureRow>,
  enabled: Enabled,
  owners: Owners = noOwners,
): readonly Family[] {
  const features = tableOf([...all].filter(({ isReported }) => isReported));
  const labels = labelsOf(featureLabels, features);
  const attributes = labelsOf(attributeLabels, features);
  const infos = rowsOf([...featureLabels, ...attributeLabels, ...owners.names], features, (row) => [
    ...labels(row),
    ...attributes(row),
    ...ownerValues(owners, features.at(row)),
  ]);
  return [
    createFamily('license_feature_info', infos, () => 1),
    ...collectGauges(reportedGauges, enabled, features, rowsOf(featureLabels, features, labels)),
  ];
}

/** Metrics of GetExpirationFeatures (spec 2.5), or else of GetFeatures. */
export function collectExpirations(
  features: Table<FeatureRow>,
  enabled: Enabled,
  owners: Owners = noOwners,
): readonly Family[] {
  const labels = labelsOf(featureLabels, features);
  const infos = rowsOf([...featureLabels, ...owners.names], features, (row) => [
    ...labels(row),
    ...ownerValues(owners, features.at(row)),
  ]);
  return [
    createFamily('license_feature_expiration_info', infos, (row) => (features.at(row).isReported ? undefined : 1)),
    ...collectGauges(expiryGauges, enabled, features, rowsOf(featureLabels, features, labels)),
  ];
}
