import type { Inventory } from '../inventory/inventory.ts';
import type { Query } from './query.ts';

/** Names that contain `%`, which stands for any text in a query. The Query API has no way to quote it. */

/** Features read between two yields. */
const SLICE = 256;

/** The names of features and packages with a `%`, by the features of an inventory. */
const known = new WeakMap<Inventory['features'], ReadonlySet<string>>();

function* namesWithPercent(inventory: Inventory): Generator<void, ReadonlySet<string>> {
  const { features, vendorLicenses } = inventory;
  let names = known.get(features);
  if (names === undefined) {
    const found = new Set<string>();
    let read = 0;
    for (const row of features) {
      if (read % SLICE === 0) yield;
      read += 1;
      for (const name of [row.feature, row.package]) if (name.includes('%')) found.add(name);
    }
    names = found;
    known.set(features, names);
  }
  const owners = vendorLicenses.flatMap(({ vendorLicense }) => (vendorLicense.includes('%') ? [vendorLicense] : []));
  return new Set([...names, ...owners]);
}

/** A query in which the names of the inventory are no patterns, unless the payload says so. `%` alone is always a pattern. */
export function* withLiteralNames(query: Query, inventory: Inventory | undefined): Generator<void, Query> {
  const { products, features, filters = '', package: pkg = '', pattern } = query.values;
  const hasPattern = [...products, ...features, filters, pkg].some((text) => text !== '%' && text.includes('%'));
  if (!hasPattern || pattern === 'true' || inventory === undefined) return query;
  const names = yield* namesWithPercent(inventory);
  return { ...query, isPattern: (text) => query.isPattern(text) && (text === '%' || !names.has(text)) };
}
