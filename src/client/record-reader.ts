import type { Field, Fields, FieldType } from '../query-api/field.ts';
import { type ModelRecord, type ModelTypes, modelName } from '../query-api/records.ts';
import type { WireValues } from './wire-values.ts';

/** A record of the wire before it is checked. */
export type Raw = Readonly<Record<string, unknown>>;

/** Reads the records of one answer. */
export type RecordReader<R> = (values: WireValues) => (raw: Raw) => R;

/** Fields that take more than their own value to read. They are read last, in this order, from what was read before. */
export type OwnReaders<R> = { readonly [K in keyof R]?: (raw: Raw, values: WireValues, record: R) => R[K] };

type Reader<T> = (values: WireValues) => (value: unknown) => T;

const scalar = (value: unknown): string | number | boolean | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;

const readers: { readonly [T in Exclude<FieldType, 'date'>]: Reader<ModelTypes[T]> } = {
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

/** By its type; `undefined` for a field that only repeats another. */
function readerOf({ type, unknown, metric }: Field): Reader<unknown> | undefined {
  if (type === 'date') return undefined;
  if (metric === 'label') return readers.text;
  return type === 'text' && unknown === 'null' ? optionalText : readers[type];
}

/** Compiles the reader of a table's records. Each record has every field, in the order of the table. */
export function createRecordReader<F extends Fields, R extends ModelRecord<F>>(
  fields: F,
  own: NoInfer<OwnReaders<R>> = {},
): RecordReader<R> {
  const columns = Object.entries(fields).flatMap(([wireName, field]) => {
    const reader = readerOf(field);
    return reader === undefined ? [] : [{ wireName, name: modelName(wireName), reader }];
  });
  const simple = columns.filter(({ name }) => !Object.hasOwn(own, name));
  const others = Object.entries(own) as [string, (raw: Raw, values: WireValues, record: R) => unknown][];
  // copies of one object share its shape, which makes every use of the records faster
  const empty = Object.fromEntries(columns.map(({ name }) => [name, undefined]));
  return (values) => {
    const reads = simple.map(({ name, wireName, reader }) => ({ name, wireName, read: reader(values) }));
    return (raw) => {
      const record: Record<string, unknown> = { ...empty };
      for (const { name, wireName, read } of reads) record[name] = read(raw[wireName]);
      for (const [name, read] of others) record[name] = read(raw, values, record as R);
      return record as R;
    };
  };
}
