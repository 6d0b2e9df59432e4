/**
 * What one field of a record is. The tables made of these rows are the one place where a field is described: records in
 * our words, decoding, merging, withholding, metrics, OpenAPI and the documentation follow from them.
 */
export type Field = NumberField | TimeField | FlagField | TextField;

export type Fields = Readonly<Record<string, Field>>;

interface FieldOfAnyType {
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

/**
 * - `count`: an integer that is not negative
 * - `quantity`: a number that is not negative
 */
interface NumberField extends FieldOfAnyType {
  readonly type: 'count' | 'quantity' | 'number';
  readonly unit: Exclude<Unit, 'epoch seconds'>;
  readonly merge: 'sum' | 'peak' | 'distinct' | 'maximum' | 'minimum' | 'none';
}

/**
 * - `time`: epoch seconds, an integer, 0 for never
 * - `expiration`: epoch seconds, an integer; a far or non-positive one is permanent
 */
interface TimeField extends FieldOfAnyType {
  readonly type: 'time' | 'expiration';
  readonly unit: 'epoch seconds';
  readonly merge: 'earliest' | 'maximum' | 'minimum' | 'none';
}

interface FlagField extends FieldOfAnyType {
  readonly type: 'flag';
  readonly unit?: never;
  readonly merge: 'all' | 'any' | 'none';
}

/**
 * - `scalar`: a string, a number or a boolean
 * - `date`: a string of the form `/Date(ms)/` that repeats the field before it
 */
interface TextField extends FieldOfAnyType {
  readonly type: 'text' | 'scalar' | 'date';
  /** Of a scalar that is a number. */
  readonly unit?: Unit;
  readonly merge: 'identity' | 'attribute' | 'none';
  readonly metric: 'label' | 'none';
}

export type FieldType = Field['type'];

/** `log10`: the logarithm of a count. */
export type Unit = 'licenses' | 'checkouts' | 'users' | 'tokens' | 'seconds' | 'epoch seconds' | 'log10';

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
