import { type Figure, unknown } from '../../base/model/unknown.ts';
import { type ModelName, modelName } from '../../base/query-api/records.ts';
import { catalogue, type MetricName } from './catalogue.ts';
import type { FieldGauge } from './field-metrics.ts';
import { combineChecksums, type Deflated, deflateText, type Joined } from './gzip.ts';
import { type Enabled, isEnabled, type Metric, type Presence } from './metric.ts';
import type { Rows } from './rows.ts';

/** Metrics as text: families of samples, which the table of fields defines, rendered into blocks. */

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

/** Maximum size of a value with the space and the line feed, bytes. */
const MAX_VALUE_BYTES = 32;

/** What a family says before its samples. */
const headerOf = ({ name, help, type }: Pick<Family, 'name' | 'help' | 'type'>): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;

/** The text of a page, written line by line to a buffer that grows. */
export class TextWriter {
  #buffer: Buffer;
  #length = 0;

  /** @param bytes how much is expected */
  constructor(bytes = 64 * 1024) {
    this.#buffer = Buffer.allocUnsafe(bytes);
  }

  get length(): number {
    return this.#length;
  }

  /** What is written. It is overwritten after `clear`. */
  get text(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  header(family: Pick<Family, 'name' | 'help' | 'type'>): void {
    const text = headerOf(family);
    this.#reserve(Buffer.byteLength(text));
    this.#length += this.#buffer.write(text, this.#length);
  }

  /** A sample: the name, the labels of a row, and the value. */
  line(name: Buffer, { arena, offsets }: Rows, row: number, value: number): void {
    const from = offsets[row] ?? 0;
    const to = offsets[row + 1] ?? 0;
    this.#reserve(name.length + to - from + MAX_VALUE_BYTES);
    this.#copy(name, 0, name.length);
    this.#copy(arena, from, to);
    this.#value(value);
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + bytes));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }

  #copy(source: Buffer, from: number, to: number): void {
    source.copy(this.#buffer, this.#length, from, to);
    this.#length += to - from;
  }

  /** ` value\n`. */
  #value(value: number): void {
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
}

/**
 * Renders families of gauges. The bytes are valid in the text format 0.0.4 and in OpenMetrics 1.0.0: the formats write
 * gauges alike, and no help text contains a character that they escape differently. Families without a sample are left
 * out.
 *
 * @param rowLimit maximum number of rows
 * @param chunkBytes usual size of a chunk
 * @param counts gets the number of samples of each family
 */
export function* renderGauges(
  families: readonly Family[],
  rowLimit = Number.POSITIVE_INFINITY,
  chunkBytes = CHUNK_BYTES,
  counts?: Map<string, number>,
): Generator<Chunk> {
  let writer = new TextWriter();
  let samples = 0;
  const take = (next: TextWriter): Chunk => {
    const chunk = { bytes: writer.text, samples };
    writer = next;
    samples = 0;
    return chunk;
  };
  for (const family of families) {
    const { rows, value } = family;
    const name = Buffer.from(family.name);
    const count = Math.min(rows.count, rowLimit);
    let shown = 0;
    for (let row = 0; row < count; row += 1) {
      const sample = value(row);
      if (sample === undefined || Number.isNaN(sample)) continue;
      if (shown === 0) writer.header(family);
      shown += 1;
      writer.line(name, rows, row, sample);
      samples += 1;
      // a chunk ends after the row that fills it
      if (writer.length >= chunkBytes) yield take(new TextWriter(chunkBytes + MAX_ROW_BYTES));
    }
    if (shown > 0) counts?.set(family.name, shown);
  }
  if (writer.length > 0) yield take(writer);
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

/** Returns the families of the enabled gauges. The rows are those of the table. */
export const collectGauges = <
  Column extends string,
  Row extends { readonly [Name in Column]: Figure | boolean | undefined },
>(
  gauges: readonly FieldGauge<MetricName, Column>[],
  enabled: Enabled,
  table: readonly Row[],
  rows: Rows,
): Family[] =>
  gauges
    .filter(({ metric }) => isEnabled(metric, enabled))
    .map(({ name, column }) => createFamily(name, rows, (row) => toNumber(table[row]?.[column])));

/** Returns a reader of the label values of a row. Each label is the column of the same name. */
export function labelsOf<Label extends string, Row extends { readonly [Name in ModelName<Label>]: string | undefined }>(
  labels: readonly Label[],
): (row: Row) => readonly string[] {
  const columns = labels.map((label) => modelName(label));
  return (row) => columns.map((column) => row[column] ?? '');
}

/** The part of the page from one source, rendered and compressed once for all scrapes. */
export interface Block extends Joined {
  readonly series: number;
  /** The same by metric. */
  readonly seriesOf: ReadonlyMap<string, number>;
  /** Whether rows were left out because of the series limit. */
  readonly isLimited: boolean;
}

/**
 * Renders families into a block with at most `maxSeries` series.
 *
 * @param chunkBytes how much is rendered without a pause
 */
export async function createBlock(families: readonly Family[], maxSeries: number, chunkBytes?: number): Promise<Block> {
  const render = async (rowLimit: number): Promise<Block> => {
    const pieces: Deflated[] = [];
    const seriesOf = new Map<string, number>();
    let series = 0;
    for (const { bytes, samples } of renderGauges(families, rowLimit, chunkBytes, seriesOf)) {
      series += samples;
      // awaiting lets other work run between chunks
      pieces.push(await deflateText(bytes));
    }
    return { ...combineChecksums(pieces), pieces, series, seriesOf, isLimited: rowLimit !== Number.POSITIVE_INFINITY };
  };
  const whole = await render(Number.POSITIVE_INFINITY);
  return whole.series > maxSeries ? render(rowsWithin(families, maxSeries)) : whole;
}

/** A metric with its samples, each with one row of labels and one value. `undefined` and NaN are not samples. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: Metric['type'];
  readonly rows: Rows;
  readonly value: (row: number) => number | undefined;
}

/** A family of the catalogue. */
export function createFamily(name: MetricName, rows: Rows, value: Family['value']): Family {
  const { help, type, presence } = catalogue[name];
  return { name, help, type, rows, value: (row) => sampleOf(presence, value(row)) };
}

/** The sample of a value: none for a 0 that is left out. */
export const sampleOf = (presence: Presence, value: number | undefined): number | undefined =>
  presence === 'not 0' && value === 0 ? undefined : value;

/** What a sample shows: a flag as 0 or 1, and nothing for what is not known. */
export function toNumber(value: Figure | boolean | undefined): number | undefined {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return value === unknown ? undefined : value;
}
