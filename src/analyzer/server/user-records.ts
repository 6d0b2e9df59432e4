import type {
  ApplicationStatus,
  Checkout,
  Collected,
  PoolObservation,
  QueuedRequest,
} from '../../base/model/observation/observation.ts';
import type { WireUser } from '../../base/query-api/records.ts';
import { filter, type Parameters } from '../history/recorded-days.ts';
import { isKnown } from '../history/usage.ts';

/** The answer to GetUsers (spec 2.3, 4.3): who holds or waits for a license now. */

/** Numbers of `app_status`. */
const statusNumbers: Readonly<Record<ApplicationStatus['state'], number>> = {
  inactive: 0,
  active: 1,
  suspended: 2,
  terminated: 3,
  blocked: 4,
};

/** The value of a missing handle in the specification. */
const NO_HANDLE = 'undef';

function statusOf({ borrowed, status }: Checkout, pool: PoolObservation): string | undefined {
  if (borrowed) return 'borrowed';
  if (!isKnown([pool], 'borrowed') || (status === undefined && !isKnown([pool], 'status'))) return undefined;
  return status === undefined || status.state === 'active' ? 'active' : 'inactive';
}

function borrowedLicenses({ borrowed, licenses }: Checkout, pool: PoolObservation): number | undefined {
  if (borrowed) return licenses;
  return isKnown([pool], 'borrowed') ? 0 : undefined;
}

function toHolder(checkout: Checkout, pool: PoolObservation): WireUser {
  const { status } = checkout;
  return {
    UserName: checkout.user,
    UserHost: checkout.host,
    UserDisplay: checkout.display,
    UsageTime: checkout.since,
    LicenseHandle: checkout.handle ?? NO_HANDLE,
    ShareHandle: checkout.shareHandle ?? NO_HANDLE,
    UsedLicenses: checkout.licenses,
    QueuedLicenses: 0,
    BorrowedLicenses: borrowedLicenses(checkout, pool),
    LicenseModelStatus: statusOf(checkout, pool),
    app_status: status === undefined ? null : statusNumbers[status.state],
    app_duration: status?.seconds ?? null,
    license_model: pool.licenseModel,
    DisplayName: null,
    Mapped: pool.mappedTo ?? null,
    Server: checkout.server,
    Until: checkout.until,
  };
}

function toWaiter(request: QueuedRequest, pool: PoolObservation): WireUser {
  return {
    UserName: request.user,
    UserHost: request.host,
    UserDisplay: '',
    UsageTime: request.since,
    LicenseHandle: NO_HANDLE,
    ShareHandle: NO_HANDLE,
    UsedLicenses: 0,
    QueuedLicenses: request.licenses,
    BorrowedLicenses: 0,
    LicenseModelStatus: 'queued',
    app_status: null,
    app_duration: null,
    license_model: pool.licenseModel,
    DisplayName: null,
    Mapped: pool.mappedTo ?? null,
    Server: undefined,
    Until: undefined,
  };
}

type SortKey = string | number | undefined;

/** Texts without case, then by code unit; numbers by size; what is not known before everything else. */
function compare(a: SortKey, b: SortKey): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [x, y] = [String(a), String(b)];
  const [foldedX, foldedY] = [x.toLowerCase(), y.toLowerCase()];
  if (foldedX !== foldedY) return foldedX < foldedY ? -1 : 1;
  return x === y ? 0 : x < y ? -1 : 1;
}

/** `sortdatafield` calls UserName `Username`; the others are fields. */
const sortField = (name: string): keyof WireUser => (name === 'Username' ? 'UserName' : (name as keyof WireUser));

/** Matching is without case, unlike elsewhere. Records that are equal in the sort field keep the order of the source. */
export function getUsers(
  current: readonly Collected[],
  parameters: Parameters,
): { totalCount: number; data: WireUser[] } {
  const pattern = (name: string): ((value: string) => boolean) => filter(parameters[name], true);
  const isProduct = pattern('product');
  const isFeature = pattern('feature');
  const isPackage = pattern('package');
  const isTokenPool = pattern('tokenpool');
  const isUser = pattern('filters');
  const { type, tokenpool } = parameters;
  const data = current
    .filter(({ name }) => isProduct(name))
    .flatMap(({ observation }) => observation.pools)
    .filter(
      (pool) =>
        isFeature(pool.feature) &&
        isPackage(pool.package) &&
        (type === undefined || pool.featureType === type) &&
        (tokenpool === undefined || (typeof pool.token === 'object' && isTokenPool(pool.token.pool))),
    )
    .flatMap((pool) => [
      ...pool.checkouts.map((checkout) => toHolder(checkout, pool)),
      ...(pool.queued ?? []).map((request) => toWaiter(request, pool)),
    ])
    .filter(({ UserName }) => isUser(UserName));
  const field = sortField(parameters.sortdatafield ?? 'Username');
  const direction = parameters.sortorder === 'desc' ? -1 : 1;
  data.sort((a, b) => direction * compare(a[field] as SortKey, b[field] as SortKey));
  return { totalCount: data.length, data };
}
