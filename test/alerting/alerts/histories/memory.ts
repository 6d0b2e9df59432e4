import type { Facts } from './facts.ts';
import type { History } from './history.ts';

/** What a process remembers of what it was told before: kept by a restart that keeps its state, except the last ratios. */

/** Something that was listed once. */
interface Remembered {
  /** Whether it is listed now, or may be. */
  isListed: boolean;
  /** When it was known first that it is not listed, epoch seconds; `undefined` while it is, or may be. */
  missedAt: number | undefined;
  /** Since when the alert fires that says that it vanished, epoch seconds: the end of every other alert about it is right. */
  goneSince: number | undefined;
}

interface RememberedFeature extends Remembered {
  /** Whether GetFeatures listed it. Otherwise only GetExpirationFeatures did. */
  wasServed: boolean;
  /** When the version that was told last expires, and those that had expired by then, by version; epoch seconds. */
  expirations: ReadonlyMap<string, number>;
  /** Whether it was still listed for a while after its expiry, so that people were told of that. */
  isExpiryTold: boolean;
  /** Its number of licenses at each change, the oldest first. */
  capacities: (readonly [at: number, licenses: number])[];
  /** Its last number, `uncounted`, or `undefined` if that is not known. */
  licenses: number | 'uncounted' | undefined;
}

/** The usage of a feature at one evaluation. */
interface Ratio {
  readonly at: number;
  /** `undefined` if it was not known. */
  readonly ratio: number | undefined;
}

/** How long after its expiry a feature must be listed so that people are told of it, seconds. */
const TOLD = 900;
/** A ratio below one half counts as one half. */
const LEAST_RATIO = 0.5;

export class Memory {
  readonly #history: History;
  readonly vendorLicenses = new Map<string, Remembered>();
  /** By index. */
  readonly features = new Map<number, RememberedFeature>();
  /** By index, of this process only. */
  #ratios = new Map<number, Ratio[]>();
  /** Vendor licenses that told this process once who waits. */
  readonly withQueues = new Set<string>();

  constructor(history: History) {
    this.#history = history;
  }

  /** What another process begins with. */
  copy(): Memory {
    const copy = new Memory(this.#history);
    for (const [name, each] of this.vendorLicenses) copy.vendorLicenses.set(name, { ...each });
    for (const [index, each] of this.features) copy.features.set(index, { ...each, capacities: [...each.capacities] });
    return copy;
  }

  /** Makes everything as old as before, after the clock was set. @param by seconds */
  move(by: number): void {
    const move = (each: Remembered): void => {
      if (each.missedAt !== undefined) each.missedAt += by;
      if (each.goneSince !== undefined) each.goneSince += by;
    };
    for (const each of this.vendorLicenses.values()) move(each);
    for (const each of this.features.values()) {
      move(each);
      each.capacities = each.capacities.map(([at, licenses]) => [at + by, licenses]);
    }
  }

  /** Takes what a process was told. @param owns whether it monitors a vendor license @param window of averages, seconds */
  observe(facts: Facts, owns: (vendorLicense: string) => boolean, window: number): void {
    if (facts.isBlank) return;
    for (const name of this.#history.vendorLicenses) {
      if (!owns(name)) this.vendorLicenses.delete(name);
      else this.#observeVendorLicense(facts, name);
    }
    for (const index of this.#history.features.keys()) {
      if (!owns(facts.ownerOf(index))) this.features.delete(index);
      else {
        this.#observeFeature(facts, index);
        this.#observeRatio(facts, index, window);
      }
    }
  }

  #observeVendorLicense(facts: Facts, name: string): void {
    const known = this.vendorLicenses.get(name);
    if (facts.isListed(name)) {
      if (known !== undefined || facts.vendorLicense(name) !== undefined)
        this.vendorLicenses.set(name, { isListed: true, missedAt: undefined, goneSince: undefined });
    } else if (known !== undefined) {
      known.isListed = false;
      if (facts.isListKnown) known.missedAt ??= facts.now;
    }
  }

  #observeFeature(facts: Facts, index: number): void {
    const { now } = facts;
    const owner = facts.ownerOf(index);
    const known = this.features.get(index);
    if (facts.isFeatureListed(index)) {
      const served = facts.served(index);
      const { maxAvailable } = served ?? {};
      const licenses = served?.licenseType === 'uncounted' ? 'uncounted' : maxAvailable;
      const capacities = known?.capacities ?? [];
      const expiration = facts.expiration(index);
      const feature: RememberedFeature = {
        isListed: true,
        missedAt: undefined,
        goneSince: undefined,
        wasServed: served !== undefined,
        expirations: this.#expirationsOf(facts, index, known),
        isExpiryTold: expiration !== undefined && expiration + TOLD <= now,
        capacities,
        licenses,
      };
      if (this.vendorLicenses.has(owner)) this.features.set(index, feature);
      if (!this.#isComparable(facts, owner)) return;
      if (licenses === 'uncounted') feature.capacities = [];
      else if (licenses !== undefined && capacities.at(-1)?.[1] !== licenses)
        feature.capacities = [...capacities, [now, licenses]];
    } else if (known !== undefined) {
      known.isListed = false;
      known.licenses = undefined;
      const isAbsent = known.wasServed ? facts.areServedKnown(owner) : facts.areExpiriesKnown(owner);
      if (isAbsent && this.#isUsable(facts, owner)) known.missedAt ??= now;
    }
  }

  #expirationsOf(facts: Facts, index: number, known: RememberedFeature | undefined): ReadonlyMap<string, number> {
    const { version } = facts.listed(index) ?? {};
    const expiration = facts.expiration(index);
    const expired = [...(known?.expirations ?? [])].filter(([other, at]) => other !== version && at <= facts.now);
    return new Map([
      ...expired,
      ...(version === undefined || expiration === undefined ? [] : [[version, expiration] as const]),
    ]);
  }

  /** No server that is down or may be, and no list that lacks its vendor license, explains that a feature is missing. */
  #isUsable(facts: Facts, owner: string): boolean {
    const isDownKnown = !facts.isListRefused && !facts.isDown(owner);
    return isDownKnown && facts.vendorLicense(owner) !== undefined && !facts.isKept(owner);
  }

  #isComparable(facts: Facts, owner: string): boolean {
    return this.#isUsable(facts, owner) && facts.areServedKnown(owner);
  }

  #observeRatio(facts: Facts, index: number, window: number): void {
    const { now } = facts;
    const owner = facts.ownerOf(index);
    const { inUse, maxAvailable, queued, licenseType } = facts.served(index) ?? {};
    const isWithheld = facts.isWithheld(owner);
    if (!isWithheld && queued !== undefined) this.withQueues.add(owner);
    const all = (this.#ratios.get(index) ?? []).filter(({ at }) => at > now - window && at <= now);
    const isKnown =
      !isWithheld &&
      licenseType !== 'uncounted' &&
      inUse !== undefined &&
      maxAvailable !== undefined &&
      maxAvailable > 1;
    if (isKnown) all.push({ at: now, ratio: Math.max(LEAST_RATIO, inUse / maxAvailable) });
    else if (!isWithheld && facts.isListed(owner) && facts.areServedKnown(owner))
      all.push({ at: now, ratio: undefined });
    this.#ratios.set(index, all);
  }

  /**
   * The average ratio of the last minutes, at least and at most: where it was not known, it counts as one half, or the evaluation does
   * not count.
   */
  averageRatio(index: number): readonly [least: number, most: number] {
    const all = (this.#ratios.get(index) ?? []).map(({ ratio }) => ratio);
    const averageOf = (ratios: readonly number[]): number =>
      ratios.reduce((sum, ratio) => sum + ratio, 0) / Math.max(1, ratios.length);
    const known = all.filter((ratio) => ratio !== undefined);
    return [averageOf(all.map((ratio = LEAST_RATIO) => ratio)), averageOf(known)];
  }

  /** Whether something is no longer listed, and no alert has said so before. @param now epoch seconds */
  lacksSome(now: number): boolean {
    return [...this.vendorLicenses.values(), ...this.features.values()].some(
      ({ isListed, goneSince }) => !isListed && (goneSince === undefined || goneSince === now),
    );
  }

  /** The process says that something vanished. */
  takeVanished(found: Remembered | undefined, now: number): void {
    if (found !== undefined) found.goneSince ??= now;
  }
}
