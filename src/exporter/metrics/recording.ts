import type { ArchiveHealth, RecordingHealth } from '../../base/model/observation/recording.ts';
import type { MetricName } from './catalogue.ts';
import type { Expose } from './registry.ts';

/** Failed attempts to save one file. */
export interface StateWrites {
  readonly file: string;
  errors(): number;
}

/** Whether the last attempt to use the archive succeeded; unknown before the first one. */
function isUp(archive: ArchiveHealth | undefined): number | undefined {
  if (archive === undefined) return undefined;
  if (archive.problem !== undefined) return 0;
  return archive.lastSuccessAt === undefined ? undefined : 1;
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
  show('license_history_archive_up', ({ archive }) => isUp(archive));
  show('license_history_archive_last_success_timestamp_seconds', ({ archive }) => archive?.lastSuccessAt);
  show('license_history_archive_waiting_days', ({ archive }) => archive?.waiting);
}

/** Requests that were denied for one cause, since the start. */
export interface DeniedRequests {
  /** With the labels of its metric. */
  readonly labels: Readonly<Record<string, string>>;
  readonly count: number;
}
