import { createPattern } from '../model/wildcard.ts';
import { formatDate } from '../query-api/dates.ts';
import type { WireExpiration, WireFeature, WireProduct, WireServerDown } from '../query-api/records.ts';
import { isDown } from './collector.ts';
import type { Checkout, Collected, PoolObservation } from './source.ts';
import {
  countByStatus,
  countUsers,
  earliestExpiry,
  isActive,
  isExpired,
  isExpiring,
  isInactive,
  log10,
  maxAvailable,
  PERMANENT,
  reservedLicenses,
  sumLicenses,
} from './usage.ts';

/** The answers to the live endpoints: pure functions of what was collected, the time and the parameters. */

export type Parameters = Readonly<Record<string, string>>;

/** Matches every value when the parameter is not given. */
export function filter(pattern: string | undefined, ignoreCase = false): (value: string) => boolean {
  return pattern === undefined ? () => true : createPattern(pattern, { ignoreCase });
}

function checkoutsOf(pools: readonly PoolObservation[], isUser: (user: string) => boolean = () => true): Checkout[] {
  return pools.flatMap(({ checkouts }) => checkouts.filter(({ user }) => isUser(user)));
}

function expiredIcon(expiry: number | undefined, now: number): string {
  if (expiry === undefined) return '';
  return isExpired(expiry, now) ? 'Expired' : isExpiring(expiry, now) ? 'Warning' : '';
}

/** Spec 4.1. Counts only what matches; a vendor license of which nothing matches is left out. */
export function getProducts(current: readonly Collected[], now: number, parameters: Parameters): WireProduct[] {
  const isProduct = filter(parameters.filters);
  const isPackage = filter(parameters.package);
  const isFeature = filter(parameters.feature);
  const isUser = filter(parameters.user);
  const narrowed = parameters.package !== undefined || parameters.feature !== undefined;
  return current
    .filter(({ name }) => isProduct(name))
    .flatMap((collected): WireProduct[] => {
      const pools = collected.observation.pools.filter((pool) => isPackage(pool.package) && isFeature(pool.feature));
      const checkouts = checkoutsOf(pools, isUser);
      if (narrowed && pools.length === 0) return [];
      if (parameters.user !== undefined && checkouts.length === 0) return [];
      const { active, inactive, indeterminate } = countByStatus(checkouts);
      const isKnown = indeterminate === 0;
      const end = pools.reduce((earliest, pool) => Math.min(earliest, earliestExpiry(pool)), PERMANENT);
      // before the first collection nobody knows
      const expiry = collected.collectedAt === 0 ? undefined : end;
      const down = isDown(collected, now);
      return [
        {
          CollectionTime: collected.collectedAt,
          DistinctUsers: countUsers(checkouts),
          Active: active,
          Inactive: inactive,
          Indeterminate: indeterminate,
          Mapped: active + inactive,
          MinLicenseExpiration: expiry ?? 0,
          MaxAvailable: pools.reduce((sum, pool) => sum + maxAvailable(pool, now), 0),
          Product: collected.name,
          MappingIcon: down ? 'ServerDown' : '',
          ExpiredIcon: expiredIcon(expiry, now),
          IsCurrent: !down,
          LogActive: log10(isKnown ? active : undefined),
          LogInactive: log10(isKnown ? inactive : undefined),
        },
      ];
    });
}

function toFeature({ observation }: Collected, pool: PoolObservation, now: number): WireFeature {
  const { checkouts, token } = pool;
  const borrowed = checkouts.filter((checkout) => checkout.borrowed);
  const counts = countByStatus(checkouts);
  const borrowedCounts = countByStatus(borrowed);
  const isKnown = counts.indeterminate === 0;
  const isBorrowedKnown = borrowedCounts.indeterminate === 0;
  const inUse = sumLicenses(checkouts);
  const queued = sumLicenses(pool.queued);
  const reserved = reservedLicenses(pool);
  const available = maxAvailable(pool, now);
  const free = Math.max(0, available - inUse - reserved.unused);
  const expiry = earliestExpiry(pool);
  return {
    Feature: pool.feature,
    TokenCost: token === undefined ? '' : String(token.cost),
    TokenPool: token?.pool ?? '',
    TokenSource: token?.source ?? '',
    ServerName: observation.server,
    Daemon: observation.daemon,
    LicenseExpiration: expiry,
    DistinctUsers: countUsers(checkouts),
    MaxAvailable: available,
    MaxInUse: inUse,
    MaxBorrowed: sumLicenses(borrowed),
    MaxQueued: queued,
    LicenseType: pool.licenseType,
    FeatureType: pool.featureType,
    Version: pool.version,
    LicenseModel: pool.licenseModel,
    Active: counts.active,
    Inactive: counts.inactive,
    BorrowedActive: borrowedCounts.active,
    BorrowedInactive: borrowedCounts.inactive,
    UnusedReserve: reserved.unused,
    UsedReserve: reserved.used,
    MappedTo: pool.mappedTo ?? null,
    TokenCostValue: token?.cost ?? 0,
    Available: free,
    InUse: inUse,
    ActiveUse: sumLicenses(checkouts.filter(isActive)),
    InactiveUse: sumLicenses(checkouts.filter(isInactive)),
    BorrowedUse: sumLicenses(borrowed),
    BorrowedActiveUse: sumLicenses(borrowed.filter(isActive)),
    BorrowedInactiveUse: sumLicenses(borrowed.filter(isInactive)),
    AvailableUser: checkouts.length > 0 || pool.queued.length > 0,
    Package: pool.package,
    LogAvailable: log10(free),
    LogInUse: log10(inUse),
    LogUnusedReserve: log10(reserved.unused),
    LogQueued: log10(queued),
    LogUsedReserve: log10(reserved.used),
    LogBorrowed: log10(sumLicenses(borrowed)),
    LogActive: log10(isKnown ? counts.active : undefined),
    LogInactive: log10(isKnown ? counts.inactive : undefined),
    LogBorrowedActive: log10(isBorrowedKnown ? borrowedCounts.active : undefined),
    LogBorrowedInactive: log10(isBorrowedKnown ? borrowedCounts.inactive : undefined),
    ShowExpired: isExpired(expiry, now),
    ShowWarning: isExpiring(expiry, now),
  };
}

/** Spec 4.2, the records one by one. With `user`, the features that user holds a license of. */
export function* getFeatures(
  current: readonly Collected[],
  now: number,
  parameters: Parameters,
): Generator<WireFeature, void> {
  const isProduct = filter(parameters.product);
  const isPackage = filter(parameters.package);
  const isFeature = filter(parameters.filters);
  const isUser = filter(parameters.user);
  for (const collected of current) {
    if (!isProduct(collected.name)) continue;
    for (const pool of collected.observation.pools) {
      const holds = parameters.user === undefined || pool.checkouts.some(({ user }) => isUser(user));
      if (holds && isPackage(pool.package) && isFeature(pool.feature)) yield toFeature(collected, pool, now);
    }
  }
}

/** Spec 4.4. */
export function getServerDown(current: readonly Collected[], now: number, parameters: Parameters): WireServerDown[] {
  const isProduct = filter(parameters.filters);
  return current
    .filter((collected) => isProduct(collected.name) && isDown(collected, now))
    .map(({ name }) => ({ Label: name }));
}

/** Feature types each search level of spec 4.5 covers. */
const searchLevels: readonly (readonly string[])[] = [
  ['feature'],
  ['feature', 'package'],
  ['feature', 'package', 'component'],
];

/** Spec 4.5. */
export function getExpirationFeatures(
  current: readonly Collected[],
  now: number,
  parameters: Parameters,
): WireExpiration[] {
  const isProduct = filter(parameters.product);
  const isPackage = filter(parameters.package);
  const isFeature = filter(parameters.filters);
  const types = searchLevels[Number(parameters.search ?? '0')] ?? [];
  return current
    .filter(({ name }) => isProduct(name))
    .flatMap(({ observation: { pools } }) => {
      const key = (pool: PoolObservation): string => JSON.stringify([pool.feature, pool.package]);
      const earliest = new Map<string, number>();
      for (const pool of pools) {
        earliest.set(key(pool), Math.min(earliest.get(key(pool)) ?? PERMANENT, earliestExpiry(pool)));
      }
      return pools
        .filter((pool) => types.includes(pool.featureType) && isPackage(pool.package) && isFeature(pool.feature))
        .map((pool) => {
          const expiry = earliestExpiry(pool);
          return {
            Feature: pool.feature,
            Version: pool.version,
            Package: pool.package,
            LicenseExpiration: expiry,
            MinLicenseExpiration: earliest.get(key(pool)) ?? expiry,
            ShowExpired: isExpired(expiry, now),
            ShowWarning: isExpiring(expiry, now),
            LicenseType: pool.licenseType,
            FeatureType: pool.featureType,
            LicenseExpirationToDate: formatDate(expiry * 1000),
          };
        });
    });
}

/** Spec 4.11: distinct users over all vendor licenses. */
export function getConcurrentUsers(current: readonly Collected[]): number {
  return countUsers(current.flatMap(({ observation }) => checkoutsOf(observation.pools)));
}
