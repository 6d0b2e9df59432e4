import type {
  expirationFields,
  featureFields,
  productFields,
  recordFields,
  serverDownFields,
  userFields,
} from './records.ts';

/**
 * What the embedded analyzer means by each field. The specification names them and leaves most meanings open; other servers
 * may mean otherwise, and the client does not rely on this.
 */

type Meanings<F> = Readonly<Record<keyof F, string>>;

const LOGARITHM = 'log10 of the plain value of the same name, 0 for 0 and 1; NaN when the value is not known.';

const productMeanings: Meanings<typeof productFields> = {
  CollectionTime: 'Time of the last collection with data, 0 without one.',
  DistinctUsers: 'Users that hold a license now, names compared without case.',
  Active: 'Checkouts whose application is active.',
  Inactive: 'Checkouts whose application is known, but not active.',
  Indeterminate: 'Checkouts whose application status is not known.',
  Mapped: 'Checkouts whose application status is known.',
  MinLicenseExpiration:
    'Earliest expiry of the increments of its features; 2147483647 for permanent, 0 before the first collection.',
  MaxAvailable: 'Sum of MaxAvailable over its features.',
  Product: 'Vendor license: server;daemon or server;daemon;part.',
  MappingIcon: 'ServerDown, or empty.',
  ExpiredIcon: 'Expired, Warning (within 30 days), or empty.',
  IsCurrent: 'Whether the last collection with data is younger than 30 minutes.',
  LogActive: LOGARITHM,
  LogInactive: LOGARITHM,
};

const featureMeanings: Meanings<typeof featureFields> = {
  Feature: 'Name of the feature.',
  TokenCost: 'Tokens a license costs, as text; empty without tokens.',
  TokenPool: 'Feature whose licenses are the tokens; empty without tokens.',
  TokenSource: 'Vendor license of the token pool; empty without tokens.',
  ServerName: 'Server of the vendor license.',
  Daemon: 'Daemon of the vendor license.',
  LicenseExpiration: 'Earliest expiry of the increments, the last second of the local day; 2147483647 for permanent.',
  DistinctUsers: 'Users that hold a license now, names compared without case.',
  MaxAvailable: 'Licenses of all increments that have not expired; 99999 for uncounted ones.',
  MaxInUse: 'Most licenses in use since the previous collection; the number now for a source that sees moments.',
  MaxBorrowed: 'Most licenses borrowed since the previous collection; the number now for a source that sees moments.',
  MaxQueued: 'Most licenses waited for since the previous collection; the number now for a source that sees moments.',
  LicenseType: 'floating, node-locked or uncounted.',
  FeatureType: 'feature, package or component.',
  Version: 'Version of the feature, empty without one.',
  LicenseModel: 'concurrent, token or named.',
  Active: 'Checkouts whose application is active.',
  Inactive: 'Checkouts whose application is known, but not active.',
  BorrowedActive: 'Borrowed checkouts whose application is active.',
  BorrowedInactive: 'Borrowed checkouts whose application is known, but not active.',
  UnusedReserve: 'Reserved licenses that are not in use.',
  UsedReserve: 'Reserved licenses in use.',
  MappedTo: 'Application the feature belongs to, or null.',
  TokenCostValue: 'Tokens a license costs, 0 without tokens.',
  Available: 'Licenses anyone could check out now: MaxAvailable - InUse - UnusedReserve, at least 0.',
  InUse: 'Licenses checked out, borrowed ones included, unused reservations not.',
  ActiveUse: 'Licenses held by checkouts whose application is active.',
  InactiveUse: 'Licenses held by checkouts whose application is known, but not active.',
  BorrowedUse: 'Licenses borrowed.',
  BorrowedActiveUse: 'Licenses borrowed by checkouts whose application is active.',
  BorrowedInactiveUse: 'Licenses borrowed by checkouts whose application is known, but not active.',
  AvailableUser: 'Whether GetUsers has records of it now.',
  Package: 'Package the feature belongs to, empty without one.',
  LogAvailable: LOGARITHM,
  LogInUse: LOGARITHM,
  LogUnusedReserve: LOGARITHM,
  LogQueued: 'log10 of MaxQueued, 0 for 0 and 1.',
  LogUsedReserve: LOGARITHM,
  LogBorrowed: 'log10 of BorrowedUse, 0 for 0 and 1.',
  LogActive: LOGARITHM,
  LogInactive: LOGARITHM,
  LogBorrowedActive: LOGARITHM,
  LogBorrowedInactive: LOGARITHM,
  ShowExpired: 'Whether the earliest expiry has passed.',
  ShowWarning: 'Whether the earliest expiry lies within 30 days.',
};

const userMeanings: Meanings<typeof userFields> = {
  UserName: 'User that holds or waits for licenses.',
  UserHost: 'Host of the user.',
  UserDisplay: 'Display of the user; empty for one that waits.',
  UsageTime: 'Time of the checkout, or since when the user waits.',
  LicenseHandle: 'Handle of the checkout, the text undef without one.',
  ShareHandle: 'Handle of what is shared, the text undef without one.',
  UsedLicenses: 'Licenses held.',
  QueuedLicenses: 'Licenses waited for.',
  BorrowedLicenses: 'Licenses borrowed.',
  LicenseModelStatus: 'active, inactive, borrowed or queued.',
  app_status: '0 inactive, 1 active, 2 suspended, 3 terminated, 4 blocked; null when not known.',
  app_duration: 'Seconds in that status; null when not known.',
  license_model: 'concurrent, token or named.',
  DisplayName: 'Full name of the user, or null.',
  Mapped: 'Application the feature belongs to, or null.',
};

const serverDownMeanings: Meanings<typeof serverDownFields> = {
  Label: 'Vendor license that sent no data for 30 minutes: server;daemon or server;daemon;part.',
};

const expirationMeanings: Meanings<typeof expirationFields> = {
  Feature: 'Name of the feature.',
  Version: 'Version of the feature, empty without one.',
  Package: 'Package the feature belongs to, empty without one.',
  LicenseExpiration: 'Earliest expiry of the increments; 2147483647 for permanent.',
  MinLicenseExpiration: 'Earliest expiry over all versions of the same feature and package.',
  ShowExpired: 'Whether the earliest expiry has passed.',
  ShowWarning: 'Whether the earliest expiry lies within 30 days.',
  LicenseType: 'floating, node-locked or uncounted.',
  FeatureType: 'feature, package or component.',
  LicenseExpirationToDate: 'LicenseExpiration as /Date(ms)/.',
};

/** By endpoint. */
export const recordMeanings = {
  GetProducts: productMeanings,
  GetFeatures: featureMeanings,
  GetUsers: userMeanings,
  GetServerDown: serverDownMeanings,
  GetExpirationFeatures: expirationMeanings,
} as const satisfies Readonly<Record<keyof typeof recordFields, object>>;
