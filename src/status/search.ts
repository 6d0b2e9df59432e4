import type { Inventory } from '../inventory/inventory.ts';
import type { OwnerMapping } from '../model/owners.ts';
import { type FeatureItem, itemOf } from './feature-item.ts';
import { Leaders } from './leaders.ts';

/** The filter of the pages: words that all occur in a name, a vendor license, a package or an owner. */

/** Features read between two yields. */
const SLICE = 128;
/** Features that are listed. */
const MAX_FOUND = 100;

export interface Found {
  /** Those that need attention first, then those most in use. */
  readonly features: readonly FeatureItem[];
  readonly count: number;
}

/** The words of a filter, in lower case. */
export const wordsOf = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');

export const hasWords = (text: string, words: readonly string[]): boolean => {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
};

/** @param vendorLicense only its features; `undefined` for all */
export function* findFeatures(
  { features }: Inventory,
  words: readonly string[],
  vendorLicense: string | undefined,
  owners: OwnerMapping,
): Generator<void, Found> {
  const found = new Leaders<FeatureItem>(MAX_FOUND);
  const hasOwners = owners.entries.length > 0;
  let read = 0;
  for (const row of features.scan()) {
    read += 1;
    if (read % SLICE === 0) yield;
    if (vendorLicense !== undefined && row.vendorLicense !== vendorLicense) continue;
    if (words.length > 0) {
      const owner = hasOwners ? Object.values(owners.of(row.vendorLicense, row.feature)).join(' ') : '';
      if (!hasWords(`${row.feature} ${row.vendorLicense} ${row.package} ${owner}`, words)) continue;
    }
    const { inUse = 0, maxAvailable = 0, maxQueued = 0 } = row;
    const share = maxAvailable === 0 ? 0 : Math.min(1, inUse / maxAvailable);
    found.add(-maxQueued - share, () => itemOf(row));
  }
  return { features: found.values(), count: found.count };
}
