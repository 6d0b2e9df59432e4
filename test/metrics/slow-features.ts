import { expiryName, type FeatureRow } from '../../src/inventory/feature-row.ts';
import type { Table } from '../../src/inventory/table.ts';
import { collectGauges, fieldGauges, labelsOf } from '../../src/metrics/columns.ts';
import { createFamily, type Family } from '../../src/metrics/family.ts';
import { expirationMetrics, featureMetrics } from '../../src/metrics/feature-metrics.ts';
import { attributeLabels, infoMetrics } from '../../src/metrics/info-metrics.ts';
import { type Enabled, featureLabels } from '../../src/metrics/metric.ts';
import { buildRows, type Rows } from '../../src/metrics/rows.ts';
import { recordFields } from '../../src/query-api/records.ts';

const reportedGauges = fieldGauges(recordFields.GetFeatures, featureMetrics, (name) => name);
const expiryGauges = fieldGauges(recordFields.GetExpirationFeatures, expirationMetrics, expiryName);

/** Rows that are reused by the next rendering. */
export interface FeatureRows {
  features?: Rows;
  infos?: Rows;
  expirations?: Rows;
}

/** Rows processed between two yields. */
const SLICE = 2000;

function* mapSliced<T>(count: number, map: (row: number) => T): Generator<void, T[]> {
  const mapped: T[] = [];
  for (let row = 0; row < count; row += 1) {
    if (mapped.push(map(row)) % SLICE === 0) yield;
  }
  return mapped;
}

/** The positions of the rows that GetFeatures reports. */
function* reportedRows(features: Table<FeatureRow>): Generator<void, number[]> {
  const isReported = features.column('isReported');
  const rows: number[] = [];
  for (let row = 0; row < features.count; row += 1) {
    if (isReported(row)) rows.push(row);
    if (row % SLICE === SLICE - 1) yield;
  }
  return rows;
}

/** Metrics of GetFeatures (spec 2.2). */
export function* collectFeatures(
  features: Table<FeatureRow>,
  enabled: Enabled,
  kept: FeatureRows,
): Generator<void, Family[]> {
  const reported = yield* reportedRows(features);
  const reportedRow = (row: number): number => reported[row] as number;
  /** Reads by the position among the reported rows. */
  const among =
    <T>(read: (row: number) => T) =>
    (row: number): T =>
      read(reportedRow(row));
  const key = among(features.column('key'));
  const labels = among(labelsOf(featureLabels, features));
  const attributes = among(labelsOf(attributeLabels, features));
  const rows = yield* buildRows(featureLabels, yield* mapSliced(reported.length, key), labels, kept.features);
  const infos = yield* buildRows(
    infoMetrics.license_feature_info.labels,
    yield* mapSliced(reported.length, (row) => `${key(row)}${attributes(row).join('\n')}`),
    (row) => [...labels(row), ...attributes(row)],
    kept.infos,
  );
  kept.features = rows;
  kept.infos = infos;
  return [
    createFamily('license_feature_info', infos, () => 1),
    ...collectGauges(reportedGauges, enabled, features, rows, reportedRow),
  ];
}

/** Metrics of GetExpirationFeatures (spec 2.5), or else of GetFeatures. */
export function* collectExpirations(
  features: Table<FeatureRow>,
  enabled: Enabled,
  kept: FeatureRows,
): Generator<void, Family[]> {
  const rows = yield* buildRows(
    featureLabels,
    yield* mapSliced(features.count, features.column('key')),
    labelsOf(featureLabels, features),
    kept.expirations,
  );
  kept.expirations = rows;
  return collectGauges(expiryGauges, enabled, features, rows);
}
