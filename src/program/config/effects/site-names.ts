import type { SourceHealth } from '../../../base/model/observation/source.ts';
import {
  lastGood,
  type PolledAnswers,
  type PolledEndpoint,
  productNames,
  type Snapshot,
  WHOLE,
} from '../../../base/model/snapshot.ts';
import { canonical, parseVendorLicense } from '../../../base/model/vendor-license.ts';
import type { FeatureLabels } from '../../../exporter/inventory/feature-row.ts';
import type { Inventory } from '../../../exporter/inventory/inventory.ts';
import type { VendorLicenseRow } from '../../../exporter/inventory/vendor-license-row.ts';

/** What the analyzer lists, and whether that is all: what a pattern or a name can be about. */

/** What was recorded, or listed once. The analyzer need not list it any more. */
export interface FormerName {
  readonly vendorLicense: string;
  /** Empty for the vendor license as a whole. */
  readonly feature: string;
}

/** A vendor license that is monitored. */
interface ListedVendorLicense {
  readonly name: string;
  readonly features: readonly FeatureLabels[];
  /** Whether it has no others. */
  readonly isComplete: boolean;
}

/** The names of a site at one time. */
export interface SiteNames {
  readonly vendorLicenses: readonly ListedVendorLicense[];
  /** Whether there are no other vendor licenses. */
  readonly isComplete: boolean;
  /** Every vendor license that the analyzer lists, monitored or not. */
  readonly products: readonly string[];
  /** Whether the analyzer lists no others. */
  readonly isProductListComplete: boolean;
  /** Names of all features in the answers, monitored or not. */
  readonly featureNames: ReadonlySet<string>;
  /** What of `products` and `featureNames` is not monitored. */
  readonly leftOut: { readonly products: readonly string[]; readonly featureNames: readonly string[] };
  /** Features of an analyzer in this process, none for another one; `undefined` if its history is not read. */
  readonly recorded: () => readonly FormerName[] | undefined;
  /** What alerts can say has vanished; `undefined` while that is not known. */
  readonly remembered: () => Iterable<FormerName> | undefined;
  readonly sources: readonly Pick<SourceHealth, 'name' | 'up' | 'vendorLicenses'>[];
}

/** What the names are read from. */
export interface Seen {
  readonly snapshot: Snapshot;
  readonly inventory: Inventory;
  /** Empty without license managers in this process. */
  readonly sources: SiteNames['sources'];
  readonly recorded: SiteNames['recorded'];
  readonly remembered: SiteNames['remembered'];
  /** With several, each monitors a part, and nobody knows the rest. */
  readonly shards: number;
}

const listEndpoints = ['GetFeatures', 'GetExpirationFeatures'] as const satisfies readonly PolledEndpoint[];

/** Whether an endpoint has answered with all that it lists of a vendor license. */
function hasAnswered({ readings }: Inventory, endpoint: PolledEndpoint, vendorLicense: string): boolean {
  const parts = readings.of(endpoint)?.parts;
  const part =
    parts?.get(WHOLE) ?? parts?.entries().find(([name]) => canonical(name) === canonical(vendorLicense))?.[1];
  return part?.isFresh === true && part.failure === undefined && !readings.isIncomplete(endpoint, vendorLicense);
}

/** A server that is down, or was not reached yet, lists nothing, which says nothing. */
function isListedCompletely(
  inventory: Inventory,
  { vendorLicense, up, isReported }: VendorLicenseRow,
  features: readonly FeatureLabels[],
): boolean {
  if (up === false || !isReported || features.length === 0) return false;
  const { readings } = inventory;
  if (!readings.isExpected('GetFeatures')) return false;
  const asked = listEndpoints.filter((endpoint) => readings.isExpected(endpoint));
  return asked.every((endpoint) => hasAnswered(inventory, endpoint, vendorLicense));
}

/** Features between two yields. */
const STEP = 256;

function* featureNamesOf({ endpoints }: Snapshot): Generator<void, ReadonlySet<string>> {
  const names = new Set<string>();
  for (const endpoint of listEndpoints) {
    for (const part of endpoints[endpoint]?.parts.values() ?? []) {
      const records: readonly { readonly feature: string }[] =
        lastGood<PolledAnswers[typeof endpoint]>(part)?.value.records ?? [];
      for (const [i, { feature }] of records.entries()) {
        if (i % STEP === 0) yield;
        names.add(feature);
      }
    }
  }
  return names;
}

function* byVendorLicense(features: Inventory['features']): Generator<void, ReadonlyMap<string, FeatureLabels[]>> {
  const found = new Map<string, FeatureLabels[]>();
  for (const [i, row] of features.entries()) {
    if (i % STEP === 0) yield;
    const own = found.get(row.vendorLicense);
    if (own === undefined) found.set(row.vendorLicense, [row]);
    else own.push(row);
  }
  return found;
}

/** The names of now. Yields, because a site has 100,000 features. */
export function* siteNamesOf(seen: Seen): Generator<void, SiteNames> {
  const { snapshot, inventory, sources, recorded, remembered, shards } = seen;
  const { knowledge, features } = inventory;
  const byOwner = yield* byVendorLicense(features);
  const featureNames = yield* featureNamesOf(snapshot);
  const products = [...new Set((productNames(snapshot) ?? []).map((name) => parseVendorLicense(name).vendorLicense))];
  const known = new Set(products.map(canonical));
  const areSourcesRead = sources.every(
    ({ up, vendorLicenses }) => up === true && vendorLicenses.every((name) => known.has(canonical(name))),
  );
  const isProductListComplete =
    knowledge.products && !knowledge.isEmptyListRefused && products.length > 0 && areSourcesRead;
  const monitored = new Set(inventory.vendorLicenses.map(({ vendorLicense }) => canonical(vendorLicense)));
  const monitoredNames = new Set(features.map(({ feature }) => feature));
  return {
    vendorLicenses: inventory.vendorLicenses.map((row) => {
      const own = byOwner.get(row.vendorLicense) ?? [];
      return { name: row.vendorLicense, features: own, isComplete: isListedCompletely(inventory, row, own) };
    }),
    isComplete: isProductListComplete && inventory.emptiness === undefined && shards === 1,
    products,
    isProductListComplete,
    featureNames,
    leftOut: {
      products: products.filter((name) => !monitored.has(canonical(name))),
      featureNames: [...featureNames].filter((name) => !monitoredNames.has(name)),
    },
    recorded,
    remembered,
    sources,
  };
}

/** The same text while the same is known: then another look finds the same. */
export const completenessOf = (site: SiteNames): string =>
  JSON.stringify([
    site.isComplete,
    site.isProductListComplete,
    site.vendorLicenses.filter((one) => one.isComplete).map(({ name }) => name),
    site.sources.filter(({ up }) => up === true).map(({ name }) => name),
    site.remembered() !== undefined,
  ]);

/** What is looked for. */
export interface Wanted {
  readonly vendorLicense: (name: string) => boolean;
  /** Without it, the vendor license is enough. */
  readonly feature?: {
    readonly isNamed: (name: string) => boolean;
    readonly isLike: (labels: FeatureLabels) => boolean;
  };
}

/** Whether anything monitored is like that. Of what is listed and not monitored, it is not known. */
export function findIn(site: SiteNames, { vendorLicense, feature }: Wanted): 'listed' | 'not listed' | 'unknown' {
  let mayBeMore = !site.isComplete;
  for (const { name, features, isComplete: hasAll } of site.vendorLicenses) {
    if (!vendorLicense(name)) continue;
    if (feature === undefined || features.some(feature.isLike)) return 'listed';
    if (!hasAll) mayBeMore = true;
  }
  const { products, featureNames } = site.leftOut;
  const isLeftOut = products.some(vendorLicense) || (feature !== undefined && featureNames.some(feature.isNamed));
  return mayBeMore || isLeftOut ? 'unknown' : 'not listed';
}

/** Whether what was there before is like that, as far as its names show. */
export const isWanted = (former: FormerName, { vendorLicense, feature }: Wanted): boolean =>
  vendorLicense(parseVendorLicense(former.vendorLicense).vendorLicense) && (feature?.isNamed(former.feature) ?? true);
