import { expirationRecords, featureRecords } from './columns/stored-fields.ts';
import { type FeatureColumns, labelId } from './feature-columns.ts';
import {
  createFeatureRow,
  createReaders,
  expiryFieldOf,
  type FeatureRow,
  featureLabelFields,
  type MovableRow,
  type RowReaders,
  readerOf,
  usageNames,
} from './feature-row.ts';
import type { Table } from './table.ts';

type RowValue = (row: number) => unknown;

/** All rows in one view. It is no generator, and its result is one object too: rules read a million rows in each evaluation. */
class Scan extends Iterator<FeatureRow, undefined> {
  readonly #count: number;
  readonly #view: MovableRow<number>;
  readonly #result: IteratorYieldResult<FeatureRow>;
  #row = 0;

  constructor(count: number, readers: RowReaders<number>) {
    super();
    this.#count = count;
    this.#view = createFeatureRow(readers, 0);
    this.#result = { done: false, value: this.#view };
  }

  next(): IteratorResult<FeatureRow, undefined> {
    if (this.#row >= this.#count) return { done: true, value: undefined };
    this.#view.move(this.#row);
    this.#row += 1;
    return this.#result;
  }
}

/** The features of a generation as rows. Each value is decoded when it is read. */
class FeatureTable implements Table<FeatureRow> {
  readonly #columns: FeatureColumns;
  readonly #readers: RowReaders<number>;

  constructor(columns: FeatureColumns) {
    this.#columns = columns;
    this.#readers = createReaders((name) => this.#create(name));
  }

  get count(): number {
    return this.#columns.count;
  }

  at(row: number): FeatureRow {
    if (!(row >= 0 && row < this.count)) throw new RangeError(`there is no row ${row} of ${this.count}`);
    return createFeatureRow(this.#readers, row);
  }

  column<Name extends keyof FeatureRow>(name: Name): (row: number) => FeatureRow[Name] {
    return readerOf(this.#readers, name) as (row: number) => FeatureRow[Name];
  }

  *rows(): Generator<FeatureRow, undefined> {
    for (let row = 0; row < this.count; row += 1) yield this.at(row);
  }

  scan(): IteratorObject<FeatureRow, undefined> {
    return new Scan(this.count, this.#readers);
  }

  [Symbol.iterator](): Iterator<FeatureRow> {
    return this.rows();
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
