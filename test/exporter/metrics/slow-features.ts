import { noOwners, type Owners } from '../../../src/base/model/owners.ts';
import { expiryName, type FeatureRow } from '../../../src/exporter/inventory/feature-row.ts';
import { collectGauges, createFamily, type Family, labelsOf } from '../../../src/exporter/metrics/family.ts';
import { fieldGauges } from '../../../src/exporter/metrics/field-metrics.ts';
import { attributeLabels, type Enabled, featureLabels } from '../../../src/exporter/metrics/metric.ts';
import { buildRows, type Rows } from '../../../src/exporter/metrics/rows.ts';

const reportedGauges = fieldGauges('GetFeatures');
const expiryGauges = fieldGauges('GetExpirationFeatures').map((gauge) => ({
  ...gauge,
  column: expiryName(gauge.column),
}));

type LabelsOf = (row: FeatureRow) => readonly string[];

const rowsOf = (names: readonly string[], rows: readonly FeatureRow[], labels: LabelsOf): Rows =>
  buildRows(names, rows.map(labels));

const ownerValues = (owners: Owners, { vendorLicense, feature }: FeatureRow): readonly string[] => {
  const values = owners.of(vendorLicense, feature);
  return owners.names.map((name) => values[name] ?? '');
};

/** Metrics of GetFeatures (spec 2.2). */
export function collectFeatures(
  all: readonly FeatureRow[],
  enabled: Enabled,
  owners: Owners = noOwners,
): readonly Family[] {
  const features = all.filter(({ isReported }) => isReported);
  const labels: LabelsOf = labelsOf(featureLabels);
  const attributes: LabelsOf = labelsOf(attributeLabels);
  const infos = rowsOf([...featureLabels, ...attributeLabels, ...owners.names], features, (row) => [
    ...labels(row),
    ...attributes(row),
    ...ownerValues(owners, row),
  ]);
  return [
    createFamily('license_feature_info', infos, () => 1),
    ...collectGauges(reportedGauges, enabled, features, rowsOf(featureLabels, features, labels)),
  ];
}

/** Metrics of GetExpirationFeatures (spec 2.5), or else of GetFeatures. */
export function collectExpirations(
  features: readonly FeatureRow[],
  enabled: Enabled,
  owners: Owners = noOwners,
): readonly Family[] {
  const labels: LabelsOf = labelsOf(featureLabels);
  const infos = rowsOf([...featureLabels, ...owners.names], features, (row) => [
    ...labels(row),
    ...ownerValues(owners, row),
  ]);
  return [
    createFamily('license_feature_expiration_info', infos, (row) => (features[row]?.isReported ? undefined : 1)),
    ...collectGauges(expiryGauges, enabled, features, rowsOf(featureLabels, features, labels)),
  ];
}
