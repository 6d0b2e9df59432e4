import { unknown } from '../../base/model/unknown.ts';
import type { Field, Fields, FieldType, Merge } from '../../base/query-api/field.ts';
import { modelName, recordFields } from '../../base/query-api/records.ts';

/** Which fields of a record a row has, and what it shows for one without a value. */

type FieldsBut<F extends Fields, M extends Merge> = {
  readonly [Name in keyof F as F[Name]['merge'] extends M ? never : Name]: F[Name];
};

/** The fields of a table without those with the given merge rules, for example those that a row has as labels. */
export function fieldsBut<F extends Fields, M extends Merge>(fields: F, ...merges: readonly M[]): FieldsBut<F, M> {
  const others = Object.entries(fields).filter(([, { merge }]) => !(merges as readonly Merge[]).includes(merge));
  return Object.fromEntries(others) as FieldsBut<F, M>;
}

/** A field of a record, as a row shows it: a number is a figure, and any other value is `undefined` if it is not known. */
export type RowValue<Value> = number extends Value ? Exclude<Value, undefined> | typeof unknown : Value | undefined;

const figureTypes: ReadonlySet<FieldType> = new Set(['count', 'quantity', 'number', 'time', 'expiration']);

const figureNames: ReadonlySet<string> = new Set(
  Object.values(recordFields)
    .flatMap((fields) => Object.entries<Field>(fields))
    .filter(([, { type }]) => figureTypes.has(type))
    .map(([name]) => modelName(name)),
);

/** What a row shows for a field that has no value. @param name of the field in the model */
export const missingValue = (name: string): typeof unknown | undefined => (figureNames.has(name) ? unknown : undefined);
