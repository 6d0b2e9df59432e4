import type { RecordFields, StoredValue } from './columns/record-fields.ts';
import { expirationRecords, featureRecords } from './columns/record-fields.ts';
import type { RecordStore } from './columns/record-store.ts';
import { Retired } from './columns/retired.ts';
import type { TextTable } from './columns/text-table.ts';
import type { FeatureColumns } from './feature-columns.ts';
import { createLayout, type FeatureLayout, type PartSlots, recordLabels, type Source } from './feature-layout.ts';
import { type Derived, type FeaturesRequest, hasSameOwners, type PartRecords } from './features-request.ts';
import { mergeExpirations, mergeFeatures } from './merge.ts';

/** The stores of the records. */
export interface FeatureStores {
  readonly features: RecordStore;
  readonly expirations: RecordStore;
  readonly texts: TextTable;
}

type Values = Record<string, StoredValue>;
type Merge = (a: Values, b: Values) => Values;

const mergeOf = (merge: unknown): Merge => merge as Merge;

/** The slot of each row in the records of one endpoint. */
class SlotsOfRows {
  readonly #store: RecordStore;
  readonly #texts: TextTable;
  readonly #fields: RecordFields;
  readonly #merge: Merge;
  readonly #labels: readonly number[];
  /** The records that belong to a row with several records: part and position in the part. */
  #several = new Map<number, (readonly [number, number])[]>();
  /** The merged record of such a row. */
  #merged = new Map<number, number>();
  #parts: readonly PartSlots[] = [];
  #rows: readonly Int32Array[] = [];
  /** Number of records beyond the first of their row. */
  merged = 0;

  constructor(store: RecordStore, texts: TextTable, fields: RecordFields, merge: Merge) {
    this.#store = store;
    this.#texts = texts;
    this.#fields = fields;
    this.#merge = merge;
    const names = fields.has('serverName') ? [...recordLabels, 'serverName', 'daemon'] : recordLabels;
    this.#labels = names.map((name) => store.textColumn(name));
  }

  /** Fills `slots` for a new layout. */
  place(parts: readonly PartSlots[], rows: readonly Int32Array[], slots: Int32Array): void {
    this.#dropMerged();
    this.#parts = parts;
    this.#rows = rows;
    this.merged = 0;
    const firstPart = new Int32Array(slots.length);
    const firstRecord = new Int32Array(slots.length);
    slots.fill(-1);
    for (const [p, part] of parts.entries()) {
      const rowOf = rows[p] as Int32Array;
      for (let i = 0; i < rowOf.length; i += 1) {
        const row = rowOf[i] as number;
        if (row === -1) continue;
        if (slots[row] === -1) {
          slots[row] = part.slots[i] as number;
          firstPart[row] = p;
          firstRecord[row] = i;
          continue;
        }
        this.merged += 1;
        const several = this.#several.get(row) ?? [[firstPart[row] as number, firstRecord[row] as number]];
        several.push([p, i]);
        this.#several.set(row, several);
      }
    }
    for (const row of this.#several.keys()) slots[row] = this.#mergeRow(row);
  }

  /** The records that changed: part and position; `undefined` if the layout changes too. */
  changes(parts: readonly PartSlots[]): (readonly [number, number])[] | undefined {
    const changed: (readonly [number, number])[] = [];
    for (const [p, { slots }] of parts.entries()) {
      const before = this.#parts[p]?.slots;
      if (before?.length !== slots.length) return undefined;
      for (let i = 0; i < slots.length; i += 1) {
        const [from, to] = [before[i] as number, slots[i] as number];
        if (from === to) continue;
        if (!this.#hasSameLabels(from, to)) return undefined;
        changed.push([p, i]);
      }
    }
    return changed;
  }

  /** Changes `slots` of the same layout. */
  replace(parts: readonly PartSlots[], changed: readonly (readonly [number, number])[], slots: Int32Array): void {
    this.#parts = parts;
    const again = new Set<number>();
    for (const [p, i] of changed) {
      const row = this.#rows[p]?.[i] as number;
      if (row === -1) continue;
      if (this.#several.has(row)) again.add(row);
      else slots[row] = parts[p]?.slots[i] as number;
    }
    for (const row of again) slots[row] = this.#mergeRow(row);
  }

  #hasSameLabels(a: number, b: number): boolean {
    return this.#labels.every((column) => this.#store.text(a, column) === this.#store.text(b, column));
  }

  #mergeRow(row: number): number {
    const records = (this.#several.get(row) ?? []).map(([p, i]) =>
      this.#fields.read(this.#parts[p]?.slots[i] as number, this.#store, this.#texts),
    );
    const before = this.#merged.get(row);
    const slot = this.#store.allocate();
    this.#fields.write(slot, records.reduce(this.#merge), this.#store, this.#texts);
    this.#merged.set(row, slot);
    if (before !== undefined) this.#store.release(before);
    return slot;
  }

  #dropMerged(): void {
    for (const slot of this.#merged.values()) this.#store.release(slot);
    this.#merged = new Map();
    this.#several = new Map();
  }
}

/** The arrays of a generation, which are used again when no reader can see the generation. */
type GenerationArrays = Pick<FeatureColumns, 'generation' | 'featureSlots' | 'expirationSlots' | 'withheld'>;

const sharedSlots = (count: number): Int32Array =>
  new Int32Array(new SharedArrayBuffer(count * Int32Array.BYTES_PER_ELEMENT));

/**
 * Derives the rows of features from their records. The rows are found once; as long as records change only their values,
 * which is the usual case, only the slots of the changed records are replaced.
 */
export class FeatureDerivation {
  readonly #stores: FeatureStores;
  readonly #features: SlotsOfRows;
  readonly #expirations: SlotsOfRows;
  /** Text ids of the vendor licenses of the layout. */
  #ownerIds: ReadonlyMap<string, number> = new Map();
  readonly #retiredOwners = new Retired<number>();
  #request: FeaturesRequest | undefined;
  #layout: FeatureLayout | undefined;
  #layoutNumber = 0;
  #current: FeatureColumns | undefined;
  #spare: GenerationArrays[] = [];

  constructor(stores: FeatureStores) {
    const { features, expirations, texts } = stores;
    this.#stores = stores;
    this.#features = new SlotsOfRows(features, texts, featureRecords, mergeOf(mergeFeatures));
    this.#expirations = new SlotsOfRows(expirations, texts, expirationRecords, mergeOf(mergeExpirations));
  }

  /**
   * Derives the next generation.
   *
   * @param slotsOf returns the records of a handle
   * @param oldestInUse the oldest generation that a reader still uses
   */
  derive(
    request: FeaturesRequest,
    slotsOf: (handle: number) => Uint32Array,
    oldestInUse: number,
  ): Derived<FeatureColumns> {
    const resolve = (parts: readonly PartRecords[]): readonly PartSlots[] =>
      parts.map(({ handle, ...part }) => ({ ...part, slots: slotsOf(handle) }));
    const features = resolve(request.features);
    const expirations = resolve(request.expirations);
    const before = this.#request;
    // if this derivation fails, the next one does not continue from it
    this.#request = undefined;
    const replaced = this.#replace(before, request, features, expirations, oldestInUse);
    const arrays = replaced ?? this.#place(request, features, expirations, oldestInUse);
    const { count, labels, owners } = this.#layout as FeatureLayout;
    const isWithheld = new Set(request.withheld);
    for (const { name, from, to } of owners) arrays.withheld.fill(Number(isWithheld.has(name)), from, to);
    const columns = { ...this.#stores, ...arrays, layout: this.#layoutNumber, count, labels };
    this.#finish(columns, oldestInUse);
    this.#request = request;
    return { columns, mergedFeatures: this.#features.merged, mergedExpirations: this.#expirations.merged };
  }

  /** The arrays if the layout stays; otherwise `undefined`. */
  #replace(
    before: FeaturesRequest | undefined,
    request: FeaturesRequest,
    features: readonly PartSlots[],
    expirations: readonly PartSlots[],
    oldestInUse: number,
  ): GenerationArrays | undefined {
    const current = this.#current;
    if (before === undefined || current === undefined || !hasSameParts(before, request)) return undefined;
    const changedFeatures = this.#features.changes(features);
    const changedExpirations = this.#expirations.changes(expirations);
    if (changedFeatures === undefined || changedExpirations === undefined) return undefined;
    const arrays = this.#arrays(current.count, oldestInUse);
    arrays.featureSlots.set(current.featureSlots);
    arrays.expirationSlots.set(current.expirationSlots);
    this.#features.replace(features, changedFeatures, arrays.featureSlots);
    this.#expirations.replace(expirations, changedExpirations, arrays.expirationSlots);
    return arrays;
  }

  /** The arrays of a new layout. */
  #place(
    request: FeaturesRequest,
    features: readonly PartSlots[],
    expirations: readonly PartSlots[],
    oldestInUse: number,
  ): GenerationArrays {
    const { texts } = this.#stores;
    const sources: readonly Source[] = [
      { store: this.#stores.features, fields: featureRecords, parts: features },
      { store: this.#stores.expirations, fields: expirationRecords, parts: expirations },
    ];
    const ownerIds = new Map<string, number>();
    const layout = createLayout(sources, request, texts, (name) => {
      const id = ownerIds.get(name) ?? texts.intern(name);
      ownerIds.set(name, id);
      return id;
    });
    for (const id of this.#ownerIds.values()) this.#retiredOwners.add(id);
    this.#ownerIds = ownerIds;
    this.#layout = layout;
    this.#layoutNumber += 1;
    const [featureRows = [], expirationRows = []] = layout.rows;
    const arrays = this.#arrays(layout.count, oldestInUse);
    this.#features.place(features, featureRows, arrays.featureSlots);
    this.#expirations.place(expirations, expirationRows, arrays.expirationSlots);
    return arrays;
  }

  #arrays(count: number, oldestInUse: number): GenerationArrays {
    const generation = (this.#current?.generation ?? 0) + 1;
    const free = this.#spare.filter((arrays) => arrays.generation < oldestInUse);
    this.#spare = this.#spare.filter((arrays) => arrays.generation >= oldestInUse);
    const found = free.find((arrays) => arrays.withheld.length === count);
    const { featureSlots, expirationSlots, withheld } = found ?? {
      featureSlots: sharedSlots(count),
      expirationSlots: sharedSlots(count),
      withheld: new Uint8Array(new SharedArrayBuffer(count)),
    };
    return { generation, featureSlots, expirationSlots, withheld };
  }

  /** Records that are released from now on can be seen in this generation. */
  #finish(columns: FeatureColumns, oldestInUse: number): void {
    const { features, expirations, texts } = this.#stores;
    const before = columns.generation - 1;
    for (const store of [features, expirations]) {
      store.retire(before);
      store.reclaim(oldestInUse);
    }
    this.#retiredOwners.close(before);
    for (const id of this.#retiredOwners.before(oldestInUse)) texts.release(id);
    this.#spare.push(columns);
    this.#current = columns;
  }
}

/** Whether the records have the same parts and owners, so that their rows can be the same. */
function hasSameParts(a: FeaturesRequest, b: FeaturesRequest): boolean {
  const names = ({ features, expirations }: FeaturesRequest): string =>
    JSON.stringify([features, expirations].map((parts) => parts.map(({ part, only }) => [part, only])));
  return names(a) === names(b) && hasSameOwners(a, b);
}
