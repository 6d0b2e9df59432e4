import {
  type Checkout,
  type Increment,
  type PoolObservation,
  type QueuedRequest,
  type TokenUse,
  type UnknownOfCheckouts,
  type VendorLicenseObservation,
  vendorLicenseName,
} from '../../../base/model/observation/observation.ts';
import type { DiagnosticsCount } from '../lines.ts';
import { ifKnown } from '../parsed.ts';
import type { SourceTime } from '../times.ts';
import type { CheckoutEntry, FeatureEntry, IncrementEntry, QueuedEntry, VendorLicenseEntry } from './document.ts';
import { featureKey, namesOf } from './document-check.ts';
import { plainText } from './document-text.ts';
import { expiryOf, timeOf } from './document-times.ts';

/** Entries of vendor licenses as observations. */

/** What reading a feature of a document depends on. */
export interface PoolContext {
  /** Of dates. */
  readonly localTime: SourceTime;
  /** Times after it cannot be right. Undefined if the clock of the document is wrong: then no time is used. */
  readonly latest: number | undefined;
  /** `server;daemon` of the vendor license. */
  readonly vendorLicense: string;
  /** What is reported of all of its checkouts. */
  readonly reports: ReadonlySet<'borrowed' | 'status'>;
  readonly onContradiction: () => void;
}

/** The number without the sign of -0. */
const figure = (value: number | null | undefined): number | undefined =>
  typeof value === 'number' ? value + 0 : undefined;

/** Whether the vendor license says it of every checkout, or of all that it lists. */
function reportsOf({ reports, features }: VendorLicenseEntry): ReadonlySet<'borrowed' | 'status'> {
  if (reports !== undefined && reports !== null) return new Set(reports);
  let count = 0;
  const every = { borrowed: true, status: true };
  for (const { checkouts } of features ?? []) {
    for (const { borrowed, status } of checkouts ?? []) {
      count += 1;
      every.borrowed &&= typeof borrowed === 'boolean';
      every.status &&= typeof status === 'object' && status !== null;
    }
  }
  return new Set((['borrowed', 'status'] as const).filter((what) => count > 0 && every[what]));
}

function sinceOf(since: string | number | null | undefined, context: PoolContext): { readonly since?: number } {
  if (since === undefined || since === null || context.latest === undefined) return {};
  const at = timeOf(since);
  if (at <= context.latest) return { since: at };
  context.onContradiction();
  return {};
}

function toCheckout(entry: CheckoutEntry, context: PoolContext): Checkout {
  const { status } = entry;
  const shareHandle = plainText(entry.share_handle);
  const handle = plainText(entry.handle);
  return {
    user: plainText(entry.user),
    host: plainText(entry.host),
    display: plainText(entry.display),
    ...sinceOf(entry.since, context),
    licenses: figure(entry.licenses) ?? 1,
    ...ifKnown('handle', handle === '' ? undefined : handle),
    shareHandle: shareHandle === '' ? undefined : shareHandle,
    borrowed: entry.borrowed === true,
    status: status ? { state: status.state, ...ifKnown('seconds', figure(status.seconds)) } : undefined,
  };
}

const toQueued = (entry: QueuedEntry, context: PoolContext): QueuedRequest => ({
  user: plainText(entry.user),
  host: plainText(entry.host),
  ...sinceOf(entry.since, context),
  licenses: figure(entry.licenses) ?? 1,
});

function toIncrement({ count, expires }: IncrementEntry, isUncounted: boolean, localTime: SourceTime): Increment {
  const unknownCount = isUncounted ? Number.POSITIVE_INFINITY : undefined;
  return {
    count: count === 'uncounted' ? Number.POSITIVE_INFINITY : (figure(count) ?? unknownCount),
    expires: expiryOf(expires, localTime),
  };
}

function tokenOf({ token }: FeatureEntry, vendorLicense: string): TokenUse | 'unknown' | undefined {
  if (token === undefined || token === null || token === 'unknown') return token ?? undefined;
  const source = plainText(token.source);
  return { pool: plainText(token.pool), source: source === '' ? vendorLicense : source, cost: token.cost + 0 };
}

const sum = (list: readonly { readonly licenses: number }[]): number =>
  list.reduce((total, { licenses }) => total + licenses, 0);

/** Reservations with their use, or what is known of them without. */
function reserveOf(
  feature: FeatureEntry,
): Pick<PoolObservation, 'reservations' | 'unusedReserve' | 'usedReserve' | 'reserved'> {
  const list = feature.reservations ?? undefined;
  const reservations = list?.every(({ used }) => typeof used === 'number')
    ? list.map(({ holder, licenses, used }) => ({
        holder: plainText(holder),
        licenses: licenses + 0,
        used: (used ?? 0) + 0,
      }))
    : undefined;
  const total = list === undefined || reservations !== undefined ? undefined : sum(list) + 0;
  return {
    reservations,
    ...ifKnown('unusedReserve', figure(feature.unused_reserve)),
    ...ifKnown('usedReserve', figure(feature.used_reserve)),
    ...ifKnown('reserved', figure(feature.reserved) ?? total),
  };
}

function unknownOf(feature: FeatureEntry, { reports }: PoolContext): readonly UnknownOfCheckouts[] {
  const isListed = feature.checkouts !== undefined && feature.checkouts !== null;
  return [
    ...(isListed && feature.checkouts_complete !== false ? [] : (['list'] as const)),
    ...(reports.has('borrowed') ? [] : (['borrowed'] as const)),
    ...(reports.has('status') ? [] : (['status'] as const)),
  ];
}

/** Statements of the pool that contradict each other. They stay as they are. */
function countContradictions(pool: PoolObservation, onContradiction: () => void): void {
  const counts = pool.increments.map(({ count }) => count);
  const capacity = counts.includes(undefined)
    ? Number.POSITIVE_INFINITY
    : counts.reduce<number>((a, b) => a + (b ?? 0), 0);
  const listed = sum(pool.checkouts);
  if ((pool.inUse ?? listed) + (pool.available ?? 0) > capacity) onContradiction();
  if (pool.inUse !== undefined && listed > pool.inUse) onContradiction();
  if (pool.licenseType === 'uncounted' && Number.isFinite(capacity)) onContradiction();
  const reserved = pool.reservations === undefined ? pool.reserved : sum(pool.reservations);
  const used = pool.reservations?.reduce((total, one) => total + one.used, 0) ?? pool.usedReserve ?? 0;
  if (reserved !== undefined && used > reserved) onContradiction();
  if (reserved !== undefined && pool.reserved !== undefined && reserved !== pool.reserved) onContradiction();
}

/** @param denials since the previous document */
function toPool(feature: FeatureEntry, denials: number | undefined, context: PoolContext): PoolObservation {
  const increments = feature.increments ?? [{ count: feature.count, expires: feature.expires }];
  const isUncounted = feature.license_type === 'uncounted';
  const token = tokenOf(feature, context.vendorLicense);
  const checkouts = (feature.checkouts ?? []).map((entry) => toCheckout(entry, context));
  const unknown = unknownOf(feature, context);
  const pool: PoolObservation = {
    feature: plainText(feature.feature),
    version: plainText(feature.version),
    package: plainText(feature.package),
    featureType: feature.feature_type ?? 'feature',
    licenseType:
      feature.license_type ?? (increments.some(({ count }) => count === 'uncounted') ? 'uncounted' : 'floating'),
    licenseModel: feature.license_model ?? (token === undefined ? 'concurrent' : 'token'),
    ...ifKnown('token', token),
    ...ifKnown('mappedTo', feature.mapped_to ? plainText(feature.mapped_to) : undefined),
    increments: increments.map((increment) => toIncrement(increment, isUncounted, context.localTime)),
    ...ifKnown('inUse', figure(feature.in_use)),
    ...ifKnown('available', figure(feature.available)),
    ...reserveOf(feature),
    checkouts,
    ...ifKnown('unknownOfCheckouts', unknown.length === 0 ? undefined : unknown),
    queued: feature.queued?.map((entry) => toQueued(entry, context)),
    denials: denials === undefined ? undefined : denials + 0,
  };
  countContradictions(pool, context.onContradiction);
  return pool;
}

/** What is kept of entries until the next ones. */
export interface ObservationMemory {
  /** When they were written. */
  readonly writtenAt: number | undefined;
  /** Denials that a license manager counts since its start, by vendor license, then by feature. */
  readonly denialTotals: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** What entries are read with. */
export interface EntryContext {
  /** Of dates without a time. */
  readonly localTime: SourceTime;
  /** Third part of the names of vendor licenses that have none. */
  readonly part: string;
  /** Times after it cannot be right. Undefined if the clock of the writer is wrong: then no time is used. */
  readonly latest: number | undefined;
  /** When the entries were written, epoch seconds. */
  readonly writtenAt: number | undefined;
  /** Of the previous entries, undefined before the first ones. */
  readonly memory: ObservationMemory | undefined;
}

/** Turns entries of vendor licenses into observations, one after the other. They are those of a checked document, or what another manager has made of its text. */
export class EntryReading {
  readonly vendorLicenses: VendorLicenseObservation[] = [];
  readonly diagnostics: DiagnosticsCount;
  readonly #denialTotals = new Map<string, ReadonlyMap<string, number>>();
  readonly unreachable: string[] = [];
  readonly empty: string[] = [];
  readonly #context: EntryContext;
  /** Denials of a document that was read before are counted already. */
  readonly #isNew: boolean;

  constructor(context: EntryContext, diagnostics: DiagnosticsCount) {
    this.#context = context;
    this.diagnostics = diagnostics;
    const { writtenAt, memory } = context;
    const previous = memory?.writtenAt;
    this.#isNew = writtenAt === undefined || previous === undefined || writtenAt > previous;
  }

  add(entry: VendorLicenseEntry): void {
    const names = namesOf(entry, this.#context.part);
    const name = vendorLicenseName(names);
    const isUnreachable = entry.reachable === false;
    const isEmpty = !isUnreachable && entry.features?.length === 0;
    if (isUnreachable) this.unreachable.push(name);
    if (isEmpty) this.empty.push(name);
    const pools = this.#poolsOf(entry, name, vendorLicenseName({ ...names, part: '' }));
    const before = this.#context.memory?.denialTotals.get(name);
    // without an answer the counters are not known; they count on
    if ((isUnreachable || isEmpty) && before !== undefined) this.#denialTotals.set(name, before);
    this.vendorLicenses.push({ ...names, reachable: !isUnreachable && !isEmpty, pools });
  }

  #poolsOf(entry: VendorLicenseEntry, name: string, tokenSource: string): PoolObservation[] {
    const context: PoolContext = {
      localTime: this.#context.localTime,
      latest: this.#context.latest,
      vendorLicense: tokenSource,
      reports: reportsOf(entry),
      onContradiction: () => this.diagnostics.addContradiction(),
    };
    const before = this.#context.memory?.denialTotals.get(name);
    const totals = new Map<string, number>();
    const pools: PoolObservation[] = [];
    for (const feature of entry.features ?? []) {
      const denials = this.#denialsOf(feature, before, totals);
      pools.push(toPool(feature, denials, context));
    }
    if (totals.size > 0) this.#denialTotals.set(name, totals);
    return pools;
  }

  #denialsOf(
    feature: FeatureEntry,
    before: ReadonlyMap<string, number> | undefined,
    totals: Map<string, number>,
  ): number | undefined {
    const { denials, denials_total: total } = feature;
    const isCounter = total !== undefined && total !== null;
    const key = isCounter ? featureKey(feature) : '';
    if (isCounter) totals.set(key, total);
    if (!this.#isNew) return undefined;
    return isCounter ? denialsSince(before?.get(key), total) : (denials ?? undefined);
  }

  /** For the next entries. */
  get memory(): ObservationMemory {
    return { writtenAt: this.#context.writtenAt, denialTotals: this.#denialTotals };
  }
}

/**
 * Requests denied between two readings of a counter. A counter that has fallen was started again and has counted its value
 * since. Undefined at first sight: how much of it is new is not known.
 */
function denialsSince(previous: number | undefined, current: number): number | undefined {
  if (previous === undefined) return undefined;
  return current >= previous ? current - previous : current;
}
