import type { Fields, Merge } from '../query-api/field.ts';
import { modelName } from '../query-api/records.ts';

type FieldsBut<F extends Fields, M extends Merge> = {
  readonly [Name in keyof F as F[Name]['merge'] extends M ? never : Name]: F[Name];
};

/** The fields of a table without those with the given merge rules, for example those that a row has as labels. */
export function fieldsBut<F extends Fields, M extends Merge>(fields: F, ...merges: readonly M[]): FieldsBut<F, M> {
  const others = Object.entries(fields).filter(([, { merge }]) => !(merges as readonly Merge[]).includes(merge));
  return Object.fromEntries(others) as FieldsBut<F, M>;
}

/**
 * Defines a getter for each field of a table on the rows of a class. Usage fields are `undefined` while they are withheld.
 *
 * @param read reads a field of the source of a row
 * @param nameOf returns the name of a field in a row
 */
export function defineFields<Row extends { readonly isWithheld: boolean }>(
  prototype: Row,
  fields: Fields,
  read: (row: Row, name: string) => unknown,
  nameOf = (name: string): string => name,
): void {
  for (const [wireName, { isUsage }] of Object.entries(fields)) {
    const name = modelName(wireName);
    const get = function (this: Row): unknown {
      return isUsage && this.isWithheld ? undefined : read(this, name);
    };
    Object.defineProperty(prototype, nameOf(name), { get, enumerable: true });
  }
}
