import type { FeatureColumns } from '../inventory/feature-columns.ts';
import type { BlockUpdate } from './block-update.ts';
import { catalogue } from './catalogue.ts';
import { FeatureAttributes, plainTail } from './feature-attributes.ts';
import type { ChunkRenderer, PageChunk } from './feature-chunks.ts';
import type { FeatureGauge, ReadValue } from './feature-gauges.ts';
import { combineCrc, deflatePiece } from './gzip.ts';

/** A generation of the features, and how it differs from the last one. */
export interface Generation {
  readonly columns: FeatureColumns;
  readonly chunks: ChunkRenderer;
  /** `undefined` if the layout has changed. */
  readonly changes: { readonly before: FeatureColumns; readonly rows: readonly number[] } | undefined;
}

/** Rows of a chunk: enough to be compressed well, few enough that a small change renders little. */
export const CHUNK_ROWS = 4096;

/** What is known of a chunk whose bytes are with the receiver of the updates. */
type Known = Pick<PageChunk, 'crc' | 'length' | 'samples'>;

/** A rendered range of rows. */
interface Range {
  /** The first row that is not in it. */
  readonly end: number;
  /** `undefined` without a sample. */
  readonly chunk: Known | undefined;
}

/** A family with its rendered ranges. A range that must be rendered again is `undefined`. */
interface FeatureFamily {
  readonly gauge: FeatureGauge;
  readonly name: Uint8Array;
  readonly header: PageChunk;
  ranges: (Range | undefined)[];
}

function createFamily(gauge: FeatureGauge): FeatureFamily {
  const { help, type } = catalogue[gauge.name];
  const header = deflatePiece(Buffer.from(`# HELP ${gauge.name} ${help}\n# TYPE ${gauge.name} ${type}\n`));
  return { gauge, name: Buffer.from(gauge.name), header: { ...header, samples: 0 }, ranges: [] };
}

/**
 * How many rows can be shown with at most `budget` series. The first rows are shown, so that they are the same every time.
 */
function rowsWithin(reads: readonly ReadValue[], count: number, budget: number): number {
  if (reads.length * count <= budget) return count;
  let series = 0;
  for (let row = 0; row < count; row += 1) {
    for (const read of reads) if (!Number.isNaN(read(row))) series += 1;
    if (series > budget) return row;
  }
  return count;
}

/** A block of the page whose families have one row for each feature. */
export class FeatureBlock {
  readonly #families: readonly FeatureFamily[];
  readonly #values = new Float64Array(CHUNK_ROWS);
  readonly #tails: Uint8Array[] = Array.from({ length: CHUNK_ROWS }, () => plainTail);
  readonly #plainTails: readonly Uint8Array[] = Array.from({ length: CHUNK_ROWS }, () => plainTail);
  /** The chunks of the last update with their positions. */
  #positions = new Map<Known, number>();

  constructor(gauges: readonly FeatureGauge[]) {
    this.#families = gauges.map(createFamily);
  }

  /** @param budget maximum number of series */
  render(generation: Generation, budget: number): BlockUpdate {
    const { columns } = generation;
    const reads = this.#families.map(({ gauge }) => gauge.open(columns));
    const limit = rowsWithin(reads, columns.count, budget);
    this.#discardChanged(generation, reads);
    const fresh = this.#renderRanges(generation, reads, limit);
    return this.#update(fresh, limit < columns.count);
  }

  /** Discards the ranges that are out of date. */
  #discardChanged({ columns, changes }: Generation, reads: readonly ReadValue[]): void {
    if (changes === undefined) {
      for (const family of this.#families) family.ranges = [];
      return;
    }
    const { before, rows } = changes;
    const attributes = new FeatureAttributes(columns);
    const attributesBefore = new FeatureAttributes(before);
    for (const [i, { gauge, ranges }] of this.#families.entries()) {
      const read = reads[i] as ReadValue;
      const readBefore = gauge.open(before);
      for (const row of rows) {
        const isSame =
          Object.is(read(row), readBefore(row)) && (!gauge.hasAttributes || attributes.isSame(row, attributesBefore));
        if (!isSame) ranges[Math.floor(row / CHUNK_ROWS)] = undefined;
      }
    }
  }

  /** Renders the ranges that are out of date, or that end somewhere else. Returns the chunks by what is known of them. */
  #renderRanges({ columns, chunks }: Generation, reads: readonly ReadValue[], limit: number): Map<Known, PageChunk> {
    const attributes = new FeatureAttributes(columns);
    const rendered = new Map<Known, PageChunk>();
    for (let from = 0, range = 0; from < columns.count; from += CHUNK_ROWS, range += 1) {
      const end = Math.max(from, Math.min(from + CHUNK_ROWS, columns.count, limit));
      const stale = [...this.#families.entries()].filter(([, { ranges }]) => ranges[range]?.end !== end);
      if (stale.length > 0) chunks.selectRows(from, end);
      for (const [i, family] of stale) {
        this.#readValues(reads[i] as ReadValue, from, end);
        const tails = family.gauge.hasAttributes ? this.#readTails(attributes, from, end) : this.#plainTails;
        const chunk = chunks.render({ name: family.name, values: this.#values, tails });
        const known = chunk && { crc: chunk.crc, length: chunk.length, samples: chunk.samples };
        if (chunk !== undefined && known !== undefined) rendered.set(known, chunk);
        family.ranges[range] = { end, chunk: known };
      }
    }
    return rendered;
  }

  #readValues(read: ReadValue, from: number, end: number): void {
    for (let row = from; row < end; row += 1) this.#values[row - from] = read(row);
  }

  #readTails(attributes: FeatureAttributes, from: number, end: number): readonly Uint8Array[] {
    for (let i = 0; i < end - from; i += 1) {
      if (!Number.isNaN(this.#values[i])) this.#tails[i] = attributes.tail(from + i);
    }
    return this.#tails;
  }

  #update(rendered: ReadonlyMap<Known, PageChunk>, isLimited: boolean): BlockUpdate {
    const positions = new Map<Known, number>();
    const chunks: (PageChunk | number)[] = [];
    let crc = 0;
    let length = 0;
    let series = 0;
    const add = (known: Known, chunk: PageChunk | undefined): void => {
      positions.set(known, chunks.length);
      chunks.push(this.#positions.get(known) ?? (chunk as PageChunk));
      crc = combineCrc(crc, known.crc, known.length);
      length += known.length;
      series += known.samples;
    };
    for (const { header, ranges } of this.#families) {
      const shown = ranges.flatMap((range) => range?.chunk ?? []);
      if (shown.length > 0) add(header, copyOf(header));
      for (const known of shown) add(known, rendered.get(known));
    }
    this.#positions = positions;
    return { chunks, crc, length, series, isLimited };
  }
}

/** A chunk whose memory can be transferred. */
const copyOf = (chunk: PageChunk): PageChunk => ({ ...chunk, bytes: chunk.bytes.slice() });
