import { crc32 } from 'node:zlib';
import { labelCount } from '../inventory/feature-columns.ts';
import { type Codes, createCodes, createCounts, fixedCodes, type SymbolCounts } from './deflate-codes.ts';
import type { Deflated } from './gzip.ts';
import { type LabelArena, openingLengths } from './label-arena.ts';
import { LineDeflater } from './line-deflate.ts';
import { formatValue } from './render.ts';

/** A piece of a block, which can be joined with any other. */
export interface PageChunk extends Deflated {
  readonly samples: number;
}

/** Usual maximum size of a value and the line feed, bytes. The longest number has 24 characters. */
const MAX_VALUE_BYTES = 32;

/** The number of lines from which codes of their own save more than their 160 bytes. */
const MIN_MEASURED = 256;

/** The samples of a family in a range of rows. */
export interface ChunkSource {
  readonly name: Uint8Array;
  /** By row of the range; NaN is no sample. */
  readonly values: Float64Array;
  /** What follows the last label value, by row of the range: its quote, more labels, the closing brace and a space. */
  readonly tails: readonly Uint8Array[];
}

/** Encodes a text without repetitions, for example the header of a family. */
export function deflateText(text: string): PageChunk {
  const bytes = Buffer.from(text);
  const deflater = new LineDeflater();
  deflater.start(bytes, 0, bytes.length);
  deflater.literals(bytes.length);
  return { bytes: deflater.finish(), crc: crc32(bytes), length: bytes.length, samples: 0 };
}

/**
 * Renders chunks: the lines of one family for a range of rows. It is fast because each byte is touched once, by the copying
 * instructions of the runtime: a line is copied from the name, the encoded labels and the digits of the value, and described
 * to the encoder as the same as the line before, except for the rest of the labels that differ and the value.
 *
 * Its memory is reused for all chunks: first the labels of the range, then the name, then the lines.
 */
export class ChunkRenderer {
  readonly #arena: LabelArena;
  readonly #deflater = new LineDeflater();
  #memory = new Uint8Array(0);
  /** The range: its rows, and how many bytes its labels have. */
  #from = 0;
  #to = 0;
  #labelBytes = 0;
  /** Where the next byte is written. */
  #end = 0;
  /** The row of the line before, where it begins, its tail with its end, and its value. */
  #previousRow = 0;
  #previousStart = 0;
  #previousTail: Uint8Array = new Uint8Array(0);
  #previousTailEnd = 0;
  #previousValue = 0;
  /** Where the tails of other lines end. */
  readonly #seenTails = new Map<Uint8Array, number>();

  constructor(arena: LabelArena) {
    this.#arena = arena;
  }

  /** Selects the rows of the next chunks. */
  selectRows(from: number, to: number): void {
    const { bytes, offsets } = this.#arena;
    const start = offsets[from] as number;
    this.#from = from;
    this.#to = to;
    this.#labelBytes = (offsets[to] as number) - start;
    this.#reserve(this.#labelBytes);
    this.#memory.set(bytes.subarray(start, start + this.#labelBytes));
  }

  /**
   * Returns the codes for chunks like this one. `undefined` if it is so short that they would not save what they take.
   */
  measure(source: ChunkSource): Codes | undefined {
    const counts = createCounts();
    const samples = this.#encode(source, fixedCodes, counts);
    return samples < MIN_MEASURED ? undefined : createCodes(counts);
  }

  /** Returns the chunk of a family, `undefined` if it has no sample. */
  render(source: ChunkSource, codes = fixedCodes): PageChunk | undefined {
    const samples = this.#encode(source, codes);
    if (samples === 0) return undefined;
    const text = this.#memory.subarray(this.#labelBytes + source.name.length, this.#end);
    return { bytes: this.#deflater.finish(), crc: crc32(text), length: text.length, samples };
  }

  /** Writes and encodes the lines of a family. Returns their number. */
  #encode({ name, values, tails }: ChunkSource, codes: Codes, counts?: SymbolCounts): number {
    const start = this.#labelBytes + name.length;
    const capacity = this.#capacity(name, tails);
    this.#reserve(start + capacity);
    this.#memory.set(name, this.#labelBytes);
    this.#deflater.start(this.#memory, start, capacity, codes, counts);
    this.#end = start;
    this.#seenTails.clear();
    return this.#writeLines(name.length, values, tails);
  }

  /** How many bytes the lines have at most. */
  #capacity(name: Uint8Array, tails: readonly Uint8Array[]): number {
    const rows = this.#to - this.#from;
    let capacity = this.#labelBytes + rows * (name.length + MAX_VALUE_BYTES);
    for (let i = 0; i < rows; i += 1) capacity += (tails[i] as Uint8Array).length;
    return capacity;
  }

  /** Grows the memory and keeps its labels. */
  #reserve(bytes: number): void {
    if (this.#memory.length >= bytes) return;
    const grown = new Uint8Array(bytes + bytes / 4);
    grown.set(this.#memory.subarray(0, this.#labelBytes));
    this.#memory = grown;
  }

  #writeLines(nameLength: number, values: Float64Array, tails: readonly Uint8Array[]): number {
    let samples = 0;
    for (let row = this.#from; row < this.#to; row += 1) {
      const value = values[row - this.#from] as number;
      if (Number.isNaN(value)) continue;
      const start = this.#end;
      const tail = tails[row - this.#from] as Uint8Array;
      this.#writeLabels(row, nameLength, tail);
      const valueAt = this.#end;
      this.#writeValue(value);
      if (samples === 0) this.#deflater.literals(this.#end - start);
      else this.#describe(row, nameLength, start, tail, value, valueAt);
      samples += 1;
      this.#previousRow = row;
      this.#previousStart = start;
      this.#previousTail = tail;
      this.#previousTailEnd = valueAt;
      this.#previousValue = value;
    }
    return samples;
  }

  /** Writes a line up to its value. */
  #writeLabels(row: number, nameLength: number, tail: Uint8Array): void {
    const memory = this.#memory;
    const { offsets } = this.#arena;
    const first = offsets[this.#from] as number;
    const from = (offsets[row] as number) - first;
    const to = (offsets[row + 1] as number) - first;
    memory.copyWithin(this.#end, this.#labelBytes, this.#labelBytes + nameLength);
    memory.copyWithin(this.#end + nameLength, from, to);
    const end = this.#end + nameLength + to - from;
    for (let i = 0; i < tail.length; i += 1) memory[end + i] = tail[i] as number;
    this.#end = end + tail.length;
  }

  /** Writes a value and the line feed. */
  #writeValue(value: number): void {
    const memory = this.#memory;
    let at = this.#end;
    if ((value | 0) === value && value >= 0) {
      let digits = 1;
      for (let limit = 10; value >= limit; limit *= 10) digits += 1;
      let rest = value;
      for (let i = at + digits - 1; i >= at; i -= 1) {
        const next = (rest / 10) | 0;
        memory[i] = 0x30 + rest - next * 10;
        rest = next;
      }
      at += digits;
    } else {
      const text = formatValue(value);
      for (let i = 0; i < text.length; i += 1) memory[at + i] = text.charCodeAt(i);
      at += text.length;
    }
    memory[at] = 0x0a;
    this.#end = at + 1;
  }

  /** Describes the line that has been written, by the line before. */
  #describe(row: number, nameLength: number, start: number, tail: Uint8Array, value: number, valueAt: number): void {
    const deflater = this.#deflater;
    let distance = start - this.#previousStart;
    deflater.copy(distance, nameLength);
    distance = row === this.#previousRow + 1 ? this.#describeNext(row, distance) : this.#describeOther(row, distance);
    this.#describeTail(tail, distance, valueAt);
    const valueLength = this.#end - 1 - valueAt;
    if (value === this.#previousValue) deflater.copy(distance + tail.length - this.#previousTail.length, valueLength);
    else deflater.literals(valueLength);
    // the line feed, whose predecessor lies one line before
    deflater.copy(this.#end - start, 1);
  }

  /** Describes the labels by those of the row before. Returns the distance between the ends of both. */
  #describeNext(row: number, distance: number): number {
    const deflater = this.#deflater;
    const { starts, same, fresh, growth, rest } = this.#arena.differences;
    const end = starts[row + 1] as number;
    let grown = distance;
    for (let i = starts[row] as number; i < end; i += 1) {
      deflater.copy(grown, same[i] as number);
      deflater.literals(fresh[i] as number);
      grown += growth[i] as number;
    }
    deflater.copy(grown, rest[row] as number);
    return grown;
  }

  /** The same if rows between have no sample. */
  #describeOther(row: number, distance: number): number {
    const deflater = this.#deflater;
    const { lengths } = this.#arena;
    let grown = distance;
    for (let label = 0; label < labelCount; label += 1) {
      const length = lengths[row * labelCount + label] as number;
      const shared = this.#sharedLength(row, label);
      deflater.copy(grown, (openingLengths[label] as number) + shared);
      deflater.literals(length - shared);
      grown += length - (lengths[this.#previousRow * labelCount + label] as number);
    }
    return grown;
  }

  /** How many bytes of a label value are the same in the line before, whose row can be several rows before. */
  #sharedLength(row: number, label: number): number {
    const { shared } = this.#arena;
    let least = shared[row * labelCount + label] as number;
    for (let between = row - 1; between > this.#previousRow; between -= 1) {
      least = Math.min(least, shared[between * labelCount + label] as number);
    }
    return least;
  }

  /** Most tails are the same as in the line before. The others are few, so that they were seen in another line. */
  #describeTail(tail: Uint8Array, distance: number, end: number): void {
    const deflater = this.#deflater;
    const previous = this.#previousTail;
    if (tail === previous) {
      deflater.copy(distance, tail.length);
      return;
    }
    this.#seenTails.set(previous, this.#previousTailEnd);
    const seenEnd = this.#seenTails.get(tail);
    if (seenEnd === undefined) deflater.literals(tail.length);
    else deflater.copy(end - seenEnd, tail.length);
  }
}
