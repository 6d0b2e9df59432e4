import type { FeatureRow } from '../inventory/feature-row.ts';
import type { Inventory } from '../inventory/inventory.ts';
import type { Table } from '../inventory/table.ts';
import { isUncounted } from '../model/uncounted.ts';
import { addSample, type CapacitySamples, forgetOld, lowestOfDayAgo } from './capacity-samples.ts';
import { createInsights, type Insight, type Insights } from './insights.ts';
import type { Drop, Missed, Past, Presence } from './past.ts';

/** A feature that was listed, with all its versions. */
export interface ListedFeature {
  readonly owner: ListedVendorLicense;
  readonly name: string;
  /** Whether GetFeatures listed it. Otherwise only GetExpirationFeatures did. */
  isReported: boolean;
  /** The first good answer without it, epoch seconds. */
  missedAt: number | undefined;
  readonly samples: CapacitySamples;
  /** The scan that saw it last. */
  scan: number;
  /** Its licenses at that scan; `undefined` if none of its versions has a number. */
  licenses: number | undefined;
  /** Whether the number of one of its versions is unknown. */
  isUncertain: boolean;
  isUncounted: boolean;
}

/** A vendor license that GetProducts listed. */
export interface ListedVendorLicense {
  name: string;
  missedAt: number | undefined;
  readonly features: Map<string, ListedFeature>;
}

/** Which names this exporter reports. What the configuration leaves out is forgotten, and is not missed. */
export interface Owned {
  readonly ownsVendorLicense: (vendorLicense: string) => boolean;
  readonly ownsFeature: (feature: string) => boolean;
}

/** How long what is missed is remembered, seconds: the longest `within`. */
const KEEP = 7 * 86_400;
/** Features worked on between two yields. */
const SLICE = 1000;

export const createFeature = (owner: ListedVendorLicense, name: string): ListedFeature => ({
  owner,
  name,
  isReported: false,
  missedAt: undefined,
  samples: [],
  scan: 0,
  licenses: undefined,
  isUncertain: false,
  isUncounted: false,
});

/**
 * What good answers listed, so that what they lack is noticed: also after the exporter did not run. Absence counts from the last
 * good answer. It survives reloads, and restarts in a file.
 */
export class Listed {
  /** When it began to remember, epoch seconds; `undefined` before the first inventory. */
  since: number | undefined;
  /** By name in lower case: names of vendor licenses have no case. */
  readonly vendorLicenses = new Map<string, ListedVendorLicense>();
  /** Increases with each change that must be saved. */
  changes = 0;
  readonly #missed = new Set<ListedFeature>();
  /** Features whose number of licenses has changed within a day. */
  readonly #changed = new Set<ListedFeature>();
  #scanned: { readonly features: Table<FeatureRow>; readonly insights: string } | undefined;
  #scan = 0;

  /** Adds what a file has. */
  restore(since: number, vendorLicenses: Iterable<ListedVendorLicense>): void {
    this.since = since;
    for (const each of vendorLicenses) {
      this.vendorLicenses.set(each.name.toLowerCase(), each);
      for (const feature of each.features.values()) this.#index(feature);
    }
  }

  /** Makes everything as old as before, after the clock was set. @param by seconds */
  move(by: number): void {
    if (this.since !== undefined) this.since += by;
    for (const each of this.vendorLicenses.values()) {
      if (each.missedAt !== undefined) each.missedAt += by;
      for (const feature of each.features.values()) {
        if (feature.missedAt !== undefined) feature.missedAt += by;
        for (let i = 0; i < feature.samples.length; i += 2) (feature.samples[i] as number) += by;
      }
    }
    this.changes += 1;
  }

  /** Compares an inventory with what was listed before, and remembers it. @param now epoch seconds */
  *observe(inventory: Inventory, now: number, owned: Owned): Generator<void, Past> {
    this.since ??= now;
    const insights = createInsights(inventory);
    this.#observeVendorLicenses(inventory, insights, now, owned);
    const known = JSON.stringify([...this.vendorLicenses.values()].map(({ name }) => insights.of(name)));
    if (this.#scanned?.features !== inventory.features || this.#scanned.insights !== known) {
      this.#scan += 1;
      yield* this.#readFeatures(inventory.features);
      yield* this.#compareFeatures(insights, now, owned);
      this.#scanned = { features: inventory.features, insights: known };
    }
    this.#forget(now);
    return this.#past(insights, now, owned);
  }

  #observeVendorLicenses({ vendorLicenses }: Inventory, insights: Insights, now: number, owned: Owned): void {
    for (const { vendorLicense, isReported } of vendorLicenses) {
      const key = vendorLicense.toLowerCase();
      const known = this.vendorLicenses.get(key);
      if (known !== undefined) {
        if (known.missedAt !== undefined || known.name !== vendorLicense) this.changes += 1;
        known.missedAt = undefined;
        known.name = vendorLicense;
      } else if (isReported) {
        this.vendorLicenses.set(key, { name: vendorLicense, missedAt: undefined, features: new Map() });
        this.changes += 1;
      }
    }
    for (const [key, each] of this.vendorLicenses) {
      if (insights.of(each.name).isListed) continue;
      if (!owned.ownsVendorLicense(each.name)) this.#forgetVendorLicense(key, each);
      else if (each.missedAt === undefined && insights.isListKnown) {
        each.missedAt = now;
        this.changes += 1;
      }
    }
  }

  /** Reads the numbers of licenses, over all versions. Rows of one vendor license follow each other, and those of one feature too. */
  *#readFeatures(features: Table<FeatureRow>): Generator<void> {
    let owner: ListedVendorLicense | undefined;
    let [vendorLicense, read] = ['', 0];
    for (const row of features.scan()) {
      read += 1;
      if (read % SLICE === 0) yield;
      if (row.vendorLicense !== vendorLicense || owner === undefined) {
        vendorLicense = row.vendorLicense;
        owner = this.vendorLicenses.get(vendorLicense.toLowerCase());
      }
      // GetProducts has never listed it
      if (owner !== undefined) this.#readRow(owner, row);
    }
  }

  #readRow(owner: ListedVendorLicense, row: FeatureRow): void {
    const name = row.feature;
    let feature = owner.features.get(name);
    if (feature === undefined) {
      feature = createFeature(owner, name);
      owner.features.set(name, feature);
      this.changes += 1;
    }
    if (feature.scan !== this.#scan) {
      feature.scan = this.#scan;
      feature.isReported = false;
      feature.licenses = undefined;
      feature.isUncertain = false;
      feature.isUncounted = false;
    }
    // one that only GetExpirationFeatures lists has no number
    if (!row.isReported) return;
    feature.isReported = true;
    const { maxAvailable } = row;
    if (isUncounted(row)) feature.isUncounted = true;
    else if (maxAvailable === undefined) feature.isUncertain = true;
    else feature.licenses = (feature.licenses ?? 0) + maxAvailable;
  }

  *#compareFeatures(insights: Insights, now: number, owned: Owned): Generator<void> {
    let compared = 0;
    for (const { name, features } of this.vendorLicenses.values()) {
      const insight = insights.of(name);
      for (const feature of features.values()) {
        compared += 1;
        if (compared % SLICE === 0) yield;
        if (feature.scan === this.#scan) this.#found(feature, insight, now);
        else if (!owned.ownsFeature(feature.name)) this.#forgetFeature(feature);
        else if (feature.missedAt === undefined && isGone(feature, insight)) {
          feature.missedAt = now;
          this.#missed.add(feature);
          this.changes += 1;
        }
      }
    }
  }

  #found(feature: ListedFeature, { isCapacityKnown }: Insight, now: number): void {
    if (feature.missedAt !== undefined) {
      feature.missedAt = undefined;
      this.#missed.delete(feature);
      this.changes += 1;
    }
    const { samples, licenses } = feature;
    if (!isCapacityKnown || feature.isUncertain) return;
    if (feature.isUncounted && samples.length > 0) {
      // there is nothing to compare any more
      samples.length = 0;
      this.#changed.delete(feature);
      this.changes += 1;
    }
    if (feature.isUncounted || licenses === undefined || !addSample(samples, now, licenses)) return;
    this.changes += 1;
    this.#index(feature);
  }

  #index(feature: ListedFeature): void {
    if (feature.samples.length > 2) this.#changed.add(feature);
    if (feature.missedAt !== undefined) this.#missed.add(feature);
  }

  #forget(now: number): void {
    const isOver = (missedAt: number | undefined): boolean => missedAt !== undefined && now - missedAt >= KEEP;
    for (const [key, each] of this.vendorLicenses) if (isOver(each.missedAt)) this.#forgetVendorLicense(key, each);
    for (const feature of this.#missed) if (isOver(feature.missedAt)) this.#forgetFeature(feature);
    for (const feature of this.#changed) {
      forgetOld(feature.samples, now);
      if (feature.samples.length <= 2) this.#changed.delete(feature);
    }
  }

  #forgetVendorLicense(key: string, each: ListedVendorLicense): void {
    for (const feature of each.features.values()) this.#forgetFeature(feature);
    this.vendorLicenses.delete(key);
    this.changes += 1;
  }

  #forgetFeature(feature: ListedFeature): void {
    feature.owner.features.delete(feature.name);
    this.#missed.delete(feature);
    this.#changed.delete(feature);
    this.changes += 1;
  }

  #past(insights: Insights, now: number, owned: Owned): Past {
    const isYoung = now - (this.since ?? now) < KEEP;
    /** What is not remembered, and is not listed: it may have been forgotten with a lost file. */
    const forgotten = (isOwned: boolean): Presence => (isOwned && isYoung ? 'unknown' : 'missed');
    const vendorLicense = (name: string): Presence => {
      if (insights.of(name).isListed) return 'listed';
      const found = this.vendorLicenses.get(name.toLowerCase());
      if (found === undefined) return forgotten(owned.ownsVendorLicense(name));
      return found.missedAt === undefined ? 'unknown' : 'missed';
    };
    const find = (owner: string, name: string): ListedFeature | undefined =>
      this.vendorLicenses.get(owner.toLowerCase())?.features.get(name);
    const feature = (owner: string, name: string): Presence => {
      const found = find(owner, name);
      if (found?.scan === this.#scan) return 'listed';
      // a vendor license that is gone explains its features
      if (found?.missedAt !== undefined || vendorLicense(owner) === 'missed') return 'missed';
      return found === undefined ? forgotten(owned.ownsFeature(name)) : 'unknown';
    };
    const isNumbered = ({ owner, scan, isUncertain }: ListedFeature): boolean =>
      scan === this.#scan && !isUncertain && insights.of(owner.name).isCapacityKnown;
    return {
      vendorLicenses: [...this.vendorLicenses.values()].flatMap(({ name, missedAt }): Missed[] =>
        missedAt === undefined ? [] : [{ vendorLicense: name, feature: '', missedAt }],
      ),
      features: [...this.#missed].flatMap(({ owner, name, missedAt }): Missed[] =>
        missedAt === undefined ? [] : [{ vendorLicense: owner.name, feature: name, missedAt }],
      ),
      drops: [...this.#changed].flatMap((each): Drop[] => {
        const { licenses } = each;
        const before = lowestOfDayAgo(each.samples, now);
        if (!isNumbered(each) || licenses === undefined || before === undefined || before <= licenses) return [];
        return [{ vendorLicense: each.owner.name, feature: each.name, before, licenses }];
      }),
      vendorLicense,
      feature,
      isCapacityKnown: (owner, name) => {
        const found = find(owner, name);
        if (found === undefined || found.scan !== this.#scan) return feature(owner, name) === 'missed';
        if (!isNumbered(found)) return false;
        return found.isUncounted || lowestOfDayAgo(found.samples, now) !== undefined;
      },
    };
  }
}

/** Whether a feature that is not listed does not exist, by a complete answer of the endpoint that listed it. */
const isGone = ({ isReported }: ListedFeature, insight: Insight): boolean =>
  insight.isUsable && (isReported ? insight.hasFeatures : insight.hasExpiries);
