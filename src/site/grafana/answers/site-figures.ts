import { isUncounted } from '../../../base/model/uncounted.ts';
import { type Figure, isKnown, unknown } from '../../../base/model/unknown.ts';
import { forEachSliced } from '../../../base/scheduling/slices.ts';
import type { FeatureRow, IsSaturated } from '../../../exporter/inventory/feature-row.ts';
import type { Inventory } from '../../../exporter/inventory/inventory.ts';
import type { VendorLicenseRow } from '../../../exporter/inventory/vendor-license-row.ts';
import { shareInUse } from './feature-use.ts';

/** What pages and Grafana show of the whole site and of each vendor license: read once for each inventory, in slices. */

/** The first entries of a long list, in order, without sorting all of it. */
export class Leaders<T> {
  readonly #most: number;
  readonly #entries: { readonly rank: number; readonly value: T }[] = [];
  #count = 0;

  /** @param most how many are kept */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Counts an entry, and returns whether it belongs to the first ones: then it must be added. Lower ranks come first; of equal
   * ones, the earlier one does.
   */
  counts(rank: number): boolean {
    this.#count += 1;
    const last = this.#entries.at(-1);
    return this.#entries.length < this.#most || last === undefined || rank < last.rank;
  }

  /** Adds an entry that was counted. */
  add(rank: number, value: T): void {
    const at = this.#entries.findLastIndex((entry) => entry.rank <= rank) + 1;
    this.#entries.splice(at, 0, { rank, value });
    if (this.#entries.length > this.#most) this.#entries.pop();
  }

  /** How many were counted. */
  get count(): number {
    return this.#count;
  }

  values(): readonly T[] {
    return this.#entries.map(({ value }) => value);
  }
}

const DAY = 86_400;
/** How many features a list shows. */
const MAX_FEATURES = 15;
/** How many expired features a list shows: they are news only for some time. */
const MAX_EXPIRED = 5;

/** What the features of a vendor license, or of the site, add up to. */
export interface Sums {
  features: number;
  saturated: number;
  /** Requests that wait, as on the dashboards. */
  waiting: number;
  /** Features whose usage is not known. One that the analyzer does not report has no usage. */
  withoutUsage: number;
  /** Features of which it is not known what share of their licenses is in use. Uncounted ones have no share. */
  withoutShare: number;
  /** Features of which it is not known whether requests wait. */
  withoutQueue: number;
  /** Of counted features whose usage and number of licenses are known. */
  inUse: number;
  bought: number;
  /** Uncounted features, and licenses of those whose usage is known. They are not in `inUse`. */
  uncounted: number;
  uncountedInUse: number;
  /** Uncounted features whose usage is not known. */
  uncountedWithoutUsage: number;
  /** Counted features that are reported, with a known number of licenses and without, and the sum of these numbers. */
  counted: number;
  licenses: number;
  withoutLicenses: number;
  expired: number;
  within30Days: number;
  permanent: number;
  /** Features whose expiry is not known. */
  withoutExpiry: number;
  /** The next expiry after now, epoch seconds; `Infinity` without one. */
  nextExpiry: number;
}

/** A vendor license with the sums of its features. */
export interface VendorLicenseFigures extends Readonly<Sums> {
  readonly vendorLicense: string;
  readonly row: VendorLicenseRow;
  /** `up`, `down`, `outdated`, `never collected` or `unknown`. */
  readonly state: string;
}

/**
 * When the first license of a vendor license expires that has not expired, of those whose expiry is known. If all of these are permanent,
 * `Infinity`, and not known while another expiry is not; `undefined` if all have expired.
 */
export function nextExpiryOf({
  features,
  nextExpiry,
  withoutExpiry,
  permanent,
}: VendorLicenseFigures): Figure | undefined {
  if (nextExpiry !== Number.POSITIVE_INFINITY) return nextExpiry;
  if (withoutExpiry > 0 || features === 0) return unknown;
  return permanent > 0 ? nextExpiry : undefined;
}

/** Users that hold a license of a vendor license. Before its first collection, an analyzer may say 0 of what it does not know. */
export const usersOf = ({ row: { collectionTime, distinctUsers } }: Pick<VendorLicenseFigures, 'row'>): Figure =>
  isKnown(collectionTime) ? distinctUsers : unknown;

/** The figures of all pages that show the whole site. */
export interface SiteFigures {
  readonly sums: Readonly<Sums>;
  /** What needs attention comes first. */
  readonly vendorLicenses: readonly VendorLicenseFigures[];
  /** Saturated features and those of which requests wait, the most requests first. */
  readonly short: readonly FeatureRow[];
  readonly shortCount: number;
  /** The next to expire first. */
  readonly expiring: readonly FeatureRow[];
  readonly expiringCount: number;
  /** The last to expire first. */
  readonly expired: readonly FeatureRow[];
}

const noSums = (): Sums => ({
  features: 0,
  saturated: 0,
  waiting: 0,
  withoutUsage: 0,
  withoutShare: 0,
  withoutQueue: 0,
  inUse: 0,
  bought: 0,
  uncounted: 0,
  uncountedInUse: 0,
  uncountedWithoutUsage: 0,
  counted: 0,
  licenses: 0,
  withoutLicenses: 0,
  expired: 0,
  within30Days: 0,
  permanent: 0,
  withoutExpiry: 0,
  nextExpiry: Number.POSITIVE_INFINITY,
});

/**
 * Adds the usage of one feature.
 *
 * @param isListKnown whether the features of its vendor license are known
 */
function addUsage(sums: Sums, row: FeatureRow, isListKnown: boolean): void {
  const { inUse, maxAvailable } = row;
  const isExpected = row.isReported || !isListKnown;
  if (!isKnown(inUse) && isExpected) sums.withoutUsage += 1;
  if (isUncounted(row)) {
    sums.uncounted += 1;
    if (isKnown(inUse)) sums.uncountedInUse += inUse;
    else if (isExpected) sums.uncountedWithoutUsage += 1;
  } else if (isKnown(inUse) && isKnown(maxAvailable)) {
    sums.inUse += inUse;
    sums.bought += maxAvailable;
  } else if (isExpected) sums.withoutShare += 1;
}

/** @returns the requests that wait; 0 if that is not known, which is counted */
function addQueue(sums: Sums, row: FeatureRow, isListKnown: boolean): number {
  const { maxQueued: waiting } = row;
  if (!isKnown(waiting)) {
    if (row.isReported || !isListKnown) sums.withoutQueue += 1;
    return 0;
  }
  sums.waiting += waiting;
  return waiting;
}

/** Adds the licenses of one feature, whether they are in use or not. */
function addLicenses(sums: Sums, row: FeatureRow): void {
  if (!row.isReported || isUncounted(row)) return;
  sums.counted += 1;
  if (isKnown(row.maxAvailable)) sums.licenses += row.maxAvailable;
  else sums.withoutLicenses += 1;
}

function addExpiry(sums: Sums, expiration: Figure, now: number): void {
  if (!isKnown(expiration)) sums.withoutExpiry += 1;
  else if (expiration === Number.POSITIVE_INFINITY) sums.permanent += 1;
  else if (expiration <= now) sums.expired += 1;
  else {
    if (expiration - now <= 30 * DAY) sums.within30Days += 1;
    sums.nextExpiry = Math.min(sums.nextExpiry, expiration);
  }
}

function total(all: Iterable<Sums>): Sums {
  const sum = noSums();
  for (const part of all) {
    for (const name of Object.keys(sum) as (keyof Sums)[]) {
      if (name !== 'nextExpiry') sum[name] += part[name];
    }
    sum.nextExpiry = Math.min(sum.nextExpiry, part.nextExpiry);
  }
  return sum;
}

/** What is known about the server of a vendor license. `up` only if its data is current too. */
function serverState({ up, isCurrent, isReported, collectionTime }: VendorLicenseRow): string {
  if (up === false) return 'down';
  if (isReported && !isKnown(collectionTime)) return 'never collected';
  if (isCurrent === false) return 'outdated';
  return up === true && isCurrent === true ? 'up' : 'unknown';
}

const states = ['down', 'never collected', 'outdated', 'unknown', 'up'];

/** Servers that are not up first, then those with most saturated features. */
const byUrgency = (a: VendorLicenseFigures, b: VendorLicenseFigures): number =>
  states.indexOf(a.state) - states.indexOf(b.state) ||
  b.waiting - a.waiting ||
  b.saturated - a.saturated ||
  (a.vendorLicense < b.vendorLicense ? -1 : 1);

/** Reads every feature once. */
async function siteFigures(inventory: Inventory, isSaturated: IsSaturated): Promise<SiteFigures> {
  const { at, vendorLicenses, features, knowledge } = inventory;
  const sums = new Map<string, Sums>();
  const short = new Leaders<FeatureRow>(MAX_FEATURES);
  const expiring = new Leaders<FeatureRow>(MAX_FEATURES);
  const expired = new Leaders<FeatureRow>(MAX_EXPIRED);
  const consider = (list: Leaders<FeatureRow>, rank: number, row: FeatureRow): void => {
    if (list.counts(rank)) list.add(rank, row);
  };
  // the rows of a vendor license follow each other
  let current: string | undefined;
  let own = noSums();
  let isListKnown = false;
  await forEachSliced(features, (row) => {
    const { vendorLicense } = row;
    if (vendorLicense !== current) {
      current = vendorLicense;
      own = sums.get(vendorLicense) ?? noSums();
      sums.set(vendorLicense, own);
      isListKnown = knowledge.features(vendorLicense);
    }
    own.features += 1;
    const waiting = addQueue(own, row, isListKnown);
    const isFull = isSaturated(row) === true;
    if (isFull) own.saturated += 1;
    addUsage(own, row, isListKnown);
    addLicenses(own, row);
    const share = shareInUse(row);
    if (waiting > 0 || isFull) consider(short, -waiting - (isKnown(share) ? share : 0) / 1e6, row);
    const { expiration } = row;
    addExpiry(own, expiration, at);
    if (!isKnown(expiration) || expiration === Number.POSITIVE_INFINITY) return;
    if (expiration > at) consider(expiring, expiration, row);
    else consider(expired, -expiration, row);
  });
  const listed = vendorLicenses.map((row): VendorLicenseFigures => {
    const { vendorLicense } = row;
    return { vendorLicense, row, state: serverState(row), ...(sums.get(vendorLicense) ?? noSums()) };
  });
  return {
    sums: total(sums.values()),
    vendorLicenses: listed.sort(byUrgency),
    short: short.values(),
    shortCount: short.count,
    expiring: expiring.values(),
    expiringCount: expiring.count,
    expired: expired.values(),
  };
}

/** The figures of each inventory are computed once, for all who look at it. */
const figuresOfInventory = new WeakMap<Inventory, WeakMap<IsSaturated, Promise<SiteFigures>>>();

/** The figures of an inventory, computed once for all pages. */
export function figuresOf(inventory: Inventory, isSaturated: IsSaturated): Promise<SiteFigures> {
  const all = figuresOfInventory.get(inventory) ?? new WeakMap<IsSaturated, Promise<SiteFigures>>();
  figuresOfInventory.set(inventory, all);
  const known = all.get(isSaturated);
  if (known !== undefined) return known;
  const figures = siteFigures(inventory, isSaturated);
  all.set(isSaturated, figures);
  // what failed once is not kept
  figures.catch(() => all.delete(isSaturated));
  return figures;
}
