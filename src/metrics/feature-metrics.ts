import type { expirationFields } from '../query-api/expiration-fields.ts';
import type { featureFields } from '../query-api/feature-fields.ts';
import { featureLabels, gauges, type MetricOf } from './metric.ts';

/** The metrics of fields of GetFeatures, in page order. */
export const featureMetrics = gauges<MetricOf<typeof featureFields>>(featureLabels, {
  license_feature_max_available: {
    group: 'default',
    help: 'Licenses available at most, absent for uncounted features, from GetFeatures.MaxAvailable.',
  },
  license_feature_available: {
    group: 'default',
    help: 'Licenses available, absent for uncounted features, from GetFeatures.Available.',
  },
  license_feature_in_use: { group: 'default', help: 'Licenses in use, from GetFeatures.InUse.' },
  license_feature_max_in_use: {
    group: 'default',
    help: 'Licenses in use at most, from GetFeatures.MaxInUse; sum of merged records, upper bound.',
  },
  license_feature_max_queued: {
    group: 'default',
    help: 'Queued license requests at most, from GetFeatures.MaxQueued; sum of merged records, upper bound.',
  },
  license_feature_distinct_users: {
    group: 'default',
    help: 'Distinct users, from GetFeatures.DistinctUsers; maximum of merged records, lower bound.',
  },
  license_feature_active_use: { group: 'default', help: 'Licenses in active use, from GetFeatures.ActiveUse.' },
  license_feature_inactive_use: {
    group: 'default',
    help: 'Licenses checked out but inactive, from GetFeatures.InactiveUse.',
  },
  license_feature_max_borrowed: {
    group: 'borrow',
    help: 'Borrowed licenses at most, from GetFeatures.MaxBorrowed; sum of merged records, upper bound.',
  },
  license_feature_borrowed_use: { group: 'borrow', help: 'Borrowed licenses in use, from GetFeatures.BorrowedUse.' },
  license_feature_borrowed_active_use: {
    group: 'borrow',
    help: 'Borrowed licenses in active use, from GetFeatures.BorrowedActiveUse.',
  },
  license_feature_borrowed_inactive_use: {
    group: 'borrow',
    help: 'Borrowed licenses not in active use, from GetFeatures.BorrowedInactiveUse.',
  },
  license_feature_used_reserve: { group: 'reserve', help: 'Reserved licenses in use, from GetFeatures.UsedReserve.' },
  license_feature_unused_reserve: {
    group: 'reserve',
    help: 'Reserved licenses not in use, from GetFeatures.UnusedReserve.',
  },
  license_feature_active: { group: 'activity', help: 'Active usage, from GetFeatures.Active.' },
  license_feature_inactive: { group: 'activity', help: 'Inactive usage, from GetFeatures.Inactive.' },
  license_feature_borrowed_active: {
    group: 'activity',
    help: 'Borrowed active usage, from GetFeatures.BorrowedActive.',
  },
  license_feature_borrowed_inactive: {
    group: 'activity',
    help: 'Borrowed inactive usage, from GetFeatures.BorrowedInactive.',
  },
  license_feature_token_cost: { group: 'token', help: 'Tokens consumed per license, from GetFeatures.TokenCostValue.' },
  license_feature_log_available: {
    group: 'log',
    help: 'log10 of Available; absent when the API reports NaN, from GetFeatures.LogAvailable.',
  },
  license_feature_log_in_use: {
    group: 'log',
    help: 'log10 of InUse; absent when the API reports NaN, from GetFeatures.LogInUse.',
  },
  license_feature_log_unused_reserve: {
    group: 'log',
    help: 'log10 of UnusedReserve; absent when the API reports NaN, from GetFeatures.LogUnusedReserve.',
  },
  license_feature_log_used_reserve: {
    group: 'log',
    help: 'log10 of UsedReserve; absent when the API reports NaN, from GetFeatures.LogUsedReserve.',
  },
  license_feature_log_queued: {
    group: 'log',
    help: 'log10 of the queued requests; absent when the API reports NaN, from GetFeatures.LogQueued.',
  },
  license_feature_log_borrowed: {
    group: 'log',
    help: 'log10 of the borrowed licenses; absent when the API reports NaN, from GetFeatures.LogBorrowed.',
  },
  license_feature_log_active: {
    group: 'log',
    help: 'log10 of Active; absent when the API reports NaN, from GetFeatures.LogActive.',
  },
  license_feature_log_inactive: {
    group: 'log',
    help: 'log10 of Inactive; absent when the API reports NaN, from GetFeatures.LogInactive.',
  },
  license_feature_log_borrowed_active: {
    group: 'log',
    help: 'log10 of BorrowedActive; absent when the API reports NaN, from GetFeatures.LogBorrowedActive.',
  },
  license_feature_log_borrowed_inactive: {
    group: 'log',
    help: 'log10 of BorrowedInactive; absent when the API reports NaN, from GetFeatures.LogBorrowedInactive.',
  },
  license_feature_user_data_available: {
    group: 'users',
    help: 'Whether user records are available, from GetFeatures.AvailableUser.',
  },
});

/** The metrics of fields of GetExpirationFeatures, in page order. */
export const expirationMetrics = gauges<MetricOf<typeof expirationFields>>(featureLabels, {
  license_feature_expiration_timestamp_seconds: {
    group: 'default',
    help: 'Unix time of the earliest license expiration, +Inf if permanent, absent if unknown, from GetExpirationFeatures.LicenseExpiration.',
  },
  license_feature_min_expiration_timestamp_seconds: {
    group: 'default',
    help: 'Unix time of the earliest expiration among related licenses, +Inf if permanent, absent if unknown, from GetExpirationFeatures.MinLicenseExpiration.',
  },
  license_feature_expired: {
    group: 'default',
    help: 'Whether the analyzer shows the license as expired, from GetExpirationFeatures.ShowExpired.',
  },
  license_feature_expiration_warning: {
    group: 'default',
    help: 'Whether the analyzer shows an expiration warning, from GetExpirationFeatures.ShowWarning.',
  },
});
