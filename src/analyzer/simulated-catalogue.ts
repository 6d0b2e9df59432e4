import type { PoolObservation, TokenUse } from '../observation/observation.ts';
import { random, randomInteger } from './simulated-random.ts';

/** What the simulated site owns: a pure function of the seed and the size. */

/** How the expiry of a pool's increments moves: see `simulated-site`. */
export type ExpiryRule = 'permanent' | 'annual' | 'monthly' | 'weekly' | 'expired' | 'staggered';

export interface SimulatedPool
  extends Pick<
    PoolObservation,
    'feature' | 'version' | 'package' | 'featureType' | 'licenseType' | 'licenseModel' | 'mappedTo'
  > {
  readonly token?: TokenUse;
  /** Seed of everything that happens to the pool. */
  readonly key: string;
  /** Licenses; `Infinity` for uncounted ones. */
  readonly count: number;
  readonly reserved: number;
  readonly users: readonly string[];
  /** Members of the group the reservation is for. */
  readonly reservedUsers: readonly string[];
  /** Sessions a user starts on a working day, on average. */
  readonly demand: number;
  readonly lends: boolean;
  /** Used by batch jobs, at night and at weekends too. */
  readonly batch: boolean;
  readonly expiry: ExpiryRule;
}

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

/** Pools beyond this many per vendor license are small, so that a very large site stays quick to simulate. */
const LARGE_POOLS = 40;

export interface CatalogueOptions {
  readonly seed: number;
  readonly vendorLicenses: number;
  readonly featuresPerVendorLicense: number;
}

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
    goesDown: kind === 'down',
    knowsStatus: kind === 'status' || kind === 'tokens' || kind === 'packages',
    pools: Array.from({ length: options.featuresPerVendorLicense }, (_, f) => createPool(v, f, kind, number, options)),
  };
}

function createPool(v: number, f: number, kind: Kind, number: string, { seed }: CatalogueOptions): SimulatedPool {
  const key = `${seed}/${v}/${f}`;
  const product = products[(v + f) % products.length] ?? 'cad';
  const isLarge = f < LARGE_POOLS;
  const uncounted = f === 9;
  const nodeLocked = f === 11;
  const licensed = isLarge ? randomInteger(4, 40, key, 'count') : randomInteger(1, 5, key, 'count');
  const expiry = expiryOf(f, key);
  // an expired license cannot be checked out
  const neverUsed = f % 10 === 8 || expiry === 'expired';
  // every sixth pool has more users than licenses
  const crowd = f === 1 ? 2.2 : f % 6 === 1 ? 1.8 : 0.2 + random(key, 'crowd');
  const people = neverUsed ? 0 : Math.ceil((isLarge ? licensed : Math.min(licensed, 3)) * crowd);
  const reserved = f % 5 === 2 && licensed > 4 ? randomInteger(1, 3, key, 'reserved') : 0;
  return {
    key,
    ...identity(v, f, kind, product, number),
    licenseType: uncounted ? 'uncounted' : nodeLocked ? 'node-locked' : 'floating',
    licenseModel: kind === 'tokens' && f > 0 ? 'token' : nodeLocked ? 'named' : 'concurrent',
    ...(random(key, 'mapped') < 0.7 && { mappedTo: `sim-${product}` }),
    count: uncounted ? Number.POSITIVE_INFINITY : licensed,
    reserved,
    users: names(people, key),
    reservedUsers: names(reserved, `${key}/reserved`),
    demand: f === 1 ? 14 : f % 6 === 1 ? 5 : 0.6 + random(key, 'demand'),
    lends: f % 7 === 3,
    batch: f === 1,
    expiry,
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
  if (kind === 'tokens') {
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
  const fixed: readonly (ExpiryRule | undefined)[] = [
    undefined,
    undefined,
    'staggered',
    'weekly',
    'monthly',
    'expired',
    'permanent',
  ];
  return (f < 10 ? fixed[f] : undefined) ?? (random(key, 'expiry') < 0.15 ? 'permanent' : 'annual');
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
