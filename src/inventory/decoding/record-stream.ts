import type { QueryError } from '../../model/failure.ts';
import { type Discarded, noDiscards } from '../../model/records.ts';
import type { EndpointName } from '../../query-api/endpoints.ts';
import { readJson } from '../../query-api/json.ts';
import { expirationRecords, featureRecords, PRESENT_FIELDS, type RecordFields } from '../columns/record-fields.ts';
import type { RecordStore } from '../columns/record-store.ts';
import type { TextTable } from '../columns/text-table.ts';
import { ArrayBody } from './array-body.ts';
import { ByteHash, MIN_HASHED } from './byte-hash.ts';
import type { ByteWindow } from './byte-window.ts';
import { decodeAnswer } from './decode.ts';
import { createUnknownFields } from './field-names.ts';
import { ItemList } from './item-list.ts';
import type { Item, ItemReceiver } from './item-splitter.ts';
import type { JsonLimits } from './json-scan.ts';
import { indexItems, PreviousItems } from './previous-items.ts';
import { noUsableRecord, RecordDecoder } from './record-decoder.ts';
import { expirations, features, type RecordKind } from './record-kinds.ts';
import { type ItemTraits, type StoredItems, type StoredRecords, valueReasons } from './stored-records.ts';

/** The endpoints whose records are stored in columns. */
export type StoredEndpoint = 'GetFeatures' | 'GetExpirationFeatures';

interface RecordStreamOptions {
  readonly endpoint: StoredEndpoint;
  readonly store: RecordStore;
  readonly texts: TextTable;
  /** A license that expires at this time or later is permanent, epoch seconds. */
  readonly permanentAfter: number;
  readonly limits: JsonLimits;
  /** The previous answer to the same question, in the same store, not released yet. */
  readonly previous: StoredRecords | undefined;
}

const OPEN_OBJECT = 0x7b;

/** How the records of an endpoint are decoded, and whether they are in arrays in the array. */
interface StoredKind {
  readonly kind: RecordKind<object>;
  readonly fields: RecordFields;
  readonly isNested: boolean;
}

const endpoints: Readonly<Record<StoredEndpoint, StoredKind>> = {
  GetFeatures: { kind: features, fields: featureRecords, isNested: true },
  GetExpirationFeatures: { kind: expirations, fields: expirationRecords, isNested: false },
};

/** Whether the records of an endpoint are kept in columns. */
export const isStored = (endpoint: EndpointName): endpoint is StoredEndpoint => Object.hasOwn(endpoints, endpoint);

/**
 * Releases the records whose bytes are those of an earlier record of the answer: the analyzer wrote it twice, and adding
 * the two up would count its licenses twice. They are not compared with the next answer, because one slot has room for
 * 65,535 references only.
 *
 * It takes 3 ms for 100,000 records.
 *
 * @returns the number of these records
 */
function dropDuplicates(items: StoredItems, store: RecordStore): number {
  let duplicates = 0;
  indexItems(items, (at) => {
    store.release(items.slots[at] as number);
    items.slots[at] = -1;
    items.lengths[at] = 0;
    duplicates += 1;
  });
  return duplicates;
}

/**
 * Decodes an answer while its bytes arrive, with the same result as `decodeAnswer` of the whole body.
 *
 * It is fast because records seldom change between two polls. A record with the same bytes as in the previous answer keeps
 * its slot, and is neither scanned nor parsed: its bytes are only hashed, at the memory's speed. The other records are
 * decoded one by one by the code of `decodeAnswer`, so that the objects of only one record exist at a time.
 */
export class RecordStream {
  readonly #options: RecordStreamOptions;
  readonly #kind: RecordKind<object>;
  readonly #body: ArrayBody;
  readonly #decoder: RecordDecoder<object>;
  readonly #previous: PreviousItems | undefined;
  readonly #decodedAs: string;
  /** The column of the fields that a record has. */
  readonly #present: number;
  readonly #unknownFields = createUnknownFields();
  /** Of the records that were taken over. */
  readonly #discarded = noDiscards();
  readonly #hash = new ByteHash();
  /** Bytes of the present item in `#hash`. */
  #hashed = 0;
  #items: ItemList;
  /** The records that are too short for a hash. */
  readonly #short = new Set<string>();
  /** Names of unknown fields of the present record. */
  #names: string[] = [];
  #lastTraits: ItemTraits | undefined;
  /** The error to report if no record is usable. */
  #badFirst: QueryError | undefined;

  constructor(options: RecordStreamOptions) {
    const { endpoint, permanentAfter, limits, previous } = options;
    const { kind, isNested } = endpoints[endpoint];
    this.#options = options;
    this.#present = options.store.numberColumn(PRESENT_FIELDS);
    this.#kind = kind;
    this.#decodedAs = [endpoint, permanentAfter, limits.depth].join();
    const isComparable = previous?.items.decodedAs === this.#decodedAs;
    this.#previous = isComparable ? new PreviousItems(previous.items) : undefined;
    this.#items = new ItemList(this.#previous?.count ?? 0);
    this.#decoder = new RecordDecoder(kind, permanentAfter, (name) => this.#names.push(name));
    this.#body = new ArrayBody(isNested, limits, this.#receiver());
  }

  /**
   * Takes the next bytes of the body, and may change them. A record with a syntax error is reported by `end`.
   *
   * @throws QueryError as soon as the answer exceeds a limit
   */
  write(chunk: Buffer): void {
    this.#body.write(chunk);
  }

  /** The body is complete. @throws QueryError of kind `parse`, `schema` or `too_large` when the answer is not usable */
  end(): StoredRecords {
    const other = this.#body.end();
    // what is not an array has an error of its own
    if (other !== undefined) decodeAnswer(this.#options.endpoint, other, this.#options.permanentAfter);
    if (this.#items.usable === 0 && this.#badFirst !== undefined) throw this.#badFirst;
    const items = this.#items.finish(this.#decodedAs);
    this.#decoder.countDuplicates(dropDuplicates(items, this.#options.store));
    const records = {
      slots: Uint32Array.from(items.slots.filter((slot) => slot !== -1)),
      discarded: this.#totals(),
      unknownFields: this.#unknownFields.names(),
      incomplete: [...this.#decoder.incomplete],
      kept: new Map<number, number>(),
      items,
    };
    this.#items = new ItemList(0);
    return records;
  }

  /** Releases the records of an answer that does not end, or is not usable. */
  abort(): void {
    for (const slot of this.#items.slots()) this.#options.store.release(slot);
    this.#items = new ItemList(0);
  }

  #receiver(): ItemReceiver {
    const previous = this.#previous;
    return {
      get expectedLength() {
        return previous === undefined ? 0 : previous.expectedLength;
      },
      takeOver: (window, from, depth) => this.#takeOver(window, from, depth),
      take: (window, item) => this.#take(window, item),
    };
  }

  #takeOver({ view }: ByteWindow, from: number, depth: number): ItemTraits | undefined {
    const previous = this.#previous as PreviousItems;
    this.#hashed = previous.expectedLength;
    this.#hash.update(view, from, from + this.#hashed, depth);
    const at = previous.takeExpected(this.#hash);
    return at === -1 ? undefined : this.#keep(previous, at);
  }

  #take(window: ByteWindow, item: Item): boolean {
    const { from, to, depth } = item;
    const isHashed = window.bytes[from] === OPEN_OBJECT && to - from >= MIN_HASHED;
    if (isHashed) {
      if (this.#hashed !== to - from) this.#hash.update(window.view, from, to, depth);
      this.#hashed = to - from;
      const at = this.#previous?.takeAny(this.#hash, this.#hashed) ?? -1;
      if (at !== -1) {
        this.#keep(this.#previous as PreviousItems, at);
        return true;
      }
    }
    this.#previous?.skip();
    const isJson = this.#decode(window.bytes.subarray(from, to), item, isHashed);
    this.#hashed = 0;
    return isJson;
  }

  /** Takes over a record of the previous answer. @returns what is known of its structure */
  #keep(previous: PreviousItems, at: number): ItemTraits {
    const slot = previous.slot(at);
    const traits = previous.traits(at);
    this.#options.store.retain(slot);
    this.#items.addHashed(slot, this.#hashed, this.#hash, traits);
    this.#hashed = 0;
    for (const reason of valueReasons) this.#discarded[reason] += traits.discarded[reason];
    if (traits !== this.#lastTraits) traits.unknownFields.forEach(this.#unknownFields.add);
    this.#lastTraits = traits;
    return traits;
  }

  /** @returns whether the item is JSON */
  #decode(bytes: Buffer, { items, members }: Item, isHashed: boolean): boolean {
    let raw: unknown;
    try {
      // a byte order mark is only allowed at the beginning of the body
      if (bytes[0] === 0xef) return false;
      raw = readJson(bytes);
    } catch {
      return false;
    }
    const before = { ...this.#decoder.discarded };
    this.#names = [];
    const record = this.#decoder.decode(raw);
    const names = this.#names;
    names.forEach(this.#unknownFields.add);
    if (record === undefined) {
      if (this.#items.count === 0) this.#badFirst = noUsableRecord(this.#kind, raw);
      this.#items.add(-1);
      return true;
    }
    if (!isHashed) {
      this.#addShort(record, JSON.stringify(raw));
      return true;
    }
    const slot = this.#write(record);
    const after = this.#decoder.discarded;
    const discarded = noDiscards();
    for (const reason of valueReasons) discarded[reason] = after[reason] - before[reason];
    this.#items.addHashed(slot, this.#hashed, this.#hash, { items, members, discarded, unknownFields: names });
    return true;
  }

  /** Adds a record that is too short for a hash. */
  #addShort(record: object, text: string): void {
    if (this.#short.has(text)) {
      this.#decoder.countDuplicates(1);
      this.#items.add(-1);
      return;
    }
    this.#short.add(text);
    this.#items.add(this.#write(record));
  }

  /** Writes the record that was decoded last. */
  #write(record: object): number {
    const { endpoint, store, texts } = this.#options;
    const slot = store.allocate();
    endpoints[endpoint].fields.write(slot, record as Readonly<Record<string, unknown>>, store, texts);
    store.setNumber(slot, this.#present, this.#decoder.present);
    return slot;
  }

  #totals(): Discarded {
    const totals = { ...this.#decoder.discarded };
    for (const reason of valueReasons) totals[reason] += this.#discarded[reason];
    return totals;
  }
}
