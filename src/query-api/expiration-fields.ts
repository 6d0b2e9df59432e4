import type { Fields } from './field.ts';

/** Section 2.4, the records of GetServerDown. */
export const serverDownFields = {
  Label: {
    type: 'text',
    meaning: 'Vendor license that sent no data for 30 minutes: server;daemon or server;daemon;part.',
    unknown: 'never',
    merge: 'none',
    isUsage: false,
    metric: 'label',
  },
} as const satisfies Fields;

/** Section 2.5, the records of GetExpirationFeatures. */
export const expirationFields = {
  Feature: {
    type: 'text',
    meaning: 'Name of the feature.',
    unknown: 'never',
    merge: 'identity',
    isUsage: false,
    metric: 'none',
  },
  Version: {
    type: 'text',
    meaning: 'Version of the feature, empty without one.',
    unknown: 'never',
    merge: 'identity',
    isUsage: false,
    metric: 'none',
  },
  Package: {
    type: 'text',
    meaning: 'Package the feature belongs to, empty without one.',
    unknown: 'never',
    merge: 'identity',
    isUsage: false,
    metric: 'none',
  },
  LicenseExpiration: {
    type: 'expiration',
    unit: 'epoch seconds',
    meaning: 'Earliest expiry of the increments; 2147483647 for permanent.',
    unknown: 'absent',
    merge: 'earliest',
    isUsage: false,
    metric: 'license_feature_expiration_timestamp_seconds',
  },
  MinLicenseExpiration: {
    type: 'expiration',
    unit: 'epoch seconds',
    meaning: 'Earliest expiry over all versions of the same feature and package.',
    unknown: 'absent',
    merge: 'earliest',
    isUsage: false,
    metric: 'license_feature_min_expiration_timestamp_seconds',
  },
  ShowExpired: {
    type: 'flag',
    meaning: 'Whether the earliest expiry has passed.',
    unknown: 'absent',
    merge: 'any',
    isUsage: false,
    metric: 'license_feature_expired',
  },
  ShowWarning: {
    type: 'flag',
    meaning: 'Whether the earliest expiry lies within 30 days.',
    unknown: 'absent',
    merge: 'any',
    isUsage: false,
    metric: 'license_feature_expiration_warning',
  },
  LicenseType: {
    type: 'text',
    meaning: 'floating, node-locked or uncounted.',
    unknown: 'never',
    merge: 'attribute',
    isUsage: false,
    metric: 'none',
  },
  FeatureType: {
    type: 'text',
    meaning: 'feature, package or component.',
    unknown: 'never',
    merge: 'identity',
    isUsage: false,
    metric: 'none',
  },
  LicenseExpirationToDate: {
    type: 'date',
    meaning: 'LicenseExpiration as /Date(ms)/.',
    unknown: 'absent',
    merge: 'attribute',
    isUsage: false,
    metric: 'none',
  },
} as const satisfies Fields;
