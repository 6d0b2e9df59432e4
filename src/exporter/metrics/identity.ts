import type { Expose } from './registry.ts';

/** Who is monitored, and by whom. */
export interface Identity {
  /** The label `analyzer` of alerts. */
  readonly analyzer: string;
  /** The shard that is monitored; empty with a single shard. */
  readonly shard: string;
  /** The URL of this daemon for users. */
  readonly externalUrl: string;
}

/** Registers the metric that rules for Prometheus get the labels of their alerts from. */
export function exposeIdentity(expose: Expose, identity: () => Identity): void {
  expose('license_exporter_analyzer_info', () => {
    const { analyzer, shard, externalUrl } = identity();
    return [[{ analyzer, shard, external_url: externalUrl }, 1]];
  });
}
