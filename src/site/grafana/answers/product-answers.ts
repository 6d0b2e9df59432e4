import type { LocalTime } from '../../../base/model/local-time.ts';
import { isUncountedFigure } from '../../../base/model/uncounted.ts';
import { isKnown, shareOf } from '../../../base/model/unknown.ts';
import type { Inventory } from '../../../exporter/inventory/inventory.ts';
import type { Backend } from './backend.ts';
import { productMatcher, requireFresh } from './known-data.ts';
import { daysLeft, daysUntil, expires, ownerColumn } from './live-columns.ts';
import { type Cell, cell, flag, millis, number, type TargetAnswer, text, time } from './panel-data.ts';
import type { Query } from './query.ts';
import { nextExpiryOf, type SiteFigures, usersOf, type VendorLicenseFigures } from './site-figures.ts';
import { type Cells, viewTable } from './table-view.ts';

/** The targets `products` and `server_down`, from the last poll. */

/** Whether a vendor license matches a query. */
function vendorLicenseMatcher({ values, allows, isPattern }: Query): (named: { vendorLicense: string }) => boolean {
  const matches = productMatcher(values.filters === undefined ? [] : [values.filters], isPattern);
  return ({ vendorLicense }) => matches(vendorLicense) && allows('product', vendorLicense);
}

/** A value of a vendor license. Before its first collection nothing is known, and the analyzer reports zeros. */
const collected =
  (read: (figures: VendorLicenseFigures) => Cell) =>
  (figures: VendorLicenseFigures): Cell =>
    isKnown(figures.row.collectionTime) ? read(figures) : null;

/**
 * The licenses of a vendor license. An analyzer may add 99999 for each uncounted feature, so the sum of GetProducts is taken only
 * if there is no such feature.
 */
function licensesOf({ row, uncounted, counted, licenses, withoutLicenses }: VendorLicenseFigures): Cell {
  const sum = counted > 0 && withoutLicenses === 0 ? licenses : undefined;
  if (uncounted > 0) return cell(sum);
  // the features that are known may not be all
  return isUncountedFigure(row.maxAvailable) && row.maxAvailable !== sum ? null : cell(row.maxAvailable);
}

/** What is in use of counted features; `undefined` while nothing of it is known. */
const usageOf = (figures: VendorLicenseFigures): VendorLicenseFigures | undefined =>
  figures.inUse + figures.bought === 0 ? undefined : figures;

/** What the features of a vendor license add up to, as the pages show it: columns for those who ask for them. */
const sumColumns = (localTime: LocalTime): Cells<VendorLicenseFigures> => [
  [number('In use'), (figures) => cell(usageOf(figures)?.inUse), 'asked'],
  [number('Bought'), (figures) => cell(usageOf(figures)?.bought), 'asked'],
  [number('Share'), ({ inUse, bought }) => cell(shareOf(inUse, bought)), 'asked'],
  [text('Next expiry'), (figures) => expires(nextExpiryOf(figures), localTime), 'asked'],
  [
    number('Ended'),
    ({ features, withoutExpiry, expired }) => (features === withoutExpiry ? null : cell(expired)),
    'asked',
  ],
];

/** The target `products`: the vendor licenses of the last poll. @throws DatasourceError if GetProducts is not known */
export function answerProducts(
  query: Query,
  inventory: Inventory,
  { localTime, owners }: Pick<Backend, 'localTime' | 'owners'>,
  { vendorLicenses }: SiteFigures,
): TargetAnswer {
  const problems = requireFresh(inventory, 'GetProducts', () => true);
  const { at } = inventory;
  const cells: Cells<VendorLicenseFigures> = [
    [text('Product'), ({ vendorLicense }) => vendorLicense],
    [text('State'), ({ state }) => state],
    [text('Server'), ({ row }) => row.server],
    [text('Daemon'), ({ row }) => row.daemon],
    [flag('Up'), ({ row }) => cell(row.up)],
    [flag('Current'), ({ row }) => cell(row.isCurrent)],
    [time('Collected'), ({ row }) => millis(row.collectionTime)],
    [number('Distinct users'), (figures) => cell(usersOf(figures))],
    [number('Active'), collected(({ row }) => cell(row.active))],
    [number('Inactive'), collected(({ row }) => cell(row.inactive))],
    [number('Indeterminate'), collected(({ row }) => cell(row.indeterminate))],
    [number('Mapped'), collected(({ row }) => cell(row.mapped))],
    [number('Max available'), collected(licensesOf)],
    [text('Expires'), collected(({ row }) => expires(row.minLicenseExpiration, localTime))],
    [daysLeft, collected(({ row }) => daysUntil(row.minLicenseExpiration, at))],
    ...sumColumns(localTime),
    ...ownerColumn<VendorLicenseFigures>(owners()),
  ];
  const byName = new Map(vendorLicenses.map((figures) => [figures.vendorLicense, figures]));
  const selected = inventory.vendorLicenses.filter(vendorLicenseMatcher(query));
  const items = selected.flatMap(({ vendorLicense }) => byName.get(vendorLicense) ?? []);
  return viewTable(query, { name: 'products', cells, items, order: { name: 'Product' }, problems });
}

/** The target `server_down`: what GetServerDown lists. @throws DatasourceError if it is not known */
export function answerServerDown(query: Query, inventory: Inventory): TargetAnswer {
  requireFresh(inventory, 'GetServerDown', () => true);
  const items = inventory.vendorLicenses
    .filter(vendorLicenseMatcher(query))
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
