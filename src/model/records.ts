/**
 * The API's records in our words: camelCase, seconds, `undefined` for a value that was missing, NaN or not usable.
 * Where each field comes from stands in `client/decode`; what it means for our own analyzer in docs/query-api.md.
 */

/** Epoch seconds of an expiry; `Infinity` for a permanent license. */
export type Expiration = number;

/** Spec 2.1, GetProducts. */
export interface ProductRecord {
  /** As the API spells it; API calls use this. */
  readonly product: string;
  /** Epoch seconds. */
  readonly collectionTime: number | undefined;
  readonly distinctUsers: number | undefined;
  readonly active: number | undefined;
  readonly inactive: number | undefined;
  readonly indeterminate: number | undefined;
  readonly mapped: number | undefined;
  readonly minLicenseExpiration: Expiration | undefined;
  readonly maxAvailable: number | undefined;
  readonly mappingIcon: string;
  readonly expiredIcon: string;
  readonly isCurrent: boolean | undefined;
  readonly logActive: number | undefined;
  readonly logInactive: number | undefined;
}

/** Spec 2.2, GetFeatures. */
export interface FeatureRecord {
  readonly feature: string;
  readonly version: string;
  readonly package: string;
  readonly featureType: string;
  readonly serverName: string;
  readonly daemon: string;
  readonly licenseType: string;
  readonly licenseModel: string;
  readonly tokenCost: string;
  readonly tokenPool: string;
  readonly tokenSource: string;
  readonly mappedTo: string;
  readonly licenseExpiration: Expiration | undefined;
  readonly distinctUsers: number | undefined;
  readonly maxAvailable: number | undefined;
  readonly maxInUse: number | undefined;
  readonly maxBorrowed: number | undefined;
  readonly maxQueued: number | undefined;
  readonly active: number | undefined;
  readonly inactive: number | undefined;
  readonly borrowedActive: number | undefined;
  readonly borrowedInactive: number | undefined;
  readonly unusedReserve: number | undefined;
  readonly usedReserve: number | undefined;
  readonly tokenCostValue: number | undefined;
  readonly available: number | undefined;
  readonly inUse: number | undefined;
  readonly activeUse: number | undefined;
  readonly inactiveUse: number | undefined;
  readonly borrowedUse: number | undefined;
  readonly borrowedActiveUse: number | undefined;
  readonly borrowedInactiveUse: number | undefined;
  readonly availableUser: boolean | undefined;
  readonly logAvailable: number | undefined;
  readonly logInUse: number | undefined;
  readonly logUnusedReserve: number | undefined;
  readonly logUsedReserve: number | undefined;
  readonly logQueued: number | undefined;
  readonly logBorrowed: number | undefined;
  readonly logActive: number | undefined;
  readonly logInactive: number | undefined;
  readonly logBorrowedActive: number | undefined;
  readonly logBorrowedInactive: number | undefined;
  readonly showExpired: boolean | undefined;
  readonly showWarning: boolean | undefined;
}

/** Spec 2.3, GetUsers. Names and hosts are personal data: never a label, never in a log. */
export interface UserRecord {
  readonly userName: string;
  readonly userHost: string;
  readonly userDisplay: string;
  /** Epoch seconds of the checkout. */
  readonly usageTime: number | undefined;
  readonly licenseHandle: string;
  readonly shareHandle: string;
  readonly usedLicenses: number | undefined;
  readonly queuedLicenses: number | undefined;
  readonly borrowedLicenses: number | undefined;
  readonly licenseModelStatus: string;
  readonly appStatus: string | number | undefined;
  /** Seconds. */
  readonly appDuration: number | undefined;
  readonly licenseModel: string;
  readonly displayName: string | undefined;
  readonly mapped: string | number | boolean | undefined;
}

/** Spec 2.4, GetServerDown. */
export interface ServerDownRecord {
  readonly label: string;
}

/** Spec 2.5, GetExpirationFeatures. */
export interface ExpirationRecord {
  readonly feature: string;
  readonly version: string;
  readonly package: string;
  readonly featureType: string;
  readonly licenseType: string;
  readonly licenseExpiration: Expiration | undefined;
  readonly minLicenseExpiration: Expiration | undefined;
  readonly showExpired: boolean | undefined;
  readonly showWarning: boolean | undefined;
}

/**
 * Why something of an answer was not taken over (metric `license_poll_discarded_values`): a value by one of the first
 * three, where `not_a_number` is also about a date that cannot be; `bad_record` a whole record that is no object or has no
 * name; `unknown_field` a field that the specification does not name, once for all records.
 */
export const discardReasons = ['nan', 'not_a_number', 'negative', 'bad_record', 'unknown_field'] as const;
export type DiscardReason = (typeof discardReasons)[number];

/** Values and records that were not taken over, by reason. */
export type Discarded = Readonly<Record<Exclude<DiscardReason, 'unknown_field'>, number>>;

/** As many names of unknown fields are kept. */
export const MAX_UNKNOWN_FIELDS = 100;

/** The good part of an answer, and what was left out of it. */
export interface Answer<T> {
  readonly records: readonly T[];
  readonly discarded: Discarded;
  /** Names of fields that the specification does not name, shortened and fit for a log; at most `MAX_UNKNOWN_FIELDS`. */
  readonly unknownFields: readonly string[];
}

/** Whether what an endpoint answers is a list of records, and not a number or a chart. */
export const isAnswer = (value: unknown): value is Answer<unknown> =>
  typeof value === 'object' && value !== null && 'discarded' in value;
