import type { Fields, Merge } from '../query-api/field.ts';
import { modelName } from '../query-api/records.ts';

type FieldsBut<F extends Fields, M extends Merge> = {
  readonly [Name in keyof F as F[Name]['merge'] extends M ? never : Name]: F[Name];
};

/** The fields of a table without those that are merged so, such as what a row already has in its labels. */
export function fieldsBut<F extends Fields, M extends Merge>(fields: F, ...merges: readonly M[]): FieldsBut<F, M> {
  const others = Object.entries(fields).filter(([, { merge }]) => !(merges as readonly Merge[]).includes(merge));
  return Object.fromEntries(others) as FieldsBut<F, M>;
}

/**
 * Gives the rows of a class a getter for each field of a table. Fields of use are `undefined` while they are withheld.
 *
 * @param read reads a field of what a row is a view of
 * @param nameOf how a row calls a field
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
