import type { ReclaimKind } from '../../../base/model/reclaim.ts';
import type { UserRecord } from '../../../base/model/records.ts';
import { featureNameKey, tokenPools } from '../../../base/model/token-pools.ts';
import { type Figure, isKnown, unknown } from '../../../base/model/unknown.ts';
import { parseVendorLicense } from '../../../base/model/vendor-license.ts';
import { createPlaces } from '../../../base/scheduling/places.ts';
import { forEachSliced, runSliced } from '../../../base/scheduling/slices.ts';
import type { FeatureRow } from '../../../exporter/inventory/feature-row.ts';
import type { Inventory } from '../../../exporter/inventory/inventory.ts';
import type { Backend } from '../../grafana/answers/backend.ts';
import type { DeniedToday } from '../denied.ts';
import type { FeatureName } from '../links.ts';
import { missingWords } from '../search.ts';
import { attempt, type Known } from '../wording.ts';
import { type Evaluated, evaluating } from './checkouts.ts';

/** Which licenses could come back: GetUsers of the features that need them most, as any analyzer answers it. */

/** Features of which is asked who holds them, and requests that are open at once. */
const MAX_ASKED = 100;
const MAX_OPEN = 20;

/** Who wants licenses of a feature. */
export interface Wanted {
  /** People who wait now; `undefined` if they are not known. */
  readonly people: number | undefined;
  /** Since when the one waits who waits longest, epoch seconds. */
  readonly since: number | undefined;
  readonly queued: Figure;
  readonly isFull: boolean;
}

/** A feature with what could come back of it. */
export interface ReclaimFeature extends FeatureName, Wanted, Evaluated {
  readonly inUse: Figure;
  readonly licenses: Figure;
  /** When its checkouts were collected or later, epoch seconds. */
  readonly collectedAt: Figure;
}

export interface ReclaimData {
  /** Those for which people wait first, then full ones, then those with most licenses that could come back. */
  readonly features: readonly ReclaimFeature[];
  /** Features of which it is not known who holds them, with the reason. */
  readonly unknown: readonly (FeatureName & { readonly reason: string })[];
  /** Features with licenses in use that were not asked, because others come first. */
  readonly unasked: number;
  /** Features without a license in use. */
  readonly unused: number;
  /** Token pools, which are left out: the features that take the tokens have their checkouts. */
  readonly tokens: number;
}

/** What is asked for: one feature, or those whose names, vendor license or owner have all words. */
export interface ReclaimRequest {
  readonly only: FeatureName | undefined;
  readonly words: readonly string[];
}

/** A feature with the rows of its versions and packages. */
interface Candidate extends FeatureName, Wanted {
  readonly rows: readonly FeatureRow[];
}

const keyOf = ({ vendorLicense, feature }: FeatureName): string => featureNameKey(vendorLicense, feature);

/** @returns a sum that is not known if a part of it is not */
const sumOf = (rows: readonly FeatureRow[], name: 'inUse' | 'maxAvailable' | 'maxQueued'): Figure =>
  rows.reduce<Figure>((sum, row) => {
    const value = row[name];
    return isKnown(sum) && isKnown(value) ? sum + value : unknown;
  }, 0);

/** The people who wait for each feature; empty where nothing is known of people. */
function waitingOf(denied: Known<DeniedToday> | undefined): ReadonlyMap<string, Pick<Wanted, 'people' | 'since'>> {
  if (denied === undefined || 'reason' in denied) return new Map();
  return new Map(
    denied.value.features.map((one) => {
      const now = one.waited?.now;
      const people = one.waited?.waiting;
      const since = now === undefined || now.length === 0 ? undefined : Math.min(...now.map((part) => part.since));
      return [keyOf(one), { people, since }];
    }),
  );
}

/** Token pools: those who hold tokens are listed with the feature that takes them. */
const tokensOf = ({ features }: Inventory): ReadonlySet<string> =>
  tokenPools(
    features.flatMap(({ vendorLicense, tokenPool, tokenSource }) =>
      tokenPool === undefined || tokenPool === ''
        ? []
        : { vendorLicense, tokenPool, tokenSource: parseVendorLicense(tokenSource ?? '').vendorLicense },
    ),
  );

/** The features that are asked for, without those that are known to be unused and without token pools, and the numbers of these. */
async function candidatesOf(
  inventory: Inventory,
  { only, words }: ReclaimRequest,
  { owners, isSaturated }: Pick<Backend, 'owners' | 'isSaturated'>,
  denied: Known<DeniedToday> | undefined,
): Promise<{ readonly candidates: readonly Candidate[]; readonly unused: number; readonly tokens: number }> {
  const ownersNow = owners();
  const wanted = only === undefined ? undefined : keyOf(only);
  const groups = new Map<string, FeatureRow[]>();
  let tokens = 0;
  await forEachSliced(inventory.features, (row) => {
    const key = keyOf(row);
    if (wanted !== undefined && key !== wanted) return;
    if (words.length > 0) {
      const names = Object.values(ownersNow.of(row.vendorLicense, row.feature));
      if (missingWords([row.vendorLicense, row.feature, ...names].join(' '), words).length > 0) return;
    }
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  });
  for (const key of tokensOf(inventory)) tokens += Number(groups.delete(key));
  const waiting = waitingOf(denied);
  const candidates: Candidate[] = [];
  let unused = 0;
  await forEachSliced(groups, ([key, rows]) => {
    const [{ vendorLicense, feature }] = rows as [FeatureRow];
    if (rows.every(({ inUse }) => inUse === 0)) {
      unused += 1;
      return;
    }
    const { people, since } = waiting.get(key) ?? { people: undefined, since: undefined };
    const queued = sumOf(rows, 'maxQueued');
    const isFull = rows.some((row) => isSaturated(row) === true);
    candidates.push({ vendorLicense, feature, people, since, queued, isFull, rows });
  });
  return { candidates, unused, tokens };
}

/** How many want a license of it now, as far as that is known. */
export const wantedNow = ({ people = 0, queued }: Wanted): number => people + (isKnown(queued) ? queued : 0);

/** Of two features, the one that is wanted more is first, then the full one. */
const byNeed = (a: Wanted, b: Wanted): number => wantedNow(b) - wantedNow(a) || Number(b.isFull) - Number(a.isFull);

/** Licenses that nobody seems to use or that are borrowed, as the last poll has them; else those in use. */
function promise({ rows }: Candidate): number {
  const known = (value: Figure): number => (isKnown(value) ? value : 0);
  return rows.reduce(
    (sum, { inactiveUse, borrowedUse, inUse }) => sum + known(inactiveUse) + known(borrowedUse) + known(inUse) / 1e6,
    0,
  );
}

/** Why it cannot be asked who holds a feature; `undefined` if it can. */
function obstacle({ vendorLicense, feature, rows }: Candidate): string | undefined {
  if (rows.some(({ isWithheld }) => isWithheld)) return 'the data of the vendor license is not current';
  // the analyzer would add the checkouts of others
  if (feature.includes('%') || vendorLicense.includes('%')) return 'the analyzer takes % in a name for any text';
  return undefined;
}

/** Who holds a feature, in all parts of its vendor license. */
function createAsk({ upstream }: Pick<Backend, 'upstream'>, { spellings }: Inventory, signal: AbortSignal) {
  const places = createPlaces(MAX_OPEN);
  return async ({ vendorLicense, feature }: FeatureName): Promise<readonly UserRecord[]> => {
    const products = spellings.get(vendorLicense) ?? [vendorLicense];
    const answers = products.map(async (product) => {
      const release = await places.take(signal);
      try {
        // by numbers, which an analyzer in this process sorts sooner than names
        const asked = { format: 'sql', product, feature, sortdatafield: 'UsageTime' };
        return (await upstream.ask('GetUsers', asked, signal)).records;
      } finally {
        release();
      }
    });
    return (await Promise.all(answers)).flat();
  };
}

/** How many licenses could come back: those of applications that have ended, and others that are not borrowed. */
export function freeOf({ found }: Pick<ReclaimFeature, 'found'>): {
  readonly now: number;
  readonly afterAsking: number;
} {
  const sum = (...kinds: readonly ReclaimKind[]): number =>
    found.reduce((total, { kind, held }) => total + (kinds.includes(kind) ? held.licenses : 0), 0);
  return { now: sum('orphan'), afterAsking: sum('idle', 'duplicate') };
}

/** Both together. */
function freeInAll(feature: Pick<ReclaimFeature, 'found'>): number {
  const { now, afterAsking } = freeOf(feature);
  return now + afterAsking;
}

/** @param denied the people who wait @param signal ends the requests: what is not answered then is not known */
export async function readReclaim(
  backend: Backend,
  inventory: Inventory,
  denied: Known<DeniedToday> | undefined,
  request: ReclaimRequest,
  signal: AbortSignal,
): Promise<ReclaimData> {
  const { candidates, unused, tokens } = await candidatesOf(inventory, request, backend, denied);
  const unknowns: (FeatureName & { readonly reason: string })[] = [];
  const askable: Candidate[] = [];
  for (const one of candidates) {
    const reason = obstacle(one);
    if (reason === undefined) askable.push(one);
    else unknowns.push({ vendorLicense: one.vendorLicense, feature: one.feature, reason });
  }
  const asked = askable.sort((a, b) => byNeed(a, b) || promise(b) - promise(a)).slice(0, MAX_ASKED);
  const ask = createAsk(backend, inventory, signal);
  const answers = await Promise.all(asked.map((one) => attempt(() => ask(one))));
  const collected = new Map<string, Figure>(
    inventory.vendorLicenses.map((row) => [row.vendorLicense, row.collectedAt]),
  );
  const now = backend.now();
  const features: ReclaimFeature[] = [];
  function* work(): Generator<void, void> {
    for (const [i, { rows, ...one }] of asked.entries()) {
      yield;
      const answer = answers[i] as Known<readonly UserRecord[]>;
      const inUse = sumOf(rows, 'inUse');
      const { vendorLicense, feature } = one;
      if ('reason' in answer) unknowns.push({ vendorLicense, feature, reason: answer.reason });
      // the analyzer answers the same if it does not know the users
      else if (answer.value.length === 0)
        unknowns.push({ vendorLicense, feature, reason: 'the analyzer names nobody' });
      else {
        features.push({
          ...one,
          inUse,
          licenses: sumOf(rows, 'maxAvailable'),
          collectedAt: collected.get(vendorLicense) ?? unknown,
          ...(yield* evaluating(answer.value, inUse, now)),
        });
      }
    }
  }
  await runSliced(work());
  features.sort((a, b) => byNeed(a, b) || freeInAll(b) - freeInAll(a) || b.found.length - a.found.length);
  return { features, unknown: unknowns, unasked: askable.length - asked.length, unused, tokens };
}
