import type { ModelRecord, recordFields } from '../query-api/records.ts';

/**
 * The API's records after decoding: names in camelCase, times in seconds, `undefined` for a value that is missing, NaN or
 * not usable. The tables of the contract define the fields.
 */

type RecordOf<Endpoint extends keyof typeof recordFields> = ModelRecord<(typeof recordFields)[Endpoint]>;

/** Spec 2.1, GetProducts. `product` has the spelling of the API, which API calls need. */
export interface ProductRecord extends RecordOf<'GetProducts'> {}

/** Spec 2.2, GetFeatures. */
export interface FeatureRecord extends RecordOf<'GetFeatures'> {}

/** Spec 2.3, GetUsers. Names and hosts are personal data: never a label, never in a log. */
export interface UserRecord extends RecordOf<'GetUsers'> {
  readonly appStatus: string | number | undefined;
  /** Seconds. */
  readonly appDuration: number | undefined;
}

/** Spec 2.4, GetServerDown. */
export interface ServerDownRecord extends RecordOf<'GetServerDown'> {}

/** Spec 2.5, GetExpirationFeatures. */
export interface ExpirationRecord extends RecordOf<'GetExpirationFeatures'> {}

/**
 * Why a part of an answer was discarded (metric `license_poll_discarded_values`). The first four are about values;
 * `not_a_number` includes impossible dates, `not_an_integer` is a count with a fraction or an exponent. `duplicate`: a record is equal to an
 * earlier one. `bad_record`: a record is not an object or has no name. `long_name`: a text is longer than labels are, which have a
 * part of it. `unknown_field`: a field is not in the
 * specification, counted once for all records.
 */
export const discardReasons = [
  'nan',
  'not_a_number',
  'negative',
  'not_an_integer',
  'duplicate',
  'bad_record',
  'long_name',
  'unknown_field',
] as const;
/** The name of such a reason, by the label `reason`. */
export type DiscardReason = (typeof discardReasons)[number];

/** Number of discarded values and records by reason. */
export type Discarded = Readonly<Record<Exclude<DiscardReason, 'unknown_field'>, number>>;

/** The numbers of an answer of which nothing is discarded, to be counted up. */
export const noDiscards = (): { -readonly [Reason in keyof Discarded]: number } => ({
  nan: 0,
  not_a_number: 0,
  negative: 0,
  not_an_integer: 0,
  duplicate: 0,
  bad_record: 0,
  long_name: 0,
});

/** Maximum number of names of unknown fields that are kept. */
export const MAX_UNKNOWN_FIELDS = 100;

/** The fields of the contract that at least one record of a vendor license has, with any value. */
export interface OwnerFields {
  /** As the records spell it; empty if they name none. */
  readonly owner: string;
  readonly names: readonly string[];
}

/** The good part of an answer, and what was discarded. */
export interface Answer<T> {
  readonly records: readonly T[];
  readonly discarded: Discarded;
  /** Names of fields that are not in the specification, shortened and escaped for the log; at most `MAX_UNKNOWN_FIELDS`. */
  readonly unknownFields: readonly string[];
  /** Vendor licenses of its unusable records, lower case; empty where one does not say it. Left out if all are usable. */
  readonly incomplete?: readonly string[];
  /** Left out by endpoints whose records have no field but the one that identifies them, and for what is not polled. */
  readonly fields?: readonly OwnerFields[];
}

/** Whether an answer is a list of records, not a number or a chart. */
export const isAnswer = (value: unknown): value is Answer<unknown> =>
  typeof value === 'object' && value !== null && 'discarded' in value;
