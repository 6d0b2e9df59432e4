/**
 * A deflate encoder (RFC 1951) for text whose repetitions the caller knows. zlib has to search for them; here the caller
 * says for each piece of the text whether it repeats an earlier piece, so that most bytes are never read. The codes are the
 * fixed ones of the format.
 */

/** The maximum length of one match, and the maximum distance to the text that it repeats. */
const MAX_LENGTH = 258;
const MAX_DISTANCE = 32_768;
/** A shorter match takes more bits than its bytes. */
const MIN_LENGTH = 4;
/** The end of a block, then an empty stored block, which ends on a byte boundary, and the rest of the bits. */
const CLOSING_BYTES = 16;

/** A code with its extra bits, in the order in which they are written, and their number above `SIZE_SHIFT`. */
type Codes = Uint32Array;
const SIZE_SHIFT = 24;
const BITS = 2 ** SIZE_SHIFT - 1;
const entry = (bits: number, size: number): number => bits + size * 2 ** SIZE_SHIFT;

/** Huffman codes are written from their highest bit. */
function reverse(code: number, size: number): number {
  let reversed = 0;
  for (let bit = 0; bit < size; bit += 1) reversed |= ((code >> bit) & 1) << (size - 1 - bit);
  return reversed;
}

/** The fixed code of a symbol (RFC 1951 section 3.2.6). */
function symbolCode(symbol: number): { readonly bits: number; readonly size: number } {
  if (symbol < 144) return { bits: reverse(0x30 + symbol, 8), size: 8 };
  if (symbol < 256) return { bits: reverse(0x190 + symbol - 144, 9), size: 9 };
  if (symbol < 280) return { bits: reverse(symbol - 256, 7), size: 7 };
  return { bits: reverse(0xc0 + symbol - 280, 8), size: 8 };
}

const literalCodes: Codes = Uint32Array.from({ length: 256 }, (_, byte) => {
  const { bits, size } = symbolCode(byte);
  return entry(bits, size);
});

/** Lengths by number: symbols from 257 on, whose ranges double after every fourth one. */
const lengthCodes: Codes = (() => {
  const codes = new Uint32Array(MAX_LENGTH + 1);
  let length = 3;
  for (let symbol = 257; symbol < 285; symbol += 1) {
    const extra = symbol < 265 ? 0 : (symbol - 261) >> 2;
    const { bits, size } = symbolCode(symbol);
    for (let i = 0; i < 2 ** extra; i += 1) codes[length + i] = entry(bits + (i << size), size + extra);
    length += 2 ** extra;
  }
  // the longest one has a symbol of its own
  const { bits, size } = symbolCode(285);
  codes[MAX_LENGTH] = entry(bits, size);
  return codes;
})();

/** Distances by number: symbols of 5 bits, whose ranges double after every second one. */
const distanceCodes: Codes = (() => {
  const codes = new Uint32Array(MAX_DISTANCE + 1);
  let distance = 1;
  for (let symbol = 0; symbol < 30; symbol += 1) {
    const extra = symbol < 4 ? 0 : (symbol - 2) >> 1;
    for (let i = 0; i < 2 ** extra; i += 1) codes[distance + i] = entry(reverse(symbol, 5) + (i << 5), 5 + extra);
    distance += 2 ** extra;
  }
  return codes;
})();

/**
 * Encodes one text at a time: `start`, then `copy` and `literals` for all its bytes in order, then `finish`. The result
 * ends on a byte boundary without closing the stream, and refers to no other text: results can be joined in any order.
 */
export class LineDeflater {
  #text: Uint8Array = new Uint8Array(0);
  /** The text is described up to here. */
  #at = 0;
  #output = new Uint8Array(0);
  #end = 0;
  /** Bits that are not a whole pair of bytes yet. */
  #bits = 0;
  #count = 0;
  /** The match that ends at `#at`. It grows while its distance stays the same. */
  #distance = 0;
  #length = 0;

  /** @param memory the text begins at `from` in it, has at most `capacity` bytes, and can be written while it is described */
  start(memory: Uint8Array, from: number, capacity: number): void {
    this.#text = memory;
    this.#at = from;
    this.#length = 0;
    this.#end = 0;
    // a literal takes at most 9 bits
    const needed = Math.ceil(capacity * 1.125) + CLOSING_BYTES;
    if (this.#output.length < needed) this.#output = new Uint8Array(needed);
    // not the last block; fixed codes
    this.#bits = 0b010;
    this.#count = 3;
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
    const { size } = symbolCode(256);
    this.#put(0, size);
    // an empty stored block: 3 bits, zeros up to the next byte, a length of 0 and its complement
    this.#put(0, 3);
    this.#put(0, (8 - (this.#count % 8)) % 8);
    for (; this.#count > 0; this.#count -= 8, this.#bits >>>= 8) this.#output[this.#end++] = this.#bits;
    this.#output.set([0, 0, 0xff, 0xff], this.#end);
    return this.#output.slice(0, this.#end + 4);
  }

  #flush(): void {
    let left = this.#length;
    if (left === 0) return;
    this.#length = 0;
    const distance = this.#distance;
    if (left < MIN_LENGTH || distance > MAX_DISTANCE) {
      this.#write(this.#at - left, this.#at);
      return;
    }
    while (left >= MIN_LENGTH) {
      const length = Math.min(left, MAX_LENGTH);
      const lengthCode = lengthCodes[length] as number;
      this.#put(lengthCode & BITS, lengthCode >>> SIZE_SHIFT);
      const distanceCode = distanceCodes[distance] as number;
      const size = distanceCode >>> SIZE_SHIFT;
      if (size <= 15) this.#put(distanceCode & BITS, size);
      else {
        this.#put(distanceCode & 31, 5);
        this.#put((distanceCode & BITS) >>> 5, size - 5);
      }
      left -= length;
    }
    if (left > 0) this.#write(this.#at - left, this.#at);
  }

  /** Appends at most 15 bits. */
  #put(bits: number, size: number): void {
    this.#bits |= bits << this.#count;
    this.#count += size;
    if (this.#count < 16) return;
    this.#output[this.#end] = this.#bits;
    this.#output[this.#end + 1] = this.#bits >>> 8;
    this.#end += 2;
    this.#bits >>>= 16;
    this.#count -= 16;
  }

  #write(from: number, to: number): void {
    for (let at = from; at < to; at += 1) {
      const code = literalCodes[this.#text[at] as number] as number;
      this.#put(code & BITS, code >>> SIZE_SHIFT);
    }
  }
}
