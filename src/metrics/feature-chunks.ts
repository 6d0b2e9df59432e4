import type { LabelArena } from './label-arena.ts';
import { formatValue } from './render.ts';

/** Usual maximum size of a value and the line feed, bytes. The longest number has 24 characters. */
const MAX_VALUE_BYTES = 32;

/** The samples of a family in a range of rows. */
interface ChunkSource {
  readonly name: Uint8Array;
  /** By row of the range; NaN is no sample. */
  readonly values: Float64Array;
  /** What follows the last label value, by row of the range: its quote, more labels, the closing brace and a space. */
  readonly tails: readonly Uint8Array[];
}

/**
 * Renders chunks: the lines of one family for a range of rows. It is fast because nothing is created for a line: its name,
 * its encoded labels and the digits of its value are copied within memory that is reused for all chunks. The memory has
 * first the labels of the range, then the name, then the lines.
 */
export class ChunkRenderer {
  readonly #arena: LabelArena;
  #memory = new Uint8Array(0);
  /** The range: its rows, and how many bytes its labels have. */
  #from = 0;
  #to = 0;
  #labelBytes = 0;
  /** Where the next byte is written. */
  #end = 0;

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

  /** Returns the lines of a family. The text is overwritten by the next call. */
  render({ name, values, tails }: ChunkSource): { readonly text: Uint8Array; readonly samples: number } {
    const start = this.#labelBytes + name.length;
    this.#reserve(start + this.#capacity(name, tails));
    this.#memory.set(name, this.#labelBytes);
    this.#end = start;
    let samples = 0;
    for (let row = this.#from; row < this.#to; row += 1) {
      const value = values[row - this.#from] as number;
      if (Number.isNaN(value)) continue;
      this.#writeLabels(row, name.length, tails[row - this.#from] as Uint8Array);
      this.#writeValue(value);
      samples += 1;
    }
    return { text: this.#memory.subarray(start, this.#end), samples };
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
}
