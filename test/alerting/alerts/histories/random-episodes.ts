import {
  type Episode,
  endpoints,
  type Feature,
  type History,
  type Pulse,
  partEndpoints,
  UNCOUNTED,
  unknownable,
} from './history.ts';
import type { Random } from './random.ts';

/** The features of random histories, and what happens to them. */

const DAY = 86_400;
/** Length of most histories. */
export const TICKS = 180;
const timeOf = (tick: number): number => tick * 60;

/** How long before the expiry something changes: the thresholds of the rules, seconds. */
const thresholds = [0, 7 * DAY, 30 * DAY, 60 * DAY, -14 * DAY];

/** An expiry that crosses a threshold within the history, one far from all of them, or no expiry. */
function expirationOf({ chance, int, pick }: Random): number | 'permanent' {
  if (chance(0.2)) return 'permanent';
  if (chance(0.2)) return pick([-20, -5, 3, 15, 45, 90, 365]) * DAY;
  return timeOf(int(5, TICKS - 20)) + pick(thresholds) + (chance(0.3) ? int(-59, 59) : 0);
}

/** The lead of LicenseRunsOut, and where the alert ends. */
const leads = [120 * DAY, 180 * DAY];

/** A date that crosses a threshold within the history, one far from them, or none. */
function runsOutOf({ chance, int, pick }: Random): number | undefined {
  if (chance(0.6)) return undefined;
  if (chance(0.5)) return pick([-1, 10, 100, 150, 200, 365]) * DAY;
  return timeOf(int(5, TICKS - 20)) + pick(leads) + (chance(0.3) ? int(-59, 59) : 0);
}

const ratios = [0, 0.3, 0.5, 0.6, 0.85, 0.89, 0.9, 0.91, 0.94, 0.95, 0.96, 1, 1.2];
const usageOf = ({ pick }: Random, maxAvailable: number): number => Math.round(pick(ratios) * maxAvailable);

/** A feature at the beginning. */
export function featureOf(random: Random, vendorLicenses: number, index: number): Feature {
  const { chance, int, pick } = random;
  const maxAvailable = chance(0.08) ? UNCOUNTED : pick([0, 1, 1, 2, 10, 20, 100, 100, 1000]);
  return {
    vendorLicense: int(0, vendorLicenses - 1),
    feature: `feature${index}`,
    version: `${index}.0`,
    package: chance(0.15) ? 'suite' : '',
    featureType: chance(0.15) ? 'component' : 'feature',
    expiration: expirationOf(random),
    maxAvailable,
    inUse: usageOf(random, maxAvailable),
    queued: chance(0.1) ? int(1, 3) : 0,
    runsOut: runsOutOf(random),
  };
}

/** A time of some minutes: often long enough for alerts to fire, at times without end, at times flapping. */
function pulseOf({ chance, int, pick }: Random): Pulse {
  const from = int(3, TICKS - 10);
  const length = chance(0.15) ? TICKS : pick([int(1, 6), int(5, 20), int(15, 60), int(60, 100)]);
  const to = Math.min(TICKS, from + length);
  if (!chance(0.3)) return { from, to, period: TICKS, on: TICKS };
  const period = int(2, 16);
  return { from, to, period, on: int(1, period - 1) };
}

const always: Pick<Pulse, 'to' | 'period' | 'on'> = { to: TICKS, period: TICKS, on: TICKS };

type Site = Pick<History, 'vendorLicenses' | 'features' | 'replicas' | 'sources'>;
type Create = (random: Random, site: Site) => Episode | undefined;

/** How each kind of episode is made, and how often it is chosen. */
export const kinds: readonly (readonly [weight: number, Create])[] = [
  [8, (random, site) => ({ ...pulseOf(random), is: 'server down', vendorLicense: vendorLicenseOf(random, site) })],
  [2, (random, site) => ({ ...pulseOf(random), is: 'not current', vendorLicense: vendorLicenseOf(random, site) })],
  [
    3,
    (random, site) => ({
      ...pulseOf(random),
      is: 'collection stopped',
      vendorLicense: vendorLicenseOf(random, site),
      age: random.pick([1800, 3000, 3540, 7200]),
    }),
  ],
  [
    1,
    (random, site) => ({ ...pulseOf(random), is: 'collection unknown', vendorLicense: vendorLicenseOf(random, site) }),
  ],
  [
    3,
    (random, site) => ({
      ...pulseOf(random),
      is: 'vendor license removed',
      vendorLicense: vendorLicenseOf(random, site),
    }),
  ],
  [3, (random, site) => ({ ...pulseOf(random), is: 'feature removed', feature: featureIndex(random, site) })],
  [
    3,
    (random, site) => ({
      ...always,
      from: random.int(10, TICKS - 10),
      is: 'renewed',
      feature: featureIndex(random, site),
      expiration: random.chance(0.7) ? 365 * DAY : expirationOf(random),
    }),
  ],
  [
    3,
    (random, site) => ({
      ...always,
      from: random.int(10, TICKS - 10),
      is: 'new version',
      feature: featureIndex(random, site),
      version: `2026.${random.int(1, 4)}`,
      expiration: random.chance(0.7) ? 365 * DAY : expirationOf(random),
      maxAvailable: random.pick([5, 10, 100]),
    }),
  ],
  [
    2,
    (random, site) => ({
      ...pulseOf(random),
      is: 'capacity',
      feature: featureIndex(random, site),
      maxAvailable: random.pick([0, 1, 2, 5, 9, 50, 99, 999]),
    }),
  ],
  [
    10,
    (random, site) => {
      const feature = featureIndex(random, site);
      const { maxAvailable = 0 } = site.features[feature] ?? {};
      return { ...pulseOf(random), is: 'in use', feature, inUse: usageOf(random, maxAvailable) };
    },
  ],
  [
    4,
    (random, site) => ({
      ...pulseOf(random),
      is: 'queued',
      feature: featureIndex(random, site),
      queued: random.int(0, 3),
    }),
  ],
  [
    3,
    (random, site) => ({
      ...pulseOf(random),
      is: 'denials',
      feature: featureIndex(random, site),
      denials: random.pick([undefined, 0, 2, 5]),
    }),
  ],
  [
    3,
    (random, site) => ({
      ...pulseOf(random),
      is: 'runs out',
      feature: featureIndex(random, site),
      runsOut: runsOutOf(random),
    }),
  ],
  [2, (random) => ({ ...pulseOf(random), is: 'passes fail', age: 2 * DAY - timeOf(random.int(-5, 90)) })],
  [2, (random) => ({ ...pulseOf(random), is: 'no pass' })],
  [
    5,
    (random, site) => ({
      ...pulseOf(random),
      is: 'value unknown',
      feature: featureIndex(random, site),
      field: random.pick(unknownable),
    }),
  ],
  [5, (random) => ({ ...pulseOf(random), is: 'analyzer gone' })],
  [3, (random) => ({ ...pulseOf(random), is: 'logon rejected' })],
  [5, (random) => ({ ...pulseOf(random), is: 'endpoint fails', endpoint: random.pick(endpoints) })],
  [
    5,
    (random, site) => ({
      ...pulseOf(random),
      is: 'part fails',
      endpoint: random.pick(partEndpoints),
      vendorLicense: vendorLicenseOf(random, site),
    }),
  ],
  [2, (random) => ({ ...pulseOf(random), is: 'products empty' })],
  [
    2,
    (random) => ({
      ...pulseOf(random),
      is: 'bad records',
      endpoint: random.pick(endpoints.slice(0, 4)),
      count: random.pick([1, 3, 50]),
    }),
  ],
  [3, (random, site) => ofSource(random, site, 'source fails')],
  [3, (random, site) => ofSource(random, site, 'member down')],
  [3, (random, site) => ({ ...pulseOf(random), is: 'replica hangs', replica: replicaIndex(random, site) })],
  [7, (random, site) => restartOf(random, site)],
  [5, (random, site) => ({ ...pulseOf(random), is: 'replica cut off', replica: replicaIndex(random, site) })],
  [10, (random, site) => ({ ...lostScrapes(random), is: 'scrape lost', replica: replicaIndex(random, site) })],
  [2, (random) => ({ ...once(random.int(5, TICKS), random.pick([2, 4, 7, 20, 70])), is: 'Prometheus away' })],
  [5, (random) => ({ ...pulseOf(random), is: 'owners changed' })],
  [5, (random, site) => ({ ...pulseOf(random), is: 'delivery fails', replica: replicaIndex(random, site) })],
  [
    2,
    (random, site) => ({
      ...always,
      from: random.int(5, TICKS),
      is: 'clock set',
      replica: replicaIndex(random, site),
      by: random.pick([-7200, -600, -90, 90, 600, 7200]),
    }),
  ],
];

const vendorLicenseOf = ({ int }: Random, { vendorLicenses }: Site): number => int(0, vendorLicenses.length - 1);
const featureIndex = ({ int }: Random, { features }: Site): number => int(0, features.length - 1);
const replicaIndex = ({ int }: Random, { replicas }: Site): number => int(0, replicas.length - 1);

const ofSource = (random: Random, { sources }: Site, is: 'source fails' | 'member down'): Episode | undefined =>
  sources.length === 0 ? undefined : { ...pulseOf(random), is, source: random.int(0, sources.length - 1) };

/** Lost scrapes in every pattern, a few of them longer than the last page counts. */
function lostScrapes({ chance, int, pick }: Random): Pulse {
  const period = pick([2, 2, 3, 7, 10, 12, 30]);
  const from = int(0, TICKS - 20);
  return { from, to: chance(0.5) ? TICKS : from + 30, period, on: chance(0.5) ? 1 : int(1, period - 1) };
}

const once = (from: number, minutes: number): Pulse => ({ ...always, from, to: Math.min(TICKS, from + minutes) });

/** A restart takes a moment, or as long as a repair. */
function restartOf(random: Random, site: Site): Episode {
  const from = random.int(5, TICKS - 5);
  const to = Math.min(TICKS, from + random.pick([1, 1, 2, 4, 8, 20, 70]));
  return {
    from,
    to,
    period: TICKS,
    on: TICKS,
    is: 'replica restarts',
    replica: replicaIndex(random, site),
    keepsState: random.chance(0.6),
  };
}
