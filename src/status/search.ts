import type { FeatureRow } from '../inventory/feature-row.ts';
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

/** The words that do not occur in a text. */
export function missingWords(text: string, words: readonly string[]): readonly string[] {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word)) ? [] : words.filter((word) => !lower.includes(word));
}

const ownersText = (owners: OwnerMapping, vendorLicense: string, feature: string): string =>
  owners.entries.length === 0 ? '' : Object.values(owners.of(vendorLicense, feature)).join(' ');

/** Whether a feature has words that its vendor license does not have. */
function hasWords(
  { vendorLicense, feature, package: pkg }: FeatureRow,
  words: readonly string[],
  owners: OwnerMapping,
): boolean {
  if (words.length === 0) return true;
  const missing = missingWords(pkg === '' ? feature : `${feature} ${pkg}`, words);
  return missing.length === 0 || missingWords(ownersText(owners, vendorLicense, feature), missing).length === 0;
}

/** @param vendorLicense only its features; `undefined` for all */
export function* findFeatures(
  { features }: Inventory,
  words: readonly string[],
  vendorLicense: string | undefined,
  owners: OwnerMapping,
): Generator<void, Found> {
  const found = new Leaders<FeatureItem>(MAX_FOUND);
  // the rows of a vendor license follow each other
  let owner = '';
  let wordsOfFeature = words;
  let read = 0;
  for (const row of features.scan()) {
    read += 1;
    if (read % SLICE === 0) yield;
    if (row.vendorLicense !== owner || read === 1) {
      owner = row.vendorLicense;
      wordsOfFeature = missingWords(owner, words);
    }
    if (vendorLicense !== undefined && owner !== vendorLicense) continue;
    if (!hasWords(row, wordsOfFeature, owners)) continue;
    const { inUse = 0, maxAvailable = 0, maxQueued = 0 } = row;
    const share = maxAvailable === 0 ? 0 : Math.min(1, inUse / maxAvailable);
    found.add(-maxQueued - share, () => itemOf(row));
  }
  return { features: found.values(), count: found.count };
}
