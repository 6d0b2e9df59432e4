import type { FeatureColumns } from '../inventory/feature-columns.ts';
import { modelName } from '../query-api/records.ts';
import { attributeLabels } from './info-metrics.ts';
import { writeEscaped } from './label-arena.ts';

/** The end of the labels of every gauge but `license_feature_info`, with the space before the value. */
export const plainTail: Uint8Array = Buffer.from('"} ');

const openings = attributeLabels.map((name) => Buffer.from(`",${name}="`));
/** Text ids are mixed to one number by multiplying with primes. */
const PRIME = 16_777_619;

interface Attributes {
  readonly ids: readonly number[];
  readonly tail: Uint8Array;
}

/**
 * The attribute labels of `license_feature_info` in one generation. Few combinations of them occur, so each is encoded once.
 * The combinations are not kept for the next generation, in which a text id can mean another text.
 */
export class FeatureAttributes {
  readonly #columns: FeatureColumns;
  readonly #positions: readonly number[];
  readonly #known = new Map<number, Attributes[]>();

  constructor(columns: FeatureColumns) {
    this.#columns = columns;
    this.#positions = attributeLabels.map((name) => columns.features.textColumn(modelName(name)));
  }

  /** What follows the last label value of a row that GetFeatures reports, up to the value. */
  tail(row: number): Uint8Array {
    const slot = this.#columns.featureSlots[row] as number;
    const { features } = this.#columns;
    let hash = 0;
    for (const position of this.#positions) hash = Math.imul(hash ^ features.text(slot, position), PRIME);
    const alike = this.#known.get(hash) ?? [];
    for (const { ids, tail } of alike) {
      if (this.#positions.every((position, i) => features.text(slot, position) === ids[i])) return tail;
    }
    const ids = this.#positions.map((position) => features.text(slot, position));
    const made = { ids, tail: this.#encode(ids) };
    this.#known.set(hash, [...alike, made]);
    return made.tail;
  }

  /** Whether two rows of two generations have the same attributes. The texts of both generations must still exist. */
  isSame(row: number, before: FeatureAttributes): boolean {
    const slot = this.#columns.featureSlots[row] as number;
    const slotBefore = before.#columns.featureSlots[row] as number;
    if (slot === slotBefore || slot < 0 || slotBefore < 0) return true;
    return this.#positions.every(
      (position) => this.#columns.features.text(slot, position) === before.#columns.features.text(slotBefore, position),
    );
  }

  #encode(ids: readonly number[]): Uint8Array {
    const ranges = ids.map((id) => this.#columns.texts.range(id));
    const most = ranges.reduce((sum, { from, to }, i) => sum + (openings[i]?.length ?? 0) + 2 * (to - from), 0);
    const bytes = new Uint8Array(most + plainTail.length);
    let end = 0;
    for (const [i, { memory, from, to }] of ranges.entries()) {
      const opening = openings[i] as Buffer;
      bytes.set(opening, end);
      end = writeEscaped(bytes, end + opening.length, memory, from, to);
    }
    bytes.set(plainTail, end);
    return bytes.slice(0, end + plainTail.length);
  }
}
