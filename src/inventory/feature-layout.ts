import { WHOLE } from '../model/snapshot.ts';
import { parseVendorLicense } from '../model/vendor-license.ts';
import type { RecordFields } from './columns/record-fields.ts';
import type { RecordStore } from './columns/record-store.ts';
import type { TextTable } from './columns/text-table.ts';
import { featureLabelFields } from './feature-row.ts';
import type { FeaturesRequest, PartRecords } from './features-request.ts';
import { createSelection, type Selection } from './selection.ts';
import { createSpelling } from './spelling.ts';

/** The records of one part, in the order of the answer. */
export interface PartSlots extends Pick<PartRecords, 'part' | 'only'> {
  readonly slots: Uint32Array;
}

/** The records of an endpoint. */
export interface Source {
  readonly store: RecordStore;
  readonly fields: RecordFields;
  readonly parts: readonly PartSlots[];
}

/** Which row each record belongs to. */
export interface FeatureLayout {
  readonly count: number;
  /** See `FeatureColumns.labels`. */
  readonly labels: Uint32Array;
  /** The vendor license of each row; rows of one vendor license are adjacent. */
  readonly owners: readonly { readonly name: string; readonly from: number; readonly to: number }[];
  /** By source, part and record: the row, or -1 if the record is not selected. */
  readonly rows: readonly (readonly Int32Array[])[];
}

/** The labels that a record has, apart from its vendor license. */
export const recordLabels = featureLabelFields.slice(1);

/** Finds the owner of each record of a part; `undefined` if the record is not part of it or not selected. */
class Owners {
  readonly #source: Source;
  readonly #texts: TextTable;
  readonly #part: PartSlots;
  readonly #resolve: (vendorLicense: string) => string | undefined;
  /** By the text ids of server and daemon. */
  readonly #known = new Map<number, string | undefined>();
  readonly #server: number;
  readonly #daemon: number;

  constructor(source: Source, texts: TextTable, part: PartSlots, resolve: (name: string) => string | undefined) {
    this.#source = source;
    this.#texts = texts;
    this.#part = part;
    this.#resolve = resolve;
    const namesOwner = source.fields.has('serverName');
    this.#server = namesOwner ? source.store.textColumn('serverName') : -1;
    this.#daemon = namesOwner ? source.store.textColumn('daemon') : -1;
  }

  of(slot: number): string | undefined {
    const { part, only } = this.#part;
    const isFixed = part !== WHOLE && only === undefined;
    const server = isFixed ? 0 : this.#source.store.text(slot, this.#server);
    const daemon = isFixed ? 0 : this.#source.store.text(slot, this.#daemon);
    const pair = server * 2 ** 26 + daemon;
    if (!this.#known.has(pair)) this.#known.set(pair, this.#find(isFixed ? part : this.#nameOf(server, daemon)));
    return this.#known.get(pair);
  }

  #nameOf(server: number, daemon: number): string {
    return `${this.#texts.string(server)};${this.#texts.string(daemon)}`;
  }

  #find(name: string): string | undefined {
    const { part, only } = this.#part;
    const { vendorLicense } = parseVendorLicense(name);
    if (only !== undefined && vendorLicense.toLowerCase() !== only) return undefined;
    return this.#resolve(part === WHOLE ? vendorLicense : parseVendorLicense(part).vendorLicense);
  }
}

/** Collects rows by their labels, in any order. */
class RowCollector {
  readonly #byKey = new Map<string, number>();
  readonly #texts: TextTable;
  readonly keys: string[] = [];
  readonly owners: string[] = [];
  /** For each of `recordLabels`, the text ids by row. */
  readonly ids: readonly number[][] = recordLabels.map(() => []);

  constructor(texts: TextTable) {
    this.#texts = texts;
  }

  /** The row with these labels. */
  of(owner: string, ids: readonly number[]): number {
    const key = JSON.stringify([owner, ...ids.map((id) => this.#texts.string(id))]);
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const row = this.keys.length;
    this.#byKey.set(key, row);
    this.keys.push(key);
    this.owners.push(owner);
    for (const [label, id] of ids.entries()) this.ids[label]?.push(id);
    return row;
  }

  /** The rows sorted by vendor license, then by key. */
  sorted(): number[] {
    const { keys, owners } = this;
    const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
    return [...keys.keys()].sort(
      (a, b) => compare(owners[a] as string, owners[b] as string) || compare(keys[a] as string, keys[b] as string),
    );
  }
}

function collect(
  source: Source,
  part: PartSlots,
  rows: RowCollector,
  owners: Owners,
  selection: Selection,
  texts: TextTable,
) {
  const columns = recordLabels.map((name) => source.store.textColumn(name));
  return Int32Array.from(part.slots, (slot) => {
    const owner = owners.of(slot);
    if (owner === undefined) return -1;
    const ids = columns.map((column) => source.store.text(slot, column));
    return selection.ownsFeature(texts.string(ids[0] as number)) ? rows.of(owner, ids) : -1;
  });
}

/**
 * Finds the rows of all records. A record of an answer for all vendor licenses belongs to the one that it names. A record
 * of an answer for one vendor license belongs to that one.
 *
 * @param ownerId returns the text id of a vendor license
 */
export function createLayout(
  sources: readonly Source[],
  request: FeaturesRequest,
  texts: TextTable,
  ownerId: (vendorLicense: string) => number,
): FeatureLayout {
  const selection = createSelection(request.selection);
  const spell = createSpelling(request.products);
  const resolve = (vendorLicense: string): string | undefined => {
    const name = spell(vendorLicense);
    return selection.ownsVendorLicense(name) ? name : undefined;
  };
  const collected = new RowCollector(texts);
  const unsorted = sources.map((source) =>
    source.parts.map((part) => {
      const owners = new Owners(source, texts, part, resolve);
      return collect(source, part, collected, owners, selection, texts);
    }),
  );
  const order = collected.sorted();
  const count = order.length;
  const position = new Int32Array(count);
  for (const [row, collectedRow] of order.entries()) position[collectedRow] = row;
  const labels = new Uint32Array(
    new SharedArrayBuffer(featureLabelFields.length * count * Uint32Array.BYTES_PER_ELEMENT),
  );
  const owners: { name: string; from: number; to: number }[] = [];
  for (const [row, from] of order.entries()) {
    const name = collected.owners[from] as string;
    const last = owners.at(-1);
    if (last?.name === name) last.to = row + 1;
    else owners.push({ name, from: row, to: row + 1 });
    labels[row] = ownerId(name);
    for (const [label, ids] of collected.ids.entries()) labels[(label + 1) * count + row] = ids[from] as number;
  }
  const rows = unsorted.map((parts) =>
    parts.map((part) => part.map((row) => (row === -1 ? -1 : (position[row] as number)))),
  );
  return { count, labels, owners, rows };
}
