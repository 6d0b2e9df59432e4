import { isUncounted } from '../../../base/model/uncounted.ts';
import { type Figure, isKnown, unknown } from '../../../base/model/unknown.ts';
import { inTurn } from '../../../base/scheduling/slices.ts';
import { type FeatureRow, rowOfAnswer } from '../../../exporter/inventory/feature-row.ts';
import type { Inventory } from '../../../exporter/inventory/inventory.ts';
import type { Backend } from './backend.ts';
import { askAll, type Combination, everyOwner, withNotices } from './combinations.ts';
import { DatasourceError } from './errors.ts';
import { shareInUse } from './feature-use.ts';
import { knownNow, productMatcher, requireFresh, withLiteralNames } from './known-data.ts';
import { bought, daysLeft, daysUntil, expires, ownerColumn } from './live-columns.ts';
import { cell, hasRows, number, type TargetAnswer, text } from './panel-data.ts';
import { matcherOf, type Query } from './query.ts';
import { type Cells, type TableContent, viewTable } from './table-view.ts';
import { requireUsers } from './user-names.ts';

/** The target `features`: a table of the last poll, its totals, or the features of a user. */

/** The calendar of the analyzer, who owns what, and what is saturated. */
type Context = Pick<Backend, 'localTime' | 'owners' | 'isSaturated'>;

type Names = Pick<FeatureRow, 'vendorLicense' | 'feature' | 'package'>;
type Features = Pick<TableContent<FeatureRow>, 'items' | 'isAskedFor' | 'problems'>;

/** Whether a feature passes the ad-hoc filters of the dashboard. */
export const isLetThrough = (query: Query, { vendorLicense, feature, package: pkg }: Names): boolean =>
  query.allows('product', vendorLicense) && query.allows('feature', feature) && query.allows('package', pkg);

/** Whether a feature matches a query. */
export function featureMatcher(query: Query, names: readonly string[]): (row: Names) => boolean {
  const { products, package: pkg } = query.values;
  const isProduct = productMatcher(products, query.isPattern);
  const isFeature = matcherOf(names, query.isPattern);
  const isPackage = matcherOf(pkg === undefined ? [] : [pkg], query.isPattern);
  return (row) =>
    isProduct(row.vendorLicense) && isFeature(row.feature) && isPackage(row.package) && isLetThrough(query, row);
}

/**
 * The licenses that are bought now of what a chart is about, all versions and packages together; not known if that is not known of
 * one of them. A feature of which one version is uncounted has no number; a sum over several features is without the uncounted
 * ones, as the history of the analyzer is.
 */
export function boughtOf(raw: Query, { product, feature }: Combination, inventory: Inventory | undefined): Figure {
  const query = withLiteralNames({ ...raw, values: { ...raw.values, products: [product] } }, inventory);
  const matches = featureMatcher(query, [feature]);
  const { type } = query.values;
  let sum: Figure = unknown;
  for (const row of inventory?.features ?? []) {
    if (!row.isReported || !matches(row) || (type !== undefined && row.featureType !== type)) continue;
    if (isUncounted(row) && query.isPattern(feature)) continue;
    if (!isKnown(row.maxAvailable)) return unknown;
    sum = isKnown(sum) ? sum + row.maxAvailable : row.maxAvailable;
  }
  return sum;
}

/** What is added up, by column. */
const addendsOf = ({ isSaturated }: Context): readonly (readonly [string, (row: FeatureRow) => Figure])[] => [
  ['Features', () => 1],
  [
    'Saturated',
    (row) => {
      const isFull = isSaturated(row);
      return isFull === undefined ? unknown : Number(isFull);
    },
  ],
  ['In use', ({ inUse }) => inUse],
  ['Max queued', ({ maxQueued }) => maxQueued],
  ['Inactive use', ({ inactiveUse }) => inactiveUse],
  ['Borrowed use', ({ borrowedUse }) => borrowedUse],
  ['Unused reserve', ({ unusedReserve }) => unusedReserve],
];

/** One row. A total of which no value is known is unknown, not 0. */
function featureTotals(
  query: Query,
  { items, isAskedFor = () => true, problems }: Features,
  context: Context,
): TargetAnswer {
  const addends = addendsOf(context);
  const sums = addends.map((): Figure => unknown);
  for (const row of items) {
    if (!isAskedFor(row)) continue;
    for (const [i, [, addend]] of addends.entries()) {
      const value = addend(row);
      const sum = sums[i] ?? unknown;
      if (isKnown(value)) sums[i] = isKnown(sum) ? sum + value : value;
    }
  }
  const cells: Cells<typeof sums> = addends.map(([name], i) => [number(name), (all) => cell(all[i])]);
  return viewTable(query, { name: 'features', cells, items: [sums], ...(problems !== undefined && { problems }) });
}

const negative = (value: Figure): number | null => (isKnown(value) ? -value : null);

/** A table of features, or their totals. @param now epoch seconds */
function featureAnswer(query: Query, features: Features, now: number, context: Context): TargetAnswer {
  const { localTime, owners } = context;
  if (query.shape === 'totals') return featureTotals(query, features, context);
  const cells: Cells<FeatureRow> = [
    [text('Product'), ({ vendorLicense }) => vendorLicense],
    [text('Feature'), ({ feature }) => feature],
    [text('Version'), ({ version }) => version],
    [text('Package'), (entry) => entry.package],
    [text('Type'), ({ featureType }) => featureType],
    bought(query),
    [{ ...number('Share'), unit: 'percentunit' }, (row) => cell(shareInUse(row))],
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
  return viewTable(query, { name: 'features', cells, order, ...features });
}

/** The features of the last poll. @throws DatasourceError if GetFeatures is not known */
export function answerFeatures(query: Query, inventory: Inventory, context: Context): TargetAnswer {
  const { filters, products } = query.values;
  const problems = requireFresh(inventory, 'GetFeatures', productMatcher(products, query.isPattern));
  const matches = featureMatcher(query, filters === undefined ? [] : [filters]);
  const isAskedFor = (row: FeatureRow): boolean => row.isReported && matches(row);
  return featureAnswer(query, { items: inventory.features, isAskedFor, problems }, inventory.at, context);
}

/** The features of which a user holds licenses. */
export async function answerFeaturesOfUser(
  user: string,
  raw: Query,
  backend: Backend,
  signal: AbortSignal,
): Promise<TargetAnswer> {
  requireUsers(backend.users);
  if (backend.users.pseudonymKey !== undefined) {
    throw new DatasourceError('users_not_served', 'features cannot be requested by user if names are hidden');
  }
  const { asked: query, inventory } = knownNow(raw, backend);
  const asked = everyOwner(query, inventory, [query.values.filters ?? '%']);
  const parametersOf = ({ product, feature }: Combination) => ({
    product,
    user,
    filters: feature,
    ...(query.values.package !== undefined && { package: query.values.package }),
  });
  const { answers, ...rest } = await askAll(asked, 'GetFeatures', parametersOf, backend.upstream, signal);
  const withheld = new Set(
    inventory.vendorLicenses
      .filter(({ isWithheld }) => isWithheld)
      .map(({ vendorLicense }) => vendorLicense.toLowerCase()),
  );
  const entries = answers
    .flatMap(({ answer }) => answer.records)
    .map((record) => {
      const vendorLicense = `${record.serverName};${record.daemon}`;
      return rowOfAnswer(vendorLicense, { record, isWithheld: withheld.has(vendorLicense.toLowerCase()) });
    })
    .filter((entry) => isLetThrough(query, entry));
  const found = await inTurn(() => featureAnswer(query, { items: entries }, inventory.at, backend));
  // the one of the request: what the user holds
  if (found.items.some(hasRows)) backend.users.onServed(1);
  return withNotices(rest, found);
}
