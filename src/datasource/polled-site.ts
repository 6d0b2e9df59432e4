import type { Inventory } from '../inventory/inventory.ts';
import { freshGood, lastGood, type PolledEndpoint, type Snapshot, WHOLE } from '../model/snapshot.ts';
import { parseVendorLicense } from '../model/vendor-license.ts';
import { DatasourceError, fromQueryError } from './errors.ts';
import { matcherOf } from './query.ts';

/** What the last polls know of the site, for answers without a request to the analyzer. */
export interface PolledSite {
  readonly inventory: Inventory;
  readonly snapshot: Snapshot;
}

/** Why a part has no data to show. */
function missing(snapshot: Snapshot, endpoint: PolledEndpoint, part: string): DatasourceError {
  const what = part === WHOLE ? endpoint : `${endpoint} of ${part}`;
  const reading = snapshot.endpoints[endpoint]?.parts.get(part);
  if (reading?.ok === false) {
    const { code, message } = fromQueryError(reading.failure);
    return new DatasourceError(code, `${what}: ${message}`);
  }
  if (reading?.ok === true) return new DatasourceError('upstream_down', `${what} was polled too long ago`);
  // without vendor licenses there is nothing to ask the other endpoints for
  const cause = snapshot.endpoints.GetProducts?.parts.get(WHOLE);
  if (cause?.ok === false && endpoint !== 'GetProducts') return missing(snapshot, 'GetProducts', WHOLE);
  return new DatasourceError('upstream_down', `${what} has not been polled yet`);
}

/**
 * Checks that an endpoint has data that may be shown, of one vendor license at least.
 *
 * @returns for each part without it, what is wrong
 * @throws DatasourceError when it has none at all
 */
export function requireFresh(
  { snapshot, inventory }: PolledSite,
  endpoint: PolledEndpoint,
  isAskedFor: (vendorLicense: string) => boolean,
): readonly DatasourceError[] {
  const state = snapshot.endpoints[endpoint];
  if (snapshot.off?.includes(endpoint) === true) {
    throw new DatasourceError('upstream_down', `${endpoint} is not polled: it is switched off under poll`);
  }
  // a good GetProducts that lists nothing leaves nothing to ask for
  if (state === undefined && snapshot.endpoints.GetProducts?.lastSuccess !== undefined) return [];
  const parts = [...(state?.parts.keys() ?? [])].filter(
    (part) => part === WHOLE || isAskedFor(parseVendorLicense(part).vendorLicense),
  );
  const stale = parts.filter(
    (part) => freshGood<unknown>(state as NonNullable<typeof state>, part, inventory.at) === undefined,
  );
  if (stale.length === parts.length && (parts.length > 0 || (state?.parts.size ?? 0) === 0)) {
    throw missing(snapshot, endpoint, stale[0] ?? WHOLE);
  }
  return stale.map((part) => missing(snapshot, endpoint, part));
}

/** Whether one of the products of a payload matches a vendor license: by name, by name and part, or by pattern. */
export function productMatcher(products: readonly string[]): (vendorLicense: string) => boolean {
  return matcherOf(
    products.map((product) => (product.includes('%') ? product : parseVendorLicense(product).vendorLicense)),
  );
}

/** Names of the vendor licenses, as the API spells each: one may have several parts. */
export function spellingsOf({ snapshot, inventory }: PolledSite): ReadonlyMap<string, readonly string[]> {
  const known = new Map<string, string[]>(inventory.vendorLicenses.map(({ vendorLicense }) => [vendorLicense, []]));
  const byFolded = new Map([...known.keys()].map((name) => [name.toLowerCase(), name]));
  const records = lastGood(snapshot.endpoints.GetProducts?.parts.get(WHOLE))?.value.records ?? [];
  for (const { product } of records) {
    const name = byFolded.get(parseVendorLicense(product).vendorLicense.toLowerCase());
    const spellings = name === undefined ? undefined : known.get(name);
    if (spellings !== undefined && !spellings.includes(product)) spellings.push(product);
  }
  return known;
}

/** Names of features by vendor license. One look at each, because a large site has 100,000. */
export function featuresByVendorLicense(
  { inventory }: PolledSite,
  featureType?: string,
): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { vendorLicense, feature, featureType: type } of inventory.features) {
    if (featureType !== undefined && type !== featureType) continue;
    const names = found.get(vendorLicense);
    if (names === undefined) found.set(vendorLicense, new Set([feature]));
    else names.add(feature);
  }
  return found;
}

/** Sorted names of the features of some vendor licenses, each once. */
export function featureNames(site: PolledSite, isOwner: (vendorLicense: string) => boolean): readonly string[] {
  const owned = [...featuresByVendorLicense(site)].filter(([vendorLicense]) => isOwner(vendorLicense));
  return [...new Set(owned.flatMap(([, names]) => [...names]))].sort();
}
