import { expirationRecords, featureRecords } from './columns/record-fields.ts';
import { type FeatureColumns, labelId } from './feature-columns.ts';
import {
  createFeatureRow,
  createReaders,
  expiryFieldOf,
  type FeatureRow,
  featureLabelFields,
  type RowReaders,
  usageNames,
} from './feature-row.ts';
import { missingValue } from './row-fields.ts';

/**
 * The features of an inventory, sorted by their labels. Each value is decoded when it is read. A row can be kept: it shows the same
 * values until the table is released, and throws from then on.
 */
export interface FeatureTable extends Iterable<FeatureRow> {
  readonly count: number;
  [Symbol.iterator](): IteratorObject<FeatureRow, undefined>;
  /** Nobody may read its rows any more: their memory is used for others. */
  release(): void;
}

type RowValue = (row: number) => unknown;

/** All rows of a table. It is no generator, because that takes longer: rules read a million rows in each evaluation. */
class Rows extends Iterator<FeatureRow, undefined> {
  readonly #count: number;
  readonly #readers: RowReaders<number>;
  #row = 0;

  constructor(count: number, readers: RowReaders<number>) {
    super();
    this.#count = count;
    this.#readers = readers;
  }

  next(): IteratorResult<FeatureRow, undefined> {
    if (this.#row >= this.#count) return { done: true, value: undefined };
    const value = createFeatureRow(this.#readers, this.#row);
    this.#row += 1;
    return { done: false, value };
  }
}

/** Reads a value of any row of a table that is released. */
const readReleased: RowValue = () => {
  throw new Error('the features were released; read them in `CurrentInventory.use`');
};

/** The features of a generation as rows. */
class StoredFeatures implements FeatureTable {
  readonly #columns: FeatureColumns;
  readonly #readers: RowValue[];

  constructor(columns: FeatureColumns) {
    this.#columns = columns;
    this.#readers = createReaders((name) => this.#create(name));
  }

  get count(): number {
    return this.#columns.count;
  }

  [Symbol.iterator](): IteratorObject<FeatureRow, undefined> {
    return new Rows(this.count, this.#readers);
  }

  release(): void {
    this.#readers.fill(readReleased);
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
    const missing = missingValue(name);
    return (row) => {
      const slot = featureSlots[row] as number;
      return slot < 0 || (isUsage && withheld[row] === 1) ? missing : (read(slot) ?? missing);
    };
  }

  /** A field of GetExpirationFeatures, or else of GetFeatures. */
  #expiry(name: string): RowValue {
    const { expirations, texts, expirationSlots } = this.#columns;
    const read = expirationRecords.column(name, expirations, texts);
    const missing = missingValue(name);
    const reported = featureRecords.has(name) ? this.#reported(name) : () => missing;
    return (row) => {
      const slot = expirationSlots[row] as number;
      return (slot < 0 ? undefined : read(slot)) ?? reported(row);
    };
  }
}

/** The features of one generation, whose columns are read in place. */
export const createFeatureTable = (columns: FeatureColumns): FeatureTable => new StoredFeatures(columns);
