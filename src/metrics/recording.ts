import type { RecordingHealth } from '../model/observation/recording.ts';
import type { MetricName } from './catalogue.ts';
import type { Expose } from './registry.ts';

/** Failed attempts to save one file. */
export interface StateWrites {
  readonly file: string;
  errors(): number;
}

/** Registers the metrics of the history. They have no samples without an analyzer in this process. */
export function exposeRecording(expose: Expose, recording: () => RecordingHealth | undefined): void {
  const show = (name: MetricName, read: (health: RecordingHealth) => number | undefined): void =>
    expose(name, () => {
      const health = recording();
      const value = health && read(health);
      // a store without a limit has none to show
      return [[{}, Number.isFinite(value) ? value : undefined]];
    });
  show('license_history_recording_start_timestamp_seconds', ({ since }) => since);
  show('license_history_last_sample_timestamp_seconds', ({ lastRecordedAt }) => lastRecordedAt);
  show('license_history_sample_interval_seconds', ({ interval }) => interval);
  show('license_history_store_size_bytes', ({ size }) => size);
  show('license_history_store_limit_bytes', ({ maxSize }) => maxSize);
  show('license_history_free_bytes', ({ free }) => free);
  show('license_history_write_errors_total', ({ errors }) => errors);
}

/** Requests that were denied for one cause, since the start. */
export interface DeniedRequests {
  /** With the labels of its metric. */
  readonly labels: Readonly<Record<string, string>>;
  readonly count: number;
}
