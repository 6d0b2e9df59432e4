import type { Fields } from './field.ts';
import { anyFlag, attribute, expiry, identity } from './field.ts';

/** Section 2.4, the records of GetServerDown. */
export const serverDownFields = {
  Label: {
    isNeeded: true,
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
  Feature: { ...identity, metric: 'none', meaning: 'Name of the feature.' },
  Version: { ...identity, metric: 'none', meaning: 'Version of the feature, empty without one.' },
  Package: { ...identity, metric: 'none', meaning: 'Package the feature belongs to, empty without one.' },
  LicenseExpiration: {
    ...expiry,
    isNeeded: true,
    metric: 'license_feature_expiration_timestamp_seconds',
    help: 'Unix time of the earliest license expiration, +Inf if permanent, absent if unknown',
    meaning: 'Earliest expiry of the increments; 2147483647 for permanent.',
  },
  MinLicenseExpiration: {
    ...expiry,
    isNeeded: false,
    metric: 'license_feature_min_expiration_timestamp_seconds',
    help: 'Unix time of the earliest expiration among related licenses, +Inf if permanent, absent if unknown',
    meaning: 'Earliest expiry over all versions of the same feature and package.',
  },
  ShowExpired: {
    ...anyFlag,
    isNeeded: false,
    metric: 'license_feature_expired',
    isSparse: true,
    help: 'Whether the analyzer shows the license as expired, 1 if so',
    meaning: 'Whether the earliest expiry has passed.',
  },
  ShowWarning: {
    ...anyFlag,
    isNeeded: false,
    metric: 'license_feature_expiration_warning',
    isSparse: true,
    help: 'Whether the analyzer shows an expiration warning, 1 if so',
    meaning: 'Whether the earliest expiry lies within 30 days.',
  },
  LicenseType: { ...attribute, isNeeded: false, metric: 'none', meaning: 'floating, node-locked or uncounted.' },
  FeatureType: { ...identity, metric: 'none', meaning: 'feature, package or component.' },
  LicenseExpirationToDate: {
    isNeeded: false,
    type: 'date',
    meaning: 'LicenseExpiration as /Date(ms)/.',
    unknown: 'absent',
    merge: 'attribute',
    isUsage: false,
    metric: 'none',
  },
} as const satisfies Fields;
