import type { Field, Fields } from '../../query-api/field.ts';
import { modelName, recordFields } from '../../query-api/records.ts';
import type { Layout, RecordReader, RecordStore } from './record-store.ts';
import { type TextReader, type TextTable, UNKNOWN_TEXT } from './text-table.ts';

/** A value of a record in the model. */
export type StoredValue = number | boolean | string | undefined;

/** A column: reads the value of a slot. */
type Column = (slot: number) => StoredValue;

/** The column with the fields that the answer had for a record, as `fieldBits`. It is no field, and has no value for a merged record. */
export const PRESENT_FIELDS = 'presentFields';

const isText = ({ type, metric }: Field): boolean => type === 'text' || metric === 'label';

/** The columns of a table's records. A field that only repeats another one has no column. */
export function columnsOf(fields: Fields): Layout {
  const columns = Object.entries(fields).filter(([, { type }]) => type !== 'date');
  const namesOf = (wanted: boolean): readonly string[] =>
    columns.filter(([, field]) => isText(field) === wanted).map(([name]) => modelName(name));
  return { numbers: namesOf(false), texts: namesOf(true) };
}

/** The records of one table of fields in a store: which column has which field, and in which form. */
export class RecordFields {
  readonly layout: Layout;
  /** The fields that say which record it is. */
  readonly identity: readonly string[];
  readonly #values: Layout;
  readonly #flags: ReadonlySet<string>;

  constructor(fields: Fields) {
    this.#values = columnsOf(fields);
    this.layout = { ...this.#values, numbers: [...this.#values.numbers, PRESENT_FIELDS] };
    const flags = Object.entries(fields).filter(([, { type }]) => type === 'flag');
    this.#flags = new Set(flags.map(([name]) => modelName(name)));
    const identity = Object.entries(fields).filter(([, { merge }]) => merge === 'identity');
    this.identity = identity.map(([name]) => modelName(name));
  }

  has(name: string): boolean {
    return this.layout.numbers.includes(name) || this.layout.texts.includes(name);
  }

  /** @throws RangeError when the table has no such field */
  column(name: string, records: RecordReader, texts: TextReader): Column {
    if (this.layout.texts.includes(name)) {
      const at = records.textColumn(name);
      // many records have the same text as the one before, which is then decoded once
      let lastId = UNKNOWN_TEXT;
      let lastText: string | undefined;
      return (slot) => {
        const id = records.text(slot, at);
        if (id !== lastId) {
          lastText = id === UNKNOWN_TEXT ? undefined : texts.text(id);
          lastId = id;
        }
        return lastText;
      };
    }
    const at = records.numberColumn(name);
    const isFlag = this.#flags.has(name);
    return (slot) => {
      const value = records.number(slot, at);
      if (Number.isNaN(value)) return undefined;
      return isFlag ? value === 1 : value;
    };
  }

  /** The record in a slot, with every field of the table. */
  read(slot: number, records: RecordReader, texts: TextReader): Record<string, StoredValue> {
    const names = [...this.#values.numbers, ...this.#values.texts];
    return Object.fromEntries(names.map((name) => [name, this.column(name, records, texts)(slot)]));
  }

  /** Writes a record to a slot. Each of its texts gets a reference. */
  write(slot: number, record: Readonly<Record<string, unknown>>, store: RecordStore, texts: TextTable): void {
    const { numbers, texts: names } = this.#values;
    for (let i = 0; i < numbers.length; i += 1) {
      const value = record[numbers[i] as string];
      store.setNumber(slot, i, value === undefined ? Number.NaN : Number(value));
    }
    for (let i = 0; i < names.length; i += 1) {
      const value = record[names[i] as string];
      store.setText(slot, i, value === undefined ? UNKNOWN_TEXT : texts.intern(String(value)));
    }
  }

  /** Removes the references of a slot to its texts. */
  releaseTexts(slot: number, records: RecordReader, texts: TextTable): void {
    for (let i = 0; i < this.layout.texts.length; i += 1) texts.release(records.text(slot, i));
  }
}

/** The columns of GetFeatures. */
export const featureRecords = new RecordFields(recordFields.GetFeatures);

/** The columns of GetExpirationFeatures. */
export const expirationRecords = new RecordFields(recordFields.GetExpirationFeatures);
