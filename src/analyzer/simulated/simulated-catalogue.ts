import type { PoolObservation, TokenUse } from '../../base/model/observation/observation.ts';
import type { Load, Shape } from './simulated-load.ts';
import { type SiteNames, siteNames } from './simulated-names.ts';
import { keyOf, random, randomInteger } from './simulated-random.ts';

/** What the simulated site owns: a pure function of the seed, the size and the opening. */

/** How the expiry of a pool's increments moves: see `simulated-supply`. */
export type ExpiryRule = 'permanent' | 'contract' | 'two contracts' | 'trial';

/** A pool of licenses with the habits of those who use it. */
export interface SimulatedPool
  extends Load,
    Pick<
      PoolObservation,
      'feature' | 'version' | 'package' | 'featureType' | 'licenseType' | 'licenseModel' | 'mappedTo'
    > {
  readonly token?: TokenUse;
  /** The pools whose checkouts take its licenses as tokens. */
  readonly takers?: readonly SimulatedPool[];
  /** The package of a component: some of those who hold it use the component. */
  readonly suite?: SimulatedPool;
  /** Licenses; `Infinity` for uncounted ones. */
  readonly count: number;
  readonly reserved: number;
  /** A person is there once, the user of a batch pool for each of its jobs. */
  readonly users: readonly string[];
  /** The group that reservations are for. */
  readonly group: string;
  /** Members of that group. */
  readonly reservedUsers: readonly string[];
  readonly lends: boolean;
  /** Users who leave the application open from Monday to Friday. */
  readonly forgetful: number;
  readonly expiry: ExpiryRule;
  /** Days before the end of a contract on which it is renewed. */
  readonly renewedBefore: number;
  /** Day of the year on which the contract of the vendor license ends. */
  readonly contract: number;
}

/** A vendor license with its pools, and whether its server goes down at times. */
export interface SimulatedVendorLicense {
  readonly server: string;
  readonly daemon: string;
  readonly part: string;
  readonly goesDown: boolean;
  /** Whether the source knows what applications do. */
  readonly knowsStatus: boolean;
  readonly pools: readonly SimulatedPool[];
}

type Kind = 'status' | 'down' | 'tokens' | 'packages' | 'plain';
const kinds: readonly Kind[] = ['status', 'down', 'plain', 'tokens', 'packages'];

/** What is special about a pool. */
interface Story {
  readonly shape?: Shape;
  readonly course?: SimulatedPool['course'];
  readonly expiry?: ExpiryRule;
  readonly licenses?: number;
  readonly crewFor?: (licenses: number) => number;
  /** People who leave the application open from Monday to Friday. */
  readonly forgetful?: number;
  /** Whether a healthy site does not have it. */
  readonly isProblem: boolean;
}

/** Vendor licenses after which the stories begin again. */
const STORIES_EVERY = 10;
/** By vendor license and feature: early ones, so that small sites have them too. Others have about as many licenses as needed. */
const stories: Readonly<Record<string, Story>> = {
  // lacks licenses, most of all now, and some of them do not come back in the evening
  '0/1': {
    shape: 'office',
    course: 'deadline',
    licenses: 24,
    crewFor: (licenses) => Math.ceil(1.8 * licenses),
    forgetful: 4,
    isProblem: true,
  },
  '0/3': { expiry: 'trial', isProblem: true },
  // programs that hold a license all the time
  '0/4': { shape: 'service', course: 'level', licenses: 8, crewFor: () => 6, isProblem: false },
  '0/8': { crewFor: () => 0, isProblem: false },
  '2/1': { shape: 'office', course: 'grows', crewFor: (licenses) => Math.ceil(1.35 * licenses), isProblem: true },
  '2/4': { shape: 'office', course: 'season', isProblem: false },
  '5/1': { shape: 'office', course: 'grows later', crewFor: (licenses) => Math.ceil(1.35 * licenses), isProblem: true },
};

/** Pools beyond this many per vendor license are small, so that a very large site stays quick to simulate. */
const LARGE_POOLS = 40;

/** How large the simulated site is. The same seed gives the same site. */
export interface CatalogueOptions {
  readonly seed: number;
  readonly vendorLicenses: number;
  readonly featuresPerVendorLicense: number;
  /** Those of an engineering company by default. */
  readonly names?: SiteNames;
  /** A local day on which people work, also where it is a Saturday or Sunday. Without it, the week begins on Monday. */
  readonly opening?: number;
  /** Nothing is down, refused, full or about to expire. */
  readonly isHealthy?: boolean;
}

/** Pools that take tokens, of a vendor license; so many that not all of them are in use at once. */
const MOST_TAKERS = 40;
const FEW_TAKERS = 10;
const TOKENS_SHARE = 0.7;

/** The vendor licenses of a simulated site, in the order of their numbers. */
export function createCatalogue(options: CatalogueOptions): readonly SimulatedVendorLicense[] {
  return Array.from({ length: options.vendorLicenses }, (_, v) => createVendorLicense(v, options));
}

function createVendorLicense(v: number, options: CatalogueOptions): SimulatedVendorLicense {
  const { seed, opening, names = siteNames, featuresPerVendorLicense, isHealthy = false } = options;
  const kind = kinds[v] ?? 'plain';
  return {
    ...names.vendorLicense(v),
    goesDown: kind === 'down' && !isHealthy,
    knowsStatus: kind === 'status' || kind === 'tokens' || kind === 'packages',
    pools: withPackages(
      withTokens(
        Array.from({ length: featuresPerVendorLicense }, (_, f) =>
          createPool({ seed, opening, v, f, kind, names, isHealthy }),
        ),
      ),
    ),
  };
}

/** The first pool has the tokens that the others take, for more than they take on most days. */
function withTokens(pools: readonly SimulatedPool[]): readonly SimulatedPool[] {
  const takers = pools.filter(({ token }) => token !== undefined);
  const [first, ...others] = pools;
  if (takers.length === 0 || first === undefined) return pools;
  const most = takers.reduce(
    (sum, { count, token }) => sum + (Number.isFinite(count) ? count * (token?.cost ?? 0) : 0),
    0,
  );
  const tokens = Math.ceil(takers.length < FEW_TAKERS ? most : TOKENS_SHARE * most);
  return [{ ...first, takers, count: tokens, reserved: 0, reservedUsers: [], lends: false }, ...others];
}

/** A component is used by those who hold its package. */
function withPackages(pools: readonly SimulatedPool[]): readonly SimulatedPool[] {
  const suites = new Map(
    pools.filter(({ featureType }) => featureType === 'package').map((pool) => [pool.package, pool]),
  );
  return pools.map((pool) => {
    const suite = pool.featureType === 'component' ? suites.get(pool.package) : undefined;
    return suite === undefined
      ? pool
      : { ...pool, suite, shape: suite.shape, count: suite.count, reserved: suite.reserved };
  });
}

/** Most pools are for people in the office. */
function shapeOf(key: number): Shape {
  const chance = random(key, 'shape');
  return chance < 0.55 ? 'office' : chance < 0.85 ? 'project' : 'batch';
}

/** Shares of the pools with more licenses than are needed, and with too few in a crunch. */
const AMPLE = 0.15;
const TIGHT = 0.04;

/** How many people work with a pool of some licenses at the same time at most. A few licenses are free even then. */
function crewOf(licenses: number, key: number, isHealthy: boolean): number {
  const most = Math.max(1, licenses - Math.ceil((0.06 + 0.08 * random(key, 'free')) * licenses));
  const chance = random(key, 'room');
  if (chance < AMPLE) return Math.ceil(most / (1.3 + 0.6 * random(key, 'ample')));
  return chance > 1 - TIGHT && !isHealthy ? licenses + 1 : most;
}

/** Days before the end of a contract on which it is renewed: earlier than an alert is about it, or not. */
const EARLY = 75;
const LATE = 20;

interface Place {
  readonly seed: number;
  readonly opening: number | undefined;
  readonly names: SiteNames;
  readonly isHealthy: boolean;
  readonly v: number;
  readonly f: number;
  readonly kind: Kind;
}

function createPool(place: Place): SimulatedPool {
  const { v, f, kind, seed, names, opening, isHealthy } = place;
  const key = keyOf(seed, v, f);
  const isLarge = f < LARGE_POOLS;
  const uncounted = f === 9;
  const nodeLocked = f === 11;
  const told = stories[`${v % STORIES_EVERY}/${f}`];
  const story = isHealthy && told?.isProblem === true ? undefined : told;
  // a package has each of its components as often as itself
  const ofCount = kind === 'packages' && f < 8 ? keyOf(seed, v, f < 4 ? 0 : 4) : key;
  const usual = nodeLocked
    ? randomInteger(2, 5, ofCount, 'count')
    : isLarge
      ? 6 + Math.floor(39 * random(ofCount, 'count') ** 1.5)
      : randomInteger(1, 5, ofCount, 'count');
  const licensed = story?.licenses ?? usual;
  const reserved = story === undefined && f % 5 === 2 && licensed > 4 ? randomInteger(1, 3, key, 'reserved') : 0;
  const usable = isLarge ? licensed - reserved : Math.min(licensed, 3);
  const crew = story?.crewFor?.(usable) ?? crewOf(usable, key, isHealthy);
  const shape = story?.shape ?? shapeOf(key);
  const people = story?.course?.startsWith('grows') === true ? DEPARTMENT : Math.ceil(1.8 * crew);
  return {
    key,
    shape,
    crew,
    course: story?.course ?? 'crunches',
    opening,
    ...identity(place),
    licenseType: uncounted ? 'uncounted' : nodeLocked ? 'node-locked' : 'floating',
    licenseModel: kind === 'tokens' && f > 0 && f < MOST_TAKERS ? 'token' : nodeLocked ? 'named' : 'concurrent',
    ...(random(key, 'mapped') < 0.7 && { mappedTo: names.product(v, f) }),
    count: uncounted ? Number.POSITIVE_INFINITY : licensed,
    reserved,
    users: shape === 'batch' || shape === 'service' ? accounts(people, key, names) : persons(people, v, key, names),
    group: names.group,
    reservedUsers: persons(reserved, v, keyOf(key, 'reserved'), names),
    lends: f % 7 === 3 && shape !== 'batch' && shape !== 'service',
    forgetful: story?.forgetful ?? 0,
    expiry: story?.expiry ?? expiryOf(f, kind, key),
    // the year is divided among them: the next contract ends in some weeks at any time
    contract: Math.floor(((v % STORIES_EVERY) * 365) / STORIES_EVERY) + randomInteger(0, 8, seed, v, 'contract'),
    renewedBefore: isHealthy ? EARLY : LATE,
  };
}

/** Names of a pool. Tokens and packages come at fixed places, so that small sites have them too. */
function identity({
  v,
  f,
  kind,
  names,
}: Place): Pick<SimulatedPool, 'feature' | 'version' | 'package' | 'featureType' | 'token'> {
  const plain = { feature: names.feature(v, f), version: '', package: '', featureType: 'feature' as const };
  if (kind === 'tokens' && f < MOST_TAKERS) {
    if (f === 0) return { ...plain, feature: names.tokens };
    const { server, daemon } = names.vendorLicense(v);
    return {
      ...plain,
      version: '2.0',
      token: { pool: names.tokens, source: `${server};${daemon}`, cost: 1 + (f % 4) },
    };
  }
  if (kind === 'packages' && f < 8) {
    const suite = names.suite(v, f < 4);
    if (f % 4 === 0) return { ...plain, feature: suite, version: '2026.1', package: suite, featureType: 'package' };
    return { ...plain, package: suite, version: '2026.1', featureType: 'component' };
  }
  // two versions of one feature side by side
  if (f === 6) return { ...plain, feature: names.feature(v, 5), version: '2025.0' };
  return { ...plain, version: f === 5 ? '2026.0' : f % 3 === 0 ? '' : `${1 + (f % 4)}.0` };
}

function expiryOf(f: number, kind: Kind, key: number): ExpiryRule {
  // tokens and components are bought together
  if (kind === 'tokens' || kind === 'packages') return 'contract';
  if (f === 2) return 'two contracts';
  return f === 6 || random(key, 'expiry') < 0.15 ? 'permanent' : 'contract';
}

/** People of the company, and of those the people of a department, who work with the features of one vendor license. */
const COMPANY = 400;
const DEPARTMENT = 150;

/** Some people of a department. */
function persons(count: number, v: number, key: number, names: SiteNames): readonly string[] {
  const first = ((v % STORIES_EVERY) * COMPANY) / STORIES_EVERY;
  const chosen = new Set<string>();
  for (let i = 0; chosen.size < count && i < count * 8; i += 1) {
    chosen.add(names.person(1 + ((first + randomInteger(0, DEPARTMENT - 1, key, 'user', i)) % COMPANY)));
  }
  return [...chosen];
}

/** Users that run jobs: few, with several jobs each. */
const ACCOUNTS = 30;
const JOBS = 6;

/** The users of so many jobs. */
const accounts = (jobs: number, key: number, names: SiteNames): readonly string[] =>
  Array.from({ length: jobs }, (_, i) =>
    names.account(randomInteger(1, ACCOUNTS, key, 'account', Math.floor(i / JOBS))),
  );
