import type { OwnerMapping } from '../model/owners.ts';
import { formatLabelPairs } from './rows.ts';

/** The index of the tail without an owner. */
const NOBODY = 0;

/**
 * The ends of the labels of info metrics: the labels of owners, encoded once for each combination of values. It is
 * used for all generations until the owners change.
 */
export class OwnerTails {
  readonly #owners: OwnerMapping;
  readonly #tails: Uint8Array[] = [];
  readonly #indexes = new Map<string, number>();

  constructor(owners: OwnerMapping) {
    this.#owners = owners;
    this.#add({});
  }

  /** The index of the tail of a feature. The texts are read only if they are needed. */
  indexOf(vendorLicense: () => string, feature: () => string): number {
    if (this.#owners.entries.length === 0) return NOBODY;
    return this.#add(this.#owners.of(vendorLicense(), feature()));
  }

  /** What follows the last attribute: its quote, the labels, the closing brace and a space. */
  tail(index: number): Uint8Array {
    return this.#tails[index] as Uint8Array;
  }

  #add(labels: Readonly<Record<string, string>>): number {
    const { names } = this.#owners;
    const values = names.map((name) => labels[name] ?? '');
    const key = JSON.stringify(values);
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    const index = this.#tails.push(Buffer.from(`",${formatLabelPairs(names, values)}} `)) - 1;
    this.#indexes.set(key, index);
    return index;
  }
}
