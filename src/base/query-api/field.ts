/**
 * The description of one field of a record. The tables of these rows are the only place where a field is described:
 * record types, decoding, merging, withholding, metrics, OpenAPI and the documentation are derived from them.
 */
export type Field = ((NumberField | TimeField | FlagField) & Shown) | TextField;

/** The fields of the records of one endpoint, by name on the wire. */
export type Fields = Readonly<Record<string, Field>>;

interface FieldOfAnyType {
  /** The meaning in the embedded analyzer. The specification does not define most meanings; other servers may differ. */
  readonly meaning: string;
  /** How an answer represents a value that the source cannot know. */
  readonly unknown: Unknown;
  /** How the values of records with the same labels are merged. */
  readonly merge: Merge;
  /** Whether it describes usage, which is withheld while the vendor license is not current. */
  readonly isUsage: boolean;
  /**
   * Whether a page, an alert or a capacity rests on it. If it is missing, only its return or `analyzer.absent_fields` ends
   * that; another field that is missing becomes normal after a week.
   */
  readonly isNeeded: boolean;
}

/** The gauge that shows it. Its help is continued by what follows from the other columns. */
type Shown =
  | {
      readonly metric: `license_${string}`;
      /** What the gauge shows. */
      readonly help: string;
      /** The setting that enables it; always shown without one. */
      readonly collector?: 'borrow' | 'reserve' | 'activity' | 'token' | 'users';
      /** That the gauge has no sample while it is 0, because another gauge says the same. */
      readonly isSparse?: true;
    }
  | {
      readonly metric: `license_${string}_log_${string}`;
      /** Without it, that it is the logarithm of the field of the same name. */
      readonly help?: string;
      readonly collector: 'log';
      readonly isSparse?: never;
    }
  | { readonly metric: 'none'; readonly help?: never; readonly collector?: never; readonly isSparse?: never };

/**
 * - `count`: a non-negative integer
 * - `quantity`: a non-negative number
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
  /** The unit of a scalar that is a number. */
  readonly unit?: Unit;
  readonly merge: 'identity' | 'attribute' | 'none';
  /** `label` if it is a label of metrics. */
  readonly metric: 'label' | 'none';
  readonly help?: never;
  readonly collector?: never;
  readonly isSparse?: never;
}

/** How a value is written on the wire. */
export type FieldType = Field['type'];

/** `log10`: the logarithm of a count. */
type Unit = 'licenses' | 'checkouts' | 'users' | 'tokens' | 'seconds' | 'epoch seconds' | 'log10';

/**
 * - `never`: every source knows it
 * - `absent`: the field is left out
 * - `NaN`: the bare literal, which is not JSON
 * - `null`
 */
type Unknown = 'never' | 'absent' | 'NaN' | 'null';

/**
 * - `identity`: the same in all of them
 * - `attribute`: all attributes are taken from one record, the first in a fixed order
 * - `sum`: unknown if one of them is unknown
 * - `peak`: the sum, an upper bound because peaks need not coincide
 * - `distinct`: the maximum, a lower bound because users may differ
 * - `maximum`, `minimum`, `all`, `any`: an unknown value is ignored
 * - `earliest`: an unknown value is ignored if the other is a date; if the other is permanent, the result is unknown
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

// What rows in the tables of features and vendor licenses have in common. A row adds its own.

/** A part of the identity of a record. */
export const identity = {
  type: 'text',
  unknown: 'never',
  merge: 'identity',
  isUsage: false,
  isNeeded: true,
  metric: 'label',
} as const;

/** A text that describes the subject of the record. */
export const attribute = {
  type: 'text',
  unknown: 'never',
  merge: 'attribute',
  isUsage: false,
  metric: 'label',
} as const;

/** Existing licenses, whether in use or not. */
export const supply = { type: 'count', unit: 'licenses', unknown: 'absent', merge: 'sum', isUsage: false } as const;

/** Licenses by their current use. */
export const licenses = { type: 'count', unit: 'licenses', unknown: 'absent', merge: 'sum', isUsage: true } as const;

/** Checkouts by their current use. */
export const checkouts = { type: 'count', unit: 'checkouts', unknown: 'absent', merge: 'sum', isUsage: true } as const;

/** The maximum number of licenses in some use since the previous collection. */
export const peak = { type: 'count', unit: 'licenses', unknown: 'absent', merge: 'peak', isUsage: true } as const;

/** Distinct users now. */
export const users = {
  type: 'count',
  unit: 'users',
  meaning: 'Users that hold a license now, names compared without case.',
  help: 'Distinct users',
  unknown: 'absent',
  merge: 'distinct',
  isUsage: true,
} as const;

/** The logarithm of a count of the same record. */
export const logarithm = {
  type: 'number',
  unit: 'log10',
  meaning: 'log10 of the field without Log; 0 for 0 and 1.',
  unknown: 'NaN',
  merge: 'maximum',
  isUsage: true,
  isNeeded: false,
  collector: 'log',
} as const;

/** When licenses expire. */
export const expiry = {
  type: 'expiration',
  unit: 'epoch seconds',
  unknown: 'absent',
  merge: 'earliest',
  isUsage: false,
} as const;

/** A flag that is true if any of the records has it. */
export const anyFlag = { type: 'flag', unknown: 'absent', merge: 'any', isUsage: false } as const;
