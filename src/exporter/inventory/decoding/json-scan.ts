/** The structure that a JSON text may have. Decoding memory depends on it more than on the size of the text. */
export interface JsonLimits {
  /** Nesting depth of arrays and objects. At most 32, because their kinds are stored in the bits of one integer. */
  readonly depth: number;
  /** Total number of items of all arrays. An empty array counts as one. */
  readonly items: number;
  /** Total number of members of all objects. An empty object counts as one. */
  readonly members: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** A depth that no text has. */
const NEVER = -(2 ** 30);

/** A lookup table with 1 for each of these bytes. */
function tableOf(...bytes: readonly number[]): Uint8Array {
  const table = new Uint8Array(256);
  for (const byte of bytes) table[byte] = 1;
  return table;
}

const structural = tableOf(QUOTE, COMMA, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT);
const inString = tableOf(QUOTE, BACKSLASH);
/** A table of what can precede the text: white space, and the bytes of a byte order mark. */
const leading = tableOf(0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf);

/**
 * Counts the structure of a JSON text as its bytes arrive. Up to the first syntax error, the counts are the same as those
 * of a parser. Text that does not begin with `[` or `{` has no structure: HTML pages and compressed bodies pass, and are
 * recognised later.
 *
 * The lookup tables make it fast: V8 scans at least 0.5 GB/s, or a chunk of 64 KiB in 0.1 ms. Finding the ends of strings
 * with `indexOf` takes twice as long, because most strings are short.
 */
export class JsonScan {
  items = 0;
  members = 0;
  #depth = 0;
  /** One bit per open array (1) or object (0), the innermost lowest. */
  #kinds = 0;
  #state: 'leading' | 'structure' | 'string' | 'none' = 'leading';
  #escaped = false;
  readonly #limits: JsonLimits;

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  /** Number of open arrays and objects. */
  get depth(): number {
    return this.#depth;
  }

  /** Whether the text has begun. */
  get isBegun(): boolean {
    return this.#state !== 'leading';
  }

  get isInString(): boolean {
    return this.#state === 'string';
  }

  /** Whether an array, an object or a string is still open. */
  get isOpen(): boolean {
    return this.#state === 'string' || this.#depth > 0;
  }

  /** The limit that is exceeded, if any. */
  get passed(): keyof JsonLimits | undefined {
    if (this.#depth > this.#limits.depth) return 'depth';
    if (this.items > this.#limits.items) return 'items';
    return this.members > this.#limits.members ? 'members' : undefined;
  }

  /** Scans the next bytes of the text. They can end anywhere. @returns the limit that is exceeded, if any */
  push(chunk: Uint8Array): keyof JsonLimits | undefined {
    this.scan(chunk, 0, chunk.length, NEVER);
    return this.passed;
  }

  /**
   * Scans these bytes, but only up to the end of an item of an array at this depth: the comma behind it, the end of an
   * array or object inside, or the end of the array.
   *
   * @returns the position after that byte, or -1 if the item goes on; also -1 when a limit of the depth is exceeded
   */
  scan(chunk: Uint8Array, from: number, to: number, depth: number): number {
    let at = from;
    if (this.#state === 'leading') at = this.#begin(chunk, from, to);
    if (this.#state === 'none' || this.#state === 'leading') return -1;
    return this.#count(chunk, at, to, depth);
  }

  #begin(chunk: Uint8Array, from: number, to: number): number {
    let at = from;
    while (at < to && leading[chunk[at] as number] === 1) at += 1;
    if (at === to) return at;
    this.#state = chunk[at] === OPEN_ARRAY || chunk[at] === OPEN_OBJECT ? 'structure' : 'none';
    return at;
  }

  /** Keeps the state in local variables, for speed. */
  #count(chunk: Uint8Array, from: number, to: number, lowest: number): number {
    const deepest = this.#limits.depth;
    let [items, members, depth, kinds] = [this.items, this.members, this.#depth, this.#kinds];
    let isString = this.#state === 'string';
    let isEnd = false;
    let at = this.#escaped ? from + 1 : from;
    while (depth <= deepest && !isEnd) {
      const stops = isString ? inString : structural;
      while (at < to && stops[chunk[at] as number] === 0) at += 1;
      if (at >= to) break;
      const byte = chunk[at];
      at += 1;
      if (byte === QUOTE) {
        isString = !isString;
      } else if (byte === COMMA) {
        if ((kinds & 1) === 1) items += 1;
        else members += 1;
        isEnd = depth <= lowest;
      } else if (byte === OPEN_ARRAY) {
        depth += 1;
        kinds = (kinds << 1) | 1;
        items += 1;
      } else if (byte === OPEN_OBJECT) {
        depth += 1;
        kinds <<= 1;
        members += 1;
      } else if (byte === BACKSLASH) {
        at += 1;
      } else {
        depth -= 1;
        kinds >>>= 1;
        isEnd = depth <= lowest;
      }
    }
    [this.items, this.members, this.#depth, this.#kinds] = [items, members, depth, kinds];
    this.#state = isString ? 'string' : 'structure';
    // if a backslash is the last byte, the escaped byte is in the next chunk
    this.#escaped = at > to;
    return isEnd ? at : -1;
  }
}
