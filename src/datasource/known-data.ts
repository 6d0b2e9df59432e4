import type { Inventory } from '../inventory/inventory.ts';
import { missingPart, type Readings } from '../inventory/readings.ts';
import { type PolledEndpoint, WHOLE } from '../model/snapshot.ts';
import { parseVendorLicense } from '../model/vendor-license.ts';
import { DatasourceError, fromQueryError } from './errors.ts';
import { matcherOf, type Query } from './query.ts';

/** What the inventory knows, for answers without a request to the analyzer. */

function missing(readings: Readings, endpoint: PolledEndpoint, part: string): DatasourceError {
  const { what, cause } = missingPart(readings, endpoint, part);
  if (typeof cause === 'string') return new DatasourceError('upstream_down', `${what} ${cause}`);
  const { code, message } = fromQueryError(cause);
  return new DatasourceError(code, `${what}: ${message}`);
}

/**
 * Checks that an endpoint has current data of at least one vendor license.
 *
 * @returns the problems of the parts without data
 * @throws DatasourceError if no part has data
 */
export function requireFresh(
  { readings }: Inventory,
  endpoint: PolledEndpoint,
  isAskedFor: (vendorLicense: string) => boolean,
): readonly DatasourceError[] {
  if (readings.isOff(endpoint)) {
    throw new DatasourceError('upstream_down', `${endpoint} is not polled: it is off in the section poll`);
  }
  const known = readings.of(endpoint);
  // an empty GetProducts leaves nothing to poll
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

/** Whether a product of the payload matches a vendor license by name, by name and part, or by pattern. */
export function productMatcher(
  products: readonly string[],
  isPattern: Query['isPattern'] = (text) => text.includes('%'),
): (vendorLicense: string) => boolean {
  const names = products.map((product) => (isPattern(product) ? product : parseVendorLicense(product).vendorLicense));
  return matcherOf(names, isPattern);
}

/** Names of features by vendor license. It visits each feature only once, because a large site has 100,000. */
function featuresByVendorLicense(inventory: Inventory): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { vendorLicense, feature } of inventory.features) {
    const names = found.get(vendorLicense);
    if (names === undefined) found.set(vendorLicense, new Set([feature]));
    else names.add(feature);
  }
  return found;
}

/** The distinct names of the features of some vendor licenses, sorted. */
export function featureNames(inventory: Inventory, isOwner: (vendorLicense: string) => boolean): readonly string[] {
  const owned = [...featuresByVendorLicense(inventory)].filter(([vendorLicense]) => isOwner(vendorLicense));
  return [...new Set(owned.flatMap(([, names]) => [...names]))].sort();
}
