import type { Inventory } from '../inventory/inventory.ts';
import type { Readings } from '../inventory/readings.ts';
import { type PolledEndpoint, WHOLE } from '../model/snapshot.ts';
import { parseVendorLicense } from '../model/vendor-license.ts';
import { DatasourceError, fromQueryError } from './errors.ts';
import { matcherOf } from './query.ts';

/** What the last polls know of the site, for answers without a request to the analyzer. */
export interface PolledSite {
  readonly inventory: Inventory;
}

/** Why a part has no data to show. */
function missing(readings: Readings, endpoint: PolledEndpoint, part: string): DatasourceError {
  const what = part === WHOLE ? endpoint : `${endpoint} of ${part}`;
  const reading = readings.of(endpoint)?.parts.get(part);
  if (reading?.failure !== undefined) {
    const { code, message } = fromQueryError(reading.failure);
    return new DatasourceError(code, `${what}: ${message}`);
  }
  if (reading !== undefined) return new DatasourceError('upstream_down', `${what} was polled too long ago`);
  // without vendor licenses there is nothing to ask the other endpoints for
  const cause = readings.of('GetProducts')?.parts.get(WHOLE)?.failure;
  if (cause !== undefined && endpoint !== 'GetProducts') return missing(readings, 'GetProducts', WHOLE);
  return new DatasourceError('upstream_down', `${what} has not been polled yet`);
}

/**
 * Checks that an endpoint has data that may be shown, of one vendor license at least.
 *
 * @returns for each part without it, what is wrong
 * @throws DatasourceError when it has none at all
 */
export function requireFresh(
  { inventory: { readings } }: PolledSite,
  endpoint: PolledEndpoint,
  isAskedFor: (vendorLicense: string) => boolean,
): readonly DatasourceError[] {
  if (readings.isOff(endpoint)) {
    throw new DatasourceError('upstream_down', `${endpoint} is not polled: it is switched off under poll`);
  }
  const known = readings.of(endpoint);
  // a good GetProducts that lists nothing leaves nothing to ask for
  if (known === undefined && readings.of('GetProducts')?.lastSuccess !== undefined) return [];
  const parts = [...(known?.parts ?? [])].filter(
    ([part]) => part === WHOLE || isAskedFor(parseVendorLicense(part).vendorLicense),
  );
  const stale = parts.filter(([, { isFresh }]) => !isFresh).map(([part]) => part);
  if (stale.length === parts.length && (parts.length > 0 || (known?.parts.size ?? 0) === 0)) {
    throw missing(readings, endpoint, stale[0] ?? WHOLE);
  }
  return stale.map((part) => missing(readings, endpoint, part));
}

/** Whether one of the products of a payload matches a vendor license: by name, by name and part, or by pattern. */
export function productMatcher(products: readonly string[]): (vendorLicense: string) => boolean {
  return matcherOf(
    products.map((product) => (product.includes('%') ? product : parseVendorLicense(product).vendorLicense)),
  );
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
