import Gauge from 'prom-client/lib/gauge.js';
import type { Configuration } from './registry.ts';

/** Who is monitored, and by whom. */
export interface Identity {
  /** The label `analyzer` of alerts. */
  readonly analyzer: string;
  /** The shard that is monitored; empty with a single shard. */
  readonly shard: string;
  /** The URL of this daemon for users. */
  readonly externalUrl: string;
}

/** Registers the metric that rules for Prometheus get the labels of their alerts from. It is read at each scrape. */
export function exposeIdentity(configuration: Configuration, identity: () => Identity): void {
  new Gauge({
    ...configuration('license_exporter_analyzer_info'),
    collect() {
      this.reset();
      const { analyzer, shard, externalUrl } = identity();
      this.set({ analyzer, shard, external_url: externalUrl }, 1);
    },
  });
}
