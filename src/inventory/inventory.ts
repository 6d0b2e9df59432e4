import type { ProductRecord } from '../model/records.ts';
import { freshGood, historyQuestion, lastGood, type Snapshot, WHOLE } from '../model/snapshot.ts';
import { parseVendorLicense } from '../model/vendor-license.ts';
import { runAtOnce } from '../scheduling/slices.ts';
import { createFeatureIndex, type FeatureEntry } from './feature-entries.ts';
import { mergeProducts, withoutUsage } from './merge.ts';
import { availabilityOf, type EndpointAvailability, type PollState, pollStates } from './poll-state.ts';
import type { Selection } from './selection.ts';

/** What is shown and what is not, beside age. */
export interface InventoryPolicy extends Selection {
  /** Usage of a vendor license that is not current: the analyzer keeps showing its last counts. */
  readonly usageWhenNotCurrent: 'withhold' | 'export';
}

export interface VendorLicenseEntry {
  readonly vendorLicense: string;
  readonly server: string;
  readonly daemon: string;
  /** `undefined` when GetProducts has no fresh record of it. Usage that is withheld is `undefined` in it. */
  readonly product: ProductRecord | undefined;
  /** By GetServerDown; `undefined` without a fresh reading, and where records that cannot be read may have listed it. */
  readonly up: boolean | undefined;
  /** Third parts of the GetServerDown labels of this vendor license. */
  readonly downQualifiers: readonly string[];
  /** Whether its usage is not shown, because it is old news. */
  readonly isWithheld: boolean;
}

export interface HistoryEntry {
  readonly vendorLicense: string;
  readonly feature: string;
  readonly package: string;
  readonly featureType: string;
  /** Epoch seconds of the newest point. */
  readonly at: number;
  readonly denials: number | undefined;
  readonly elapsedTime: number | undefined;
}

/**
 * What is known now: a snapshot after matching names, ageing, withholding and merging. Everything that shows or tells
 * something reads this. Lists are sorted by their labels.
 */
export interface Inventory {
  readonly at: number;
  readonly vendorLicenses: readonly VendorLicenseEntry[];
  /** The same object as before while nothing it depends on has changed. */
  readonly features: readonly FeatureEntry[];
  readonly history: readonly HistoryEntry[];
  readonly concurrentUsers: number | undefined;
  readonly polls: readonly PollState[];
  readonly availability: readonly EndpointAvailability[];
  /** Whether the last attempt of every polled endpoint got at least one good answer that is not empty beside failed ones. */
  readonly up: boolean;
  /** What `features` was made from, to find out whether it must be made again. */
  readonly featureInputs: readonly unknown[];
}

const byKey =
  <T>(key: (item: T) => string) =>
  (a: T, b: T): number => {
    const [x, y] = [key(a), key(b)];
    return x < y ? -1 : x > y ? 1 : 0;
  };

/** Finds the spelling of GetProducts for a name in any case. */
function createSpelling(products: readonly ProductRecord[]): (vendorLicense: string) => string {
  const spellings = new Map<string, string>();
  for (const { product } of products) {
    const { vendorLicense } = parseVendorLicense(product);
    const key = vendorLicense.toLowerCase();
    if (!spellings.has(key)) spellings.set(key, vendorLicense);
  }
  return (vendorLicense) => spellings.get(vendorLicense.toLowerCase()) ?? vendorLicense;
}

function lastProducts(snapshot: Snapshot): readonly ProductRecord[] {
  return lastGood(snapshot.endpoints.GetProducts?.parts.get(WHOLE))?.value.records ?? [];
}

interface ServersDown {
  /** By vendor license. */
  readonly labels: ReadonlyMap<string, readonly string[]>;
  /** Whether what is not listed is up: no record was discarded. */
  readonly isComplete: boolean;
}

/** What a fresh GetServerDown lists, or `undefined` without one. */
function serversDown(snapshot: Snapshot, now: number, spell: (name: string) => string): ServersDown | undefined {
  const state = snapshot.endpoints.GetServerDown;
  const good = state === undefined ? undefined : freshGood(state, WHOLE, now);
  if (good === undefined) return undefined;
  const labels = new Map<string, string[]>();
  for (const { label } of good.value.records) {
    const { vendorLicense, qualifier } = parseVendorLicense(label);
    const name = spell(vendorLicense);
    labels.set(name, [...new Set([...(labels.get(name) ?? []), qualifier])].sort());
  }
  return { labels, isComplete: good.value.discarded.bad_record === 0 };
}

interface VendorLicenses {
  readonly entries: readonly VendorLicenseEntry[];
  readonly withheld: ReadonlySet<string>;
  readonly merged: number;
}

function deriveVendorLicenses(
  snapshot: Snapshot,
  now: number,
  policy: InventoryPolicy,
  spell: (name: string) => string,
): VendorLicenses {
  const state = snapshot.endpoints.GetProducts;
  const fresh = (state === undefined ? undefined : freshGood(state, WHOLE, now))?.value.records ?? [];
  const down = serversDown(snapshot, now, spell);
  const products = new Map<string, ProductRecord>();
  let merged = 0;
  for (const record of fresh) {
    const name = spell(parseVendorLicense(record.product).vendorLicense);
    const other = products.get(name);
    if (other !== undefined) merged += 1;
    products.set(name, other === undefined ? record : mergeProducts(other, record));
  }

  const known =
    down === undefined ? [] : lastProducts(snapshot).map(({ product }) => parseVendorLicense(product).vendorLicense);
  const names = new Set([...products.keys(), ...(down?.labels.keys() ?? []), ...known.map(spell)]);
  const withheld = new Set<string>();
  const entries = [...names].filter(policy.ownsVendorLicense).map((name): VendorLicenseEntry => {
    const product = products.get(name);
    const isDown = down?.labels.has(name) === true;
    const isOldNews = policy.usageWhenNotCurrent === 'withhold' && (isDown || product?.isCurrent === false);
    if (isOldNews) withheld.add(name);
    const { server, daemon } = parseVendorLicense(name);
    return {
      vendorLicense: name,
      server,
      daemon,
      product: product !== undefined && isOldNews ? withoutUsage(product) : product,
      up: isDown ? false : down?.isComplete === true ? true : undefined,
      downQualifiers: down?.labels.get(name) ?? [],
      isWithheld: isOldNews,
    };
  });
  return { entries: entries.sort(byKey(({ vendorLicense }) => vendorLicense)), withheld, merged };
}

/** The newest point of the trend series, by the names of spec 4.6. */
function deriveHistory(snapshot: Snapshot, now: number, policy: InventoryPolicy): HistoryEntry[] {
  const state = snapshot.endpoints.GetHistory;
  if (state === undefined) return [];
  const entries = [...state.parts.keys()].flatMap((part): HistoryEntry[] => {
    const series = freshGood(state, part, now)?.value;
    const question = historyQuestion(part);
    const { vendorLicense } = parseVendorLicense(question.product);
    const newest = (name: string) => series?.find((candidate) => candidate.name === name)?.points.at(-1);
    const [denials, elapsed] = [newest('Denials'), newest('Elapsed Time')];
    const at = Math.max(denials?.[0] ?? 0, elapsed?.[0] ?? 0);
    if (at === 0 || !policy.ownsVendorLicense(vendorLicense)) return [];
    const valueAt = (point: typeof denials) => (point?.[0] === at ? point[1] : undefined);
    const { feature, package: pkg, featureType } = question;
    return [
      {
        vendorLicense,
        feature,
        package: pkg,
        featureType,
        at: at / 1000,
        denials: valueAt(denials),
        elapsedTime: valueAt(elapsed),
      },
    ];
  });
  return entries.sort(byKey((e) => JSON.stringify([e.vendorLicense, e.feature, e.package, e.featureType])));
}

const isSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((item, i) => item === b[i]);

/**
 * Derives the inventory. Yields between slices of work, so that a very large site does not hold up whoever else shares
 * the thread.
 *
 * @param now epoch seconds
 * @param previous the inventory before, whose features are used again when nothing has changed for them
 */
export function* deriveInventory(
  snapshot: Snapshot,
  now: number,
  policy: InventoryPolicy,
  previous?: Inventory,
): Generator<void, Inventory> {
  const spell = createSpelling(lastProducts(snapshot));
  const { entries, withheld, merged } = deriveVendorLicenses(snapshot, now, policy, spell);
  const index = createFeatureIndex(snapshot, now, policy, spell, withheld);
  const names = lastProducts(snapshot).map(({ product }) => product);
  const inputs = [...index.inputs, [...withheld].sort().join('\n'), names.join('\n')];
  const reused = previous !== undefined && isSame(previous.featureInputs, inputs) ? previous : undefined;
  const features = reused === undefined ? yield* index.build() : undefined;
  const sharing = (endpoint: string): number =>
    reused?.polls.find((poll) => poll.endpoint === endpoint)?.mergedRecords ?? 0;
  const polls = pollStates(snapshot, {
    GetProducts: merged,
    GetFeatures: features?.mergedFeatures ?? sharing('GetFeatures'),
    GetExpirationFeatures: features?.mergedExpirations ?? sharing('GetExpirationFeatures'),
  });
  const users = snapshot.endpoints.GetConcurrentUsers;
  return {
    at: now,
    vendorLicenses: entries,
    features: reused?.features ?? features?.entries ?? [],
    history: deriveHistory(snapshot, now, policy),
    concurrentUsers: users === undefined ? undefined : freshGood(users, WHOLE, now)?.value,
    polls,
    availability: availabilityOf(snapshot),
    up: polls.length > 0 && polls.every(({ answered }) => answered),
    featureInputs: inputs,
  };
}

/** Runs `deriveInventory` to its end in one go. */
export const deriveInventoryNow = (snapshot: Snapshot, now: number, policy: InventoryPolicy): Inventory =>
  runAtOnce(deriveInventory(snapshot, now, policy));

/** When the next part that is shown now will be too old, epoch seconds; `undefined` when none will. */
export function nextAgeOut(snapshot: Snapshot, now: number): number | undefined {
  let next: number | undefined;
  for (const state of Object.values(snapshot.endpoints)) {
    for (const reading of state.parts.values()) {
      const good = lastGood<unknown>(reading);
      const end = good === undefined ? now : good.at + state.maxAge;
      if (end > now && (next === undefined || end < next)) next = end;
    }
  }
  return next;
}
