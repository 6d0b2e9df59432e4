import type { Checkout, PoolObservation, UnknownOfCheckouts } from '../../../base/model/observation/observation.ts';
import type { RlmIsv, RlmPool, RlmStart, RlmUsage } from './report.ts';

/** From the pools and checkouts of an ISV server to what the analyzer knows of its products. */

/** Epoch seconds of a start, undefined for a time that is not known. */
export type Dating = (start: RlmStart) => number | undefined;

/** Pools and checkouts of one product and version. */
interface Product {
  readonly product: string;
  readonly version: string;
  readonly pools: RlmPool[];
  readonly usage: RlmUsage[];
}

/** The pools of an ISV server, joined with who holds their licenses, and how many statements contradict each other. */
export function observePools(
  isv: RlmIsv,
  dating: Dating,
): { readonly pools: readonly PoolObservation[]; readonly contradictions: number } {
  const observed = productsOf(isv).map((product) => observeProduct(product, dating));
  return {
    pools: observed.map(({ pool }) => pool),
    contradictions: observed.reduce((sum, { contradictions }) => sum + contradictions, 0),
  };
}

function productsOf({ pools, usage }: RlmIsv): readonly Product[] {
  const products = new Map<string, Product>();
  const productOf = ({ product, version }: { product: string; version: string }): Product => {
    const key = `${product} ${version}`;
    const known = products.get(key) ?? { product, version, pools: [], usage: [] };
    products.set(key, known);
    return known;
  };
  for (const pool of pools) productOf(pool).pools.push(pool);
  for (const one of usage) productOf(one).usage.push(one);
  return [...products.values()];
}

/**
 * Of checkouts without a pool, neither capacity nor use is known. Licenses of an uncounted pool beside counted ones cannot
 * run out, and are no part of the figures; no line says which pool a checkout is of.
 */
function observeProduct(
  { product, version, pools: all, usage }: Product,
  dating: Dating,
): { pool: PoolObservation; contradictions: number } {
  const counted = all.filter(({ count }) => count !== Number.POSITIVE_INFINITY);
  const pools = counted.length > 0 ? counted : all;
  const isUncounted = all.length > 0 && counted.length === 0;
  const inUse = sumOf(pools.map((one) => one.inUse));
  const inUseOfAll = sumOf(all.map((one) => one.inUse));
  const { shares, licenses } = shareLicenses(usage, inUseOfAll);
  const isListed = inUse !== undefined && inUse === inUseOfAll && licenses >= inUse;
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
    increments:
      pools.length > 0
        ? pools.map(({ count, expires }) => ({ count, expires }))
        : [{ count: undefined, expires: 'unknown' }],
    ...(inUse !== undefined && { inUse }),
    ...reserveOf(pools),
    checkouts: usage.map((one, at) => ({ ...checkoutOf(one, dating), ...shares[at] })),
    unknownOfCheckouts,
    queued: undefined,
    denials: undefined,
  };
  return { pool, contradictions: contradictionsOf(pools, inUse, licenses, inUseOfAll) };
}

/**
 * Only that nothing is reserved says how much of it is used. Otherwise the total is known and the rest is not: no document
 * says whether reserved licenses are part of `inuse` or of `count`.
 */
function reserveOf(pools: readonly RlmPool[]): Pick<PoolObservation, 'reservations' | 'reserved'> {
  const reserved = sumOf(pools.map((pool) => pool.reserved));
  if (reserved === 0) return { reservations: [] };
  return { reservations: undefined, ...(reserved !== undefined && { reserved }) };
}

function checkoutOf(usage: RlmUsage, dating: Dating): Checkout {
  const { user, host, licenses, start, handle } = usage;
  const since = dating(start);
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

/** What a listed checkout counts, with the handle of the checkout whose licenses it uses too. */
type Share = Pick<Checkout, 'licenses' | 'shareHandle'>;

const unshared = ({ licenses }: RlmUsage): Share => ({ licenses, shareHandle: undefined });

/**
 * Checkouts that share one license are listed with their full number of licenses: while a list has more licenses than are in
 * use, later checkouts of the same user and host use those of the first one.
 *
 * @param inUse by the server's own count; without it, nothing is known to be shared
 * @returns shares in the order of the list, and the licenses of the list, each counted once
 */
function shareLicenses(list: readonly RlmUsage[], inUse: number | undefined): { shares: Share[]; licenses: number } {
  let licenses = list.reduce((sum, one) => sum + one.licenses, 0);
  if (inUse === undefined || licenses <= inUse) return { shares: list.map(unshared), licenses };
  const firsts = new Map<string, RlmUsage>();
  const shares = list.map((one): Share => {
    const key = JSON.stringify([one.user, one.host]);
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, one);
    if (first === undefined || one.licenses === 0 || licenses - one.licenses < inUse) return unshared(one);
    licenses -= one.licenses;
    return { licenses: 0, shareHandle: first.handle };
  });
  return { shares, licenses };
}

/** Checkouts without a pool, more licenses listed than are in use, or more in use than there are. */
function contradictionsOf(
  pools: readonly RlmPool[],
  inUse: number | undefined,
  listed: number,
  inUseOfAll: number | undefined,
): number {
  const count = sumOf(pools.map((pool) => pool.count));
  const isMoreListed = inUseOfAll !== undefined && listed > inUseOfAll;
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
