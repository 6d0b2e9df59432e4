import type { PolledEndpoint } from '../../base/model/snapshot.ts';
import { isUncounted } from '../../base/model/uncounted.ts';
import { isKnown, unknown } from '../../base/model/unknown.ts';
import { canonical } from '../../base/model/vendor-license.ts';
import type { FeatureLabels, FeatureRow } from '../../exporter/inventory/feature-row.ts';
import type { Inventory } from '../../exporter/inventory/inventory.ts';
import type { Selection } from '../../exporter/inventory/selection.ts';
import {
  type CapacitySamples,
  type ExpiringVersion,
  lowestOfDayAgo,
  numberBefore,
  withSample,
} from './capacity-samples.ts';
import type { Drop, Missed, Past } from './past.ts';

/** What an inventory says about one vendor license. What is not known is never missing. */
interface Insight {
  /** Whether GetProducts or GetServerDown lists it, or may. */
  readonly isListed: boolean;
  /**
   * Whether what GetFeatures lacks does not exist: its answer is complete, and no server that is down explains it. An analyzer that
   * has lost its vendor licenses does not say which are down.
   */
  readonly hasFeatures: boolean;
  readonly hasExpiries: boolean;
}

/** What rules about missing things can conclude from an inventory. */
export interface Insights {
  /** Whether a vendor license that is not listed does not exist. If none is listed, LicenseProductsEmpty says so. */
  readonly isListKnown: boolean;
  of(vendorLicense: string): Insight;
}

/** Whether the last good answer of GetProducts lists nothing at all. That explains everything that is missing. */
export function isListEmpty({ polls, readings }: Pick<Inventory, 'polls' | 'readings'>): boolean {
  const isAnswered = [...(readings.of('GetProducts')?.parts.values() ?? [])].some(({ goodAt }) => goodAt !== undefined);
  return isAnswered && polls.find(({ endpoint }) => endpoint === 'GetProducts')?.records === 0;
}

/** Whether an endpoint has been asked about a vendor license. Of one that is new, not even a failure is known. */
function createIsAnswered({ readings }: Inventory, endpoint: PolledEndpoint): (vendorLicense: string) => boolean {
  const parts = [...(readings.of(endpoint)?.parts ?? [])].filter(([, { isFresh }]) => isFresh);
  const fresh = new Set(parts.map(([part]) => canonical(part)));
  return (vendorLicense) => fresh.has('') || fresh.has(vendorLicense.toLowerCase());
}

/** What an inventory says about each vendor license, looked up once. */
function createInsights(inventory: Inventory): Insights {
  const { knowledge } = inventory;
  const rows = new Map(inventory.vendorLicenses.map((row) => [row.vendorLicense.toLowerCase(), row]));
  const hasFeatures = createIsAnswered(inventory, 'GetFeatures');
  const hasExpiries = createIsAnswered(inventory, 'GetExpirationFeatures');
  return {
    isListKnown: knowledge.products && !isListEmpty(inventory),
    of: (name) => {
      const row = rows.get(name.toLowerCase());
      const isUsable = row?.isReported === true && row.up !== false && !knowledge.isEmptyListRefused;
      return {
        isListed: row !== undefined,
        hasFeatures: isUsable && hasFeatures(name) && knowledge.features(name),
        hasExpiries: isUsable && hasExpiries(name) && knowledge.expiries(name),
      };
    },
  };
}

/** What was listed once. */
interface Remembered {
  readonly name: string;
  /** The first good answer without it, epoch seconds; `undefined` while none is known. */
  missedAt?: number | undefined;
}

/** The licenses of a feature in all its versions. If those of one are unknown, so are all; `none` is for GetExpirationFeatures. */
type Licenses = number | 'uncounted' | 'unknown' | 'none';

/** A feature that was listed, with all its versions. */
interface ListedFeature extends Remembered {
  /** Whether GetFeatures listed it. Otherwise only GetExpirationFeatures did. */
  isReported: boolean;
  samples: CapacitySamples;
  versions: readonly ExpiringVersion[];
  /** By the answers that were read last; `undefined` if they do not list it. */
  licenses?: Licenses | undefined;
  /** When the last of the versions that were read last expires, epoch seconds; infinite if that of one is not known. */
  lasts?: number | undefined;
  /** Whether it was still listed when all its versions had expired, so that LicenseExpired is about it. */
  hasExpired?: boolean | undefined;
}

/** A vendor license that GetProducts listed. */
export interface ListedVendorLicense extends Remembered {
  readonly features: Map<string, ListedFeature>;
}

/** Which names this exporter reports. What the configuration leaves out is forgotten, and is not missed. */
export type Owned = Pick<Selection, 'ownsVendorLicense' | 'ownsFeature'>;

/** How long what is missed is remembered, seconds: the longest `within`. */
const KEEP = 7 * 86_400;
/** How long before its expiry a version is remembered, and how long after that if it is not listed any more, seconds. */
const NEAR_EXPIRY = 30 * 86_400;
/** How long after its expiry a feature must be listed so that people are told of it, seconds. Some managers do not list it any more. */
const TOLD = 900;
const NO_VERSIONS: readonly ExpiringVersion[] = [];
/** Features worked on between two yields. */
const SLICE = 1000;

/**
 * What good answers listed, so that what they lack is noticed: also after the exporter did not run. Absence counts from the last
 * good answer. It survives reloads, and restarts in a file.
 */
export class Listed {
  /** When it began to remember, epoch seconds; `undefined` before the first inventory. */
  since: number | undefined;
  /** Whether something has changed that is not saved. */
  isChanged = false;
  /** By name in lower case: names of vendor licenses have no case. */
  readonly vendorLicenses = new Map<string, ListedVendorLicense>();
  /** The features that were read last. */
  #features: Inventory['features'] | undefined;

  /** Adds what a file has. */
  restore(since: number, vendorLicenses: Iterable<ListedVendorLicense>): void {
    this.since = since;
    for (const each of vendorLicenses) this.vendorLicenses.set(each.name.toLowerCase(), each);
  }

  /** Makes everything as old as before, after the clock was set. @param by seconds */
  move(by: number): void {
    const move = (each: Remembered): void => {
      if (each.missedAt !== undefined) each.missedAt += by;
    };
    if (this.since !== undefined) this.since += by;
    for (const each of this.vendorLicenses.values()) {
      move(each);
      for (const feature of each.features.values()) {
        move(feature);
        feature.samples = feature.samples.map(([at, licenses]) => [at + by, licenses]);
      }
    }
    this.isChanged = true;
  }

  /** Compares an inventory with what was listed before, and remembers it. @param now epoch seconds */
  *observe(inventory: Inventory, now: number, owned: Owned): Generator<void, Past> {
    if (this.since === undefined) this.isChanged = true;
    this.since ??= now;
    const insights = createInsights(inventory);
    this.#readVendorLicenses(inventory);
    if (this.#features !== inventory.features) yield* this.#readFeatures(inventory.features, now);
    const missed: Missed[] = [];
    const drops: Drop[] = [];
    const withUnknownCapacity = new Set<string>();
    let compared = 0;
    for (const [key, owner] of this.vendorLicenses) {
      const { name: vendorLicense, features } = owner;
      const { isListed, hasFeatures, hasExpiries } = insights.of(vendorLicense);
      if (!isListed && this.#isOver(owner, owned.ownsVendorLicense(vendorLicense), insights.isListKnown, now)) {
        this.vendorLicenses.delete(key);
        continue;
      }
      if (owner.missedAt !== undefined) missed.push({ vendorLicense, feature: '', missedAt: owner.missedAt });
      for (const each of features.values()) {
        compared += 1;
        if (compared % SLICE === 0) yield;
        const { name: feature, isReported } = each;
        if (each.licenses !== undefined) {
          const drop = this.#found(each, hasFeatures, now);
          if (drop !== undefined) drops.push({ vendorLicense, feature, ...drop });
          if (isCapacityUnknown(each, hasFeatures, now)) withUnknownCapacity.add(vendorLicense);
        } else if (this.#isOver(each, owned.ownsFeature(feature), isReported ? hasFeatures : hasExpiries, now)) {
          features.delete(feature);
        } else if (each.missedAt !== undefined && !each.hasExpired) {
          missed.push({ vendorLicense, feature, missedAt: each.missedAt });
        }
      }
    }
    return { missed, drops, withUnknownCapacity, ...this.#unknowns(insights, now, owned) };
  }

  #readVendorLicenses({ vendorLicenses }: Inventory): void {
    for (const { vendorLicense: name, isReported } of vendorLicenses) {
      const key = name.toLowerCase();
      const known = this.vendorLicenses.get(key);
      if (known === undefined ? !isReported : known.name === name && known.missedAt === undefined) continue;
      this.vendorLicenses.set(key, { name, features: known?.features ?? new Map() });
      this.isChanged = true;
      // there may be features of it that were not read
      if (known === undefined) this.#features = undefined;
    }
  }

  /** Reads the numbers of licenses. Rows of one vendor license follow each other. */
  *#readFeatures(features: Inventory['features'], now: number): Generator<void> {
    for (const each of this.vendorLicenses.values()) {
      for (const feature of each.features.values()) {
        feature.licenses = undefined;
        for (const version of feature.versions) version.counted = undefined;
      }
    }
    let owner: ListedVendorLicense | undefined;
    let [vendorLicense, read] = ['', 0];
    for (const row of features) {
      read += 1;
      if (read % SLICE === 0) yield;
      if (row.vendorLicense !== vendorLicense) {
        vendorLicense = row.vendorLicense;
        owner = this.vendorLicenses.get(vendorLicense.toLowerCase());
      }
      // GetProducts has never listed it
      if (owner !== undefined) this.#readFeature(owner, row, now);
    }
    this.#features = features;
  }

  #readFeature({ features }: ListedVendorLicense, row: FeatureRow, now: number): void {
    const { feature: name } = row;
    let feature = features.get(name);
    if (feature === undefined) {
      // with all members, because V8 keeps those that are added later in a list of their own
      feature = {
        name,
        isReported: false,
        samples: [],
        versions: NO_VERSIONS,
        missedAt: undefined,
        licenses: undefined,
        lasts: undefined,
        hasExpired: undefined,
      };
      features.set(name, feature);
      this.isChanged = true;
    }
    const others = feature.licenses === undefined ? undefined : feature.lasts;
    const end = isKnown(row.expiration) ? row.expiration : Number.POSITIVE_INFINITY;
    feature.lasts = others === undefined ? end : Math.max(others, end);
    feature.licenses = withVersion(feature.licenses ?? 'none', row);
    this.#readVersion(feature, row, now);
  }

  /** Remembers a version that expires soon. Of one that has expired, an analyzer may report no licenses. */
  #readVersion(feature: ListedFeature, row: FeatureRow, now: number): void {
    const { expiration, maxAvailable: licenses } = row;
    const known = findVersion(feature.versions, row);
    if (known !== undefined) known.counted = isKnown(licenses) ? licenses : 0;
    if (!isKnown(expiration) || !isKnown(licenses) || expiration <= now || licenses === 0) return;
    const isNear = expiration - now < NEAR_EXPIRY;
    const isRemembered = known?.licenses === licenses && known.expiration === expiration;
    if (isRemembered || (known === undefined && !isNear)) return;
    const { version, package: pkg, featureType } = row;
    const others = feature.versions.filter((each) => each !== known);
    const added = { version, package: pkg, featureType, licenses, expiration, counted: licenses };
    feature.versions = isNear ? [...others, added] : others;
    this.isChanged = true;
  }

  /** Remembers a feature that is listed. @returns its numbers if it has fewer licenses than before */
  #found(
    feature: ListedFeature,
    isListKnown: boolean,
    now: number,
  ): Omit<Drop, 'vendorLicense' | 'feature'> | undefined {
    const { licenses } = feature;
    const samples = isListKnown ? samplesAfter(feature, now) : feature.samples;
    if (feature.missedAt !== undefined || samples !== feature.samples) this.isChanged = true;
    feature.missedAt = undefined;
    feature.samples = samples;
    feature.isReported = licenses !== 'none';
    const hasExpired = (feature.lasts ?? Number.POSITIVE_INFINITY) + TOLD <= now;
    if (hasExpired !== (feature.hasExpired ?? false)) this.isChanged = true;
    feature.hasExpired = hasExpired || undefined;
    if (isListKnown) this.#forgetVersions(feature, now);
    // one whose number has never changed has not lost any
    if (!isListKnown || typeof licenses !== 'number' || samples.length === 1) return undefined;
    const earlier = numberBefore(samples, now, feature.versions);
    return earlier !== undefined && earlier.before > licenses ? { ...earlier, licenses } : undefined;
  }

  #forgetVersions(feature: ListedFeature, now: number): void {
    const isKept = ({ counted, expiration }: ExpiringVersion): boolean =>
      counted !== undefined || (expiration <= now && now - expiration < NEAR_EXPIRY);
    if (feature.versions.every(isKept)) return;
    feature.versions = feature.versions.filter(isKept);
    this.isChanged = true;
  }

  /** Remembers that something is not listed. @returns whether to forget it: it is left out, or was missed for long */
  #isOver(each: Remembered, isOwned: boolean, isGone: boolean, now: number): boolean {
    const missedAt = each.missedAt ?? (isGone ? now : undefined);
    const isOver = !isOwned || (missedAt !== undefined && now - missedAt >= KEEP);
    if (isOver || missedAt !== each.missedAt) this.isChanged = true;
    each.missedAt = missedAt;
    return isOver;
  }

  #unknowns(insights: Insights, now: number, owned: Owned): Omit<Past, 'missed' | 'drops' | 'withUnknownCapacity'> {
    const isYoung = now - (this.since ?? now) < KEEP;
    const find = (vendorLicense: string) => this.vendorLicenses.get(vendorLicense.toLowerCase());
    /** Whether it is not known that something exists no more. What is not remembered may have been forgotten with a lost file. */
    const mayExist = (found: Remembered | undefined, isOwned: boolean): boolean =>
      found === undefined ? isOwned && isYoung : found.missedAt === undefined;
    const isUnknown: Past['isUnknown'] = (vendorLicense, name) => {
      const { isListed } = insights.of(vendorLicense);
      const owner = find(vendorLicense);
      const isGone = !isListed && !mayExist(owner, owned.ownsVendorLicense(vendorLicense));
      if (name === undefined) return !isListed && !isGone;
      const feature = owner?.features.get(name);
      if (feature?.licenses !== undefined) return false;
      // a vendor license that is gone explains its features
      return !isGone && mayExist(feature, owned.ownsFeature(name));
    };
    const stateOf = (found: Remembered | undefined) =>
      found === undefined ? 'forgotten' : found.missedAt === undefined ? 'unknown' : 'missed';
    return {
      isUnknown,
      listingOf: (vendorLicense, name) => {
        const isOwned = owned.ownsVendorLicense(vendorLicense) && (name === undefined || owned.ownsFeature(name));
        if (!isOwned) return 'left out';
        const owner = find(vendorLicense);
        if (!insights.of(vendorLicense).isListed) return stateOf(owner);
        const feature = name === undefined ? undefined : owner?.features.get(name);
        if (name === undefined || feature?.licenses !== undefined) return 'listed';
        return feature?.missedAt !== undefined && feature.hasExpired === true ? 'expired' : stateOf(feature);
      },
      isCapacityUnknown: (vendorLicense, name) => {
        const feature = find(vendorLicense)?.features.get(name);
        return feature?.licenses === undefined
          ? isUnknown(vendorLicense, name)
          : isCapacityUnknown(feature, insights.of(vendorLicense).hasFeatures, now);
      },
      licensesBefore: (row) =>
        findVersion(find(row.vendorLicense)?.features.get(row.feature)?.versions ?? [], row)?.licenses ?? unknown,
    };
  }
}

const findVersion = (versions: readonly ExpiringVersion[], row: FeatureLabels): ExpiringVersion | undefined =>
  versions.find(
    ({ version, package: pkg, featureType }) =>
      version === row.version && pkg === row.package && featureType === row.featureType,
  );

/** The licenses of a feature with those of one more of its versions. */
function withVersion(licenses: Licenses, row: FeatureRow): Licenses {
  const { isReported, maxAvailable } = row;
  // one that only GetExpirationFeatures lists has no number
  if (!isReported || licenses === 'unknown') return licenses;
  if (isUncounted(row)) return 'uncounted';
  if (maxAvailable === unknown) return 'unknown';
  if (licenses === 'uncounted') return licenses;
  return licenses === 'none' ? maxAvailable : licenses + maxAvailable;
}

/** See `Past`. @param hasFeatures whether its vendor license has an answer that counts */
function isCapacityUnknown({ licenses, samples }: ListedFeature, hasFeatures: boolean, now: number): boolean {
  if (licenses === 'unknown' || !hasFeatures) return true;
  // on the first day, one that has not changed may have dropped before; one that has is compared with the first poll
  const isFirstDay = lowestOfDayAgo(samples, now, []) === undefined;
  return licenses !== 'uncounted' && isFirstDay && samples.length < 2;
}

function samplesAfter({ samples, licenses }: ListedFeature, now: number): CapacitySamples {
  if (typeof licenses === 'number') return withSample(samples, now, licenses);
  // of uncounted ones, there is nothing to compare
  return licenses === 'uncounted' && samples.length > 0 ? [] : samples;
}
