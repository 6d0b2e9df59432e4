import { createReplica, type Episode, type History, type Polling, type Replica, type SiteSource } from './history.ts';
import { createRandom, type Random } from './random.ts';
import { featureOf, kinds, TICKS } from './random-episodes.ts';
import { lossesOf } from './random-losses.ts';

/** One replica, one that is replaced by another, two at once, or the shards of several. */
function replicasOf({ chance, int, pick }: Random): readonly Replica[] {
  const at = int(20, TICKS - 20);
  const replica = (instance: string, more: Partial<Replica> = {}): Replica =>
    createReplica(instance, { to: TICKS, slow: chance(0.3) ? int(1, 3) : 0, ...more });
  /** The shards of a time. The first replica of those before leaves its state to the first one. */
  const shards = (total: number, before: number | undefined, more: Partial<Replica>): Replica[] =>
    Array.from({ length: total }, (_, index) => {
      const instance = chance(0.5) ? `s${index}` : `s${index}-${more.from ?? 0}`;
      const continues = index === 0 && chance(0.6) ? before : undefined;
      return replica(instance, { ...more, shard: { index, total }, continues });
    });
  const kind = int(0, 9);
  if (kind < 4) return [replica('a')];
  if (kind < 6) {
    // the new one begins before the old one ends, or after a gap; at another address, or with the analyzer renamed
    const from = Math.min(TICKS, at + pick([-3, -1, 0, 1, 4, 15]));
    const isRenamed = chance(0.3) && from >= at;
    const instance = from >= at && chance(0.5) ? 'a' : 'b';
    const continues = chance(0.5) ? 0 : undefined;
    return [replica('a', { to: at }), replica(instance, { from, isRenamed, continues })];
  }
  if (kind < 8) return [replica('a'), replica('b', { from: chance(0.5) ? 0 : at })];
  const [first, second] = pick([
    [1, 2],
    [2, 3],
    [2, 1],
    [2, 2],
  ] as const);
  return [...shards(first, undefined, { to: at }), ...shards(second, 0, { from: at })];
}

const pollingOf = ({ chance, pick }: Random): Polling => ({
  features: pick([1, 1, 5]),
  expirations: pick([0, 1, 5, 60]),
  history: pick([0, 5]),
  isPerVendorLicense: chance(0.6),
});

/** Only an embedded analyzer has sources. */
function sourcesOf({ chance, pick }: Random, vendorLicenses: number): readonly SiteSource[] {
  if (!chance(0.3)) return [];
  return Array.from({ length: vendorLicenses }, (_, i) => ({
    name: `source${i}`,
    // the last one has no vendor license yet
    vendorLicenses: i > 0 && chance(0.2) ? [] : [i],
    members: pick([1, 3]),
  }));
}

/** Whether it can happen to an embedded analyzer, which runs in the process, and lists the vendor licenses of its sources. */
const isPossibleEmbedded = (episode: Episode): boolean =>
  !['analyzer gone', 'logon rejected', 'vendor license removed', 'products empty', 'replica cut off'].includes(
    episode.is,
  ) && !('endpoint' in episode && episode.endpoint === 'GetProducts');

function shortHistory(seed: number, hasLosses: boolean): History {
  const random = createRandom(seed);
  const { int, pick, chance } = random;
  const vendorLicenses = ['lic01;lmgrd', 'lic02;adskflex', 'lic03;cdslmd'].slice(0, int(1, 3));
  const features = Array.from({ length: int(1, 4) }, (_, i) => featureOf(random, vendorLicenses.length, i + 1));
  const sources = sourcesOf(random, vendorLicenses.length);
  const replicas = replicasOf(random);
  // an analyzer in the process of a shard would be another one
  const isSharded = replicas.some(({ shard }) => shard.total > 1);
  const site = { vendorLicenses, features, sources: isSharded ? [] : sources, replicas };
  const urn = kinds.flatMap(([weight, create]) => Array.from({ length: weight }, () => create));
  const count = chance(0.1) ? 0 : int(2, 12);
  const drawn = Array.from({ length: count }, () => pick(urn)(random, site)).filter((made) => made !== undefined);
  // of other random values, so that the rest is the same with and without them
  const losses = hasLosses ? lossesOf(createRandom(-seed), site) : [];
  const episodes = [...drawn, ...losses]
    // two versions would be one alert, in which each has a clock of its own: groups.test.ts is about that
    .filter((made) => made.is !== 'new version')
    .filter((made) => site.sources.length === 0 || isPossibleEmbedded(made));
  return { seed, ticks: TICKS, step: 1, delivers: chance(0.4), ...site, polling: pollingOf(random), episodes };
}

/** Ticks of the long ones are this much farther apart. */
const STRETCH = 3;

/** The same over 36 hours: everything lasts longer, also longer than a day. */
const stretched = (history: History): History => ({
  ...history,
  step: 4,
  ticks: history.ticks * STRETCH,
  replicas: history.replicas.map((each) => ({ ...each, from: each.from * STRETCH, to: each.to * STRETCH })),
  episodes: history.episodes.map((each) => ({
    ...each,
    from: each.from * STRETCH,
    to: each.to * STRETCH,
    period: each.period * STRETCH,
    on: each.on * STRETCH,
  })),
});

/** A history by its seed. Every eighth is long. @param hasLosses whether the analyzer loses what alerts are about */
export const generateHistory = (seed: number, hasLosses: boolean): History => {
  const history = shortHistory(seed, hasLosses);
  return seed % 8 === 0 ? stretched(history) : history;
};
