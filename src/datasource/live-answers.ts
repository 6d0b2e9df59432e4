import type { FeatureRow } from '../inventory/feature-row.ts';
import type { Inventory } from '../inventory/inventory.ts';
import type { VendorLicenseRow } from '../inventory/vendor-license-row.ts';
import { isUncounted, isUncountedFigure } from '../model/uncounted.ts';
import type { Backend } from './backend.ts';
import type { DatasourceError } from './errors.ts';
import { featureTotals } from './feature-totals.ts';
import { productMatcher, requireFresh } from './known-data.ts';
import {
  bought,
  daysLeft,
  daysUntil,
  expires,
  flag,
  number,
  ownerColumn,
  shareInUse,
  text,
  time,
} from './live-columns.ts';
import { type Cell, cell, millis, type TargetAnswer } from './panel-data.ts';
import { sumColumns } from './product-sums.ts';
import { matcherOf, type Query } from './query.ts';
import { type Cells, viewTable } from './table-view.ts';

/** Targets that are answered from the last poll. Usage that is withheld is null. */

/** The calendar of the analyzer, and who owns what. */
type Calendar = Pick<Backend, 'localTime' | 'owners'>;

/** Features read between two yields. */
const SLICE = 256;

/** The vendor licenses of the last poll that match a query. */
function selectVendorLicenses({ values, allows, isPattern }: Query, inventory: Inventory): readonly VendorLicenseRow[] {
  const matches = productMatcher(values.filters === undefined ? [] : [values.filters], isPattern);
  return inventory.vendorLicenses.filter(
    ({ vendorLicense }) => matches(vendorLicense) && allows('product', vendorLicense),
  );
}

/** What is known about the server of a vendor license. `up` only if its data is current too. */
export function serverState({ up, isCurrent, isReported, collectionTime }: VendorLicenseRow): string {
  if (up === false) return 'down';
  if (isReported && collectionTime === undefined) return 'never collected';
  if (isCurrent === false) return 'outdated';
  return up === true && isCurrent === true ? 'up' : 'unknown';
}

/** A value of a vendor license. Before its first collection nothing is known, and the analyzer reports zeros. */
const collected =
  (read: (row: VendorLicenseRow) => Cell) =>
  (row: VendorLicenseRow): Cell =>
    row.collectionTime === undefined ? null : read(row);

/** The licenses of the counted features of a vendor license. */
interface Counted {
  /** `undefined` without one, NaN if the number of one is not known. */
  licenses: number | undefined;
  hasUncounted: boolean;
}

function* countedFeatures({ features }: Inventory): Generator<void, ReadonlyMap<string, Counted>> {
  const found = new Map<string, Counted>();
  let read = 0;
  for (const row of features) {
    read += 1;
    if (read % SLICE === 0) yield;
    if (!row.isReported) continue;
    const counted = found.get(row.vendorLicense) ?? { licenses: undefined, hasUncounted: false };
    found.set(row.vendorLicense, counted);
    if (isUncounted(row)) counted.hasUncounted = true;
    else counted.licenses = (counted.licenses ?? 0) + (row.maxAvailable ?? Number.NaN);
  }
  return found;
}

/**
 * The licenses of a vendor license. An analyzer may add 99999 for each uncounted feature, so the sum of GetProducts is taken only
 * if there is no such feature.
 */
const licensesOf =
  (counted: ReadonlyMap<string, Counted>) =>
  ({ vendorLicense, maxAvailable }: VendorLicenseRow): Cell => {
    const features = counted.get(vendorLicense);
    if (features?.hasUncounted === true) return cell(features.licenses);
    // the features that are known may not be all
    const mayHaveUncounted = maxAvailable !== undefined && isUncountedFigure(maxAvailable);
    return mayHaveUncounted && maxAvailable !== features?.licenses ? null : cell(maxAvailable);
  };

export function* answerProducts(
  query: Query,
  inventory: Inventory,
  { localTime, owners }: Calendar,
): Generator<void, TargetAnswer> {
  const problems = requireFresh(inventory, 'GetProducts', () => true);
  const { at } = inventory;
  const counted = yield* countedFeatures(inventory);
  const cells: Cells<VendorLicenseRow> = [
    [text('Product'), ({ vendorLicense }) => vendorLicense],
    [text('State'), serverState],
    [text('Server'), ({ server }) => server],
    [text('Daemon'), ({ daemon }) => daemon],
    [flag('Up'), ({ up }) => cell(up)],
    [flag('Current'), ({ isCurrent }) => cell(isCurrent)],
    [time('Collected'), ({ collectionTime }) => millis(collectionTime)],
    [number('Distinct users'), collected(({ distinctUsers }) => cell(distinctUsers))],
    [number('Active'), collected(({ active }) => cell(active))],
    [number('Inactive'), collected(({ inactive }) => cell(inactive))],
    [number('Indeterminate'), collected(({ indeterminate }) => cell(indeterminate))],
    [number('Mapped'), collected(({ mapped }) => cell(mapped))],
    [number('Max available'), collected(licensesOf(counted))],
    [text('Expires'), collected(({ minLicenseExpiration }) => expires(minLicenseExpiration, localTime))],
    [daysLeft, collected(({ minLicenseExpiration }) => daysUntil(minLicenseExpiration, at))],
    ...(yield* sumColumns(query, inventory, localTime)),
    ...ownerColumn<VendorLicenseRow>(owners()),
  ];
  const items = selectVendorLicenses(query, inventory);
  return yield* viewTable(query, { name: 'products', cells, items, order: { name: 'Product' }, problems });
}

export function* answerServerDown(query: Query, inventory: Inventory): Generator<void, TargetAnswer> {
  requireFresh(inventory, 'GetServerDown', () => true);
  const items = selectVendorLicenses(query, inventory)
    .filter(({ up }) => up === false)
    .flatMap((row) => row.downQualifiers.map((qualifier) => ({ row, qualifier })));
  const cells: Cells<(typeof items)[number]> = [
    [text('Product'), ({ row }) => row.vendorLicense],
    [text('Server'), ({ row }) => row.server],
    [text('Daemon'), ({ row }) => row.daemon],
    [text('Qualifier'), ({ qualifier }) => qualifier],
    [time('Last collection'), ({ row }) => millis(row.collectionTime)],
  ];
  return yield* viewTable(query, { name: 'server_down', cells, items, order: { name: 'Product' } });
}

/** Whether a feature passes the ad-hoc filters of the dashboard. */
export const isLetThrough = (query: Query, { vendorLicense, feature, package: pkg }: FeatureRow): boolean =>
  query.allows('product', vendorLicense) && query.allows('feature', feature) && query.allows('package', pkg);

/** The features of the last poll that match a query; `undefined` for each that does not. */
export function selectFeatures(
  query: Query,
  inventory: Inventory,
  names: readonly string[],
): Iterable<FeatureRow | undefined> {
  const { products, package: pkg } = query.values;
  const isProduct = productMatcher(products, query.isPattern);
  const isFeature = matcherOf(names, query.isPattern);
  const isPackage = matcherOf(pkg === undefined ? [] : [pkg], query.isPattern);
  const isAskedFor = (row: FeatureRow): boolean =>
    isProduct(row.vendorLicense) && isFeature(row.feature) && isPackage(row.package) && isLetThrough(query, row);
  return Iterator.from(inventory.features).map((row) => (isAskedFor(row) ? row : undefined));
}

export function* answerFeatures(query: Query, inventory: Inventory, calendar: Calendar): Generator<void, TargetAnswer> {
  const problems = requireFresh(inventory, 'GetFeatures', productMatcher(query.values.products, query.isPattern));
  const { filters } = query.values;
  const entries = selectFeatures(query, inventory, filters === undefined ? [] : [filters]);
  const reported = Iterator.from(entries).map((row) => (row?.isReported === true ? row : undefined));
  return yield* featureAnswer(query, reported, inventory.at, calendar, problems);
}

const negative = (value: number | null): number | null => (value === null ? null : -value);

/** A table of features, or their totals. @param now epoch seconds */
export function featureAnswer(
  query: Query,
  items: Iterable<FeatureRow | undefined>,
  now: number,
  { localTime, owners }: Calendar,
  problems: readonly DatasourceError[] = [],
): Generator<void, TargetAnswer> {
  if (query.shape === 'totals') return featureTotals(query, items, problems);
  const cells: Cells<FeatureRow> = [
    [text('Product'), ({ vendorLicense }) => vendorLicense],
    [text('Feature'), ({ feature }) => feature],
    [text('Version'), ({ version }) => version],
    [text('Package'), (entry) => entry.package],
    [text('Type'), ({ featureType }) => featureType],
    bought(query),
    [{ ...number('Share'), unit: 'percentunit' }, shareInUse],
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
    [text('Expires'), ({ expiration }) => expires(expiration, localTime)],
    [daysLeft, ({ expiration }) => daysUntil(expiration, now)],
    ...ownerColumn<FeatureRow>(owners()),
  ];
  const order = { name: 'Share', keyOf: (row: FeatureRow) => negative(shareInUse(row)) };
  return viewTable(query, { name: 'features', cells, items, order, problems });
}
