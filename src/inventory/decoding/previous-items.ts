import type { ByteHash } from './byte-hash.ts';
import type { ItemTraits, StoredItems } from './stored-records.ts';

/** How far from the expected item another one is searched without the table of hashes. */
const NEAR = 8;

/**
 * The items of the previous answer, to be found by their bytes. Each is found once, so that a slot has one reference for
 * each answer even if the answer repeats a record.
 *
 * Successive answers are nearly the same. Therefore the next item is expected to be the one that followed the last in the
 * previous answer, which needs no search. Any other is searched near it: a few items can have been inserted or removed. Only
 * when this finds nothing several times in a row is there a table of all hashes, which takes as long as all else here.
 */
export class PreviousItems {
  #expected = 0;
  /** Searches in a row that found nothing. */
  #misses = 0;
  readonly #items: StoredItems;
  readonly #taken: Uint8Array;
  /** Open addressing: positions plus 1, at the first free place from their hash on. */
  #table: Int32Array | undefined;

  constructor(items: StoredItems) {
    this.#items = items;
    this.#taken = new Uint8Array(items.lengths.length);
  }

  get count(): number {
    return this.#items.lengths.length;
  }

  /** The length of the expected item, 0 without one. */
  get expectedLength(): number {
    const expected = this.#expected;
    return expected < this.#taken.length && this.#taken[expected] === 0 ? (this.#items.lengths[expected] as number) : 0;
  }

  /** The position of the expected item if it has this hash, otherwise -1. */
  takeExpected(hash: ByteHash): number {
    return this.#has(this.#expected, hash) ? this.#take(this.#expected) : -1;
  }

  /** The position of an item with this hash and length, otherwise -1. */
  takeAny(hash: ByteHash, length: number): number {
    const near = this.#takeNear(hash, length);
    if (near !== -1) return near;
    this.#misses += 1;
    if (this.#misses <= NEAR && this.#table === undefined) return -1;
    this.#table ??= indexItems(this.#items);
    const table = this.#table;
    const mask = table.length - 1;
    for (let place = placeOf(hash.a, hash.b, hash.c, hash.d) & mask; ; place = (place + 1) & mask) {
      const at = (table[place] as number) - 1;
      if (at === -1) return -1;
      if (this.#items.lengths[at] === length && this.#has(at, hash)) {
        return this.#taken[at] === 0 ? this.#take(at) : -1;
      }
    }
  }

  /** An item was not found: it is taken for a new version of the expected one. */
  skip(): void {
    this.#expected += 1;
  }

  slot(at: number): number {
    return this.#items.slots[at] as number;
  }

  traits(at: number): ItemTraits {
    return this.#items.traits[this.#items.traitIds[at] as number] as ItemTraits;
  }

  #takeNear(hash: ByteHash, length: number): number {
    const end = Math.min(this.#expected + NEAR + 1, this.count);
    for (let at = Math.max(0, this.#expected - NEAR); at < end; at += 1) {
      if (this.#taken[at] === 0 && this.#items.lengths[at] === length && this.#has(at, hash)) return this.#take(at);
    }
    return -1;
  }

  #take(at: number): number {
    this.#taken[at] = 1;
    this.#expected = at + 1;
    this.#misses = 0;
    return at;
  }

  #has(at: number, { a, b, c, d }: ByteHash): boolean {
    const { hashes } = this.#items;
    const i = 4 * at;
    return hashes[i] === a && hashes[i + 1] === b && hashes[i + 2] === c && hashes[i + 3] === d;
  }
}

/**
 * A table of the hashes of items. Of equal items, only the first is in it: a search would be long if it had to pass all of them.
 *
 * @param onRepeated gets the positions of the others
 */
export function indexItems(
  { hashes, lengths }: Pick<StoredItems, 'hashes' | 'lengths'>,
  onRepeated: (at: number) => void = () => undefined,
): Int32Array {
  const table = new Int32Array(2 ** Math.ceil(Math.log2(2 * lengths.length + 1)));
  const mask = table.length - 1;
  for (let at = 0; at < lengths.length; at += 1) {
    if (lengths[at] === 0) continue;
    const i = 4 * at;
    const [a, b, c, d] = [
      hashes[i] as number,
      hashes[i + 1] as number,
      hashes[i + 2] as number,
      hashes[i + 3] as number,
    ];
    let place = placeOf(a, b, c, d) & mask;
    while (table[place] !== 0) {
      const other = 4 * ((table[place] as number) - 1);
      if (hashes[other] === a && hashes[other + 1] === b && hashes[other + 2] === c && hashes[other + 3] === d) break;
      place = (place + 1) & mask;
    }
    if (table[place] === 0) table[place] = at + 1;
    else onRepeated(at);
  }
  return table;
}

/** Where to look for a hash. The last bytes of a text have an effect on some of the four numbers only, therefore all are used. */
const placeOf = (a: number, b: number, c: number, d: number): number => {
  const mixed = Math.imul(a ^ (b << 7) ^ (c << 13) ^ (d << 19) ^ (b >>> 11) ^ (c >>> 17) ^ (d >>> 5), 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
};
