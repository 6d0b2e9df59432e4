import type { ByteWindow } from './byte-window.ts';
import type { JsonScan } from './json-scan.ts';

const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** An item in a window: where it is, how deep its array is nested, and the structure in it. */
export interface Item {
  readonly from: number;
  readonly to: number;
  readonly depth: number;
  readonly items: number;
  readonly members: number;
}

/** Takes the items of an answer, in their order. */
export interface ItemReceiver {
  /** The length of the item that is expected next, or 0 if none is expected. */
  readonly expectedLength: number;
  /** Takes over the expected item if it begins here. @returns its structure, or `undefined` if another item begins */
  takeOver(
    window: ByteWindow,
    from: number,
    depth: number,
  ): { readonly items: number; readonly members: number } | undefined;
  /** Takes any item. @returns whether it is JSON */
  take(window: ByteWindow, item: Item): boolean;
}

/**
 * Finds the items of an array in windows on its text. In a nested array, the items of the arrays in it are the items. What
 * is not JSON outside of items is found here; the receiver finds what is not JSON inside.
 *
 * Every byte is counted once by the scan, in items that are taken over by addition.
 */
export class ItemSplitter {
  /**
   * What follows: `first`: an item or the end of the array; `item`: an item; `next`: a comma or the end; `after`: only
   * spaces; `malformed`: text that need not be split.
   */
  #state: 'first' | 'item' | 'next' | 'after' | 'malformed' = 'item';
  #depth = 0;
  /** Bytes of the present item that are scanned. */
  #scanned = 0;
  #itemsBefore = 0;
  #membersBefore = 0;
  readonly #isNested: boolean;
  readonly #scan: JsonScan;
  readonly #receiver: ItemReceiver;

  /** @param scan at the beginning of the outer array */
  constructor(isNested: boolean, scan: JsonScan, receiver: ItemReceiver) {
    this.#isNested = isNested;
    this.#scan = scan;
    this.#receiver = receiver;
  }

  /** The text before the array is not JSON. */
  reject(): void {
    this.#state = 'malformed';
  }

  /** Whether the array is complete and well-formed. */
  get isComplete(): boolean {
    return this.#state === 'after';
  }

  /**
   * Reads items. When the text is not JSON, the rest is only scanned.
   *
   * @param isLast no bytes follow the window
   * @returns where the incomplete item at the end of the window begins, which must be the beginning of the next window
   */
  read(window: ByteWindow, isLast: boolean): number {
    const { bytes } = window;
    let at = 0;
    while (at < bytes.length) {
      if (this.#state === 'malformed') {
        this.#scan.push(at === 0 ? bytes : bytes.subarray(at));
        return bytes.length;
      }
      if (this.#scanned === 0) {
        const byte = bytes[at];
        if (isSpace(byte)) {
          at += 1;
          continue;
        }
        if (!this.#beginsItem(byte)) {
          at = this.#separate(bytes, at);
          continue;
        }
      }
      const end = this.#readItem(window, at, isLast);
      if (end === -1) return at;
      at = end;
    }
    return at;
  }

  #beginsItem(byte: number | undefined): boolean {
    if (this.#state !== 'item' && this.#state !== 'first') return false;
    if (byte === COMMA || byte === CLOSE_ARRAY) return false;
    return byte !== OPEN_ARRAY || this.#depth > (this.#isNested ? 1 : 0);
  }

  /** Reads a byte between items. @returns the position after it, or of it when it is not allowed there */
  #separate(bytes: Buffer, at: number): number {
    const byte = bytes[at] as number;
    this.#scanSeparator(byte);
    if (this.#state === 'malformed') return at;
    if (byte === COMMA) this.#scan.add(1, 0);
    else this.#scan.scan(bytes, at, at + 1, 0);
    return at + 1;
  }

  #scanSeparator(byte: number): void {
    const state = this.#state;
    if (byte === OPEN_ARRAY && (state === 'item' || state === 'first')) {
      this.#depth += 1;
      this.#state = 'first';
    } else if (byte === CLOSE_ARRAY && (state === 'first' || state === 'next')) {
      this.#depth -= 1;
      this.#state = this.#depth === 0 ? 'after' : 'next';
    } else if (byte === COMMA && state === 'next') {
      this.#state = 'item';
    } else {
      this.#state = 'malformed';
    }
  }

  /** @returns the position after the item, or -1 if it goes on after the window */
  #readItem(window: ByteWindow, from: number, isLast: boolean): number {
    const { bytes } = window;
    if (this.#scanned === 0) {
      const length = this.#receiver.expectedLength;
      if (length > 0) {
        const to = from + length;
        if (to > bytes.length && !isLast) return -1;
        const taken = to <= bytes.length ? this.#receiver.takeOver(window, from, this.#depth) : undefined;
        if (taken !== undefined) {
          this.#scan.add(taken.items, taken.members);
          this.#state = 'next';
          return to;
        }
      }
      this.#itemsBefore = this.#scan.items;
      this.#membersBefore = this.#scan.members;
    }
    const end = this.#scan.scan(bytes, from + this.#scanned, bytes.length, this.#depth);
    if (end === -1) {
      this.#scanned = bytes.length - from;
      return -1;
    }
    this.#scanned = 0;
    this.#endItem(window, from, end);
    return end;
  }

  /** An object ends with its last byte; a number ends at the comma, or the end of the array, behind it. */
  #endItem(window: ByteWindow, from: number, end: number): void {
    const last = window.bytes[end - 1] as number;
    const isSeparated = last === COMMA || this.#scan.depth < this.#depth;
    // parsing an item that exceeds a limit could take minutes
    if (this.#scan.passed !== undefined) {
      this.#state = 'malformed';
      return;
    }
    const isJson = this.#receiver.take(window, {
      from,
      to: isSeparated ? end - 1 : end,
      depth: this.#depth,
      items: this.#scan.items - this.#itemsBefore - (last === COMMA ? 1 : 0),
      members: this.#scan.members - this.#membersBefore,
    });
    this.#state = isJson ? 'next' : 'malformed';
    if (isJson && isSeparated) this.#scanSeparator(last);
  }
}
