import { type Html, html } from '../../base/html/html.ts';
import type { OwnerMapping } from '../../base/model/owners.ts';
import { isKnown, shareOf } from '../../base/model/unknown.ts';
import { forEachSliced } from '../../base/scheduling/slices.ts';
import type { FeatureRow } from '../../exporter/inventory/feature-row.ts';
import type { Inventory } from '../../exporter/inventory/inventory.ts';
import { Leaders } from '../grafana/answers/site-figures.ts';
import { vendorLicenseUrl } from './links.ts';

/** The filter of the pages: words that all occur in a name, a vendor license, a package or an owner. */

type Features = Inventory['features'];

/** Features that are listed. */
const MAX_FOUND = 100;

/** What a filter finds, as far as it is listed, and how many there are. */
export interface Found {
  /** Those that need attention first, then those most in use. */
  readonly features: readonly FeatureRow[];
  readonly count: number;
}

/** The words of a filter, in lower case. */
export const wordsOf = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');

/** Whether a text in lower case has all words. */
function hasAll(text: string, words: readonly string[]): boolean {
  for (const word of words) if (!text.includes(word)) return false;
  return true;
}

/** The words that do not occur in a text. */
export function missingWords(text: string, words: readonly string[]): readonly string[] {
  const lower = text.toLowerCase();
  return words.filter((word) => !lower.includes(word));
}

/** Feature and package of each row in lower case. They are decoded once, because a filter is typed more than once. */
const namesOfFeatures = new WeakMap<Features, readonly string[]>();

async function namesOf(features: Features): Promise<readonly string[]> {
  const known = namesOfFeatures.get(features);
  if (known !== undefined) return known;
  const names: string[] = [];
  await forEachSliced(features, ({ feature, package: pkg }) => {
    names.push((pkg === '' ? feature : `${feature} ${pkg}`).toLowerCase());
  });
  namesOfFeatures.set(features, names);
  return names;
}

/** @param vendorLicense only its features; `undefined` for all */
export async function findFeatures(
  { features }: Inventory,
  words: readonly string[],
  vendorLicense: string | undefined,
  owners: OwnerMapping,
): Promise<Found> {
  const found = new Leaders<FeatureRow>(MAX_FOUND);
  const names = words.length === 0 ? undefined : await namesOf(features);
  const hasOwners = owners.entries.length > 0;
  const isOwned = (row: FeatureRow, missing: readonly string[]): boolean =>
    missingWords(Object.values(owners.of(row.vendorLicense, row.feature)).join(' '), missing).length === 0;
  // the rows of a vendor license follow each other
  let current: string | undefined;
  let wordsOfFeature = words;
  await forEachSliced(features, (row, at) => {
    const { vendorLicense: name } = row;
    if (name !== current) {
      current = name;
      wordsOfFeature = missingWords(name, words);
    }
    if (vendorLicense !== undefined && name !== vendorLicense) return;
    const text = names?.[at] ?? '';
    if (!hasAll(text, wordsOfFeature) && !(hasOwners && isOwned(row, missingWords(text, wordsOfFeature)))) return;
    const { maxAvailable, inUse, maxQueued } = row;
    const share = shareOf(inUse, maxAvailable);
    const rank = (isKnown(maxQueued) ? -maxQueued : 0) - (isKnown(share) ? Math.min(1, share) : 0);
    if (found.counts(rank)) found.add(rank, row);
  });
  return { features: found.values(), count: found.count };
}

interface FilterForm {
  /** The filter as it was typed. */
  readonly filter: string;
  readonly label: string;
  /** The vendor license in which features are found; `undefined` for all. */
  readonly vendorLicense: string | undefined;
  /** The address without a filter; by default that of the vendor license, or of the first page. */
  readonly all?: string;
}

/** The form that finds vendor licenses and features. It works without scripts. */
export function filterHtml({
  filter,
  label,
  vendorLicense,
  all = vendorLicense === undefined ? './' : vendorLicenseUrl(vendorLicense),
}: FilterForm): Html {
  const hidden =
    vendorLicense === undefined ? undefined : html`<input type="hidden" name="name" value="${vendorLicense}">`;
  const clear = filter === '' ? undefined : html` <a href="${all}">Show everything</a>`;
  return html`<form class="filter" role="search">${hidden}<div><label for="filter">${label}</label>
<input id="filter" type="search" name="q" value="${filter}" autocomplete="off" spellcheck="false"></div>
<button>Filter</button>${clear}</form>`;
}
