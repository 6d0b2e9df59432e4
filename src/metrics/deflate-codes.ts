/** The codes of a deflate block (RFC 1951 section 3.2): the fixed ones of the format, or codes for a kind of text. */

/** The maximum length of one match. */
export const MAX_LENGTH = 258;
/** The maximum distance between a text and the match that repeats it. */
export const MAX_DISTANCE = 32_768;

/** Symbols of literals, of the end of a block and of lengths; symbols of distances. */
const SYMBOLS = 286;
const DISTANCE_SYMBOLS = 30;
const END = 256;
/** The maximum size of a code, bits. */
const MAX_SIZE = 15;

/** A code with the extra bits behind it, and their number above `SIZE_SHIFT`. */
type Entries = Uint32Array;
export const SIZE_SHIFT = 27;
export const BITS = 2 ** SIZE_SHIFT - 1;
const entry = (bits: number, size: number): number => bits + size * 2 ** SIZE_SHIFT;

/** How often each symbol occurs. */
export interface SymbolCounts {
  readonly symbols: Uint32Array;
  readonly distances: Uint32Array;
}

export const createCounts = (): SymbolCounts => ({
  symbols: new Uint32Array(SYMBOLS),
  distances: new Uint32Array(DISTANCE_SYMBOLS),
});

/** What is written for bytes, match lengths and symbols of distances, which are the positions in these tables. */
export interface Codes {
  /** Entries that begin a block. */
  readonly header: readonly number[];
  readonly literals: Entries;
  readonly lengths: Entries;
  /** Without the extra bits, because there are too many distances for a table. */
  readonly distances: Entries;
  readonly end: number;
}

/** A symbol for a range of numbers, which differ in extra bits. */
interface Span {
  readonly symbol: number;
  readonly first: number;
  readonly extra: number;
}

/** The ranges of the lengths double after every fourth symbol. The longest one has a symbol of its own. */
const lengthSpans: readonly Span[] = (() => {
  const spans: Span[] = [];
  let first = 3;
  for (let symbol = 257; symbol < 285; symbol += 1) {
    const extra = symbol < 265 ? 0 : (symbol - 261) >> 2;
    spans.push({ symbol, first, extra });
    first += 2 ** extra;
  }
  return [...spans, { symbol: 285, first: MAX_LENGTH, extra: 0 }];
})();

/** The ranges of the distances double after every second symbol. */
const distanceSpans: readonly Span[] = (() => {
  const spans: Span[] = [];
  let first = 1;
  for (let symbol = 0; symbol < DISTANCE_SYMBOLS; symbol += 1) {
    const extra = symbol < 4 ? 0 : (symbol - 2) >> 1;
    spans.push({ symbol, first, extra });
    first += 2 ** extra;
  }
  return spans;
})();

function symbolTable(spans: readonly Span[], largest: number): Uint16Array {
  const table = new Uint16Array(largest + 1);
  for (const { symbol, first, extra } of spans) table.fill(symbol, first, first + 2 ** extra);
  return table;
}

/** The symbols of match lengths and of distances, for counting. */
export const lengthSymbols = symbolTable(lengthSpans, MAX_LENGTH);
export const distanceSymbols = symbolTable(distanceSpans, MAX_DISTANCE);
/** The first distance of each symbol, and the number of its extra bits. */
export const distanceFirsts = Uint16Array.from(distanceSpans, ({ first }) => first);
export const distanceExtras = Uint8Array.from(distanceSpans, ({ extra }) => extra);

/** Huffman codes are written from their highest bit. */
function reverse(code: number, size: number): number {
  let reversed = 0;
  for (let bit = 0; bit < size; bit += 1) reversed |= ((code >> bit) & 1) << (size - 1 - bit);
  return reversed;
}

/** The canonical codes of symbols with these sizes: shorter codes come first, equally long ones in the order of symbols. */
function canonicalCodes(sizes: readonly number[]): Entries {
  const codes = new Uint32Array(sizes.length);
  let next = 0;
  for (let size = 1; size <= MAX_SIZE; size += 1) {
    next *= 2;
    for (let symbol = 0; symbol < sizes.length; symbol += 1) {
      if (sizes[symbol] === size) codes[symbol] = entry(reverse(next++, size), size);
    }
  }
  return codes;
}

/** The entries of all match lengths. */
function lengthEntries(codes: Entries): Entries {
  const table = new Uint32Array(MAX_LENGTH + 1);
  for (const { symbol, first, extra } of lengthSpans) {
    const code = codes[symbol] as number;
    const size = code >>> SIZE_SHIFT;
    for (let i = 0; i < 2 ** extra; i += 1) table[first + i] = entry((code & BITS) + i * 2 ** size, size + extra);
  }
  return table;
}

function codesOf(header: readonly number[], sizes: readonly number[], distanceSizes: readonly number[]): Codes {
  const symbols = canonicalCodes(sizes);
  return {
    header,
    literals: symbols.slice(0, END),
    lengths: lengthEntries(symbols),
    distances: canonicalCodes(distanceSizes),
    end: symbols[END] as number,
  };
}

/** The codes of every text without codes of its own (RFC 1951 section 3.2.6). */
export const fixedCodes: Codes = codesOf(
  // not the last block; fixed codes
  [entry(0b010, 3)],
  Array.from({ length: 288 }, (_, symbol) => (symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8)),
  Array.from({ length: 32 }, () => 5),
);

/**
 * The sizes of the codes of symbols, by Huffman's algorithm: the two rarest nodes are joined until one is left. Joined nodes
 * are created in the order of their counts, so that the rarest node is the first symbol or the first joined node that is left.
 */
function huffmanSizes(counts: readonly number[]): readonly number[] {
  const symbols = [...counts.keys()].sort((a, b) => (counts[a] as number) - (counts[b] as number));
  const weights = symbols.map((symbol) => counts[symbol] as number);
  const parents: number[] = [];
  let symbol = 0;
  let joined = symbols.length;
  const takeRarest = (): number => {
    const isSymbol =
      symbol < symbols.length &&
      (joined >= weights.length || (weights[symbol] as number) <= (weights[joined] as number));
    return isSymbol ? symbol++ : joined++;
  };
  for (let left = symbols.length; left > 1; left -= 1) {
    const a = takeRarest();
    const b = takeRarest();
    parents[a] = weights.length;
    parents[b] = weights.length;
    weights.push((weights[a] as number) + (weights[b] as number));
  }
  const depths = new Uint8Array(weights.length);
  for (let node = weights.length - 2; node >= 0; node -= 1)
    depths[node] = (depths[parents[node] as number] as number) + 1;
  const sizes = counts.map(() => 0);
  for (const [node, its] of symbols.entries()) sizes[its] = depths[node] as number;
  // flatter counts give shorter codes
  return Math.max(...sizes) <= MAX_SIZE ? sizes : huffmanSizes(counts.map((count) => Math.ceil(count / 2)));
}

/** Short codes for what occurs often. Every symbol has a code, so that other texts can be written too. */
export function createCodes(counts: SymbolCounts): Codes {
  const sizesOf = (occurrences: Uint32Array): readonly number[] => huffmanSizes(Array.from(occurrences, (n) => n + 1));
  const sizes = sizesOf(counts.symbols);
  const distanceSizes = sizesOf(counts.distances);
  const header = [
    // not the last block; codes of its own; numbers of symbols, of distances and of code sizes
    entry(0b100, 3),
    entry(SYMBOLS - 257, 5),
    entry(DISTANCE_SYMBOLS - 1, 5),
    entry(19 - 4, 4),
    // sizes are written as 4 bits each; the format has three more symbols, for repetitions, which come first
    ...Array.from({ length: 19 }, (_, i) => entry(i < 3 ? 0 : 4, 3)),
    ...[...sizes, ...distanceSizes].map((size) => entry(reverse(size, 4), 4)),
  ];
  return codesOf(header, sizes, distanceSizes);
}
