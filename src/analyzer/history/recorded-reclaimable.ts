import type { Collected, PoolObservation } from '../../base/model/observation/observation.ts';
import { type ReclaimKind, reclaimableLicenses } from '../../base/model/reclaim.ts';
import { featureNameKey, tokenPools } from '../../base/model/token-pools.ts';
import { runSliced } from '../../base/scheduling/slices.ts';
import { isDown } from './collector.ts';
import { heldLicenses } from './held-licenses.ts';
import { isKnown } from './usage.ts';

/** Licenses that could come back, by the last collection, for readers in the same process. */

/** Licenses of a feature that could come back, by kind. A kind that is not known is left out. */
export interface ReclaimableFeature {
  readonly feature: string;
  readonly licenses: Readonly<Partial<Record<ReclaimKind, number>>>;
}

/** A vendor license by its last collection. */
export interface ReclaimableVendorLicense {
  readonly vendorLicense: string;
  /** Undefined if it is not known which features it has, or what they have. The same list until it is collected again. */
  readonly features: readonly ReclaimableFeature[] | undefined;
}

/** What could come back of each vendor license. */
export interface RecordedReclaimable {
  /** None of a vendor license that is down. */
  now(): Iterable<ReclaimableVendorLicense>;
}

/** Counts each collection. */
export interface ReclaimableRecord extends RecordedReclaimable {
  /** In slices: there can be a million checkouts. */
  add(reached: readonly Collected[]): Promise<void>;
}

/** All versions and packages of a feature together. */
function featureOf(feature: string, pools: readonly PoolObservation[], at: number): ReclaimableFeature {
  // those that are not in a list could come back too
  if (!isKnown(pools, 'list')) return { feature, licenses: {} };
  const evidence = {
    idle: isKnown(pools, 'status'),
    orphan: isKnown(pools, 'status', 'ended'),
    borrowed: isKnown(pools, 'borrowed'),
  };
  return { feature, licenses: reclaimableLicenses(heldLicenses(pools), evidence, at) };
}

/** A list of nothing has all checkouts, also if the source does not say so. */
const isUsed = (pool: PoolObservation): boolean => pool.inUse !== 0 || isKnown([pool], 'list');

const tokensOf = (all: readonly Collected[]): ReadonlySet<string> =>
  tokenPools(
    all.flatMap(({ name, observation }) =>
      observation.pools.flatMap(({ token }) =>
        typeof token === 'object' ? { vendorLicense: name, tokenPool: token.pool, tokenSource: token.source } : [],
      ),
    ),
  );

/** @param tokens features that are left out: those who hold them are listed with the feature that takes them */
function* featuresOf(
  { name, observation, collectedAt }: Collected,
  tokens: ReadonlySet<string>,
): Generator<void, readonly ReclaimableFeature[]> {
  const features: ReclaimableFeature[] = [];
  const groups = Map.groupBy(observation.pools.filter(isUsed), ({ feature }) => featureNameKey(name, feature));
  for (const [key, pools] of groups) {
    if (tokens.has(key)) continue;
    features.push(featureOf(pools[0]?.feature ?? '', pools, collectedAt));
    yield;
  }
  return features;
}

/** @param current the last collection of all vendor licenses @param now epoch seconds */
export function createReclaimableRecord(current: () => readonly Collected[], now: () => number): ReclaimableRecord {
  const known = new WeakMap<Collected['observation'], readonly ReclaimableFeature[]>();
  return {
    add: async (reached) => {
      const tokens = tokensOf([...current(), ...reached]);
      for (const one of reached) known.set(one.observation, await runSliced(featuresOf(one, tokens)));
    },
    now: function* () {
      for (const collected of current()) {
        const { name, observation } = collected;
        if (isDown(collected, now())) continue;
        const isWhole = observation.hasOtherPools !== true;
        yield { vendorLicense: name, features: isWhole ? known.get(observation) : undefined };
      }
    },
  };
}
