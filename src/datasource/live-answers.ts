import type { FeatureEntry } from '../inventory/feature-entries.ts';
import type { VendorLicenseEntry } from '../inventory/inventory.ts';
import { dateText, type LocalTime } from '../model/local-time.ts';
import { isExpected } from '../model/snapshot.ts';
import { annotations } from './annotations.ts';
import { DatasourceError } from './errors.ts';
import { type Cell, type Column, cell, millis, type Notice, type TargetAnswer, table } from './panel-data.ts';
import { type PolledSite, productMatcher, requireFresh } from './polled-site.ts';
import { matcherOf, type Query } from './query.ts';

/** Targets that are answered from the last poll. Usage that is withheld is null. */

/** Rows of one answer: Grafana's table is of no use with more, and the daemon has other work. */
const MAX_ROWS = 10_000;

const DAY = 86_400;

const time = (text: string): Column => ({ text, type: 'time' });
const text = (name: string): Column => ({ text: name, type: 'string' });
const number = (name: string): Column => ({ text: name, type: 'number' });
const flag = (name: string): Column => ({ text: name, type: 'boolean' });
const daysLeft: Column = { text: 'Days left', type: 'number', unit: 'd' };

const daysUntil = (at: number | undefined, now: number): number | null =>
  cell(at === undefined ? undefined : Math.round(((at - now) / DAY) * 100) / 100);

/** A column and how a row gets it. */
type Cells<T> = readonly (readonly [Column, (item: T) => Cell])[];

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

/** The vendor licenses of the last poll that a query is about. */
function selectVendorLicenses({ values, allows }: Query, { inventory }: PolledSite): readonly VendorLicenseEntry[] {
  const matches = productMatcher(values.filters === undefined ? [] : [values.filters]);
  return inventory.vendorLicenses.filter(
    ({ vendorLicense }) => matches(vendorLicense) && allows('product', vendorLicense),
  );
}

export function answerProducts(query: Query, site: PolledSite): TargetAnswer {
  const problems = requireFresh(site, 'GetProducts', () => true);
  const { at } = site.inventory;
  const cells: Cells<VendorLicenseEntry> = [
    [text('Product'), ({ vendorLicense }) => vendorLicense],
    [text('Server'), ({ server }) => server],
    [text('Daemon'), ({ daemon }) => daemon],
    [flag('Up'), ({ up }) => cell(up)],
    [flag('Current'), ({ product }) => cell(product?.isCurrent)],
    [time('Collected'), ({ product }) => millis(product?.collectionTime)],
    [number('Distinct users'), ({ product }) => cell(product?.distinctUsers)],
    [number('Active'), ({ product }) => cell(product?.active)],
    [number('Inactive'), ({ product }) => cell(product?.inactive)],
    [number('Indeterminate'), ({ product }) => cell(product?.indeterminate)],
    [number('Mapped'), ({ product }) => cell(product?.mapped)],
    [number('Max available'), ({ product }) => cell(product?.maxAvailable)],
    [time('Expires'), ({ product }) => millis(product?.minLicenseExpiration)],
    [daysLeft, ({ product }) => daysUntil(product?.minLicenseExpiration, at)],
  ];
  return tableOf('products', cells, selectVendorLicenses(query, site), problems);
}

export function answerServerDown(query: Query, site: PolledSite): TargetAnswer {
  requireFresh(site, 'GetServerDown', () => true);
  const down = selectVendorLicenses(query, site)
    .filter(({ up }) => up === false)
    .flatMap((entry) => entry.downQualifiers.map((qualifier) => ({ ...entry, qualifier })));
  const cells: Cells<(typeof down)[number]> = [
    [text('Product'), ({ vendorLicense }) => vendorLicense],
    [text('Server'), ({ server }) => server],
    [text('Daemon'), ({ daemon }) => daemon],
    [text('Qualifier'), ({ qualifier }) => qualifier],
    [time('Last collection'), ({ product }) => millis(product?.collectionTime)],
  ];
  return tableOf('server_down', cells, down);
}

/** Whether the dashboard's ad-hoc filters let a feature through. */
export const isLetThrough = (query: Query, { vendorLicense, feature, package: pkg }: FeatureEntry): boolean =>
  query.allows('product', vendorLicense) && query.allows('feature', feature) && query.allows('package', pkg);

/** The features of the last poll that a query is about. */
function selectFeatures(query: Query, { inventory }: PolledSite, names: readonly string[]): readonly FeatureEntry[] {
  const { products, package: pkg } = query.values;
  const isProduct = productMatcher(products);
  const isFeature = matcherOf(names);
  const isPackage = matcherOf(pkg === undefined ? [] : [pkg]);
  return inventory.features.filter(
    (entry) =>
      isProduct(entry.vendorLicense) &&
      isFeature(entry.feature) &&
      isPackage(entry.package) &&
      isLetThrough(query, entry),
  );
}

export function answerFeatures(query: Query, site: PolledSite): TargetAnswer {
  const problems = requireFresh(site, 'GetFeatures', productMatcher(query.values.products));
  const { filters } = query.values;
  const entries = selectFeatures(query, site, filters === undefined ? [] : [filters]);
  return featureTable(
    entries.filter(({ record }) => record !== undefined),
    site.inventory.at,
    problems,
  );
}

/** @param now epoch seconds */
export function featureTable(
  entries: readonly FeatureEntry[],
  now: number,
  problems: readonly DatasourceError[] = [],
): TargetAnswer {
  const cells: Cells<FeatureEntry> = [
    [text('Product'), ({ vendorLicense }) => vendorLicense],
    [text('Feature'), ({ feature }) => feature],
    [text('Version'), ({ version }) => version],
    [text('Package'), (entry) => entry.package],
    [text('Type'), ({ featureType }) => featureType],
    [number('Max available'), ({ record }) => cell(record?.maxAvailable)],
    [number('Available'), ({ record }) => cell(record?.available)],
    [number('In use'), ({ record }) => cell(record?.inUse)],
    [number('Max in use'), ({ record }) => cell(record?.maxInUse)],
    [number('Max queued'), ({ record }) => cell(record?.maxQueued)],
    [number('Distinct users'), ({ record }) => cell(record?.distinctUsers)],
    [number('Active use'), ({ record }) => cell(record?.activeUse)],
    [number('Inactive use'), ({ record }) => cell(record?.inactiveUse)],
    [number('Borrowed use'), ({ record }) => cell(record?.borrowedUse)],
    [number('Borrowed inactive use'), ({ record }) => cell(record?.borrowedInactiveUse)],
    [number('Used reserve'), ({ record }) => cell(record?.usedReserve)],
    [number('Unused reserve'), ({ record }) => cell(record?.unusedReserve)],
    [text('License type'), ({ record }) => cell(record?.licenseType)],
    [text('License model'), ({ record }) => cell(record?.licenseModel)],
    [text('Token pool'), ({ record }) => cell(record?.tokenPool)],
    [number('Token cost'), ({ record }) => cell(record?.tokenCostValue)],
    [text('Mapped to'), ({ record }) => cell(record?.mappedTo)],
    [time('Expires'), ({ expiration }) => millis(expiration)],
    [daysLeft, ({ expiration }) => daysUntil(expiration, now)],
  ];
  return tableOf('features', cells, entries, problems);
}

export function answerExpirations(query: Query, site: PolledSite, localTime: LocalTime): TargetAnswer {
  const { products } = query.values;
  // where GetExpirationFeatures is off or absent, GetFeatures has expiries too
  const source = isExpected(site.snapshot, 'GetExpirationFeatures') ? 'GetExpirationFeatures' : 'GetFeatures';
  const problems = requireFresh(site, source, productMatcher(products));
  const entries = selectFeatures(query, site, query.values.features).filter(
    ({ expiration }) => expiration !== undefined,
  );
  return expirationAnswer(query, entries, site.inventory.at, localTime, problems);
}

/** As a table, or as annotations where they end within the time range. @param now epoch seconds */
export function expirationAnswer(
  query: Query,
  entries: readonly FeatureEntry[],
  now: number,
  localTime: LocalTime,
  problems: readonly DatasourceError[] = [],
): TargetAnswer {
  if (query.shape === 'annotations') return expirationAnnotations(query, entries, localTime);
  const { products } = query.values;
  const areSeveral = products.length > 1 || products.some((product) => product.includes('%'));
  const cells: Cells<FeatureEntry> = [
    ...(areSeveral ? ([[text('Product'), (entry: FeatureEntry) => entry.vendorLicense]] as const) : []),
    [text('Feature'), ({ feature }) => feature],
    [text('Version'), ({ version }) => version],
    [text('Package'), (entry) => entry.package],
    [time('Expires'), ({ expiration }) => millis(expiration)],
    [daysLeft, ({ expiration }) => daysUntil(expiration, now)],
    [flag('Expired'), ({ expired }) => cell(expired)],
    [flag('Warning'), ({ expirationWarning }) => cell(expirationWarning)],
  ];
  return tableOf('expirations', cells, entries, problems);
}

/** One annotation for each vendor license and day: what ends then. */
function expirationAnnotations(query: Query, entries: readonly FeatureEntry[], localTime: LocalTime): TargetAnswer {
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
