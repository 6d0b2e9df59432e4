import type { Field, Fields, FieldType } from '../query-api/field.ts';
import { type ModelRecord, type ModelTypes, modelName } from '../query-api/records.ts';
import type { WireValues } from './wire-values.ts';

/** A record of the answer before it is checked. */
export type Raw = Readonly<Record<string, unknown>>;

/** Reads the records of one answer. `onUnknown` gets the names of fields that are not in the table. */
export type RecordReader<R> = (values: WireValues, onUnknown: (name: string) => void) => (raw: Raw) => R;

/** Readers of fields that depend on other fields. They run last, in this order. */
export type OwnReaders<R> = { readonly [K in keyof R]?: (raw: Raw, values: WireValues, record: R) => R[K] };

type Reader<T> = (values: WireValues) => (value: unknown) => T;

const scalar = (value: unknown): string | number | boolean | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;

const readersByType: { readonly [T in Exclude<FieldType, 'date'>]: Reader<ModelTypes[T]> } = {
  count: ({ count }) => count,
  quantity: ({ count }) => count,
  number: ({ number }) => number,
  time: ({ seconds }) => seconds,
  expiration: ({ expiration }) => expiration,
  text: ({ text }) => text,
  flag: ({ boolean }) => boolean,
  scalar: () => scalar,
};

const optionalText: Reader<string | undefined> = () => (value) => (typeof value === 'string' ? value : undefined);

/** The reader for the type of a field; `undefined` for a field that only repeats another. */
function readerOf({ type, unknown, metric }: Field): Reader<unknown> | undefined {
  if (type === 'date') return undefined;
  if (metric === 'label') return readersByType.text;
  return type === 'text' && unknown === 'null' ? optionalText : readersByType[type];
}

/** Creates the reader of a table's records. Each record has every field, in the order of the table. */
export function createRecordReader<F extends Fields, R extends ModelRecord<F>>(
  fields: F,
  own: NoInfer<OwnReaders<R>> = {},
): RecordReader<R> {
  const columns = Object.entries(fields).map(([wireName, field]) => ({
    wireName,
    name: modelName(wireName),
    reader: readerOf(field),
  }));
  const others = Object.entries(own) as [string, (raw: Raw, values: WireValues, record: R) => unknown][];
  return (values, onUnknown) => {
    const readers = new Map(
      columns.map(({ wireName, name, reader }) => [
        wireName,
        { name, read: Object.hasOwn(own, name) ? undefined : reader?.(values) },
      ]),
    );
    // copies of one object share its shape, which makes the records faster to use
    const empty = Object.fromEntries(
      columns.flatMap(({ name, reader }) => (reader === undefined ? [] : [[name, reader(values)(undefined)]])),
    );
    return (raw) => {
      const record: Record<string, unknown> = { ...empty };
      // iterates over the fields of the record; looking up each field of the table takes twice as long
      for (const wireName in raw) {
        const field = readers.get(wireName);
        if (field === undefined) onUnknown(wireName);
        else if (field.read !== undefined) record[field.name] = field.read(raw[wireName]);
      }
      for (const [name, read] of others) record[name] = read(raw, values, record as R);
      return record as R;
    };
  };
}
