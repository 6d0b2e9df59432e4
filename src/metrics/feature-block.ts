import type { FeatureColumns } from '../inventory/feature-columns.ts';
import type { BlockUpdate, PageChunk } from './block-update.ts';
import { catalogue, type MetricName } from './catalogue.ts';
import { FeatureAttributes, plainTail } from './feature-attributes.ts';
import type { ChunkRenderer } from './feature-chunks.ts';
import type { FeatureGauge, ReadValue } from './feature-gauges.ts';
import { combineChecksums, deflatePiece } from './gzip.ts';
import type { OwnerTails } from './owner-tails.ts';
import type { PieceMemory } from './piece-memory.ts';

/** A generation of the features, and how it differs from the last one. */
interface Generation {
  readonly columns: FeatureColumns;
  readonly chunks: ChunkRenderer;
  readonly owners: OwnerTails;
  /** `undefined` if the layout has changed. */
  readonly changes: { readonly before: FeatureColumns; readonly rows: readonly number[] } | undefined;
}

/** Rows of a chunk: enough to be compressed well, few enough that a small change renders little. */
export const CHUNK_ROWS = 4096;

/** A rendered range of rows. */
interface Range {
  /** The first row that is not in it. */
  readonly end: number;
  /** `undefined` without a sample. */
  readonly chunk: PageChunk | undefined;
}

/** A family with its rendered ranges. A range that must be rendered again is `undefined`. */
interface FeatureFamily {
  readonly gauge: FeatureGauge;
  readonly name: Uint8Array;
  /** Like the chunk of a range. */
  header: PageChunk | undefined;
  ranges: (Range | undefined)[];
}

function createFamily(gauge: FeatureGauge): FeatureFamily {
  return { gauge, name: Buffer.from(gauge.name), header: undefined, ranges: [] };
}

function headerOf(name: MetricName): Buffer {
  const { help, type } = catalogue[name];
  return Buffer.from(`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`);
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
  readonly #pieces: PieceMemory;
  readonly #values = new Float64Array(CHUNK_ROWS);
  readonly #tails: Uint8Array[] = Array.from({ length: CHUNK_ROWS }, () => plainTail);
  readonly #plainTails: readonly Uint8Array[] = Array.from({ length: CHUNK_ROWS }, () => plainTail);
  /** The owners of the last update. */
  #owners: OwnerTails | undefined;
  /** The chunks of the last update with their positions. */
  #positions: ReadonlyMap<PageChunk, number> = new Map();

  constructor(gauges: readonly FeatureGauge[], pieces: PieceMemory) {
    this.#families = gauges.map(createFamily);
    this.#pieces = pieces;
  }

  /** @param budget maximum number of series */
  render(generation: Generation, budget: number): BlockUpdate {
    const { columns } = generation;
    const reads = this.#families.map(({ gauge }) => gauge.open(columns));
    const limit = rowsWithin(reads, columns.count, budget);
    this.#useOwners(generation.owners);
    this.#discardChanged(generation, reads);
    this.#renderRanges(generation, reads, limit);
    return this.#update(limit < columns.count);
  }

  /** Discards the ranges that show other owners. */
  #useOwners(owners: OwnerTails): void {
    if (this.#owners === owners) return;
    this.#owners = owners;
    for (const family of this.#families) if (family.gauge.extra !== 'none') family.ranges = [];
  }

  /** Discards the ranges that are out of date. */
  #discardChanged({ columns, owners, changes }: Generation, reads: readonly ReadValue[]): void {
    if (changes === undefined) {
      for (const family of this.#families) family.ranges = [];
      return;
    }
    const { before, rows } = changes;
    const attributes = new FeatureAttributes(columns, owners);
    const attributesBefore = new FeatureAttributes(before, owners);
    for (const [i, { gauge, ranges }] of this.#families.entries()) {
      const read = reads[i] as ReadValue;
      const readBefore = gauge.open(before);
      for (const row of rows) {
        const range = Math.floor(row / CHUNK_ROWS);
        if (ranges[range] === undefined) continue;
        const isSame =
          Object.is(read(row), readBefore(row)) &&
          (gauge.extra !== 'attributes' || attributes.isSame(row, attributesBefore));
        if (!isSame) ranges[range] = undefined;
      }
    }
  }

  /** Renders the ranges that are out of date, or that end somewhere else. */
  #renderRanges({ columns, chunks, owners }: Generation, reads: readonly ReadValue[], limit: number): void {
    const attributes = new FeatureAttributes(columns, owners);
    for (let from = 0, range = 0; from < columns.count; from += CHUNK_ROWS, range += 1) {
      const end = Math.max(from, Math.min(from + CHUNK_ROWS, columns.count, limit));
      const stale = [...this.#families.entries()].filter(([, { ranges }]) => ranges[range]?.end !== end);
      if (stale.length > 0) chunks.selectRows(from, end);
      for (const [i, family] of stale) {
        this.#readValues(reads[i] as ReadValue, from, end);
        const tails = this.#tailsOf(family.gauge, attributes, from, end);
        const { text, samples } = chunks.render({ name: family.name, values: this.#values, tails });
        family.ranges[range] = { end, chunk: samples === 0 ? undefined : this.#store(text, samples) };
      }
    }
  }

  #readValues(read: ReadValue, from: number, end: number): void {
    for (let row = from; row < end; row += 1) this.#values[row - from] = read(row);
  }

  #tailsOf({ extra }: FeatureGauge, labels: FeatureAttributes, from: number, end: number): readonly Uint8Array[] {
    if (extra === 'none') return this.#plainTails;
    for (let i = 0; i < end - from; i += 1) {
      if (Number.isNaN(this.#values[i])) continue;
      this.#tails[i] = extra === 'owner' ? labels.ownerTail(from + i) : labels.tail(from + i);
    }
    return this.#tails;
  }

  #store(text: Uint8Array, samples: number): PageChunk {
    return { ...this.#pieces.store(deflatePiece(text)), samples };
  }

  /** The chunks of all ranges. A chunk that the receiver has is referred to by its position. */
  #update(isLimited: boolean): BlockUpdate {
    const shown = this.#families.flatMap((family) => {
      const samples = family.ranges.flatMap((range) => range?.chunk ?? []);
      if (samples.length > 0) family.header ??= this.#store(headerOf(family.gauge.name), 0);
      else family.header = undefined;
      return family.header === undefined ? [] : [family.header, ...samples];
    });
    const before = this.#positions;
    this.#positions = new Map(shown.entries().map(([position, chunk]) => [chunk, position]));
    for (const chunk of before.keys()) if (!this.#positions.has(chunk)) this.#pieces.retire(chunk);
    return {
      ...combineChecksums(shown),
      chunks: shown.map((chunk) => before.get(chunk) ?? chunk),
      series: shown.reduce((sum, { samples }) => sum + samples, 0),
      isLimited,
    };
  }
}
