import { unknown } from '../model/unknown.ts';
import type { Field, FieldType } from '../query-api/field.ts';
import { modelName, recordFields } from '../query-api/records.ts';

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
