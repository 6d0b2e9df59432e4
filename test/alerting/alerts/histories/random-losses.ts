import type { Episode, History, Pulse } from './history.ts';
import type { Random } from './random.ts';
import { TICKS } from './random-episodes.ts';

/** What analyzers lose while alerts are about it: their database, a vendor license, or a feature. */

type Site = Pick<History, 'vendorLicenses' | 'features' | 'replicas'>;

const during = (from: number, minutes: number): Pulse => ({
  from,
  to: Math.min(TICKS, from + minutes),
  period: TICKS,
  on: TICKS,
});

/** Shorter and longer than what a list is refused for, and than the alert that says that something vanished waits for, minutes. */
const lengths = [3, 6, 12, 16, 18, 30, 70, TICKS];

/** What is wrong with a vendor license or its features from a tick on, as one episode or several. */
function troubleOf(random: Random, site: Site, vendorLicense: number, from: number): readonly Episode[] {
  const { chance, int, pick } = random;
  const owned = [...site.features.keys()].filter((index) => site.features[index]?.vendorLicense === vendorLicense);
  const pulse = during(from, pick([30, 60, 90, TICKS]));
  if (owned.length === 0 || chance(0.5)) return [{ ...pulse, is: 'server down', vendorLicense }];
  const feature = pick(owned);
  const { maxAvailable = 1 } = site.features[feature] ?? {};
  return [
    pick<Episode>([
      // it has expired, or does soon
      { ...pulse, is: 'renewed', feature, expiration: from * 60 + int(-20, 20) * 60 },
      { ...pulse, is: 'renewed', feature, expiration: (from + 30) * 60 + pick([6, 20, 50]) * 86_400 },
      { ...pulse, is: 'queued', feature, queued: 2 },
      { ...pulse, is: 'in use', feature, inUse: maxAvailable },
    ]),
  ];
}

/** A trouble, and what is lost 5 to 40 minutes later. It comes back during the trouble, after it, or never. */
function lossOf(random: Random, site: Site): readonly Episode[] {
  const { chance, int, pick } = random;
  const vendorLicense = int(0, site.vendorLicenses.length - 1);
  const begun = int(3, TICKS - 60);
  const pulse = during(begun + int(5, 40), pick(lengths));
  const feature = int(0, site.features.length - 1);
  const lost: Episode = chance(0.4)
    ? { ...pulse, is: 'products empty' }
    : chance(0.6)
      ? { ...pulse, is: 'vendor license removed', vendorLicense }
      : { ...pulse, is: 'feature removed', feature };
  const owner = lost.is === 'feature removed' ? (site.features[feature]?.vendorLicense ?? 0) : vendorLicense;
  return [...troubleOf(random, site, owner, begun), lost];
}

/**
 * An alert ends while Prometheus sends it, because Alertmanager did not answer the exporter, and fires again while Prometheus still
 * sends its end.
 */
function takeoverOf({ int, pick }: Random, site: Site): readonly Episode[] {
  const vendorLicense = int(0, site.vendorLicenses.length - 1);
  const from = int(3, TICKS - 80);
  const length = int(10, 30);
  const again = from + length + pick([6, 10, 16, 22]);
  return [
    { ...during(from, length), is: 'server down', vendorLicense },
    { ...during(again, 30), is: 'server down', vendorLicense },
    { ...during(from + int(0, 8), int(4, length)), is: 'delivery fails', replica: int(0, site.replicas.length - 1) },
  ];
}

/** Most licenses of a feature go, at a time that is a day after the beginning of a long history. */
function dropOf({ int }: Random, { features }: Site): Episode {
  const feature = int(0, features.length - 1);
  const { maxAvailable = 0 } = features[feature] ?? {};
  return { ...during(int(118, 140), 30), is: 'capacity', feature, maxAvailable: Math.floor(maxAvailable / 4) };
}

/** One or two of these, and at times a drop. */
export const lossesOf = (random: Random, site: Site): readonly Episode[] => {
  const losses = Array.from({ length: random.int(1, 2) }, () =>
    random.chance(0.75) ? lossOf(random, site) : takeoverOf(random, site),
  ).flat();
  return random.chance(0.4) ? [...losses, dropOf(random, site)] : losses;
};
