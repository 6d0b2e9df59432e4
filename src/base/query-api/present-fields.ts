import type { Fields } from './field.ts';

/**
 * Which fields of a table a record has, with any values: one bit for each field, in a number that is exact up to
 * 2 ** 53. Tables have at most 53 fields.
 */

/** The bit of each field. @throws RangeError for a table with too many fields */
export function fieldBits(fields: Fields): ReadonlyMap<string, number> {
  const names = Object.keys(fields);
  if (names.length > 53) throw new RangeError('a table has more fields than a number has bits');
  return new Map(names.map((name, i) => [name, 2 ** i]));
}

const HIGH = 2 ** 32;

/** The bits of either number. */
export const unionOfBits = (a: number, b: number): number =>
  a === b ? a : ((a / HIGH) | (b / HIGH)) * HIGH + ((a | b) >>> 0);

/** The fields of these bits, in the order of the table. */
export function fieldsOfBits(fields: Fields, bits: number): readonly string[] {
  return Object.keys(fields).filter((_, i) => Math.floor(bits / 2 ** i) % 2 === 1);
}
