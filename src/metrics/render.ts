import type { Family } from './family.ts';

/** The bytes of a finished chunk, and its number of samples. */
export interface Chunk {
  readonly bytes: Buffer;
  readonly samples: number;
}

/** Large enough to compress and send efficiently, small enough to render without blocking the thread. */
const CHUNK_BYTES = 1024 * 1024;
/** Usual maximum size of a row. The buffer grows for longer ones. */
const MAX_ROW_BYTES = 4096;

/** A number in the syntax of both formats. JavaScript's shortest form is parsed to the same number. */
export function formatValue(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}

/** A buffer that grows up to the size of a chunk. */
class ChunkWriter {
  readonly #chunkBytes: number;
  #buffer = Buffer.allocUnsafe(64 * 1024);
  #length = 0;
  samples = 0;

  constructor(chunkBytes: number) {
    this.#chunkBytes = chunkBytes;
  }

  get isFull(): boolean {
    return this.#length >= this.#chunkBytes;
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

  /** Writes small counts, the most frequent values, without creating a string. */
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

  /** Returns a copy of the written bytes, and resets the writer. */
  take(): Chunk {
    const chunk = { bytes: this.#buffer.subarray(0, this.#length), samples: this.samples };
    // a chunk ends after the row that fills it
    this.#buffer = Buffer.allocUnsafe(this.#chunkBytes + MAX_ROW_BYTES);
    this.#length = 0;
    this.samples = 0;
    return chunk;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }
}

/** Maximum size of a value with the space and the line feed, bytes. */
const MAX_VALUE_BYTES = 32;

/**
 * Renders families of gauges. The bytes are valid in the text format 0.0.4 and in OpenMetrics 1.0.0: the formats write
 * gauges alike, and no help text contains a character that they escape differently. Families without a sample are left
 * out.
 *
 * @param rowLimit maximum number of rows
 * @param chunkBytes usual size of a chunk
 */
export function* renderGauges(
  families: readonly Family[],
  rowLimit = Number.POSITIVE_INFINITY,
  chunkBytes = CHUNK_BYTES,
): Generator<Chunk> {
  const writer = new ChunkWriter(chunkBytes);
  for (const { name, help, type, rows, value } of families) {
    const prefix = Buffer.from(name);
    const count = Math.min(rows.count, rowLimit);
    let hasHeader = false;
    for (let row = 0; row < count; row += 1) {
      const sample = value(row);
      if (sample === undefined || Number.isNaN(sample)) continue;
      if (!hasHeader) {
        const head = `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
        writer.reserve(Buffer.byteLength(head));
        writer.text(head);
        hasHeader = true;
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
 * How many rows of a block can be shown with at most `maxSamples` samples. The first rows are shown, so that they are the
 * same every time.
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
