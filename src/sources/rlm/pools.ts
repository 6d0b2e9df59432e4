import type { Checkout, PoolObservation, UnknownOfCheckouts } from '../../model/observation/observation.ts';
import type { Dating } from './dating.ts';
import type { RlmIsv, RlmPool, RlmUsage } from './report.ts';
import { shareLicenses } from './shares.ts';

/** From the pools and checkouts of an ISV server to what the analyzer knows of its products. */

/** The pools of an ISV server, and how many statements contradict each other. */
export interface ObservedPools {
  readonly pools: readonly PoolObservation[];
  /** Statements that contradict each other. */
  readonly contradictions: number;
}

/** Pools and checkouts of one product and version. */
interface Product {
  readonly product: string;
  readonly version: string;
  readonly pools: RlmPool[];
  readonly usage: RlmUsage[];
}

/** The pools of an ISV server, joined with who holds their licenses. */
export function observePools(isv: RlmIsv, dating: Dating | undefined): ObservedPools {
  const pools: PoolObservation[] = [];
  let contradictions = 0;
  for (const product of productsOf(isv)) {
    const observed = observeProduct(product, dating);
    pools.push(observed.pool);
    contradictions += observed.contradictions;
  }
  return { pools, contradictions };
}

function productsOf({ pools, usage }: RlmIsv): Iterable<Product> {
  const products = new Map<string, Product>();
  const productOf = ({ product, version }: { product: string; version: string }): Product => {
    const key = `${product} ${version}`;
    const known = products.get(key) ?? { product, version, pools: [], usage: [] };
    products.set(key, known);
    return known;
  };
  for (const pool of pools) productOf(pool).pools.push(pool);
  for (const one of usage) productOf(one).usage.push(one);
  return products.values();
}

/** Of checkouts without a pool, neither capacity nor use is known. */
function observeProduct(
  { product, version, pools, usage }: Product,
  dating: Dating | undefined,
): { pool: PoolObservation; contradictions: number } {
  const inUse = sumOf(pools.map((one) => one.inUse));
  const { shares, licenses } = shareLicenses(usage, inUse);
  const isUncounted = pools.some(({ count }) => count === Number.POSITIVE_INFINITY);
  const isListed = inUse !== undefined && licenses >= inUse;
  const unknownOfCheckouts: UnknownOfCheckouts[] = ['borrowed', 'status'];
  if (!isListed) unknownOfCheckouts.push('list');
  const pool: PoolObservation = {
    feature: product,
    version,
    package: '',
    featureType: 'feature',
    licenseType: isUncounted ? 'uncounted' : 'floating',
    licenseModel: pools.some(({ isTokenBased }) => isTokenBased) ? 'token' : 'concurrent',
    ...(pools.some(({ isTokenBased }) => isTokenBased) && { token: 'unknown' }),
    increments: pools.length > 0 ? pools.map(incrementOf) : [{ count: undefined, expires: 'unknown' }],
    ...(inUse !== undefined && { inUse }),
    ...reserveOf(pools),
    checkouts: usage.map((one, at) => ({ ...checkoutOf(one, dating), ...shares[at] })),
    unknownOfCheckouts,
    queued: undefined,
    denials: undefined,
  };
  return { pool, contradictions: contradictionsOf(pools, inUse, licenses) };
}

const incrementOf = ({ count, expires }: RlmPool): { count: number | undefined; expires: RlmPool['expires'] } => ({
  count,
  expires,
});

/**
 * Only that nothing is reserved says how much of it is used. Otherwise the total is known and the rest is not: no document
 * says whether reserved licenses are part of `inuse` or of `count`.
 */
function reserveOf(pools: readonly RlmPool[]): Pick<PoolObservation, 'reservations' | 'reserved'> {
  const reserved = sumOf(pools.map((pool) => pool.reserved));
  if (reserved === 0) return { reservations: [] };
  return { reservations: undefined, ...(reserved !== undefined && { reserved }) };
}

function checkoutOf(usage: RlmUsage, dating: Dating | undefined): Checkout {
  const { user, host, licenses, start, handle } = usage;
  const since = dating?.timeOf(start);
  return {
    user,
    host,
    display: '',
    ...(since !== undefined && { since }),
    licenses,
    ...(handle !== undefined && { handle }),
    shareHandle: undefined,
    borrowed: false,
    status: undefined,
  };
}

/** Checkouts without a pool, more licenses listed than are in use, or more in use than there are. */
function contradictionsOf(pools: readonly RlmPool[], inUse: number | undefined, listed: number): number {
  const count = sumOf(pools.map((pool) => pool.count));
  const isMoreListed = inUse !== undefined && listed > inUse;
  const isMoreInUse = inUse !== undefined && count !== undefined && inUse > count;
  return [pools.length === 0, isMoreListed, isMoreInUse].filter(Boolean).length;
}

/** The sum, unknown when one of the figures is, or without figures. */
function sumOf(figures: readonly (number | undefined)[]): number | undefined {
  if (figures.length === 0) return undefined;
  return figures.reduce<number | undefined>(
    (sum, figure) => (sum === undefined || figure === undefined ? undefined : sum + figure),
    0,
  );
}
