/**
 * A history: what a site, its analyzer and the replicas of its exporter go through. It is plain data: a base, and episodes that
 * change it for some time. Any part of it can be left out, so that a failing history can be made smaller.
 */

/** Epoch seconds of a tick: a scrape and an evaluation. The clock of promtool begins at 0. */
export const timeOf = ({ step }: Pick<History, 'step'>, tick: number): number => tick * step * 60;

/** Ticks `from` to `to`, the last one excluded; of each `period` the first `on` ticks. */
export interface Pulse {
  readonly from: number;
  readonly to: number;
  readonly period: number;
  readonly on: number;
}

const isActive = ({ from, to, period, on }: Pulse, tick: number): boolean =>
  tick >= from && tick < to && (tick - from) % period < on;

/** The number of licenses that the analyzer reports for uncounted ones. */
export const UNCOUNTED = 99_999;

/** A feature at the beginning. `undefined` is a value that the analyzer does not know. */
export interface Feature {
  /** Index of its vendor license. */
  readonly vendorLicense: number;
  readonly feature: string;
  readonly version: string;
  readonly package: string;
  readonly featureType: string;
  /** Epoch seconds; `permanent` for a license without expiry. */
  readonly expiration: number | 'permanent';
  readonly maxAvailable: number;
  readonly inUse: number;
  readonly queued: number;
  /** When its licenses run out, epoch seconds; `undefined` if they do not. */
  readonly runsOut: number | undefined;
}

export const unknownable = ['expiration', 'maxAvailable', 'inUse', 'queued'] as const;
export type Unknownable = (typeof unknownable)[number];

export const partEndpoints = ['GetFeatures', 'GetExpirationFeatures'] as const;
export const endpoints = ['GetProducts', 'GetServerDown', ...partEndpoints, 'GetHistory'] as const;
export type Endpoint = (typeof endpoints)[number];

/** What an episode changes while it is active. `feature` and `vendorLicense` are indexes. */
type Change =
  | { readonly is: 'server down'; readonly vendorLicense: number }
  | { readonly is: 'not current'; readonly vendorLicense: number }
  | { readonly is: 'collection stopped'; readonly vendorLicense: number; readonly age: number }
  | { readonly is: 'collection unknown'; readonly vendorLicense: number }
  | { readonly is: 'vendor license removed'; readonly vendorLicense: number }
  | { readonly is: 'feature removed'; readonly feature: number }
  | { readonly is: 'renewed'; readonly feature: number; readonly expiration: number | 'permanent' }
  | {
      readonly is: 'new version';
      readonly feature: number;
      readonly version: string;
      readonly expiration: number | 'permanent';
      readonly maxAvailable: number;
    }
  | { readonly is: 'capacity'; readonly feature: number; readonly maxAvailable: number }
  | { readonly is: 'in use'; readonly feature: number; readonly inUse: number }
  | { readonly is: 'queued'; readonly feature: number; readonly queued: number }
  | { readonly is: 'denials'; readonly feature: number; readonly denials: number | undefined }
  /** The next pass computed another date. */
  | { readonly is: 'runs out'; readonly feature: number; readonly runsOut: number | undefined }
  /** Passes of right-sizing fail; the last good one is this old at the beginning, seconds. */
  | { readonly is: 'passes fail'; readonly age: number }
  /** There is no result of a pass. */
  | { readonly is: 'no pass' }
  | { readonly is: 'value unknown'; readonly feature: number; readonly field: Unknownable }
  | { readonly is: 'analyzer gone' }
  | { readonly is: 'logon rejected' }
  | { readonly is: 'endpoint fails'; readonly endpoint: Endpoint }
  | {
      readonly is: 'part fails';
      readonly endpoint: (typeof partEndpoints)[number];
      readonly vendorLicense: number;
    }
  | { readonly is: 'products empty' }
  | { readonly is: 'bad records'; readonly endpoint: Endpoint; readonly count: number }
  | { readonly is: 'source fails'; readonly source: number }
  | { readonly is: 'member down'; readonly source: number }
  /** The process hangs: it polls, evaluates and answers nothing, and continues afterwards. */
  | { readonly is: 'replica hangs'; readonly replica: number }
  /** The process ends, and begins again. */
  | { readonly is: 'replica restarts'; readonly replica: number; readonly keepsState: boolean }
  /** The clock of its host was set, and is `by` seconds ahead. */
  | { readonly is: 'clock set'; readonly replica: number; readonly by: number }
  | { readonly is: 'scrape lost'; readonly replica: number }
  /** Nothing is scraped. */
  | { readonly is: 'Prometheus away' }
  /** Alertmanager does not answer this replica. */
  | { readonly is: 'delivery fails'; readonly replica: number }
  /** Others act on the alerts of the first vendor license. */
  | { readonly is: 'owners changed' }
  /** Only this replica does not reach the analyzer. */
  | { readonly is: 'replica cut off'; readonly replica: number };

export type Episode = Pulse & Change;
export type EpisodeOf<Is extends Episode['is']> = Extract<Episode, { readonly is: Is }>;

/** A replica of the exporter: a target of Prometheus from its first to its last tick, the last one excluded. */
export interface Replica {
  readonly instance: string;
  readonly from: number;
  readonly to: number;
  /** Ticks after the start until there is data of the features: requests of a large site take long. */
  readonly slow: number;
  /** It begins with what this replica has saved. */
  readonly continues: number | undefined;
  /** Its share of the site. */
  readonly shard: { readonly index: number; readonly total: number };
  /** The analyzer has got another name. */
  readonly isRenamed: boolean;
  /** Labels of the target of Prometheus. A label of the page with the same name is displaced. */
  readonly targetLabels: Readonly<Record<string, string>>;
}

/** The label `shard` of a replica. */
export const shardOf = ({ shard }: Pick<Replica, 'shard'>): string => (shard.total === 1 ? '' : String(shard.index));

export interface Polling {
  /** Ticks between two polls. */
  readonly features: number;
  /** Ticks between two polls; 0 if the endpoint is off. */
  readonly expirations: number;
  readonly history: number;
  readonly isPerVendorLicense: boolean;
}

/** A source of the embedded analyzer. */
export interface SiteSource {
  readonly name: string;
  /** Indexes. */
  readonly vendorLicenses: readonly number[];
  readonly members: number;
}

export interface History {
  readonly seed: number;
  readonly ticks: number;
  /** Minutes between two ticks, less than 5. */
  readonly step: number;
  /** Whether the exporters send to Alertmanager. */
  readonly delivers: boolean;
  readonly vendorLicenses: readonly string[];
  readonly features: readonly Feature[];
  readonly sources: readonly SiteSource[];
  readonly replicas: readonly Replica[];
  readonly polling: Polling;
  readonly episodes: readonly Episode[];
}

/** The label `analyzer`: it keeps the histories of one run of promtool apart. */
export const analyzerOf = ({ seed }: Pick<History, 'seed'>, { isRenamed }: Pick<Replica, 'isRenamed'>): string =>
  `analyzer-${seed}${isRenamed ? '-renamed' : ''}`;

/** How far the clock of the host of a replica is ahead, seconds. */
export const aheadOf = (history: History, replica: number, tick: number): number =>
  activeEpisodes(history, 'clock set', tick)
    .filter((episode) => episode.replica === replica)
    .reduce((sum, { by }) => sum + by, 0);

/** The episodes of some kind that are active at a tick. */
export const activeEpisodes = <Is extends Episode['is']>(
  { episodes }: History,
  is: Is,
  tick: number,
): readonly EpisodeOf<Is>[] =>
  episodes.filter((episode): episode is EpisodeOf<Is> => episode.is === is && isActive(episode, tick));

/** A history in which nothing happens, with the parts that are given. */
export const createTimeline = (parts: Partial<History>): History => ({
  seed: 0,
  ticks: 180,
  step: 1,
  delivers: false,
  vendorLicenses: [],
  features: [],
  sources: [],
  replicas: [createReplica('a')],
  polling: { features: 1, expirations: 1, history: 0, isPerVendorLicense: false },
  episodes: [],
  ...parts,
});

/** The only replica from the beginning to the end, with the parts that are given. */
export const createReplica = (instance: string, parts: Partial<Replica> = {}): Replica => ({
  instance,
  from: 0,
  to: Number.POSITIVE_INFINITY,
  slow: 0,
  continues: undefined,
  shard: { index: 0, total: 1 },
  isRenamed: false,
  targetLabels: {},
  ...parts,
});
