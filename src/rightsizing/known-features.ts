import type { FeatureRow } from '../inventory/feature-row.ts';
import type { Inventory } from '../inventory/inventory.ts';
import { isUncounted } from '../model/uncounted.ts';
import { type Figure, plus, unknown } from '../model/unknown.ts';
import { parseVendorLicense } from '../model/vendor-license.ts';
import type { SeriesName } from './demand.ts';

/** A feature with its versions together, as it is known now: history has no versions. */
export interface KnownFeature {
  readonly series: SeriesName;
  /** Sum over the versions; not known either if the vendor license is not current. */
  readonly bought: Figure;
  /** Why no advice can be given, as the end of a sentence. */
  readonly exclusion: string | undefined;
}

/** What is known now of all features. */
export interface KnownFeatures {
  /** Those in GetFeatures, in order of their names, by `keyOf`. */
  readonly features: ReadonlyMap<string, KnownFeature>;
  /** The names of a vendor license in the analyzer. */
  readonly spellings: ReadonlyMap<string, readonly string[]>;
  /** Whether a vendor license is known to be complete: a feature that is not in the list does not exist. */
  isComplete(vendorLicense: string): boolean;
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
  isUncounted: boolean;
  /** Of the first version, and whether that of another one differs. */
  readonly exclusion: string | undefined;
  isMixed: boolean;
}

function exclusionOf({ featureType, licenseType, licenseModel, tokenPool }: FeatureRow): string | undefined {
  if (featureType === 'component') return 'is a component of a package';
  if (licenseType === 'node-locked') return 'is node-locked';
  if (licenseModel === 'named') return 'has licenses for named users';
  if (tokenPool !== undefined && tokenPool !== '') return `takes tokens of ${tokenPool}, which has advice of its own`;
  return licenseModel === 'token' ? 'takes tokens' : undefined;
}

function toKnown({ series, bought, exclusion, isUncounted: uncounted, isMixed }: OpenFeature): KnownFeature {
  if (uncounted) return { series, bought, exclusion: 'has uncounted licenses' };
  // of versions that differ, the rest has licenses that count
  return { series, bought, exclusion: isMixed ? undefined : exclusion };
}

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
      open.set(key, { series, bought, isUncounted: isUncounted(row), exclusion: exclusionOf(row), isMixed: false });
      continue;
    }
    known.bought = plus(known.bought, bought);
    known.isUncounted ||= isUncounted(row);
    known.isMixed ||= known.exclusion !== exclusionOf(row);
  }
  const { knowledge, spellings } = inventory;
  const features = new Map<string, KnownFeature>();
  for (const [key, feature] of open) {
    features.set(key, toKnown(feature));
  }
  return {
    features,
    spellings,
    isComplete: (vendorLicense) => knowledge.products && knowledge.features(vendorLicense),
  };
}
