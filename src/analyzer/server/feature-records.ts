import type { Checkout, Collected, PoolObservation } from '../../base/model/observation/observation.ts';
import type { WireFeature } from '../../base/query-api/records.ts';
import { filter, type Parameters } from '../history/recorded-days.ts';
import {
  countByStatus,
  countUsers,
  earliestExpiry,
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
} from '../history/usage.ts';

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

/** The record of a pool. */
export function toFeature({ collected: { observation }, pool }: FoundPool, now: number): WireFeature {
  if (pool.record !== undefined) return pool.record;
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
  const expiry = earliestExpiry(pool, now);
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

/** A pool that GetFeatures asks for. */
export interface FoundPool {
  readonly collected: Collected;
  readonly pool: PoolObservation;
}

/** Spec 4.2. With `user`, the features that user holds a license of. */
export function findPools(current: readonly Collected[], parameters: Parameters): FoundPool[] {
  const isProduct = filter(parameters.product);
  const isPackage = filter(parameters.package);
  const isFeature = filter(parameters.filters);
  const isUser = filter(parameters.user);
  return current
    .filter(({ name }) => isProduct(name))
    .flatMap((collected) =>
      collected.observation.pools
        .filter((pool) => {
          const holds = parameters.user === undefined || pool.checkouts.some(({ user }) => isUser(user));
          return holds && isPackage(pool.package) && isFeature(pool.feature);
        })
        .map((pool) => ({ collected, pool })),
    );
}
