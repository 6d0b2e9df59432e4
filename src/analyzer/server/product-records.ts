import type { Checkout, Collected, PoolObservation } from '../../base/model/observation/observation.ts';
import { UNCOUNTED } from '../../base/model/uncounted.ts';
import type { WireProduct, WireServerDown } from '../../base/query-api/records.ts';
import { isDown } from '../history/collector.ts';
import { filter, type Parameters } from '../history/recorded-days.ts';
import {
  countByStatus,
  countUsers,
  earliestExpiry,
  earliestOf,
  isExpired,
  isExpiring,
  isKnown,
  log10,
  maxAvailable,
  sumOf,
} from '../history/usage.ts';

/**
 * The answers about vendor licenses: pure functions of what was collected, the time and the parameters. In all records of the
 * analyzer, a field that is `undefined` is left out of the body, because the source cannot know it.
 */

function checkoutsOf(pools: readonly PoolObservation[], isUser: (user: string) => boolean = () => true): Checkout[] {
  return pools.flatMap(({ checkouts }) => checkouts.filter(({ user }) => isUser(user)));
}

function expiredIcon(expiry: number | undefined, now: number): string {
  if (expiry === undefined) return '';
  return isExpired(expiry, now) ? 'Expired' : isExpiring(expiry, now) ? 'Warning' : '';
}

/** Whether a vendor license was never reached, so that its figures are not known, not 0. */
const isUnknown = ({ collectedAt, observation }: Collected): boolean =>
  collectedAt === 0 && observation.isKnownToBeEmpty !== true;

/** Licenses of the counted pools; `undefined` if the number of one is not known, or if all pools are uncounted. */
function countedLicenses(pools: readonly PoolObservation[], now: number): number | undefined {
  const capacities = pools
    .filter(({ licenseType }) => licenseType !== 'uncounted')
    .map((pool) => maxAvailable(pool, now))
    .filter((capacity) => capacity !== UNCOUNTED);
  return capacities.length === 0 && pools.length > 0 ? undefined : sumOf(capacities);
}

/** What another analyzer says, with whether that is current here. */
function asItIs(collected: Collected, record: WireProduct, now: number): WireProduct {
  const down = isDown(collected, now);
  return { ...record, IsCurrent: !down, MappingIcon: down ? 'ServerDown' : record.MappingIcon };
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
      const { record } = collected.observation;
      if (record !== undefined && !narrowed && parameters.user === undefined) return [asItIs(collected, record, now)];
      const { active, inactive, indeterminate } = countByStatus(checkouts);
      const isReached = !isUnknown(collected) && collected.observation.hasOtherPools !== true;
      const isListed = isReached && isKnown(pools, 'list');
      const isStatusKnown = isReached && isKnown(pools, 'list', 'status');
      const isEveryStatusKnown = isStatusKnown && indeterminate === 0;
      // without features, there is nothing that could be permanent
      const end = pools.length === 0 ? undefined : earliestOf(pools.map((pool) => earliestExpiry(pool, now)));
      // unknown before the first collection
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
          MinLicenseExpiration: isReached ? (isCollected ? end : 0) : undefined,
          MaxAvailable: isReached ? countedLicenses(pools, now) : undefined,
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

/** Spec 4.4. */
export function getServerDown(current: readonly Collected[], now: number, parameters: Parameters): WireServerDown[] {
  const isProduct = filter(parameters.filters);
  return current
    .filter((collected) => isProduct(collected.name) && isDown(collected, now))
    .map(({ name }) => ({ Label: name }));
}

/**
 * Spec 4.11: distinct users over the vendor licenses that are not down; unknown when some of these users are not listed, and
 * while all are down. What is down is said to be, and who holds its licenses now is not known.
 */
export function getConcurrentUsers(current: readonly Collected[], now: number): number | undefined {
  const served = current.filter((collected) => !isUnknown(collected) && !isDown(collected, now));
  if (served.length === 0) return undefined;
  const pools = served.flatMap(({ observation }) => observation.pools);
  return isKnown(pools, 'list') ? countUsers(checkoutsOf(pools)) : undefined;
}
