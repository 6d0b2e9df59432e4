import type { Fields } from './field.ts';
import { attribute, checkouts, expiry, identity, logarithm, supply, users } from './field.ts';

/** Section 2.1, the records of GetProducts. */
export const productFields = {
  CollectionTime: {
    isNeeded: true,
    type: 'time',
    unit: 'epoch seconds',
    meaning: 'Time of the last collection with data, 0 without one.',
    unknown: 'never',
    merge: 'minimum',
    isUsage: false,
    metric: 'license_vendor_license_last_collection_timestamp_seconds',
    help: 'Unix time of the last data collection, absent before the first',
  },
  DistinctUsers: { ...users, isNeeded: true, metric: 'license_vendor_license_distinct_users' },
  Active: {
    ...checkouts,
    isNeeded: false,
    metric: 'license_vendor_license_active',
    help: 'Active usage',
    meaning: 'Checkouts whose application is active.',
  },
  Inactive: {
    ...checkouts,
    isNeeded: false,
    metric: 'license_vendor_license_inactive',
    help: 'Inactive usage',
    meaning: 'Checkouts whose application is known, but not active.',
  },
  Indeterminate: {
    ...checkouts,
    isNeeded: false,
    metric: 'license_vendor_license_indeterminate',
    help: 'Indeterminate usage',
    meaning: 'Checkouts whose application status is not known.',
  },
  Mapped: {
    ...checkouts,
    isNeeded: false,
    metric: 'license_vendor_license_mapped',
    help: 'Mapped usage',
    meaning: 'Checkouts whose application status is known.',
  },
  MinLicenseExpiration: {
    ...expiry,
    isNeeded: false,
    metric: 'license_vendor_license_min_expiration_timestamp_seconds',
    help: 'Unix time of the earliest license expiration, +Inf if permanent, absent if unknown',
    meaning:
      'Earliest expiry of the increments of its features; 2147483647 for permanent, 0 before the first collection. Left out without features.',
  },
  MaxAvailable: {
    ...supply,
    isNeeded: false,
    metric: 'license_vendor_license_max_available',
    help: 'Licenses available at most, to which an analyzer may add 99999 for each uncounted feature',
    meaning: 'Sum of MaxAvailable over its counted features. Left out if all are uncounted.',
  },
  Product: { ...identity, meaning: 'Vendor license: server;daemon or server;daemon;part.' },
  MappingIcon: { ...attribute, isNeeded: true, meaning: 'ServerDown, or empty.' },
  ExpiredIcon: { ...attribute, isNeeded: false, meaning: 'Expired, Warning (within 30 days), or empty.' },
  IsCurrent: {
    isNeeded: true,
    type: 'flag',
    meaning: 'Whether the last collection with data is younger than 30 minutes.',
    unknown: 'never',
    merge: 'all',
    isUsage: false,
    metric: 'license_vendor_license_current',
    help: 'Whether the analyzer considers the data current',
  },
  LogActive: { ...logarithm, metric: 'license_vendor_license_log_active' },
  LogInactive: { ...logarithm, metric: 'license_vendor_license_log_inactive' },
} as const satisfies Fields;
