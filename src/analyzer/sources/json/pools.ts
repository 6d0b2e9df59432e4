import type {
  Checkout,
  Increment,
  PoolObservation,
  QueuedRequest,
  TokenUse,
  UnknownOfCheckouts,
} from '../../../base/model/observation/observation.ts';
import { known } from '../known.ts';
import type { SourceTime } from '../times.ts';
import type { CheckoutEntry, FeatureEntry, IncrementEntry, QueuedEntry, VendorLicenseEntry } from './document.ts';
import { plainText } from './document-text.ts';
import { expiryOf, timeOf } from './document-times.ts';

/** Features of a checked observation document as pools. */

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
export function reportsOf({ reports, features }: VendorLicenseEntry): ReadonlySet<'borrowed' | 'status'> {
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
    ...known('handle', handle === '' ? undefined : handle),
    shareHandle: shareHandle === '' ? undefined : shareHandle,
    borrowed: entry.borrowed === true,
    status: status ? { state: status.state, ...known('seconds', figure(status.seconds)) } : undefined,
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
    ...known('unusedReserve', figure(feature.unused_reserve)),
    ...known('usedReserve', figure(feature.used_reserve)),
    ...known('reserved', figure(feature.reserved) ?? total),
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
export function toPool(feature: FeatureEntry, denials: number | undefined, context: PoolContext): PoolObservation {
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
    ...known('token', token),
    ...known('mappedTo', feature.mapped_to ? plainText(feature.mapped_to) : undefined),
    increments: increments.map((increment) => toIncrement(increment, isUncounted, context.localTime)),
    ...known('inUse', figure(feature.in_use)),
    ...known('available', figure(feature.available)),
    ...reserveOf(feature),
    checkouts,
    ...known('unknownOfCheckouts', unknown.length === 0 ? undefined : unknown),
    queued: feature.queued?.map((entry) => toQueued(entry, context)),
    denials: denials === undefined ? undefined : denials + 0,
  };
  countContradictions(pool, context.onContradiction);
  return pool;
}
