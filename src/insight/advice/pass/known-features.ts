import { isUncounted } from '../../../base/model/uncounted.ts';
import { type Figure, isKnown, plus, unknown } from '../../../base/model/unknown.ts';
import { parseVendorLicense } from '../../../base/model/vendor-license.ts';
import type { FeatureRow } from '../../../exporter/inventory/feature-row.ts';
import type { Inventory } from '../../../exporter/inventory/inventory.ts';
import type { SeriesName } from '../method/demand.ts';

/** A feature with its versions together, as it is known now: history has no versions. */
export interface KnownFeature {
  readonly series: SeriesName;
  /** Sum over the versions; not known either if the vendor license is not current. */
  readonly bought: Figure;
  /** Licenses that are known to be reserved: at least so many are. */
  readonly reserved: number;
  /** Why no advice can be given, as the end of a sentence. */
  readonly exclusion: string | undefined;
  /** What its licenses are taken by: the features of a token pool, or the components of a package. */
  readonly takers: readonly Taker[];
  /** Whether its licenses are those of a token pool or of a package that is listed. */
  readonly isTaking: boolean;
}

/** A feature whose checkouts take licenses of another one. */
export interface Taker {
  readonly series: SeriesName;
  /** Licenses that one checkout takes: the cost in tokens. */
  readonly cost: number;
  /** Tokens add up; of the components of a package, a package has each once. */
  readonly takes: 'tokens' | 'package';
}

export interface KnownFeatures {
  /** Those in GetFeatures, in order of their names, by `keyOf`. */
  readonly features: ReadonlyMap<string, KnownFeature>;
  /** The names of a vendor license in the analyzer. */
  readonly spellings: ReadonlyMap<string, readonly string[]>;
  /** Whether a vendor license is known to be complete: a feature that is not in the list does not exist. */
  isComplete(vendorLicense: string): boolean;
  /** Whether anything was ever collected from its license server. Else it lists nothing. */
  isCollected(vendorLicense: string): boolean;
}

/** Canonical names of vendor licenses, of which there are few and many features. */
const canonicalNames = new Map<string, string>();
/** Known names before they are forgotten. */
const MAX_KNOWN = 10_000;

function canonicalName(raw: string): string {
  const known = canonicalNames.get(raw);
  if (known !== undefined) return known;
  const { vendorLicense } = parseVendorLicense(raw);
  if (canonicalNames.size >= MAX_KNOWN) canonicalNames.clear();
  canonicalNames.set(raw, vendorLicense);
  return vendorLicense;
}

/** The key of a feature, with the canonical name of its vendor license. */
export const keyOf = ({ vendorLicense, feature, package: packageName, featureType }: SeriesName): string =>
  `${canonicalName(vendorLicense)}\n${feature}\n${packageName}\n${featureType}`;

/** The versions of a feature. */
interface OpenFeature {
  readonly series: SeriesName;
  bought: Figure;
  reserved: number;
  isUncounted: boolean;
  /** Of the first version, and whether that of another one differs. */
  readonly exclusion: string | undefined;
  isMixed: boolean;
}

const IS_COMPONENT = 'is a component of a package';
const TAKES_TOKENS = 'takes tokens';

function exclusionOf({
  featureType,
  licenseType,
  licenseModel,
  tokenPool,
  tokenCostValue,
}: FeatureRow): string | undefined {
  if (featureType === 'component') return IS_COMPONENT;
  if (licenseType === 'node-locked') return 'is node-locked';
  if (licenseModel === 'named') return 'has licenses for named users';
  if (tokenPool !== undefined && tokenPool !== '') return `${TAKES_TOKENS} of ${tokenPool}`;
  // one that costs none has tokens of its own to give, such as a pool whose takers are not reported
  return licenseModel === 'token' && tokenCostValue !== 0 ? TAKES_TOKENS : undefined;
}

function toKnown(open: OpenFeature, takers: readonly Taker[], isTaking: boolean): KnownFeature {
  const { series, bought, reserved, exclusion, isUncounted: uncounted, isMixed } = open;
  const known: Omit<KnownFeature, 'exclusion'> = { series, bought, reserved, takers, isTaking };
  if (uncounted) return { ...known, exclusion: 'has uncounted licenses' };
  // a pool has the license model of its tokens; of versions that differ, the rest has licenses that count
  const isCounted = isMixed || (takers.length > 0 && exclusion === TAKES_TOKENS);
  if (isCounted || exclusion === undefined) return { ...known, exclusion: undefined };
  const isOfAnother = exclusion === IS_COMPONENT || exclusion.startsWith(TAKES_TOKENS);
  return { ...known, exclusion: isTaking && isOfAnother ? `${exclusion}, which has advice of its own` : exclusion };
}

/** The package that a feature is part of, or is. */
export const packageKey = ({ vendorLicense, package: name }: Pick<SeriesName, 'vendorLicense' | 'package'>): string =>
  keyOf({ vendorLicense, feature: '', package: name, featureType: 'package' });

/** The key of what a row takes its licenses from; `undefined` for its own. */
export function takenFrom(row: FeatureRow, packages: ReadonlyMap<string, string>): string | undefined {
  const { vendorLicense, tokenPool = '', tokenSource = '', featureType } = row;
  if (featureType === 'component') return packages.get(packageKey(row));
  if (tokenPool === '') return undefined;
  const source = tokenSource === '' ? vendorLicense : tokenSource;
  return keyOf({ vendorLicense: source, feature: tokenPool, package: '', featureType: 'feature' });
}

/** What takes licenses of another feature, by the key of that. Of versions, the one that costs most counts. */
function takersOf({ features }: Inventory, open: ReadonlyMap<string, OpenFeature>): Map<string, Map<string, Taker>> {
  const packages = new Map<string, string>();
  for (const [key, { series }] of open) if (series.featureType === 'package') packages.set(packageKey(series), key);
  const takers = new Map<string, Map<string, Taker>>();
  for (const row of features) {
    const from = row.isReported ? takenFrom(row, packages) : undefined;
    if (from === undefined || !open.has(from)) continue;
    const isComponent = row.featureType === 'component';
    const cost = isComponent ? 1 : row.tokenCostValue;
    if (!isKnown(cost)) continue;
    const { vendorLicense, feature, package: packageName, featureType } = row;
    const series = { vendorLicense, feature, package: packageName, featureType };
    const known = takers.get(from) ?? new Map<string, Taker>();
    const most = Math.max(cost, known.get(keyOf(series))?.cost ?? 0);
    takers.set(from, known.set(keyOf(series), { series, cost: most, takes: isComponent ? 'package' : 'tokens' }));
  }
  return takers;
}

/** Many license managers tell only one of the two. */
const reservedIn = ({ unusedReserve, usedReserve }: FeatureRow): number =>
  (isKnown(unusedReserve) ? unusedReserve : 0) + (isKnown(usedReserve) ? usedReserve : 0);

/** The vendor licenses whose counts are those of now. */
function currentOnes({ vendorLicenses }: Inventory): ReadonlySet<string> {
  const current = new Set<string>();
  for (const { vendorLicense, isReported, isCurrent, isWithheld, up } of vendorLicenses) {
    if (isReported && isCurrent !== false && !isWithheld && up !== false) current.add(vendorLicense);
  }
  return current;
}

/** Reads what is known now from the inventory, which must be in use meanwhile. */
export function knownFeaturesOf(inventory: Inventory): KnownFeatures {
  const current = currentOnes(inventory);
  const open = new Map<string, OpenFeature>();
  for (const row of inventory.features) {
    if (!row.isReported) continue;
    const { vendorLicense, feature, package: packageName, featureType, maxAvailable } = row;
    const series = { vendorLicense, feature, package: packageName, featureType };
    const key = keyOf(series);
    const bought = current.has(vendorLicense) ? maxAvailable : unknown;
    const known = open.get(key);
    if (known === undefined) {
      open.set(key, {
        series,
        bought,
        reserved: reservedIn(row),
        isUncounted: isUncounted(row),
        exclusion: exclusionOf(row),
        isMixed: false,
      });
      continue;
    }
    known.bought = plus(known.bought, bought);
    known.reserved += reservedIn(row);
    known.isUncounted ||= isUncounted(row);
    known.isMixed ||= known.exclusion !== exclusionOf(row);
  }
  const { knowledge, spellings, vendorLicenses } = inventory;
  // it lists nothing, which says nothing about its features
  const uncollected = new Set(
    vendorLicenses
      .filter(({ isReported, collectionTime }) => isReported && !isKnown(collectionTime))
      .map(({ vendorLicense }) => vendorLicense),
  );
  const features = new Map<string, KnownFeature>();
  const takers = takersOf(inventory, open);
  const taking = new Set(takers.values().flatMap((of) => of.keys()));
  for (const [key, feature] of open) {
    features.set(key, toKnown(feature, [...(takers.get(key)?.values() ?? [])], taking.has(key)));
  }
  return {
    features,
    spellings,
    isComplete: (vendorLicense) =>
      knowledge.products && knowledge.features(vendorLicense) && !uncollected.has(vendorLicense),
    isCollected: (vendorLicense) => !uncollected.has(vendorLicense),
  };
}
