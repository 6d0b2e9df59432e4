import type { LocalTime } from '../../../base/model/local-time.ts';
import { isUncounted, isUncountedFigure } from '../../../base/model/uncounted.ts';
import { type Figure, isKnown, plus } from '../../../base/model/unknown.ts';
import type { Inventory } from '../../../exporter/inventory/inventory.ts';
import type { VendorLicenseRow } from '../../../exporter/inventory/vendor-license-row.ts';
import type { Backend } from './backend.ts';
import { productMatcher, requireFresh } from './known-data.ts';
import { daysLeft, daysUntil, expires, ownerColumn } from './live-columns.ts';
import { type Cell, cell, flag, keyOf, millis, number, type TargetAnswer, text, time } from './panel-data.ts';
import type { Query } from './query.ts';
import { type Cells, viewTable } from './table-view.ts';

/** The targets `products` and `server_down`, from the last poll. */

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
  if (isReported && !isKnown(collectionTime)) return 'never collected';
  if (isCurrent === false) return 'outdated';
  return up === true && isCurrent === true ? 'up' : 'unknown';
}

/** A value of a vendor license. Before its first collection nothing is known, and the analyzer reports zeros. */
const collected =
  (read: (row: VendorLicenseRow) => Cell) =>
  (row: VendorLicenseRow): Cell =>
    isKnown(row.collectionTime) ? read(row) : null;

/** The licenses of the counted features of a vendor license. */
interface LicenseSum {
  /** `undefined` without one; not known if the number of one is not. */
  licenses: Figure | undefined;
  hasUncounted: boolean;
}

function sumLicenses({ features }: Inventory): ReadonlyMap<string, LicenseSum> {
  const found = new Map<string, LicenseSum>();
  for (const row of features) {
    if (!row.isReported) continue;
    const sum = found.get(row.vendorLicense) ?? { licenses: undefined, hasUncounted: false };
    found.set(row.vendorLicense, sum);
    if (isUncounted(row)) sum.hasUncounted = true;
    else sum.licenses = plus(sum.licenses ?? 0, row.maxAvailable);
  }
  return found;
}

/**
 * The licenses of a vendor license. An analyzer may add 99999 for each uncounted feature, so the sum of GetProducts is taken only
 * if there is no such feature.
 */
const licensesOf =
  (sums: ReadonlyMap<string, LicenseSum>) =>
  ({ vendorLicense, maxAvailable }: VendorLicenseRow): Cell => {
    const features = sums.get(vendorLicense);
    if (features?.hasUncounted === true) return cell(features.licenses);
    // the features that are known may not be all
    return isUncountedFigure(maxAvailable) && maxAvailable !== features?.licenses ? null : cell(maxAvailable);
  };

/** What the features of a vendor license add up to: columns that are computed only if they are asked for. */
interface ProductSums {
  /** Licenses of counted features whose usage is known. */
  inUse: number;
  bought: number;
  /** Epoch seconds, the first expiry after now. */
  next: number | undefined;
  /** `undefined` while no expiry is known. */
  ended: number | undefined;
}

const sumNames = ['In use', 'Bought', 'Share', 'Next expiry', 'Ended'];

function sumFeatures(inventory: Inventory): ReadonlyMap<string, ProductSums> {
  const sums = new Map<string, ProductSums>();
  for (const row of inventory.features) {
    const sum = sums.get(row.vendorLicense) ?? {
      inUse: 0,
      bought: 0,
      next: undefined,
      ended: undefined,
    };
    sums.set(row.vendorLicense, sum);
    if (isKnown(row.inUse) && isKnown(row.maxAvailable)) {
      sum.inUse += row.inUse;
      sum.bought += row.maxAvailable;
    }
    if (!isKnown(row.expiration)) continue;
    const isAhead = row.expiration > inventory.at;
    if (isAhead) sum.next = Math.min(sum.next ?? row.expiration, row.expiration);
    sum.ended = (sum.ended ?? 0) + (isAhead ? 0 : 1);
  }
  return sums;
}

/** The columns. Without one that the payload names, no feature is read. */
function sumColumns(query: Query, inventory: Inventory, localTime: LocalTime): Cells<VendorLicenseRow> {
  const asked = [...(query.values.lists.columns ?? []), (query.values.sort ?? '').replace(/^-/, '')];
  const isAsked = sumNames.some((name) => asked.includes(name) || asked.includes(keyOf(name)));
  const sums = isAsked ? sumFeatures(inventory) : undefined;
  const of = ({ vendorLicense }: VendorLicenseRow): ProductSums | undefined => sums?.get(vendorLicense);
  const usage = (row: VendorLicenseRow): ProductSums | undefined => {
    const sum = of(row);
    return sum === undefined || sum.bought === 0 ? undefined : sum;
  };
  return [
    [number('In use'), (row) => cell(usage(row)?.inUse), 'asked'],
    [number('Bought'), (row) => cell(usage(row)?.bought), 'asked'],
    [
      number('Share'),
      (row) => {
        const sum = usage(row);
        return sum === undefined ? null : cell(sum.inUse / sum.bought);
      },
      'asked',
    ],
    [text('Next expiry'), (row) => expires(of(row)?.next, localTime), 'asked'],
    [number('Ended'), (row) => cell(of(row)?.ended), 'asked'],
  ];
}

/** The target `products`: the vendor licenses of the last poll. @throws DatasourceError if GetProducts is not known */
export function answerProducts(
  query: Query,
  inventory: Inventory,
  { localTime, owners }: Pick<Backend, 'localTime' | 'owners'>,
): TargetAnswer {
  const problems = requireFresh(inventory, 'GetProducts', () => true);
  const { at } = inventory;
  const licenseSums = sumLicenses(inventory);
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
    [number('Max available'), collected(licensesOf(licenseSums))],
    [text('Expires'), collected(({ minLicenseExpiration }) => expires(minLicenseExpiration, localTime))],
    [daysLeft, collected(({ minLicenseExpiration }) => daysUntil(minLicenseExpiration, at))],
    ...sumColumns(query, inventory, localTime),
    ...ownerColumn<VendorLicenseRow>(owners()),
  ];
  const items = selectVendorLicenses(query, inventory);
  return viewTable(query, { name: 'products', cells, items, order: { name: 'Product' }, problems });
}

/** The target `server_down`: what GetServerDown lists. @throws DatasourceError if it is not known */
export function answerServerDown(query: Query, inventory: Inventory): TargetAnswer {
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
  return viewTable(query, { name: 'server_down', cells, items, order: { name: 'Product' } });
}
