import type { ByteHash } from './byte-hash.ts';
import { type ItemTraits, type StoredItems, valueReasons } from './stored-records.ts';

/** More different traits are not stored; their items are not compared with the next answer. */
const MAX_TRAITS = 4096;
/** Names of unknown fields, and characters of all traits. */
const MAX_NAMES = 100;
const MAX_TRAIT_SIZE = 4096;

const keyOf = ({ items, members, discarded, unknownFields }: ItemTraits): string =>
  JSON.stringify([items, members, discarded, unknownFields]);

const isSame = (one: ItemTraits, other: ItemTraits): boolean =>
  one === other ||
  (one.items === other.items &&
    one.members === other.members &&
    valueReasons.every((reason) => one.discarded[reason] === other.discarded[reason]) &&
    one.unknownFields.length === other.unknownFields.length &&
    one.unknownFields.every((name, i) => name === other.unknownFields[i]));

/** The items of an answer while it is decoded: typed arrays, because objects would take ten times their memory. */
export class ItemList {
  count = 0;
  /** Number of items with a record. */
  usable = 0;
  #lengths: Uint32Array;
  #hashes: Int32Array;
  #slots: Int32Array;
  #traitIds: Uint16Array;
  readonly #traits: ItemTraits[] = [];
  readonly #ids = new Map<string, number>();
  #last: { readonly traits: ItemTraits; readonly id: number } | undefined;

  /** @param expected number of items; more are possible */
  constructor(expected: number) {
    this.#lengths = new Uint32Array(expected);
    this.#hashes = new Int32Array(4 * expected);
    this.#slots = new Int32Array(expected);
    this.#traitIds = new Uint16Array(expected);
  }

  /** Adds an item that is not compared with the next answer. @param slot -1 for a bad record */
  add(slot: number): number {
    if (this.count === this.#lengths.length) this.#grow();
    const at = this.count;
    this.count += 1;
    if (slot !== -1) this.usable += 1;
    this.#slots[at] = slot;
    return at;
  }

  /** Adds a record with what is needed to recognise its bytes. */
  addHashed(slot: number, length: number, hash: ByteHash, traits: ItemTraits): void {
    const at = this.add(slot);
    const traitId = this.#traitId(traits);
    if (traitId === -1) return;
    this.#lengths[at] = length;
    this.#traitIds[at] = traitId;
    this.#hashes[4 * at] = hash.a;
    this.#hashes[4 * at + 1] = hash.b;
    this.#hashes[4 * at + 2] = hash.c;
    this.#hashes[4 * at + 3] = hash.d;
  }

  /** The number of these traits, or -1 if they are not stored. */
  #traitId(traits: ItemTraits): number {
    if (this.#last !== undefined && isSame(this.#last.traits, traits)) return this.#last.id;
    if (traits.unknownFields.length > MAX_NAMES) return -1;
    const key = keyOf(traits);
    let id = this.#ids.get(key);
    if (id === undefined) {
      if (key.length > MAX_TRAIT_SIZE || this.#traits.length === MAX_TRAITS) return -1;
      id = this.#traits.push(traits) - 1;
      this.#ids.set(key, id);
    }
    this.#last = { traits: this.#traits[id] as ItemTraits, id };
    return id;
  }

  /** The slots of the records so far. */
  slots(): Uint32Array {
    const slots = new Uint32Array(this.usable);
    for (let at = 0, end = 0; at < this.count; at += 1) {
      const slot = this.#slots[at] as number;
      if (slot === -1) continue;
      slots[end] = slot;
      end += 1;
    }
    return slots;
  }

  finish(decodedAs: string): StoredItems {
    return {
      decodedAs,
      lengths: this.#lengths.slice(0, this.count),
      hashes: this.#hashes.slice(0, 4 * this.count),
      slots: this.#slots.slice(0, this.count),
      traitIds: this.#traitIds.slice(0, this.count),
      traits: this.#traits,
    };
  }

  #grow(): void {
    const size = Math.max(64, this.count * 2);
    const grown = <T extends Uint32Array | Int32Array | Uint16Array>(array: T, old: T): T => {
      array.set(old);
      return array;
    };
    this.#lengths = grown(new Uint32Array(size), this.#lengths);
    this.#hashes = grown(new Int32Array(4 * size), this.#hashes);
    this.#slots = grown(new Int32Array(size), this.#slots);
    this.#traitIds = grown(new Uint16Array(size), this.#traitIds);
  }
}
