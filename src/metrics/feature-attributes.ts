import { type FeatureColumns, labelId } from '../inventory/feature-columns.ts';
import { featureLabelFields } from '../inventory/feature-row.ts';
import { modelName } from '../query-api/records.ts';
import { writeEscaped } from './label-arena.ts';
import { attributeLabels } from './metric.ts';
import type { OwnerTails } from './owner-tails.ts';

/** The end of the labels of gauges without more labels, with the space before the value. */
export const plainTail: Uint8Array = Buffer.from('"} ');

const openings = attributeLabels.map((name) => Buffer.from(`",${name}="`));
/** Text ids are mixed to one number by multiplying with primes. */
const PRIME = 16_777_619;

const VENDOR_LICENSE = featureLabelFields.indexOf('vendorLicense');
const FEATURE = featureLabelFields.indexOf('feature');

interface Tail {
  readonly ids: readonly number[];
  readonly owner: number;
  readonly bytes: Uint8Array;
}

/**
 * The labels that only info metrics have: attributes and owner, in one generation. Few combinations of them occur, so each is
 * encoded once. The combinations are not kept for the next generation, in which a text id can mean another text.
 */
export class FeatureAttributes {
  readonly #columns: FeatureColumns;
  readonly #owners: OwnerTails;
  readonly #positions: readonly number[];
  readonly #known = new Map<number, Tail[]>();
  /** The last feature that an owner was looked up for. The versions of a feature follow each other. */
  #last: { readonly vendorLicense: number; readonly feature: number; readonly owner: number } | undefined;

  constructor(columns: FeatureColumns, owners: OwnerTails) {
    this.#columns = columns;
    this.#owners = owners;
    this.#positions = attributeLabels.map((name) => columns.features.textColumn(modelName(name)));
  }

  /** What follows the last label value that all gauges have, up to the value. Without attributes. */
  ownerTail(row: number): Uint8Array {
    return this.#owners.tail(this.#ownerOf(row));
  }

  /** As `ownerTail`, with the attributes. GetFeatures must report the feature. */
  tail(row: number): Uint8Array {
    const owner = this.#ownerOf(row);
    let hash = owner;
    for (let i = 0; i < this.#positions.length; i += 1) hash = Math.imul(hash ^ this.#id(row, i), PRIME);
    const alike = this.#known.get(hash) ?? [];
    for (const { ids, owner: other, bytes } of alike) {
      if (other === owner && ids.every((id, i) => id === this.#id(row, i))) return bytes;
    }
    const ids = this.#positions.map((_, i) => this.#id(row, i));
    const made = { ids, owner, bytes: this.#encode(ids, this.#owners.tail(owner)) };
    this.#known.set(hash, [...alike, made]);
    return made.bytes;
  }

  /** Whether two rows of two generations have the same attributes. The texts of both generations must still exist. */
  isSame(row: number, before: FeatureAttributes): boolean {
    if (this.#columns.featureSlots[row] === before.#columns.featureSlots[row]) return true;
    return this.#positions.every((_, i) => this.#id(row, i) === before.#id(row, i));
  }

  /** The text id of an attribute. */
  #id(row: number, attribute: number): number {
    return this.#columns.features.text(this.#columns.featureSlots[row] as number, this.#positions[attribute] as number);
  }

  #ownerOf(row: number): number {
    const columns = this.#columns;
    const vendorLicense = labelId(columns, VENDOR_LICENSE, row);
    const feature = labelId(columns, FEATURE, row);
    if (this.#last?.vendorLicense === vendorLicense && this.#last.feature === feature) return this.#last.owner;
    const { texts } = columns;
    const owner = this.#owners.indexOf(
      () => texts.text(vendorLicense),
      () => texts.text(feature),
    );
    this.#last = { vendorLicense, feature, owner };
    return owner;
  }

  #encode(ids: readonly number[], ownerTail: Uint8Array): Uint8Array {
    const ranges = ids.map((id) => this.#columns.texts.range(id));
    const most = ranges.reduce((sum, { from, to }, i) => sum + (openings[i]?.length ?? 0) + 2 * (to - from), 0);
    const bytes = new Uint8Array(most + ownerTail.length);
    let end = 0;
    for (const [i, { memory, from, to }] of ranges.entries()) {
      const opening = openings[i] as Buffer;
      bytes.set(opening, end);
      end = writeEscaped(bytes, end + opening.length, memory, from, to);
    }
    bytes.set(ownerTail, end);
    return bytes.slice(0, end + ownerTail.length);
  }
}
