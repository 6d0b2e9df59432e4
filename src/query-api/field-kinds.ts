/** Common properties of rows in the tables of features and vendor licenses. A row adds its own. */

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
  meaning: 'log10 of the plain value of the same name, 0 for 0 and 1; NaN when the value is not known.',
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
