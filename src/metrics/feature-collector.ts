import type { FeatureEntry } from '../inventory/feature-entries.ts';
import type { FeatureRecord } from '../model/records.ts';
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
} as const satisfies Partial<Record<MetricName, keyof FeatureRecord>>;

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

const labels = (entry: FeatureEntry): readonly string[] => [
  entry.vendorLicense,
  entry.feature,
  entry.version,
  entry.package,
  entry.featureType,
];

type Recorded = FeatureEntry & { readonly record: FeatureRecord };
const isRecorded = (entry: FeatureEntry): entry is Recorded => entry.record !== undefined;

const attributes = ({ record }: Recorded): readonly string[] => [
  record.licenseType,
  record.licenseModel,
  record.tokenPool,
  record.tokenSource,
  record.mappedTo,
];

/** Items mapped between two yields. */
const SLICE = 2000;

function* mapSliced<A, B>(items: readonly A[], map: (item: A) => B): Generator<void, B[]> {
  const mapped: B[] = [];
  for (const item of items) {
    if (mapped.push(map(item)) % SLICE === 0) yield;
  }
  return mapped;
}

/** Metrics of GetFeatures (spec 2.2). */
export function* collectFeatures(
  entries: readonly FeatureEntry[],
  enabled: Enabled,
  kept: FeatureRows,
): Generator<void, Family[]> {
  const recorded = entries.filter(isRecorded);
  const at = (row: number): Recorded | undefined => recorded[row];
  const names = catalogue.license_feature_max_available.labels;
  const rows = yield* buildRows(
    names,
    yield* mapSliced(recorded, ({ key }) => key),
    (row) => labels(recorded[row] as Recorded),
    kept.features,
  );
  const infos = yield* buildRows(
    catalogue.license_feature_info.labels,
    yield* mapSliced(recorded, (entry) => `${entry.key}${attributes(entry).join('\n')}`),
    (row) => [...labels(recorded[row] as Recorded), ...attributes(recorded[row] as Recorded)],
    kept.infos,
  );
  kept.features = rows;
  kept.infos = infos;
  const families = Object.entries(fields)
    .filter(([name]) => isEnabled(name as MetricName, enabled))
    .map(([name, field]) => createFamily(name as MetricName, rows, (row) => at(row)?.record[field]));
  if (enabled.users) {
    const value = (row: number) => toNumber(at(row)?.record.availableUser);
    families.push(createFamily('license_feature_user_data_available', rows, value));
  }
  return [createFamily('license_feature_info', infos, () => 1), ...families];
}

/** Metrics of GetExpirationFeatures (spec 2.5), with GetFeatures to fall back on. */
export function* collectExpirations(entries: readonly FeatureEntry[], kept: FeatureRows): Generator<void, Family[]> {
  const at = (row: number): FeatureEntry | undefined => entries[row];
  const rows = yield* buildRows(
    catalogue.license_feature_expiration_timestamp_seconds.labels,
    yield* mapSliced(entries, ({ key }) => key),
    (row) => labels(entries[row] as FeatureEntry),
    kept.expirations,
  );
  kept.expirations = rows;
  return [
    createFamily('license_feature_expiration_timestamp_seconds', rows, (row) => at(row)?.expiration),
    createFamily('license_feature_min_expiration_timestamp_seconds', rows, (row) => at(row)?.minExpiration),
    createFamily('license_feature_expired', rows, (row) => toNumber(at(row)?.expired)),
    createFamily('license_feature_expiration_warning', rows, (row) => toNumber(at(row)?.expirationWarning)),
  ];
}
