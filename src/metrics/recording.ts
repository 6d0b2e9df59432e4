import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import type { RecordingHealth } from '../model/observation/recording.ts';
import type { MetricName } from './catalogue.ts';
import type { Configuration } from './registry.ts';

/** Failed attempts to save one file. */
export interface StateWrites {
  readonly file: string;
  errors(): number;
}

/** Registers the metrics of the history. They have no samples without an analyzer in this process. */
export function exposeRecording(configuration: Configuration, recording: () => RecordingHealth | undefined): void {
  const gauge = (name: MetricName, read: (health: RecordingHealth) => number | undefined): Gauge =>
    new Gauge({
      ...configuration(name),
      collect() {
        const health = recording();
        const value = health && read(health);
        // prom-client starts a metric without labels at 0, which would be wrong
        if (value === undefined || !Number.isFinite(value)) this.remove({});
        else this.set(value);
      },
    });
  gauge('license_history_recording_start_timestamp_seconds', ({ since }) => since);
  gauge('license_history_last_sample_timestamp_seconds', ({ lastRecordedAt }) => lastRecordedAt);
  gauge('license_history_sample_interval_seconds', ({ interval }) => interval);
  gauge('license_history_store_size_bytes', ({ size }) => size);
  gauge('license_history_store_limit_bytes', ({ maxSize }) => maxSize);
  gauge('license_history_free_bytes', ({ free }) => free);
  new Counter({
    ...configuration('license_history_write_errors_total'),
    collect() {
      const health = recording();
      this.reset();
      if (health === undefined) this.remove({});
      else this.inc(health.errors);
    },
  });
}

/** Requests that were denied for one cause, since the start. */
export interface DeniedRequests {
  /** With the labels of its metric. */
  readonly labels: Readonly<Record<string, string>>;
  readonly count: number;
}

/** Registers the count of denials. It has no samples without an analyzer in this process. */
export function exposeDenials(configuration: Configuration, denials: () => Iterable<DeniedRequests>): void {
  new Counter({
    ...configuration('license_feature_denials_total'),
    collect() {
      this.reset();
      for (const { labels, count } of denials()) this.inc(labels, count);
    },
  });
}

/** Registers the count of failed attempts to save a file. */
export function exposeStateWrites(configuration: Configuration, writes: () => readonly StateWrites[]): void {
  new Counter({
    ...configuration('license_exporter_state_write_errors_total'),
    collect() {
      this.reset();
      for (const { file, errors } of writes()) this.inc({ file }, errors());
    },
  });
}
