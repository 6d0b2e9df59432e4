import type { RecordStore } from '../columns/record-store.ts';
import { type TextTable, UNKNOWN_TEXT } from '../columns/text-table.ts';

/** A decoded record by the names of the model. */
type Values = Readonly<Record<string, string | number | boolean | undefined>>;

/** Writes records into the columns of a store. A text has a reference for each column in which it is. */
export class ColumnWriter {
  readonly #store: RecordStore;
  readonly #texts: TextTable;

  constructor(store: RecordStore, texts: TextTable) {
    this.#store = store;
    this.#texts = texts;
  }

  /** @returns the slot of the record, with one reference */
  write(record: object): number {
    const values = record as Values;
    const store = this.#store;
    const { numbers, texts } = store.layout;
    const slot = store.allocate();
    for (let column = 0; column < numbers.length; column += 1) {
      const value = values[numbers[column] as string];
      store.setNumber(slot, column, value === undefined ? Number.NaN : Number(value));
    }
    for (let column = 0; column < texts.length; column += 1) {
      const value = values[texts[column] as string];
      store.setText(slot, column, value === undefined ? UNKNOWN_TEXT : this.#texts.intern(value as string));
    }
    return slot;
  }
}
