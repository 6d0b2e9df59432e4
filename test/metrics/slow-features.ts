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

/** Metrics of GetFeatures (spec 2.2). */
export function collectFeatures(
  all: Table<FeatureRow>,
  enabled: Enabled,
  owners: Owners = noOwners,
): readonly Family[] {
  const features = tableOf([...all].filter(({ isReported }) => isReported));
  const labels = labelsOf(featureLabels, features);
  const attributes = labelsOf(attributeLabels, features);
  const ownersOf = ({ vendorLicense, feature }: FeatureRow): readonly string[] => {
    const values = owners.of(vendorLicense, feature);
    return owners.names.map((name) => values[name] ?? '');
  };
  const infos = rowsOf([...featureLabels, ...attributeLabels, ...owners.names], features, (row) => [
    ...labels(row),
    ...attributes(row),
    ...ownersOf(features.at(row)),
  ]);
  return [
    createFamily('license_feature_info', infos, () => 1),
    ...collectGauges(reportedGauges, enabled, features, rowsOf(featureLabels, features, labels)),
  ];
}

/** Metrics of GetExpirationFeatures (spec 2.5), or else of GetFeatures. */
export const collectExpirations = (features: Table<FeatureRow>, enabled: Enabled): readonly Family[] =>
  collectGauges(expiryGauges, enabled, features, rowsOf(featureLabels, features, labelsOf(featureLabels, features)));
