import { columnsOf } from '../../src/inventory/columns/record-fields.ts';
import { RecordStore } from '../../src/inventory/columns/record-store.ts';
import { TextTable } from '../../src/inventory/columns/text-table.ts';
import type { FeatureColumns } from '../../src/inventory/feature-columns.ts';
import { openFeatures } from '../../src/inventory/feature-columns.ts';
import {
  createFeatureRow,
  createReaders,
  expiryFieldOf,
  type FeatureLabels,
  type FeatureRow,
  featureLabelFields,
  usageNames,
} from '../../src/inventory/feature-row.ts';
import { missingValue } from '../../src/inventory/row-fields.ts';
import type { ExpirationRecord, FeatureRecord } from '../../src/model/records.ts';
import type { Fields } from '../../src/query-api/field.ts';
import { recordFields } from '../../src/query-api/records.ts';

/** A row of a generation. The same record is in the same slot in every generation. */
export interface GenerationRow extends FeatureLabels {
  readonly record?: FeatureRecord | undefined;
  readonly expirationRecord?: ExpirationRecord | undefined;
  readonly isWithheld: boolean;
}

type Values = Readonly<Record<string, unknown>>;

/** The row in the obvious way. */
export function rowOf(row: GenerationRow): FeatureRow {
  const labels = Object.fromEntries(featureLabelFields.map((name) => [name, row[name]]));
  const own: Values = { ...labels, key: JSON.stringify(Object.values(labels)), isReported: row.record !== undefined };
  const record = row.record as Values | undefined;
  const readValue = (name: string): unknown => {
    if (Object.hasOwn(own, name)) return own[name];
    if (row.isWithheld && usageNames.has(name)) return undefined;
    const expiry = expiryFieldOf.get(name);
    if (expiry === undefined) return record?.[name];
    return (row.expirationRecord as Values | undefined)?.[expiry] ?? record?.[expiry];
  };
  const readers = createReaders((name) => () => readValue(name) ?? missingValue(expiryFieldOf.get(name) ?? name));
  return createFeatureRow(readers, undefined);
}

const numberOf = (value: unknown): number => (value === undefined ? Number.NaN : Number(value));

/** Writes records into columns, as the thread that holds the data does. No slot is used again. */
export class Generations {
  readonly #texts = new TextTable();
  readonly #features = new RecordStore(columnsOf(recordFields.GetFeatures as Fields));
  readonly #expirations = new RecordStore(columnsOf(recordFields.GetExpirationFeatures as Fields));
  readonly #slots = new Map<object, number>();
  #generation = 0;

  /** @param layout another number if the labels of a row differ from the generation before */
  create(rows: readonly GenerationRow[], layout: number): FeatureColumns {
    this.#generation += 1;
    const labels = new Uint32Array(featureLabelFields.length * rows.length);
    for (const [i, name] of featureLabelFields.entries()) {
      for (const [row, parts] of rows.entries()) labels[i * rows.length + row] = this.#texts.intern(parts[name]);
    }
    const slots = (store: RecordStore, records: readonly (object | undefined)[]): Int32Array =>
      Int32Array.from(records, (record) => (record === undefined ? -1 : this.#slotOf(store, record)));
    const featureSlots = slots(
      this.#features,
      rows.map(({ record }) => record),
    );
    const expirationSlots = slots(
      this.#expirations,
      rows.map(({ expirationRecord }) => expirationRecord),
    );
    return openFeatures({
      generation: this.#generation,
      layout,
      count: rows.length,
      labels,
      featureSlots,
      expirationSlots,
      withheld: Uint8Array.from(rows, ({ isWithheld }) => Number(isWithheld)),
      features: this.#features.shared,
      expirations: this.#expirations.shared,
      texts: this.#texts.share(),
    });
  }

  #slotOf(store: RecordStore, record: object): number {
    const known = this.#slots.get(record);
    if (known !== undefined) return known;
    const slot = store.allocate();
    const values = record as Readonly<Record<string, unknown>>;
    for (const [i, name] of store.layout.numbers.entries()) store.setNumber(slot, i, numberOf(values[name]));
    for (const [i, name] of store.layout.texts.entries()) {
      const text = values[name];
      store.setText(slot, i, text === undefined ? 0 : this.#texts.intern(String(text)));
    }
    this.#slots.set(record, slot);
    return slot;
  }
}
