import { expirationRecords, featureRecords } from '../columns/stored-fields.ts';
import { type FeatureColumns, labelId } from './feature-columns.ts';
import { createFeatureRow, expiryFieldOf, type FeatureRow, featureLabelFields, usageNames } from './feature-row.ts';
import type { Table } from './table.ts';

type RowValue = (row: number) => unknown;

/** The features of a generation as rows. Each value is decoded when it is read. */
class FeatureTable implements Table<FeatureRow> {
  readonly #columns: FeatureColumns;
  readonly #readers = new Map<string, RowValue>();

  constructor(columns: FeatureColumns) {
    this.#columns = columns;
  }

  get count(): number {
    return this.#columns.count;
  }

  at(row: number): FeatureRow {
    if (!(row >= 0 && row < this.count)) throw new RangeError(`there is no row ${row} of ${this.count}`);
    return createFeatureRow((name) => this.#reader(name)(row));
  }

  column<Name extends keyof FeatureRow>(name: Name): (row: number) => FeatureRow[Name] {
    return this.#reader(name) as (row: number) => FeatureRow[Name];
  }

  *rows(): Generator<FeatureRow, undefined> {
    for (let row = 0; row < this.count; row += 1) yield this.at(row);
  }

  *scan(): Generator<FeatureRow, undefined> {
    let row = 0;
    const view = createFeatureRow((name) => this.#reader(name)(row));
    for (; row < this.count; row += 1) yield view;
  }

  [Symbol.iterator](): Iterator<FeatureRow> {
    return this.rows();
  }

  #reader(name: string): RowValue {
    let reader = this.#readers.get(name);
    if (reader === undefined) {
      reader = this.#create(name);
      this.#readers.set(name, reader);
    }
    return reader;
  }

  #create(name: string): RowValue {
    const label = (featureLabelFields as readonly string[]).indexOf(name);
    if (label !== -1) return this.#label(label);
    const { featureSlots, withheld } = this.#columns;
    if (name === 'key') {
      const labels = featureLabelFields.map((_, i) => this.#label(i));
      return (row) => JSON.stringify(labels.map((read) => read(row)));
    }
    if (name === 'isReported') return (row) => (featureSlots[row] as number) >= 0;
    if (name === 'isWithheld') return (row) => withheld[row] === 1;
    const expiry = expiryFieldOf.get(name);
    return expiry === undefined ? this.#reported(name) : this.#expiry(expiry);
  }

  /** Neighbouring rows often have the same text, which is then decoded once. */
  #label(label: number): (row: number) => string {
    const columns = this.#columns;
    let lastId: number | undefined;
    let lastText = '';
    return (row) => {
      const id = labelId(columns, label, row);
      if (id !== lastId) {
        lastText = columns.texts.text(id);
        lastId = id;
      }
      return lastText;
    };
  }

  /** A field of GetFeatures. */
  #reported(name: string): RowValue {
    const { features, texts, featureSlots, withheld } = this.#columns;
    const read = featureRecords.column(name, features, texts);
    const isUsage = usageNames.has(name);
    return (row) => {
      const slot = featureSlots[row] as number;
      return slot < 0 || (isUsage && withheld[row] === 1) ? undefined : read(slot);
    };
  }

  /** A field of GetExpirationFeatures, or else of GetFeatures. */
  #expiry(name: string): RowValue {
    const { expirations, texts, expirationSlots } = this.#columns;
    const read = expirationRecords.column(name, expirations, texts);
    const reported = featureRecords.has(name) ? this.#reported(name) : () => undefined;
    return (row) => {
      const slot = expirationSlots[row] as number;
      return (slot < 0 ? undefined : read(slot)) ?? reported(row);
    };
  }
}

export const createFeatureTable = (columns: FeatureColumns): Table<FeatureRow> => new FeatureTable(columns);
