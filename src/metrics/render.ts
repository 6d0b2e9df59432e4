import type { Family } from './family.ts';

/** Bytes of a finished chunk, and how many samples it holds. */
export interface Chunk {
  readonly bytes: Buffer;
  readonly samples: number;
}

/** Large enough to be worth compressing and sending, small enough to be made without holding anybody up. */
const CHUNK_BYTES = 1024 * 1024;
/** What a row usually stays under; longer ones make the buffer grow. */
const MAX_ROW_BYTES = 4096;

/** A number as both formats write it. JavaScript's shortest form reads back as the same number everywhere. */
export function formatValue(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}

/** Grows as it is written to, up to the size of a chunk. */
class ChunkWriter {
  #buffer = Buffer.allocUnsafe(64 * 1024);
  #length = 0;
  samples = 0;

  get isFull(): boolean {
    return this.#length >= CHUNK_BYTES;
  }

  reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + bytes));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }

  copy(source: Buffer, from: number, to: number): void {
    source.copy(this.#buffer, this.#length, from, to);
    this.#length += to - from;
  }

  text(text: string): void {
    this.#length += this.#buffer.write(text, this.#length);
  }

  /** ` value\n`. */
  value(value: number): void {
    this.#buffer[this.#length] = 0x20;
    this.#length += 1;
    if (Number.isInteger(value) && value >= 0 && value < 1e15) this.#integer(value);
    else this.#length += this.#buffer.write(formatValue(value), this.#length, 'latin1');
    this.#buffer[this.#length] = 0x0a;
    this.#length += 1;
  }

  /** Most values are small counts; their digits are written without making a string. */
  #integer(value: number): void {
    let digits = 1;
    for (let limit = 10; value >= limit; limit *= 10) digits += 1;
    let rest = value;
    for (let at = this.#length + digits - 1; at >= this.#length; at -= 1) {
      const next = Math.floor(rest / 10);
      this.#buffer[at] = 0x30 + (rest - next * 10);
      rest = next;
    }
    this.#length += digits;
  }

  /** What was written, as a buffer of its own; the writer begins anew. */
  take(): Chunk {
    const chunk = { bytes: this.#buffer.subarray(0, this.#length), samples: this.samples };
    // a chunk ends with the row that fills it
    this.#buffer = Buffer.allocUnsafe(CHUNK_BYTES + MAX_ROW_BYTES);
    this.#length = 0;
    this.samples = 0;
    return chunk;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }
}

/** Bytes a value may take, with the space and the line feed. */
const MAX_VALUE_BYTES = 32;

/**
 * Renders families of gauges: the text format 0.0.4, and the same bytes are OpenMetrics 1.0.0, because gauges differ in
 * nothing and no help text holds a character that the two escape differently. Families without a sample are left out.
 *
 * @param rowLimit rows from this one on are left out
 */
export function* renderGauges(families: readonly Family[], rowLimit = Number.POSITIVE_INFINITY): Generator<Chunk> {
  const writer = new ChunkWriter();
  for (const { name, help, type, rows, value } of families) {
    const prefix = Buffer.from(name);
    const count = Math.min(rows.count, rowLimit);
    let isHeaded = false;
    for (let row = 0; row < count; row += 1) {
      const sample = value(row);
      if (sample === undefined || Number.isNaN(sample)) continue;
      if (!isHeaded) {
        const head = `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
        writer.reserve(Buffer.byteLength(head));
        writer.text(head);
        isHeaded = true;
      }
      const from = rows.offsets[row] ?? 0;
      const to = rows.offsets[row + 1] ?? 0;
      writer.reserve(prefix.length + to - from + MAX_VALUE_BYTES);
      writer.copy(prefix, 0, prefix.length);
      writer.copy(rows.arena, from, to);
      writer.value(sample);
      writer.samples += 1;
      if (writer.isFull) yield writer.take();
    }
  }
  if (!writer.isEmpty) yield writer.take();
}

/**
 * How many rows of a block may be shown with at most so many samples: a whole prefix in the order of the rows, so that
 * it is the same ones every time.
 */
export function rowsWithin(families: readonly Family[], maxSamples: number): number {
  const longest = families.reduce((most, { rows }) => Math.max(most, rows.count), 0);
  let samples = 0;
  for (let row = 0; row < longest; row += 1) {
    for (const { rows, value } of families) {
      const sample = row < rows.count ? value(row) : undefined;
      if (sample !== undefined && !Number.isNaN(sample)) samples += 1;
    }
    if (samples > maxSamples) return row;
  }
  return Number.POSITIVE_INFINITY;
}
