import type { FeatureRow } from '../inventory/feature-row.ts';
import type { Inventory } from '../inventory/inventory.ts';
import type { VendorLicenseRow } from '../inventory/vendor-license-row.ts';
import { dateText, type LocalTime } from '../model/local-time.ts';
import type { OwnerMapping } from '../model/owners.ts';
import { annotations } from './annotations.ts';
import type { Backend } from './backend.ts';
import { DatasourceError } from './errors.ts';
import { productMatcher, requireFresh } from './known-data.ts';
import { type Cell, type Column, cell, millis, type Notice, type TargetAnswer, table } from './panel-data.ts';
import { matcherOf, type Query } from './query.ts';

/** Targets that are answered from the last poll. Usage that is withheld is null. */

/** Maximum number of rows. More are of no use in a table of Grafana, and would block the daemon. */
const MAX_ROWS = 10_000;

const DAY = 86_400;

const time = (text: string): Column => ({ text, type: 'time' });
const text = (name: string): Column => ({ text: name, type: 'string' });
const number = (name: string): Column => ({ text: name, type: 'number' });
const flag = (name: string): Column => ({ text: name, type: 'boolean' });
const daysLeft: Column = { text: 'Days left', type: 'number', unit: 'd' };

const daysUntil = (at: number | undefined, now: number): number | null =>
  cell(at === undefined ? undefined : Math.round(((at - now) / DAY) * 100) / 100);

/** A column, and how its value is read from a row. */
type Cells<T> = readonly (readonly [Column, (item: T) => Cell])[];

/** The column of the owner. It is left out without a mapping, so that tables have no empty column. */
const ownerColumn = <T extends { readonly vendorLicense: string; readonly feature?: string }>(
  owners: OwnerMapping,
): Cells<T> =>
  owners.entries.length === 0
    ? []
    : [[text('Owner'), ({ vendorLicense, feature }) => cell(owners.of(vendorLicense, feature).owner)]];

function tableOf<T>(
  name: string,
  cells: Cells<T>,
  items: readonly T[],
  problems: readonly DatasourceError[] = [],
): TargetAnswer {
  const shown = items.slice(0, MAX_ROWS);
  const cut =
    shown.length === items.length
      ? []
      : [new DatasourceError('too_many', `${shown.length} of ${items.length} rows are shown; narrow the selection`)];
  const [incomplete, ...more] = [...problems, ...cut];
  const rows = shown.map((item) => cells.map(([, read]) => read(item)));
  const columns = cells.map(([column]) => column);
  if (incomplete === undefined) return { items: [table(name, columns, rows)], notices: [] };
  const notices = [incomplete, ...more].map(({ message }): Notice => ({ severity: 'warning', text: message }));
  return { items: [table(name, columns, rows)], notices, incomplete };
}

/** The vendor licenses of the last poll that match a query. */
function selectVendorLicenses({ values, allows }: Query, inventory: Inventory): readonly VendorLicenseRow[] {
  const matches = productMatcher(values.filters === undefined ? [] : [values.filters]);
  return inventory.vendorLicenses
    .rows()
    .filter(({ vendorLicense }) => matches(vendorLicense) && allows('product', vendorLicense))
    .toArray();
}

export function answerProducts(query: Query, inventory: Inventory, owners: OwnerMapping): TargetAnswer {
  const problems = requireFresh(inventory, 'GetProducts', () => true);
  const { at } = inventory;
  const cells: Cells<VendorLicenseRow> = [
    [text('Product'), ({ vendorLicense }) => vendorLicense],
    [text('Server'), ({ server }) => server],
    [text('Daemon'), ({ daemon }) => daemon],
    [flag('Up'), ({ up }) => cell(up)],
    [flag('Current'), ({ isCurrent }) => cell(isCurrent)],
    [time('Collected'), ({ collectionTime }) => millis(collectionTime)],
    [number('Distinct users'), ({ distinctUsers }) => cell(distinctUsers)],
    [number('Active'), ({ active }) => cell(active)],
    [number('Inactive'), ({ inactive }) => cell(inactive)],
    [number('Indeterminate'), ({ indeterminate }) => cell(indeterminate)],
    [number('Mapped'), ({ mapped }) => cell(mapped)],
    [number('Max available'), ({ maxAvailable }) => cell(maxAvailable)],
    [time('Expires'), ({ minLicenseExpiration }) => millis(minLicenseExpiration)],
    [daysLeft, ({ minLicenseExpiration }) => daysUntil(minLicenseExpiration, at)],
    ...ownerColumn<VendorLicenseRow>(owners),
  ];
  return tableOf('products', cells, selectVendorLicenses(query, inventory), problems);
}

export function answerServerDown(query: Query, inventory: Inventory): TargetAnswer {
  requireFresh(inventory, 'GetServerDown', () => true);
  const down = selectVendorLicenses(query, inventory)
    .filter(({ up }) => up === false)
    .flatMap((row) => row.downQualifiers.map((qualifier) => ({ row, qualifier })));
  const cells: Cells<(typeof down)[number]> = [
    [text('Product'), ({ row }) => row.vendorLicense],
    [text('Server'), ({ row }) => row.server],
    [text('Daemon'), ({ row }) => row.daemon],
    [text('Qualifier'), ({ qualifier }) => qualifier],
    [time('Last collection'), ({ row }) => millis(row.collectionTime)],
  ];
  return tableOf('server_down', cells, down);
}

/** Whether a feature passes the ad-hoc filters of the dashboard. */
export const isLetThrough = (query: Query, { vendorLicense, feature, package: pkg }: FeatureRow): boolean =>
  query.allows('product', vendorLicense) && query.allows('feature', feature) && query.allows('package', pkg);

/** The features of the last poll that match a query. */
function selectFeatures(query: Query, inventory: Inventory, names: readonly string[]): readonly FeatureRow[] {
  const { products, package: pkg } = query.values;
  const isProduct = productMatcher(products);
  const isFeature = matcherOf(names);
  const isPackage = matcherOf(pkg === undefined ? [] : [pkg]);
  return inventory.features
    .rows()
    .filter(
      (row) =>
        isProduct(row.vendorLicense) && isFeature(row.feature) && isPackage(row.package) && isLetThrough(query, row),
    )
    .toArray();
}

export function answerFeatures(query: Query, inventory: Inventory, owners: OwnerMapping): TargetAnswer {
  const problems = requireFresh(inventory, 'GetFeatures', productMatcher(query.values.products));
  const { filters } = query.values;
  const entries = selectFeatures(query, inventory, filters === undefined ? [] : [filters]);
  return featureTable(
    entries.filter(({ isReported }) => isReported),
    inventory.at,
    owners,
    problems,
  );
}

/** @param now epoch seconds */
export function featureTable(
  entries: readonly FeatureRow[],
  now: number,
  owners: OwnerMapping,
  problems: readonly DatasourceError[] = [],
): TargetAnswer {
  const cells: Cells<FeatureRow> = [
    [text('Product'), ({ vendorLicense }) => vendorLicense],
    [text('Feature'), ({ feature }) => feature],
    [text('Version'), ({ version }) => version],
    [text('Package'), (entry) => entry.package],
    [text('Type'), ({ featureType }) => featureType],
    [number('Max available'), ({ maxAvailable }) => cell(maxAvailable)],
    [number('Available'), ({ available }) => cell(available)],
    [number('In use'), ({ inUse }) => cell(inUse)],
    [number('Max in use'), ({ maxInUse }) => cell(maxInUse)],
    [number('Max queued'), ({ maxQueued }) => cell(maxQueued)],
    [number('Distinct users'), ({ distinctUsers }) => cell(distinctUsers)],
    [number('Active use'), ({ activeUse }) => cell(activeUse)],
    [number('Inactive use'), ({ inactiveUse }) => cell(inactiveUse)],
    [number('Borrowed use'), ({ borrowedUse }) => cell(borrowedUse)],
    [number('Borrowed inactive use'), ({ borrowedInactiveUse }) => cell(borrowedInactiveUse)],
    [number('Used reserve'), ({ usedReserve }) => cell(usedReserve)],
    [number('Unused reserve'), ({ unusedReserve }) => cell(unusedReserve)],
    [text('License type'), ({ licenseType }) => cell(licenseType)],
    [text('License model'), ({ licenseModel }) => cell(licenseModel)],
    [text('Token pool'), ({ tokenPool }) => cell(tokenPool)],
    [number('Token cost'), ({ tokenCostValue }) => cell(tokenCostValue)],
    [text('Mapped to'), ({ mappedTo }) => cell(mappedTo)],
    [time('Expires'), ({ expiration }) => millis(expiration)],
    [daysLeft, ({ expiration }) => daysUntil(expiration, now)],
    ...ownerColumn<FeatureRow>(owners),
  ];
  return tableOf('features', cells, entries, problems);
}

export function answerExpirations(
  query: Query,
  inventory: Inventory,
  { localTime, owners }: Pick<Backend, 'localTime' | 'owners'>,
): TargetAnswer {
  const { products } = query.values;
  // GetFeatures has expiries too, in case GetExpirationFeatures is off or absent
  const source = inventory.readings.isExpected('GetExpirationFeatures') ? 'GetExpirationFeatures' : 'GetFeatures';
  const problems = requireFresh(inventory, source, productMatcher(products));
  const entries = selectFeatures(query, inventory, query.values.features).filter(
    ({ expiration }) => expiration !== undefined,
  );
  return expirationAnswer(query, entries, { now: inventory.at, localTime, owners: owners() }, problems);
}

/** A table, or annotations of the expiries within the time range. */
export function expirationAnswer(
  query: Query,
  entries: readonly FeatureRow[],
  { now, localTime, owners }: { readonly now: number; readonly localTime: LocalTime; readonly owners: OwnerMapping },
  problems: readonly DatasourceError[] = [],
): TargetAnswer {
  if (query.shape === 'annotations') return expirationAnnotations(query, entries, localTime);
  const { products } = query.values;
  const areSeveral = products.length > 1 || products.some((product) => product.includes('%'));
  const cells: Cells<FeatureRow> = [
    ...(areSeveral ? ([[text('Product'), (entry: FeatureRow) => entry.vendorLicense]] as const) : []),
    [text('Feature'), ({ feature }) => feature],
    [text('Version'), ({ version }) => version],
    [text('Package'), (entry) => entry.package],
    [time('Expires'), ({ expiration }) => millis(expiration)],
    [daysLeft, ({ expiration }) => daysUntil(expiration, now)],
    [flag('Expired'), ({ expired }) => cell(expired)],
    [flag('Warning'), ({ expirationWarning }) => cell(expirationWarning)],
    ...ownerColumn<FeatureRow>(owners),
  ];
  return tableOf('expirations', cells, entries, problems);
}

/** One annotation for each vendor license and day, with the features that expire. */
function expirationAnnotations(query: Query, entries: readonly FeatureRow[], localTime: LocalTime): TargetAnswer {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = query.range;
  const groups = new Map<string, { at: number; vendorLicense: string; features: string[] }>();
  for (const { vendorLicense, feature, expiration } of entries) {
    const at = millis(expiration);
    if (expiration === undefined || at === null || at < from || at > to) continue;
    const key = JSON.stringify([vendorLicense, localTime.dayOf(expiration)]);
    const group = groups.get(key) ?? { at, vendorLicense, features: [] };
    if (!group.features.includes(feature)) group.features.push(feature);
    groups.set(key, group);
  }
  const events = [...groups.values()].map(({ at, vendorLicense, features }) => {
    const more = features.length > 5 ? ` and ${features.length - 5} more` : '';
    const date = dateText(localTime.dayOf(at / 1000));
    return {
      time: at,
      title: 'Expires',
      text: `${vendorLicense}: ${features.slice(0, 5).join(', ')}${more} on ${date}`,
      tags: `expiration,${vendorLicense}`,
    };
  });
  return { items: [annotations(events)], notices: [] };
}
