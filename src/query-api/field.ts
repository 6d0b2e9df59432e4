/**
 * What one field of a record is. The tables made of these rows are the one place where a field is described: decoding,
 * merging, withholding, metrics, OpenAPI and the documentation follow from them.
 */
export interface Field {
  readonly type: FieldType;
  /** Of a number. */
  readonly unit?: Unit;
  /** What the embedded analyzer means by it. The specification leaves most meanings open; other servers may differ. */
  readonly meaning: string;
  /** How an answer shows that a source cannot know the value. */
  readonly unknown: Unknown;
  /** How the values of records with the same labels become one. */
  readonly merge: Merge;
  /** Whether it is withheld while the vendor license is not current, because it describes use that is out of date. */
  readonly isUsage: boolean;
  /** The gauge that shows it; `label` where it is a label of metrics. */
  readonly metric: `license_${string}` | 'label' | 'none';
}

export type Fields = Readonly<Record<string, Field>>;

/**
 * - `count`: an integer that is not negative
 * - `quantity`: a number that is not negative
 * - `time`: epoch seconds, an integer, 0 for never
 * - `expiration`: epoch seconds, an integer; a far or non-positive one is permanent
 * - `scalar`: a string, a number or a boolean
 * - `date`: a string of the form `/Date(ms)/`
 */
export type FieldType = 'count' | 'quantity' | 'number' | 'time' | 'expiration' | 'text' | 'flag' | 'scalar' | 'date';

export type Unit = 'licenses' | 'checkouts' | 'users' | 'tokens' | 'seconds' | 'epoch seconds';

/**
 * - `never`: every source knows it
 * - `absent`: the field is left out
 * - `NaN`: the bare literal, which is not JSON
 * - `null`
 */
export type Unknown = 'never' | 'absent' | 'NaN' | 'null';

/**
 * - `identity`: the same in all of them
 * - `attribute`: that of one record, the first in a fixed order; attributes are not mixed
 * - `sum`: unknown when one of them is
 * - `peak`: the sum, an upper bound because peaks need not coincide
 * - `distinct`: the maximum, a lower bound because users may differ
 * - `maximum`, `minimum`, `all`, `any`: an unknown value is ignored
 * - `earliest`: an unknown value is ignored beside a date, and makes the result unknown beside a permanent one
 * - `none`: the records are never merged
 */
export type Merge =
  | 'identity'
  | 'attribute'
  | 'sum'
  | 'peak'
  | 'distinct'
  | 'maximum'
  | 'minimum'
  | 'all'
  | 'any'
  | 'earliest'
  | 'none';

export const LOGARITHM = 'log10 of the plain value of the same name, 0 for 0 and 1; NaN when the value is not known.';
