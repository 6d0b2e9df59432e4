/**
 * The wire records of spec sections 2.1 to 2.5: every field with its type, as it appears in answers.
 *
 * - `seconds`: integer, epoch seconds
 * - `nan-number`: a number in whose place the bare literal `NaN` can stand
 * - `value?`: null or any value; `string?`: null or a string
 * - `date`: a string of the form `/Date(ms)/`
 */
export type FieldType =
  | 'integer'
  | 'seconds'
  | 'number'
  | 'nan-number'
  | 'string'
  | 'string?'
  | 'value?'
  | 'boolean'
  | 'date';

interface TypeOf {
  integer: number;
  seconds: number;
  number: number;
  'nan-number': number;
  string: string;
  'string?': string | null;
  'value?': string | number | boolean | null;
  boolean: boolean;
  date: string;
}

export type RecordFields = Readonly<Record<string, FieldType>>;
type WireRecord<F extends RecordFields> = { -readonly [K in keyof F]: TypeOf[F[K]] };

/** Spec 2.1. */
export const productFields = {
  CollectionTime: 'seconds',
  DistinctUsers: 'integer',
  Active: 'integer',
  Inactive: 'integer',
  Indeterminate: 'integer',
  Mapped: 'integer',
  MinLicenseExpiration: 'seconds',
  MaxAvailable: 'integer',
  Product: 'string',
  MappingIcon: 'string',
  ExpiredIcon: 'string',
  IsCurrent: 'boolean',
  LogActive: 'nan-number',
  LogInactive: 'nan-number',
} as const satisfies RecordFields;

/** Spec 2.2. */
export const featureFields = {
  Feature: 'string',
  TokenCost: 'string',
  TokenPool: 'string',
  TokenSource: 'string',
  ServerName: 'string',
  Daemon: 'string',
  LicenseExpiration: 'seconds',
  DistinctUsers: 'integer',
  MaxAvailable: 'integer',
  MaxInUse: 'integer',
  MaxBorrowed: 'integer',
  MaxQueued: 'integer',
  LicenseType: 'string',
  FeatureType: 'string',
  Version: 'string',
  LicenseModel: 'string',
  Active: 'integer',
  Inactive: 'integer',
  BorrowedActive: 'integer',
  BorrowedInactive: 'integer',
  UnusedReserve: 'integer',
  UsedReserve: 'integer',
  MappedTo: 'value?',
  TokenCostValue: 'number',
  Available: 'integer',
  InUse: 'integer',
  ActiveUse: 'integer',
  InactiveUse: 'integer',
  BorrowedUse: 'integer',
  BorrowedActiveUse: 'integer',
  BorrowedInactiveUse: 'integer',
  AvailableUser: 'boolean',
  Package: 'string',
  LogAvailable: 'nan-number',
  LogInUse: 'nan-number',
  LogUnusedReserve: 'nan-number',
  LogQueued: 'nan-number',
  LogUsedReserve: 'nan-number',
  LogBorrowed: 'nan-number',
  LogActive: 'nan-number',
  LogInactive: 'nan-number',
  LogBorrowedActive: 'nan-number',
  LogBorrowedInactive: 'nan-number',
  ShowExpired: 'boolean',
  ShowWarning: 'boolean',
} as const satisfies RecordFields;

/** Spec 2.3. */
export const userFields = {
  UserName: 'string',
  UserHost: 'string',
  UserDisplay: 'string',
  UsageTime: 'seconds',
  LicenseHandle: 'string',
  ShareHandle: 'string',
  UsedLicenses: 'integer',
  QueuedLicenses: 'integer',
  BorrowedLicenses: 'integer',
  LicenseModelStatus: 'string',
  app_status: 'value?',
  app_duration: 'value?',
  license_model: 'string',
  DisplayName: 'string?',
  Mapped: 'value?',
} as const satisfies RecordFields;

/** Spec 2.4. */
export const serverDownFields = { Label: 'string' } as const satisfies RecordFields;

/** Spec 2.5. */
export const expirationFields = {
  Feature: 'string',
  Version: 'string',
  Package: 'string',
  LicenseExpiration: 'seconds',
  MinLicenseExpiration: 'seconds',
  ShowExpired: 'boolean',
  ShowWarning: 'boolean',
  LicenseType: 'string',
  FeatureType: 'string',
  LicenseExpirationToDate: 'date',
} as const satisfies RecordFields;

/** The records that endpoints answer. */
export const recordFields = {
  GetProducts: productFields,
  GetFeatures: featureFields,
  GetUsers: userFields,
  GetServerDown: serverDownFields,
  GetExpirationFeatures: expirationFields,
} as const;

export type WireProduct = WireRecord<typeof productFields>;
export type WireFeature = WireRecord<typeof featureFields>;
export type WireUser = WireRecord<typeof userFields>;
export type WireServerDown = WireRecord<typeof serverDownFields>;
export type WireExpiration = WireRecord<typeof expirationFields>;
