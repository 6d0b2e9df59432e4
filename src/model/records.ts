import type { ModelRecord, recordFields } from '../query-api/records.ts';

/**
 * The API's records in our words: camelCase, seconds, `undefined` for a value that was missing, NaN or not usable. Their
 * fields are those of the contract's tables, which say what each means.
 */

type RecordOf<Endpoint extends keyof typeof recordFields> = ModelRecord<(typeof recordFields)[Endpoint]>;

/** Spec 2.1, GetProducts. `product` is as the API spells it; API calls use this. */
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
