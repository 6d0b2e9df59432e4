import type { FeatureRow } from '../inventory/feature-row.ts';
import type { Table } from '../inventory/table.ts';
import { type Collector, catalogue, type MetricName } from './catalogue.ts';
import { createFamily, type Family, toNumber } from './family.ts';
import { buildRows, type Rows } from './rows.ts';

/** Feature metrics and the field of the record each shows. */
const fields = {
  license_feature_max_available: 'maxAvailable',
  license_feature_available: 'available',
  license_feature_in_use: 'inUse',
  license_feature_max_in_use: 'maxInUse',
  license_feature_max_queued: 'maxQueued',
  license_feature_distinct_users: 'distinctUsers',
  license_feature_active_use: 'activeUse',
  license_feature_inactive_use: 'inactiveUse',
  license_feature_max_borrowed: 'maxBorrowed',
  license_feature_borrowed_use: 'borrowedUse',
  license_feature_borrowed_active_use: 'borrowedActiveUse',
  license_feature_borrowed_inactive_use: 'borrowedInactiveUse',
  license_feature_used_reserve: 'usedReserve',
  license_feature_unused_reserve: 'unusedReserve',
  license_feature_active: 'active',
  license_feature_inactive: 'inactive',
  license_feature_borrowed_active: 'borrowedActive',
  license_feature_borrowed_inactive: 'borrowedInactive',
  license_feature_token_cost: 'tokenCostValue',
  license_feature_log_available: 'logAvailable',
  license_feature_log_in_use: 'logInUse',
  license_feature_log_unused_reserve: 'logUnusedReserve',
  license_feature_log_used_reserve: 'logUsedReserve',
  license_feature_log_queued: 'logQueued',
  license_feature_log_borrowed: 'logBorrowed',
  license_feature_log_active: 'logActive',
  license_feature_log_inactive: 'logInactive',
  license_feature_log_borrowed_active: 'logBorrowedActive',
  license_feature_log_borrowed_inactive: 'logBorrowedInactive',
} as const satisfies Partial<Record<MetricName, keyof FeatureRow>>;

/** Which metrics are exposed: the default ones and those of the collectors that are on. */
export type Enabled = Readonly<Record<Collector, boolean>>;

function isEnabled(name: MetricName, enabled: Enabled): boolean {
  const { group } = catalogue[name];
  return group === 'default' || (group !== 'alerting' && enabled[group]);
}

/** Rows kept from one rendering to the next. */
export interface FeatureRows {
  features?: Rows;
  infos?: Rows;
  expirations?: Rows;
}

/** A reader of the label values of one row. */
function labelsOf(features: Table<FeatureRow>): (row: number) => readonly string[] {
  const columns = (['vendorLicense', 'feature', 'version', 'package', 'featureType'] as const).map(features.column);
  return (row) => columns.map((read) => read(row));
}

function attributesOf(features: Table<FeatureRow>): (row: number) => readonly string[] {
  const columns = (['licenseType', 'licenseModel', 'tokenPool', 'tokenSource', 'mappedTo'] as const).map(
    features.column,
  );
  return (row) => columns.map((read) => read(row) ?? '');
}

/** Rows handled between two yields. */
const SLICE = 2000;

function* mapSliced<T>(count: number, map: (row: number) => T): Generator<void, T[]> {
  const mapped: T[] = [];
  for (let row = 0; row < count; row += 1) {
    if (mapped.push(map(row)) % SLICE === 0) yield;
  }
  return mapped;
}

/** The rows that GetFeatures reports, by their position among all. */
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
  /** Reads by the position among the reported rows. */
  const among =
    <T>(read: (row: number) => T) =>
    (row: number): T =>
      read(reported[row] as number);
  const key = among(features.column('key'));
  const labels = among(labelsOf(features));
  const attributes = among(attributesOf(features));
  const rows = yield* buildRows(
    catalogue.license_feature_max_available.labels,
    yield* mapSliced(reported.length, key),
    labels,
    kept.features,
  );
  const infos = yield* buildRows(
    catalogue.license_feature_info.labels,
    yield* mapSliced(reported.length, (row) => `${key(row)}${attributes(row).join('\n')}`),
    (row) => [...labels(row), ...attributes(row)],
    kept.infos,
  );
  kept.features = rows;
  kept.infos = infos;
  const families = Object.entries(fields)
    .filter(([name]) => isEnabled(name as MetricName, enabled))
    .map(([name, field]) => createFamily(name as MetricName, rows, among(features.column(field))));
  if (enabled.users) {
    const availableUser = among(features.column('availableUser'));
    families.push(createFamily('license_feature_user_data_available', rows, (row) => toNumber(availableUser(row))));
  }
  return [createFamily('license_feature_info', infos, () => 1), ...families];
}

/** Metrics of GetExpirationFeatures (spec 2.5), with GetFeatures to fall back on. */
export function* collectExpirations(features: Table<FeatureRow>, kept: FeatureRows): Generator<void, Family[]> {
  const rows = yield* buildRows(
    catalogue.license_feature_expiration_timestamp_seconds.labels,
    yield* mapSliced(features.count, features.column('key')),
    labelsOf(features),
    kept.expirations,
  );
  kept.expirations = rows;
  const [expired, warning] = [features.column('expired'), features.column('expirationWarning')];
  return [
    createFamily('license_feature_expiration_timestamp_seconds', rows, features.column('expiration')),
    createFamily('license_feature_min_expiration_timestamp_seconds', rows, features.column('minExpiration')),
    createFamily('license_feature_expired', rows, (row) => toNumber(expired(row))),
    createFamily('license_feature_expiration_warning', rows, (row) => toNumber(warning(row))),
  ];
}
