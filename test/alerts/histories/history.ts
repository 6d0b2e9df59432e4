/**
 * A history: what a site, its analyzer and the replicas of its exporter go through. It is plain data: a base, and episodes that
 * change it for some minutes. Any part of it can be left out, so that a failing history can be made smaller.
 */

/** Length of a history. There is one scrape and one evaluation a minute. */
export const MINUTES = 180;

/** Epoch seconds of the evaluation in a minute. The clock of promtool begins at 0. */
export const timeOf = (minute: number): number => minute * 60;

/** Minutes `from` to `to`, the last one excluded; of each `period` the first `on` minutes. */
export interface Pulse {
  readonly from: number;
  readonly to: number;
  readonly period: number;
  readonly on: number;
}

const isActive = ({ from, to, period, on }: Pulse, minute: number): boolean =>
  minute >= from && minute < to && (minute - from) % period < on;

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
  /** The process ends, and begins again with its saved alerts. */
  | { readonly is: 'replica restarts'; readonly replica: number }
  /** Only this replica does not reach the analyzer. */
  | { readonly is: 'replica cut off'; readonly replica: number };

export type Episode = Pulse & Change;
export type EpisodeOf<Is extends Episode['is']> = Extract<Episode, { readonly is: Is }>;

/** A replica of the exporter: a target of Prometheus from its first to its last minute, the last one excluded. */
export interface Replica {
  readonly instance: string;
  readonly from: number;
  readonly to: number;
  /** Minutes after the start until there is data of the features: requests of a large site take long. */
  readonly slow: number;
}

export interface Polling {
  /** Minutes between two polls. */
  readonly features: number;
  /** Minutes between two polls; 0 if the endpoint is off. */
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
  readonly vendorLicenses: readonly string[];
  readonly features: readonly Feature[];
  readonly sources: readonly SiteSource[];
  readonly replicas: readonly Replica[];
  readonly polling: Polling;
  readonly episodes: readonly Episode[];
}

/** The label `analyzer`: it keeps the histories of one run of promtool apart. */
export const analyzerOf = ({ seed }: Pick<History, 'seed'>): string => `analyzer-${seed}`;

/** The episodes of some kind that are active in a minute. */
export const activeEpisodes = <Is extends Episode['is']>(
  { episodes }: History,
  is: Is,
  minute: number,
): readonly EpisodeOf<Is>[] =>
  episodes.filter((episode): episode is EpisodeOf<Is> => episode.is === is && isActive(episode, minute));
