import {
  BITS,
  type Codes,
  distanceExtras,
  distanceFirsts,
  distanceSymbols,
  fixedCodes,
  lengthSymbols,
  MAX_DISTANCE,
  MAX_LENGTH,
  SIZE_SHIFT,
  type SymbolCounts,
} from './deflate-codes.ts';

/** A shorter match takes more bits than its bytes. */
const MIN_LENGTH = 4;
/** The header, the end of the block, and an empty stored block. */
const FRAME_BYTES = 256;
/** The most bits that are written at once. */
const MAX_BITS = 15;

/**
 * A deflate encoder (RFC 1951) for text whose repetitions the caller knows. zlib has to search for them; here the caller
 * says for each piece of the text whether it repeats an earlier piece, so that most bytes are never read.
 *
 * It encodes one text at a time: `start`, then `copy` and `literals` for all its bytes in order, then `finish`. The result
 * ends on a byte boundary without closing the stream, and refers to no other text: results can be joined in any order.
 */
export class LineDeflater {
  #text: Uint8Array = new Uint8Array(0);
  /** The text is described up to here. */
  #at = 0;
  #codes = fixedCodes;
  #counts: SymbolCounts | undefined;
  #output = new Uint8Array(0);
  #end = 0;
  /** Bits that are not a whole pair of bytes yet. */
  #bits = 0;
  #size = 0;
  /** The match that ends at `#at`. It grows while its distance stays the same. */
  #distance = 0;
  #length = 0;

  /**
   * @param memory the text begins at `from` in it, has at most `capacity` bytes, and can be written while it is described
   * @param counts counts the symbols, for codes that fit the text better
   */
  start(memory: Uint8Array, from: number, capacity: number, codes: Codes = fixedCodes, counts?: SymbolCounts): void {
    this.#text = memory;
    this.#at = from;
    this.#codes = codes;
    this.#counts = counts;
    this.#length = 0;
    this.#end = 0;
    this.#bits = 0;
    this.#size = 0;
    // a literal takes at most 15 bits
    const needed = 2 * capacity + FRAME_BYTES;
    if (this.#output.length < needed) this.#output = new Uint8Array(needed);
    for (const entry of codes.header) this.#put(entry);
  }

  /** The next bytes are the same as those `distance` bytes before them. */
  copy(distance: number, length: number): void {
    if (distance !== this.#distance) {
      this.#flush();
      this.#distance = distance;
    }
    this.#length += length;
    this.#at += length;
  }

  /** The next bytes are new. */
  literals(length: number): void {
    if (length === 0) return;
    this.#flush();
    this.#write(this.#at, this.#at + length);
    this.#at += length;
  }

  /** Returns the encoded text, in memory of its own. */
  finish(): Uint8Array<ArrayBuffer> {
    this.#flush();
    this.#put(this.#codes.end);
    // an empty stored block: 3 bits, zeros up to the next byte, a length of 0 and its complement
    this.#append(0, 3);
    this.#append(0, (8 - (this.#size % 8)) % 8);
    for (; this.#size > 0; this.#size -= 8, this.#bits >>>= 8) this.#output[this.#end++] = this.#bits;
    this.#output.set([0, 0, 0xff, 0xff], this.#end);
    return this.#output.slice(0, this.#end + 4);
  }

  #flush(): void {
    let left = this.#length;
    if (left === 0) return;
    this.#length = 0;
    const distance = this.#distance;
    if (distance <= MAX_DISTANCE) {
      while (left >= MIN_LENGTH) {
        const length = Math.min(left, MAX_LENGTH);
        this.#put(this.#codes.lengths[length] as number);
        this.#putDistance(distance);
        if (this.#counts !== undefined) countMatch(this.#counts, length, distance);
        left -= length;
      }
    }
    if (left > 0) this.#write(this.#at - left, this.#at);
  }

  #write(from: number, to: number): void {
    const { literals } = this.#codes;
    const text = this.#text;
    const output = this.#output;
    // the state is in variables, because memory is too slow between two bytes
    let bits = this.#bits;
    let size = this.#size;
    let end = this.#end;
    for (let at = from; at < to; at += 1) {
      const entry = literals[text[at] as number] as number;
      bits |= (entry & BITS) << size;
      size += entry >>> SIZE_SHIFT;
      if (size >= 16) {
        output[end] = bits;
        output[end + 1] = bits >>> 8;
        end += 2;
        bits >>>= 16;
        size -= 16;
      }
    }
    this.#bits = bits;
    this.#size = size;
    this.#end = end;
    if (this.#counts !== undefined) countLiterals(this.#counts, text.subarray(from, to));
  }

  #putDistance(distance: number): void {
    const symbol = distanceSymbols[distance] as number;
    const entry = this.#codes.distances[symbol] as number;
    this.#append(entry & BITS, entry >>> SIZE_SHIFT);
    this.#append(distance - (distanceFirsts[symbol] as number), distanceExtras[symbol] as number);
  }

  #put(entry: number): void {
    const bits = entry & BITS;
    const size = entry >>> SIZE_SHIFT;
    if (size <= MAX_BITS) this.#append(bits, size);
    else {
      this.#append(bits & (2 ** MAX_BITS - 1), MAX_BITS);
      this.#append(bits >>> MAX_BITS, size - MAX_BITS);
    }
  }

  /** @param size at most `MAX_BITS` */
  #append(bits: number, size: number): void {
    this.#bits |= bits << this.#size;
    this.#size += size;
    if (this.#size < 16) return;
    this.#output[this.#end] = this.#bits;
    this.#output[this.#end + 1] = this.#bits >>> 8;
    this.#end += 2;
    this.#bits >>>= 16;
    this.#size -= 16;
  }
}

function countMatch({ symbols, distances }: SymbolCounts, length: number, distance: number): void {
  const symbol = lengthSymbols[length] as number;
  symbols[symbol] = (symbols[symbol] as number) + 1;
  const distanceSymbol = distanceSymbols[distance] as number;
  distances[distanceSymbol] = (distances[distanceSymbol] as number) + 1;
}

function countLiterals({ symbols }: SymbolCounts, bytes: Uint8Array): void {
  for (const byte of bytes) symbols[byte] = (symbols[byte] as number) + 1;
}
