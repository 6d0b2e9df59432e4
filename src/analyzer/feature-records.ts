import { createPattern } from '../model/wildcard.ts';
import { formatDate } from '../query-api/dates.ts';
import type { WireExpiration, WireFeature, WireProduct, WireServerDown } from '../query-api/records.ts';
import { isDown } from './collector.ts';
import type { Checkout, Collected, PoolObservation } from './source.ts';
import {
  countByStatus,
  countUsers,
  earliestExpiry,
  earliestOf,
  freeLicenses,
  isActive,
  isExpired,
  isExpiring,
  isInactive,
  isKnown,
  licensesInUse,
  log10,
  maxAvailable,
  reservedLicenses,
  sumLicenses,
  sumOf,
} from './usage.ts';

/**
 * The answers to the live endpoints: pure functions of what was collected, the time and the parameters. A field that is
 * `undefined` is left out of the body: the source cannot know it.
 */

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
      const isListed = isKnown(pools, 'list');
      const isStatusKnown = isKnown(pools, 'list', 'status');
      const isEveryStatusKnown = isStatusKnown && indeterminate === 0;
      const end = earliestOf(pools.map(earliestExpiry));
      // before the first collection nobody knows
      const isCollected = collected.collectedAt > 0;
      const down = isDown(collected, now);
      return [
        {
          CollectionTime: collected.collectedAt,
          DistinctUsers: isListed ? countUsers(checkouts) : undefined,
          Active: isStatusKnown ? active : undefined,
          Inactive: isStatusKnown ? inactive : undefined,
          Indeterminate: isListed ? indeterminate : undefined,
          Mapped: isStatusKnown ? active + inactive : undefined,
          MinLicenseExpiration: isCollected ? end : 0,
          MaxAvailable: sumOf(pools.map((pool) => maxAvailable(pool, now))),
          Product: collected.name,
          MappingIcon: down ? 'ServerDown' : '',
          ExpiredIcon: expiredIcon(isCollected ? end : undefined, now),
          IsCurrent: !down,
          LogActive: log10(isEveryStatusKnown ? active : undefined),
          LogInactive: log10(isEveryStatusKnown ? inactive : undefined),
        },
      ];
    });
}

/** What the applications that hold licenses do. */
interface UseByStatus {
  readonly active: number | undefined;
  readonly inactive: number | undefined;
  /** Licenses. */
  readonly activeUse: number | undefined;
  readonly inactiveUse: number | undefined;
  readonly logActive: number;
  readonly logInactive: number;
}

const unknownUse: UseByStatus = {
  active: undefined,
  inactive: undefined,
  activeUse: undefined,
  inactiveUse: undefined,
  logActive: Number.NaN,
  logInactive: Number.NaN,
};

function useByStatus(checkouts: readonly Checkout[]): UseByStatus {
  const { active, inactive, indeterminate } = countByStatus(checkouts);
  const isKnownOfAll = indeterminate === 0;
  return {
    active,
    inactive,
    activeUse: sumLicenses(checkouts.filter(isActive)),
    inactiveUse: sumLicenses(checkouts.filter(isInactive)),
    logActive: log10(isKnownOfAll ? active : undefined),
    logInactive: log10(isKnownOfAll ? inactive : undefined),
  };
}

function toFeature({ observation }: Collected, pool: PoolObservation, now: number): WireFeature {
  const { checkouts, queued } = pool;
  const token = pool.token === 'unknown' ? undefined : pool.token;
  const isListed = isKnown([pool], 'list');
  const isStatusKnown = isKnown([pool], 'list', 'status');
  const isBorrowedKnown = isKnown([pool], 'list', 'borrowed');
  const borrowed = isBorrowedKnown ? checkouts.filter((checkout) => checkout.borrowed) : undefined;
  const use = isStatusKnown ? useByStatus(checkouts) : unknownUse;
  const borrowedUse = isStatusKnown && borrowed !== undefined ? useByStatus(borrowed) : unknownUse;
  const borrowedLicenses = borrowed === undefined ? undefined : sumLicenses(borrowed);
  const inUse = licensesInUse(pool);
  const waitedFor = queued === undefined ? undefined : sumLicenses(queued);
  const reserved = reservedLicenses(pool);
  const free = freeLicenses(pool, now);
  const expiry = earliestExpiry(pool);
  return {
    Feature: pool.feature,
    TokenCost: token === undefined ? '' : String(token.cost),
    TokenPool: token?.pool ?? '',
    TokenSource: token?.source ?? '',
    ServerName: observation.server,
    Daemon: observation.daemon,
    LicenseExpiration: expiry,
    DistinctUsers: isListed ? countUsers(checkouts) : undefined,
    MaxAvailable: maxAvailable(pool, now),
    MaxInUse: inUse,
    MaxBorrowed: borrowedLicenses,
    MaxQueued: waitedFor,
    LicenseType: pool.licenseType,
    FeatureType: pool.featureType,
    Version: pool.version,
    LicenseModel: pool.licenseModel,
    Active: use.active,
    Inactive: use.inactive,
    BorrowedActive: borrowedUse.active,
    BorrowedInactive: borrowedUse.inactive,
    UnusedReserve: reserved.unused,
    UsedReserve: reserved.used,
    MappedTo: pool.mappedTo ?? null,
    TokenCostValue: pool.token === 'unknown' ? undefined : (token?.cost ?? 0),
    Available: free,
    InUse: inUse,
    ActiveUse: use.activeUse,
    InactiveUse: use.inactiveUse,
    BorrowedUse: borrowedLicenses,
    BorrowedActiveUse: borrowedUse.activeUse,
    BorrowedInactiveUse: borrowedUse.inactiveUse,
    AvailableUser: checkouts.length > 0 || (queued?.length ?? 0) > 0,
    Package: pool.package,
    LogAvailable: log10(free),
    LogInUse: log10(inUse),
    LogUnusedReserve: log10(reserved.unused),
    LogQueued: log10(waitedFor),
    LogUsedReserve: log10(reserved.used),
    LogBorrowed: log10(borrowedLicenses),
    LogActive: use.logActive,
    LogInactive: use.logInactive,
    LogBorrowedActive: borrowedUse.logActive,
    LogBorrowedInactive: borrowedUse.logInactive,
    ShowExpired: expiry === undefined ? undefined : isExpired(expiry, now),
    ShowWarning: expiry === undefined ? undefined : isExpiring(expiry, now),
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
      const related = Map.groupBy(pools, key);
      return pools
        .filter((pool) => types.includes(pool.featureType) && isPackage(pool.package) && isFeature(pool.feature))
        .map((pool) => {
          const expiry = earliestExpiry(pool);
          return {
            Feature: pool.feature,
            Version: pool.version,
            Package: pool.package,
            LicenseExpiration: expiry,
            MinLicenseExpiration: earliestOf((related.get(key(pool)) ?? []).map(earliestExpiry)),
            ShowExpired: expiry === undefined ? undefined : isExpired(expiry, now),
            ShowWarning: expiry === undefined ? undefined : isExpiring(expiry, now),
            LicenseType: pool.licenseType,
            FeatureType: pool.featureType,
            LicenseExpirationToDate: expiry === undefined ? undefined : formatDate(expiry * 1000),
          };
        });
    });
}

/** Spec 4.11: distinct users over all vendor licenses; unknown when some of them are not listed. */
export function getConcurrentUsers(current: readonly Collected[]): number | undefined {
  const pools = current.flatMap(({ observation }) => observation.pools);
  return isKnown(pools, 'list') ? countUsers(checkoutsOf(pools)) : undefined;
}
