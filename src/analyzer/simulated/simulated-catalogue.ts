import type { PoolObservation, TokenUse } from '../../base/model/observation/observation.ts';
import type { Load, Shape } from './simulated-load.ts';
import { random, randomInteger } from './simulated-random.ts';

/** What the simulated site owns: a pure function of the seed and the size. */

/** How the expiry of a pool's increments moves: see `simulated-supply`. */
export type ExpiryRule = 'permanent' | 'contract' | 'two contracts' | 'trial' | 'expired';

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
  /** Licenses; `Infinity` for uncounted ones. */
  readonly count: number;
  readonly reserved: number;
  readonly users: readonly string[];
  /** Members of the group the reservation is for. */
  readonly reservedUsers: readonly string[];
  readonly lends: boolean;
  readonly expiry: ExpiryRule;
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

type Kind = 'status' | 'down' | 'three-part' | 'tokens' | 'packages' | 'undef' | 'unicode' | 'plain';
const kinds: readonly Kind[] = ['status', 'down', 'three-part', 'tokens', 'packages', 'undef', 'unicode', 'plain'];

const products = ['cad', 'mesh', 'solver', 'route', 'timing', 'render', 'flow', 'drc', 'synth', 'viewer'];

/** Names that break careless programs. */
const awkward = [
  'sim-NaN',
  'sim-a,feature:b',
  'sim-"quoted"',
  'sim-back\\slash',
  'sim-100%',
  'sim-Größe ✓ 設計',
  'sim- spaced ',
];

/** What is special about a pool. */
interface Story {
  readonly shape?: Shape;
  readonly course?: SimulatedPool['course'];
  readonly expiry?: ExpiryRule;
  readonly crewFor?: (licenses: number) => number;
  /** Whether a healthy site does not have it. */
  readonly isProblem: boolean;
}

/** Vendor licenses after which the stories begin again. */
const STORIES_EVERY = 10;
/** By vendor license and feature: early ones, so that small sites have them too. Others have about as many licenses as needed. */
const stories: Readonly<Record<string, Story>> = {
  // lacks licenses
  '0/1': { shape: 'office', course: 'level', crewFor: (licenses) => 2 * licenses, isProblem: true },
  '0/3': { expiry: 'trial', isProblem: true },
  // always full, and nobody waits
  '0/4': { shape: 'service', course: 'level', crewFor: (licenses) => licenses, isProblem: true },
  // cannot be checked out any more
  '0/5': { expiry: 'expired', crewFor: () => 0, isProblem: true },
  '0/8': { crewFor: () => 0, isProblem: false },
  '2/1': { shape: 'office', course: 'grows', crewFor: (licenses) => licenses, isProblem: true },
  '2/4': { shape: 'office', course: 'season', isProblem: false },
};

/** Pools beyond this many per vendor license are small, so that a very large site stays quick to simulate. */
const LARGE_POOLS = 40;

/** How large the simulated site is. The same seed gives the same site. */
export interface CatalogueOptions {
  readonly seed: number;
  readonly vendorLicenses: number;
  readonly featuresPerVendorLicense: number;
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
  const kind = kinds[v] ?? 'plain';
  const number = String(v + 1).padStart(2, '0');
  return {
    server: kind === 'unicode' ? `sim-größe${number}` : `sim-lic${number}`,
    daemon: kind === 'undef' ? 'undef' : `sim_${products[v % products.length]}d`,
    part: kind === 'three-part' ? 'sim-site-b' : '',
    goesDown: kind === 'down' && options.isHealthy !== true,
    knowsStatus: kind === 'status' || kind === 'tokens' || kind === 'packages',
    pools: withTokens(
      Array.from({ length: options.featuresPerVendorLicense }, (_, f) => createPool(v, f, kind, number, options)),
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

/** Most pools are for people in the office. */
function shapeOf(key: string): Shape {
  const chance = random(key, 'shape');
  return chance < 0.55 ? 'office' : chance < 0.85 ? 'project' : 'batch';
}

/** Shares of the pools with more licenses than are needed, and with too few in a crunch. */
const AMPLE = 0.2;
const TIGHT = 0.04;

/** How many people work with a pool of some licenses at the same time at most. A few licenses are free even then. */
function crewOf(licenses: number, key: string, isHealthy: boolean): number {
  const most = Math.max(1, licenses - Math.ceil(0.06 * licenses));
  const chance = random(key, 'room');
  if (chance < AMPLE) return Math.ceil(most / (1.3 + 0.6 * random(key, 'ample')));
  return chance > 1 - TIGHT && !isHealthy ? licenses + 1 : most;
}

function createPool(v: number, f: number, kind: Kind, number: string, options: CatalogueOptions): SimulatedPool {
  const { seed, isHealthy = false } = options;
  const key = `${seed}/${v}/${f}`;
  const product = products[(v + f) % products.length] ?? 'cad';
  const isLarge = f < LARGE_POOLS;
  const uncounted = f === 9;
  const nodeLocked = f === 11;
  const told = stories[`${v % STORIES_EVERY}/${f}`];
  const story = isHealthy && told?.isProblem === true ? undefined : told;
  // a package has each of its components as often as itself
  const ofCount = kind === 'packages' && f < 8 ? `${seed}/${v}/${f < 4 ? 0 : 4}` : key;
  const licensed = isLarge ? randomInteger(6, 40, ofCount, 'count') : randomInteger(1, 5, ofCount, 'count');
  const reserved = f % 5 === 2 && licensed > 4 ? randomInteger(1, 3, key, 'reserved') : 0;
  const usable = isLarge ? licensed - reserved : Math.min(licensed, 3);
  const crew = story?.crewFor?.(usable) ?? crewOf(usable, key, isHealthy);
  return {
    key,
    shape: story?.shape ?? shapeOf(key),
    crew,
    course: story?.course ?? 'crunches',
    ...identity(v, f, kind, product, number),
    licenseType: uncounted ? 'uncounted' : nodeLocked ? 'node-locked' : 'floating',
    licenseModel: kind === 'tokens' && f > 0 && f < MOST_TAKERS ? 'token' : nodeLocked ? 'named' : 'concurrent',
    ...(random(key, 'mapped') < 0.7 && { mappedTo: `sim-${product}` }),
    count: uncounted ? Number.POSITIVE_INFINITY : licensed,
    reserved,
    users: names(story?.course === 'grows' ? 150 : Math.ceil(1.8 * crew), key),
    reservedUsers: names(reserved, `${key}/reserved`),
    lends: f % 7 === 3,
    expiry: story?.expiry ?? expiryOf(f, key),
    contract: randomInteger(0, 364, seed, v, 'contract'),
  };
}

/** Names of a pool: awkward ones, tokens and packages come at fixed places, so that small sites have them too. */
function identity(
  v: number,
  f: number,
  kind: Kind,
  product: string,
  number: string,
): Pick<SimulatedPool, 'feature' | 'version' | 'package' | 'featureType' | 'token'> {
  const plain = { feature: `sim-${product}-${f + 1}`, version: '', package: '', featureType: 'feature' as const };
  if (kind === 'tokens' && f < MOST_TAKERS) {
    if (f === 0) return { ...plain, feature: 'sim-tokens' };
    const token = {
      pool: 'sim-tokens',
      source: `sim-lic${number};sim_${products[v % products.length]}d`,
      cost: 1 + (f % 4),
    };
    return { ...plain, version: '2.0', token };
  }
  if (kind === 'packages' && f < 8) {
    const suite = f < 4 ? 'sim-suite-pro' : 'sim-suite-lite';
    if (f % 4 === 0) return { ...plain, feature: suite, version: '2026.1', package: suite, featureType: 'package' };
    return { ...plain, package: suite, version: '2026.1', featureType: 'component' };
  }
  const odd = kind === 'unicode' ? awkward[f] : undefined;
  // two versions of one feature side by side
  if (f === 6) return { ...plain, feature: `sim-${products[(v + 5) % products.length]}-6`, version: '2025.0' };
  return {
    ...plain,
    feature: odd ?? plain.feature,
    version: f === 5 ? '2026.0' : f % 3 === 0 ? '' : `${1 + (f % 4)}.0`,
  };
}

function expiryOf(f: number, key: string): ExpiryRule {
  if (f === 2) return 'two contracts';
  return f === 6 || random(key, 'expiry') < 0.15 ? 'permanent' : 'contract';
}

/** People of a population of 400. */
function names(count: number, key: string): readonly string[] {
  const chosen = new Set<string>();
  for (let i = 0; chosen.size < count && i < count * 4; i += 1) {
    const number = randomInteger(1, 400, key, 'user', i);
    chosen.add(number === 7 ? 'sim-jürgen' : `sim-user${String(number).padStart(3, '0')}`);
  }
  return [...chosen];
}
