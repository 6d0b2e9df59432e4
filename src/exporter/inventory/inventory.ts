import type { TrendSeries } from '../../base/model/history.ts';
import { figureAt } from '../../base/model/history.ts';
import type { ExpirationRecord, FeatureRecord, ProductRecord } from '../../base/model/records.ts';
import {
  type EndpointState,
  type FeaturesAnswer,
  freshGood,
  historyQuestion,
  lastGood,
  productNames,
  type Snapshot,
  WHOLE,
} from '../../base/model/snapshot.ts';
import { type Figure, unknown } from '../../base/model/unknown.ts';
import { canonical, parseVendorLicense } from '../../base/model/vendor-license.ts';
import type { FeatureDerivation, PartRecords } from './feature-derivation.ts';
import type { FeatureRow } from './feature-row.ts';
import { type FieldStates, noFieldStates } from './field-states.ts';
import { createKnowledge, createReadings, isEmptyListRefused, type Knowledge, type Readings } from './knowledge.ts';
import { mergeProducts } from './merge.ts';
import { availabilityOf, type EndpointAvailability, type PollState, pollStates } from './poll-state.ts';
import { createSelection, type Selection } from './selection.ts';
import { createSpelling } from './spelling.ts';
import { createVendorLicenseRow, type VendorLicenseRow } from './vendor-license-row.ts';
import { isUsageWithheld, type UsagePolicy } from './withholding.ts';

/** What is shown, apart from the age limits. */
export interface InventoryPolicy extends Selection {
  /** Whether to withhold the usage of a vendor license that is not current: the analyzer keeps reporting its last counts. */
  readonly usageWhenNotCurrent: UsagePolicy;
}

interface HistoryRow {
  readonly vendorLicense: string;
  readonly feature: string;
  readonly package: string;
  readonly featureType: string;
  /** Epoch seconds of the newest point. */
  readonly at: number;
  readonly denials: Figure;
  readonly elapsedTime: Figure;
}

/**
 * What is known now: a snapshot after matching names, ageing, withholding and merging. Metrics, alerts, Grafana and pages
 * read only this. Rows are sorted by their labels.
 */
export interface Inventory {
  /** Epoch seconds. */
  readonly at: number;
  readonly vendorLicenses: readonly VendorLicenseRow[];
  /** The same array as in the previous inventory if no row has changed. A row that has not changed is the same object. */
  readonly features: readonly FeatureRow[];
  readonly history: readonly HistoryRow[];
  readonly concurrentUsers: Figure;
  /** The spellings of each vendor license in the analyzer. There can be several third parts. */
  readonly spellings: ReadonlyMap<string, readonly string[]>;
  readonly polls: readonly PollState[];
  readonly availability: readonly EndpointAvailability[];
  /**
   * Whether the last attempt of every polled endpoint got a good answer, and there is a vendor license. If some parts failed, empty
   * answers do not count.
   */
  readonly up: boolean;
  /** Why there is no vendor license, although the analyzer answers. */
  readonly emptiness: Emptiness | undefined;
  readonly readings: Readings;
  readonly knowledge: Knowledge;
  /** Which fields answers should have, and lack. */
  readonly fields: FieldStates;
  /** When its next part becomes too old, epoch seconds: it must be derived again then. `undefined` if none does. */
  readonly agesOutAt: number | undefined;
}

/** The analyzer lists nothing, or nothing that is selected. A shard may have none. */
export type Emptiness = 'not listed' | 'not selected';

/** @param names of products in GetProducts; undefined if they are not known */
export function emptinessOf(names: readonly string[] | undefined, { rules }: Selection): Emptiness | undefined {
  if (names === undefined) return undefined;
  if (names.length === 0) return 'not listed';
  const { ownsVendorLicense } = createSelection({ ...rules, shard: { index: 0, total: 1 } });
  const isAnySelected = names.some((name) => ownsVendorLicense(parseVendorLicense(name).vendorLicense));
  return isAnySelected ? undefined : 'not selected';
}

const byKey =
  <T>(key: (item: T) => string) =>
  (a: T, b: T): number => {
    const [x, y] = [key(a), key(b)];
    return x < y ? -1 : x > y ? 1 : 0;
  };

interface ServersDown {
  /** By vendor license. */
  readonly labels: ReadonlyMap<string, readonly string[]>;
  /** Whether unlisted servers are known to be up: no record was discarded, and the analyzer has not just lost all vendor licenses. */
  readonly isComplete: boolean;
  readonly isEmpty: boolean;
}

/** Whether GetProducts contradicts a list of servers that are down and is empty: it has no data, and its icon says why. */
const saysDown = ({ isCurrent, mappingIcon }: ProductRecord): boolean =>
  isCurrent === false && /server\s*_?down/i.test(mappingIcon);

/** The servers in a fresh GetServerDown answer; `undefined` without one. */
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
  const isComplete = good.value.discarded.bad_record === 0 && !isEmptyListRefused(snapshot);
  return { labels, isComplete, isEmpty: good.value.records.length === 0 };
}

interface VendorLicenses {
  readonly rows: readonly VendorLicenseRow[];
  readonly withheld: ReadonlySet<string>;
  readonly merged: number;
}

function deriveVendorLicenses(
  snapshot: Snapshot,
  now: number,
  policy: InventoryPolicy,
  spell: (name: string) => string,
  fields: FieldStates,
): VendorLicenses {
  const state = snapshot.endpoints.GetProducts;
  const fresh = state === undefined ? undefined : freshGood(state, WHOLE, now)?.value;
  const down = serversDown(snapshot, now, spell);
  const products = new Map<string, ProductRecord>();
  let merged = 0;
  for (const record of fresh?.records ?? []) {
    const name = spell(parseVendorLicense(record.product).vendorLicense);
    const other = products.get(name);
    if (other !== undefined) merged += 1;
    products.set(name, other === undefined ? record : mergeProducts(other, record));
  }

  const known = (down === undefined ? [] : productNames(snapshot)) ?? [];
  const nameOf = (product: string): string => spell(parseVendorLicense(product).vendorLicense);
  const notListed = new Set(fresh?.notListed?.map(({ product }) => nameOf(product)));
  // one of its records may be missing
  for (const name of notListed) products.delete(name);
  const names = new Set([...products.keys(), ...(down?.labels.keys() ?? []), ...known.map(nameOf), ...notListed]);
  const withheld = new Set<string>();
  const rows = [...names].filter(policy.ownsVendorLicense).map((name): VendorLicenseRow => {
    const product = products.get(name);
    const isDown = down?.labels.has(name) === true;
    const lacksIsCurrent = fields.missingOf('GetProducts', name).includes('IsCurrent');
    const isWithheld = isUsageWithheld(policy.usageWhenNotCurrent, { isDown, product, lacksIsCurrent });
    if (isWithheld) withheld.add(name);
    const isListUsable = down?.isComplete === true && !(down.isEmpty && product !== undefined && saysDown(product));
    const up = isDown ? false : isListUsable && !notListed.has(name) ? true : undefined;
    const downQualifiers = down?.labels.get(name) ?? [];
    const isKept = notListed.has(name);
    const parts = { vendorLicense: name, record: product, isKept, up, downQualifiers };
    return createVendorLicenseRow(parts, isWithheld, fresh?.clockAhead ?? 0);
  });
  return { rows: rows.sort(byKey(({ vendorLicense }) => vendorLicense)), withheld, merged };
}

/** The newest point of the trend series, by the names of spec 4.6. */
function deriveHistory(snapshot: Snapshot, now: number, policy: InventoryPolicy): HistoryRow[] {
  const state = snapshot.endpoints.GetHistory;
  if (state === undefined) return [];
  const entries = [...state.parts.keys()].flatMap((part): HistoryRow[] => {
    const series = freshGood(state, part, now)?.value;
    const question = historyQuestion(part);
    const { vendorLicense } = parseVendorLicense(question.product);
    const named = (name: string) => series?.find((candidate) => candidate.name === name);
    const [denials, elapsed] = [named('Denials'), named('Elapsed Time')];
    const at = Math.max(denials?.at.at(-1) ?? 0, elapsed?.at.at(-1) ?? 0);
    if (at === 0 || !policy.ownsVendorLicense(vendorLicense)) return [];
    const valueAt = (trend: TrendSeries | undefined): Figure =>
      trend?.at.at(-1) === at ? figureAt(trend.values, trend.at.length - 1) : unknown;
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

/** The names in GetProducts by vendor license, without duplicates. */
function spellingsOf(rows: readonly VendorLicenseRow[], names: readonly string[]): Inventory['spellings'] {
  const spellings = new Map<string, string[]>(rows.map(({ vendorLicense }) => [vendorLicense, []]));
  const byName = new Map(rows.map(({ vendorLicense }) => [vendorLicense.toLowerCase(), vendorLicense]));
  for (const name of new Set(names)) {
    const owner = byName.get(canonical(name));
    if (owner !== undefined) spellings.get(owner)?.push(name);
  }
  return spellings;
}

/** The parts of an endpoint whose records may still be shown, with those that its list may lack. @param now epoch seconds */
function freshParts<R extends FeatureRecord | ExpirationRecord>(
  state: EndpointState<FeaturesAnswer<R>> | undefined,
  now: number,
): readonly PartRecords<R>[] {
  return [...(state?.parts.keys() ?? [])].flatMap((part) => {
    const good = state === undefined ? undefined : freshGood(state, part, now);
    if (good === undefined) return [];
    const { records, notListed = [] } = good.value;
    return [
      { part, records: notListed.length === 0 ? records : [...records, ...notListed.map(({ record }) => record)] },
    ];
  });
}

/** What an inventory is derived from. */
interface InventorySources {
  readonly snapshot: Snapshot;
  /** Epoch seconds. */
  readonly now: number;
  readonly policy: InventoryPolicy;
  /** Which fields are missing. */
  readonly fields?: FieldStates | undefined;
  /** Has derived the features before. */
  readonly features: FeatureDerivation;
}

/** Derives an inventory, in small steps. */
export function* deriveInventory(sources: InventorySources): Generator<void, Inventory> {
  const { snapshot, now, policy, fields = noFieldStates } = sources;
  const listed = productNames(snapshot);
  const names = listed ?? [];
  const emptiness = emptinessOf(listed, policy);
  const spell = createSpelling(names);
  const { rows, withheld, merged } = deriveVendorLicenses(snapshot, now, policy, spell, fields);
  const { GetFeatures, GetExpirationFeatures, GetConcurrentUsers: users } = snapshot.endpoints;
  const features = yield* sources.features.derive({
    features: freshParts(GetFeatures, now),
    expirations: freshParts(GetExpirationFeatures, now),
    products: names,
    withheld,
    selection: policy,
  });
  const polls = pollStates(snapshot, {
    GetProducts: merged,
    GetFeatures: features.mergedFeatures,
    GetExpirationFeatures: features.mergedExpirations,
  });
  return {
    at: now,
    vendorLicenses: rows,
    features: features.rows,
    history: deriveHistory(snapshot, now, policy),
    concurrentUsers: users === undefined ? unknown : (freshGood(users, WHOLE, now)?.value ?? unknown),
    spellings: spellingsOf(rows, names),
    polls,
    availability: availabilityOf(snapshot),
    up: polls.length > 0 && polls.every(({ answered }) => answered) && emptiness === undefined,
    emptiness,
    readings: createReadings(snapshot, now, fields),
    knowledge: createKnowledge(snapshot, now, fields),
    fields,
    agesOutAt: nextAgeOut(snapshot, now),
  };
}

/** When the next shown part becomes too old, epoch seconds; `undefined` if none will. */
export function nextAgeOut(snapshot: Snapshot, now: number): number | undefined {
  let next: number | undefined;
  for (const state of Object.values(snapshot.endpoints)) {
    for (const reading of state.parts.values()) {
      const good = lastGood<unknown>(reading);
      if (good === undefined) continue;
      const end = good.at + state.maxAge;
      // at its very end it is still shown
      if (end >= now && (next === undefined || end < next)) next = end;
    }
  }
  return next;
}
