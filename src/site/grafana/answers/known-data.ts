import { type PolledEndpoint, WHOLE } from '../../../base/model/snapshot.ts';
import { parseVendorLicense } from '../../../base/model/vendor-license.ts';
import type { Inventory } from '../../../exporter/inventory/inventory.ts';
import { missingPart, type Readings } from '../../../exporter/inventory/knowledge.ts';
import { type Backend, requireInventory } from './backend.ts';
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

/** The distinct names of the features or packages of some vendor licenses, sorted. */
export const namesOfFeatures = (
  { features }: Inventory,
  column: 'feature' | 'package',
  isOwner: (vendorLicense: string) => boolean,
): readonly string[] => {
  const owned = Iterator.from(features).filter(({ vendorLicense }) => isOwner(vendorLicense));
  return [...new Set(owned.map((row) => row[column]))].sort();
};

/** The names of features and packages with a `%`, by the features of an inventory. */
const percentNames = new WeakMap<Inventory['features'], ReadonlySet<string>>();

function namesWithPercent(inventory: Inventory): ReadonlySet<string> {
  const { features, vendorLicenses } = inventory;
  let names = percentNames.get(features);
  if (names === undefined) {
    const found = new Set<string>();
    for (const row of features) for (const name of [row.feature, row.package]) if (name.includes('%')) found.add(name);
    names = found;
    percentNames.set(features, names);
  }
  const owners = vendorLicenses.flatMap(({ vendorLicense }) => (vendorLicense.includes('%') ? [vendorLicense] : []));
  return new Set([...names, ...owners]);
}

/**
 * A query in which the names of the inventory are no patterns, unless the payload says so. `%` alone is always
 * a pattern. The Query API has no way to quote it.
 */
export function withLiteralNames(query: Query, inventory: Inventory | undefined): Query {
  const { products, features, filters = '', package: pkg = '', pattern } = query.values;
  const hasPattern = [...products, ...features, filters, pkg].some((text) => text !== '%' && text.includes('%'));
  if (!hasPattern || pattern === 'true' || inventory === undefined) return query;
  const names = namesWithPercent(inventory);
  return { ...query, isPattern: (text) => query.isPattern(text) && (text === '%' || !names.has(text)) };
}

/** The inventory, and a query in which its names are no patterns. @throws DatasourceError before the first poll */
export function knownNow(query: Query, backend: Backend): { asked: Query; inventory: Inventory } {
  const inventory = requireInventory(backend.inventory());
  return { asked: withLiteralNames(query, inventory), inventory };
}
