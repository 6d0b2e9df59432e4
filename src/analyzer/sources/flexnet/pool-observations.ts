import { parseServer } from '../../../base/model/license-server.ts';
import type {
  Checkout,
  Increment,
  PoolObservation,
  QueuedRequest,
  UnknownOfCheckouts,
} from '../../../base/model/observation/observation.ts';
import { ifKnown } from '../parsed.ts';
import type { Expiry } from '../times.ts';
import { checkedOut, type FeatureUsage, unusedReserve } from './feature-usage.ts';
import type { LicenseSupply, OptionsReserve } from './inventory.ts';
import type { LmstatCheckout, LmstatLicenseType, LmstatPool } from './lmstat-report.ts';

/** Licenses of one version, package and type, by license files or `lmstat -i`, and what is checked out of them. */
export interface VersionGroup {
  readonly version: string;
  readonly package: string;
  readonly featureType: LicenseSupply['featureType'];
  readonly licenseType: LicenseSupply['licenseType'];
  readonly supply: readonly LicenseSupply[];
  readonly pools: readonly LmstatPool[];
}

/** Expired ones are no part of what the server issues. */
const unexpired = (supply: readonly LicenseSupply[], at: number): LicenseSupply[] =>
  supply.filter(({ expires }) => typeof expires !== 'number' || expires >= at);

/** `undefined` if any count is not known. */
function countOf(supply: readonly LicenseSupply[]): number | undefined {
  let sum = 0;
  for (const { count } of supply) {
    if (count === undefined) return undefined;
    sum += count;
  }
  return sum;
}

/** License lines by feature and the version that lmstat lists them under. */
function groupSupply(supply: readonly LicenseSupply[]): VersionGroup[] {
  const groups = Map.groupBy(supply, (one) =>
    JSON.stringify([normal(one.version), one.package ?? '', one.featureType, one.licenseType]),
  );
  return [...groups.values()].flatMap((members) => {
    const [first] = members;
    if (first === undefined) return [];
    const { version, featureType, licenseType } = first;
    return [{ version, featureType, licenseType, package: first.package ?? '', supply: members, pools: [] }];
  });
}

/**
 * The groups with their pools. Undefined if the pools of the server do not fit, for instance because its license file
 * has changed.
 */
function withPools(groups: readonly VersionGroup[], pools: readonly LmstatPool[]): VersionGroup[] | undefined {
  const found = new Map<VersionGroup, LmstatPool[]>(groups.map((group) => [group, []]));
  const byVersion = Map.groupBy(groups, ({ version }) => normal(version));
  for (const pool of pools) {
    const candidates = pool.version === undefined ? groups : (byVersion.get(normal(pool.version)) ?? []);
    const ofType = candidates.filter(({ licenseType }) => licenseType === pool.licenseType);
    const [group, ...others] = candidates.length > 1 ? ofType : candidates;
    if (group === undefined || others.length > 0) return undefined;
    found.get(group)?.push(pool);
  }
  return groups.map((group) => ({ ...group, pools: found.get(group) ?? [] }));
}

/** `31.000000`, `31.0` and `v31` are one version. */
function normal(version: string): string {
  const number = version.replace(/^v/i, '');
  return /^\d{1,20}\.\d{1,20}$/.test(number) ? number.replace(/\.?0{1,20}$/, '') : number;
}

/** What of the licenses of a feature is known beside `lmstat -a`. */
export interface FeatureKnowledge {
  /** By license files or `lmstat -i`. */
  readonly supply: readonly LicenseSupply[];
  /** Of the feature. Undefined without an options file of the daemon. */
  readonly reserves: readonly OptionsReserve[] | undefined;
  /** Epoch seconds. */
  readonly at: number;
}

/** How a checkout in the output becomes one of a user. */
interface CheckoutRules {
  /** When the output was made, epoch seconds. */
  readonly at: number;
  /** A license with a linger time of at least this many seconds is borrowed. */
  readonly lingerAtLeast: number;
  /** By license files; undefined if they do not say. */
  readonly mayBorrow: boolean | undefined;
  /** Without any queue so far, an empty one is not known to be empty. */
  readonly hasSeenQueue: boolean;
  /** Times are not known if the clocks differ. */
  readonly hasTimes: boolean;
}

type Rules = Omit<CheckoutRules, 'mayBorrow' | 'at'>;

/**
 * The pools of a feature. They are separated by version only if license files or `lmstat -i` fit to what the server
 * issues. Otherwise there is one pool without a version.
 */
export function observePools(usage: FeatureUsage, knowledge: FeatureKnowledge, rules: Rules): PoolObservation[] {
  const supply = countedAs(usage, unexpired(knowledge.supply, knowledge.at));
  const groups = withPools(groupSupply(supply), usage.pools) ?? [];
  const [single] = groups;
  const isWhole = countOf(supply) === issuedOf(usage);
  const mayBorrow = mayBorrowOf(knowledge.supply);
  const current = { ...knowledge, supply };
  const ofCheckouts = { ...rules, mayBorrow, at: knowledge.at };
  if (groups.length > 1 && isWhole) return groups.map((group) => observeGroup(usage, group, current, ofCheckouts));
  const whole = observeWhole(usage, current, ofCheckouts);
  if (groups.length !== 1 || single === undefined) return [whole];
  const { version, featureType } = single;
  const increments = isWhole ? single.supply.map(incrementOf) : whole.increments;
  return [{ ...whole, version, featureType, package: single.package, increments }];
}

const isUncounted = ({ count }: LicenseSupply): boolean => count === Number.POSITIVE_INFINITY;

/** Uncounted lines are no part of the number of licenses that the server counts. */
function countedAs(usage: FeatureUsage, supply: readonly LicenseSupply[]): readonly LicenseSupply[] {
  if (usage.supply.kind !== 'counted') return supply;
  const counted = supply.filter((one) => !isUncounted(one));
  return counted.length > 0 ? counted : supply;
}

/** All pools of a feature as one. */
function observeWhole(
  usage: FeatureUsage,
  { supply, reserves, at }: FeatureKnowledge,
  rules: CheckoutRules,
): PoolObservation {
  const { name, pools } = usage;
  const count = issuedOf(usage);
  const expires =
    earliest(
      pools.map((pool) => pool.expires),
      at,
    ) ??
    earliest(
      supply.map((one) => one.expires),
      at,
    );
  const usedReserve = usedOf(reserves, usage.unusedReserve, usage.inUse);
  return {
    ...constants(name, usage.isListed),
    licenseType: typeOf(usage, supply),
    increments: [{ count, expires: expires === undefined ? 'unknown' : expires.at }],
    ...ifKnown('inUse', usage.inUse),
    ...ifKnown('unusedReserve', usage.unusedReserve),
    ...ifKnown('usedReserve', usedReserve),
    ...observeCheckouts(pools, rules),
  };
}

/** One version of several. The server counts them together, so its count says something of one only if all is listed. */
function observeGroup(
  usage: FeatureUsage,
  { version, featureType, licenseType, supply, pools, package: packageName }: VersionGroup,
  { reserves }: FeatureKnowledge,
  rules: CheckoutRules,
): PoolObservation {
  const reserved = usage.unusedReserve === undefined ? undefined : unusedReserve(pools);
  const isByVersion = reserves?.every((reserve) => reserve.version !== undefined) ?? false;
  const ofVersion = reserves?.filter((reserve) => reserve.version === version);
  const inUse = usage.isListed ? checkedOut(pools) : undefined;
  return {
    ...constants(usage.name, usage.isListed),
    version,
    featureType,
    package: packageName,
    licenseType: pools.find((pool) => pool.licenseType !== undefined)?.licenseType ?? licenseType,
    increments: supply.map(incrementOf),
    ...ifKnown('inUse', inUse),
    ...ifKnown('unusedReserve', reserved),
    ...ifKnown('usedReserve', isByVersion ? usedOf(ofVersion, reserved, inUse) : undefined),
    ...observeCheckouts(pools, rules),
  };
}

/** Pools of which only license files tell. Expired lines count if nothing has replaced them: the license has expired. */
export function suppliedPools(feature: string, supply: readonly LicenseSupply[], at: number): PoolObservation[] {
  const valid = unexpired(supply, at);
  const groups = groupSupply(valid.length > 0 ? valid : supply);
  const isOfOne = (one: VersionGroup, other: VersionGroup): boolean =>
    one.version === other.version && one.package === other.package && one.featureType === other.featureType;
  // uncounted licenses beside counted ones of one version have no limit, and are no part of its number
  const counted = groups.filter(({ supply: [first] }) => first !== undefined && !isUncounted(first));
  const shown = groups.filter((group) => counted.includes(group) || !counted.some((other) => isOfOne(group, other)));
  return shown.map((group) => ({
    ...constants(feature, false),
    version: group.version,
    featureType: group.featureType,
    package: group.package,
    licenseType: group.licenseType,
    increments: group.supply.map(incrementOf),
    checkouts: [],
    queued: undefined,
  }));
}

/** The checkouts and queued requests of some pools. */
function observeCheckouts(
  pools: readonly LmstatPool[],
  rules: CheckoutRules,
): { checkouts: Checkout[]; queued: QueuedRequest[] | undefined } {
  const checkouts: Checkout[] = [];
  const queued: QueuedRequest[] = [];
  // there can be a million, mostly of one server: equal texts are one string
  let written = '';
  let server: string | undefined;
  for (const pool of pools)
    for (const checkout of pool.checkouts) {
      if (checkout.queued) queued.push(observeQueued(checkout, rules));
      else {
        if (checkout.server !== written) {
          written = checkout.server;
          server = serverOf(written);
        }
        checkouts.push(observeCheckout(checkout, server, rules));
      }
    }
  return { checkouts, queued: rules.hasSeenQueue ? queued : undefined };
}

/** `host/port` as the text of a license server. Undefined if it cannot be one argument of a tool. */
function serverOf(written: string): string | undefined {
  const slash = written.lastIndexOf('/');
  const text = `flexnet:${written.slice(slash + 1)}@${written.slice(0, slash)}`;
  return parseServer(text) === undefined ? undefined : text;
}

function observeCheckout(
  { user, host, display, since, licenses, handle, linger, lingerPart }: LmstatCheckout,
  server: string | undefined,
  rules: CheckoutRules,
): Checkout {
  // a linger time marks a borrowed license, or one that is only kept for a while after its return
  const borrowed = linger !== undefined && linger >= rules.lingerAtLeast && rules.mayBorrow !== false;
  const checkout: { -readonly [Key in keyof Checkout]: Checkout[Key] } = {
    user,
    host,
    display,
    licenses,
    handle,
    shareHandle: undefined,
    borrowed,
    status: undefined,
  };
  if (server !== undefined) checkout.server = server;
  if (since === undefined || !rules.hasTimes) return checkout;
  checkout.since = since;
  if (borrowed && isSinceStart(rules.at - since, linger, lingerPart)) checkout.until = since + linger;
  return checkout;
}

/** By how many seconds two times can differ that are printed without seconds. */
const ROUNDED = 120;

/**
 * Whether a linger time counts from the printed start. The larger number is the whole time. No document says whether the other one
 * has passed or is left: it fits in one of the two ways, unless the server has restarted, from when on it prints a later start.
 */
const isSinceStart = (passed: number, linger: number, part: number | undefined): boolean =>
  part === undefined || Math.abs(passed - part) <= ROUNDED || Math.abs(linger - passed - part) <= ROUNDED;

function observeQueued({ user, host, licenses, since }: LmstatCheckout, { hasTimes }: CheckoutRules): QueuedRequest {
  return since === undefined || !hasTimes ? { user, host, licenses } : { user, host, licenses, since };
}

function constants(feature: string, isListed: boolean) {
  const unknownOfCheckouts: UnknownOfCheckouts[] = isListed ? ['status'] : ['list', 'borrowed', 'status'];
  return {
    feature,
    version: '',
    package: '',
    featureType: 'feature',
    licenseModel: 'concurrent',
    // lmstat does not show that licenses are tokens
    token: 'unknown',
    reservations: undefined,
    unknownOfCheckouts,
    denials: undefined,
  } as const satisfies Partial<PoolObservation>;
}

const incrementOf = ({ count, expires }: LicenseSupply): Increment => ({ count, expires });

/** `undefined` for licenses that are in the license file only. */
function issuedOf({ supply }: FeatureUsage): number | undefined {
  if (supply.kind === 'uncounted') return Number.POSITIVE_INFINITY;
  return supply.kind === 'counted' ? supply.issued : undefined;
}

const reservedBy = (reserves: readonly OptionsReserve[]): number =>
  reserves.reduce((sum, { licenses }) => sum + licenses, 0);

/** Whether an options file reserves more licenses than there are, or fewer than are reserved and not in use. */
export function contradicts(reserves: readonly OptionsReserve[] | undefined, usage: FeatureUsage): boolean {
  if (reserves === undefined) return false;
  const reserved = reservedBy(reserves);
  return reserved > (issuedOf(usage) ?? Infinity) || reserved < (usage.unusedReserve ?? 0);
}

/**
 * Reserved licenses in use. The options file can have changed since the server read it: with more than all that is in use, or with
 * fewer reserved than are not in use, it says something else than the server.
 */
function usedOf(
  reserves: readonly OptionsReserve[] | undefined,
  unused: number | undefined,
  inUse: number | undefined,
): number | undefined {
  if (reserves === undefined || unused === undefined) return undefined;
  const used = reservedBy(reserves) - unused;
  return used < 0 || used > (inUse ?? Infinity) ? undefined : used;
}

/** Undefined if nothing says it. */
function mayBorrowOf(supply: readonly LicenseSupply[]): boolean | undefined {
  const said = supply.flatMap(({ mayBorrow }) => (mayBorrow === undefined ? [] : [mayBorrow]));
  return said.length === 0 ? undefined : said.includes(true);
}

/** The earliest expiry, of those that are not over if there is one. Undefined if none is known. */
function earliest(expiries: readonly Expiry[], at: number): { at: number | undefined } | undefined {
  const stated = expiries.filter((expiry) => expiry !== 'unknown');
  const dates = stated.filter((expiry) => expiry !== undefined).sort((one, other) => one - other);
  const next = dates.find((date) => date >= at);
  if (next !== undefined) return { at: next };
  if (stated.length > dates.length) return { at: undefined };
  return dates.length === 0 ? undefined : { at: dates.at(-1) };
}

function typeOf({ supply, pools }: FeatureUsage, supplied: readonly LicenseSupply[]): LmstatLicenseType {
  if (supply.kind === 'uncounted') return 'uncounted';
  const types = new Set(pools.flatMap(({ licenseType }: LmstatPool) => licenseType ?? []));
  if (types.size === 0) for (const { licenseType } of supplied) types.add(licenseType);
  return types.size === 1 && types.has('node-locked') ? 'node-locked' : 'floating';
}
