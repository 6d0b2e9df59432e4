import type { LmstatFeature, LmstatPool, LmstatSupply } from './lmstat-report.ts';

/** Of two listings, the one with the kind that comes first counts. */
const RANKS: readonly LmstatSupply['kind'][] = ['uncounted', 'counted', 'unsupported', 'error'];

/** What `lmstat -a` says of one feature of one daemon. */
export interface FeatureUsage {
  readonly name: string;
  readonly daemon: string;
  readonly supply: LmstatSupply;
  readonly pools: readonly LmstatPool[];
  /** Licenses in use, without those that are only reserved. Undefined if it is not known. */
  readonly inUse: number | undefined;
  /** Undefined if the list hides it. */
  readonly unusedReserve: number | undefined;
  /** Whether all checkouts are listed. */
  readonly isListed: boolean;
  /** Whether more is listed than the server counts. */
  readonly isContradiction: boolean;
}

/** @param listings of one feature and daemon, at least one */
export function usageOf(daemon: string, listings: readonly LmstatFeature[]): FeatureUsage {
  const current = [...Map.groupBy(listings, ({ servers }) => servers).values()].flatMap(newestOf);
  const supply = current.map((feature) => feature.supply).reduce(sumOfSupplies);
  const pools = current.flatMap((feature) => feature.pools);
  const name = current[0]?.name ?? '';
  return { name, daemon, supply, pools, ...figuresOf(supply, pools) };
}

/**
 * The same server can list a feature several times, each time with its whole number of licenses: if its license file has
 * several lines, or in a file with the outputs of several runs.
 */
function newestOf(listings: readonly LmstatFeature[]): LmstatFeature | [] {
  for (const kind of RANKS) {
    const newest = listings.findLast(({ supply }) => supply.kind === kind);
    if (newest !== undefined) return newest;
  }
  return [];
}

function figuresOf(
  supply: LmstatSupply,
  pools: readonly LmstatPool[],
): Pick<FeatureUsage, 'inUse' | 'unusedReserve' | 'isListed' | 'isContradiction'> {
  const listed = checkedOut(pools);
  const reserved = unusedReserve(pools);
  const total = supply.kind === 'counted' ? supply.inUse : undefined;
  if (supply.kind === 'unsupported' || supply.kind === 'error')
    return { inUse: undefined, unusedReserve: undefined, isListed: false, isContradiction: false };
  if (total === undefined) return { inUse: listed, unusedReserve: reserved, isListed: true, isContradiction: false };
  // the total of the server includes what is only reserved
  const inUse = total - reserved;
  const isHidden = total > 0 && listed === 0 && reserved === 0;
  return {
    inUse: inUse < 0 ? undefined : inUse,
    unusedReserve: isHidden ? undefined : reserved,
    isListed: inUse >= 0 && listed >= inUse,
    isContradiction: listed > inUse,
  };
}

/** The listings of servers that are not redundant add up. */
function sumOfSupplies(one: LmstatSupply, other: LmstatSupply): LmstatSupply {
  if (one.kind === 'counted' && other.kind === 'counted') {
    const inUse = one.inUse === undefined || other.inUse === undefined ? undefined : one.inUse + other.inUse;
    return { kind: 'counted', issued: one.issued + other.issued, inUse };
  }
  return RANKS.indexOf(other.kind) < RANKS.indexOf(one.kind) ? other : one;
}

/** Licenses that are listed as checked out. */
export function checkedOut(pools: readonly LmstatPool[]): number {
  let sum = 0;
  for (const { checkouts } of pools) for (const { licenses, queued } of checkouts) if (!queued) sum += licenses;
  return sum;
}

/** Licenses that are listed as reserved. */
export function unusedReserve(pools: readonly LmstatPool[]): number {
  let sum = 0;
  for (const { reservations } of pools) for (const { licenses } of reservations) sum += licenses;
  return sum;
}
