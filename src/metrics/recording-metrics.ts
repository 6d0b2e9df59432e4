import type { Metric } from './metric.ts';
import { historyLabels } from './site-metrics.ts';

/** Metrics of the history that an analyzer in this process records, and of files that are saved again and again. */
export const recordingMetrics = {
  license_history_recording_start_timestamp_seconds: {
    type: 'gauge',
    labels: [],
    group: 'sources',
    help: 'Unix time at which this process began to record the history.',
  },
  license_history_last_sample_timestamp_seconds: {
    type: 'gauge',
    labels: [],
    group: 'sources',
    help: 'Unix time of the newest collection in the history. No sample before this process has recorded one.',
  },
  license_history_sample_interval_seconds: {
    type: 'gauge',
    labels: [],
    group: 'sources',
    help: 'Seconds between two collections, of the source that is collected most often.',
  },
  license_history_write_errors_total: {
    type: 'counter',
    labels: [],
    group: 'sources',
    help: 'Attempts to record the history that failed.',
  },
  license_history_store_size_bytes: {
    type: 'gauge',
    labels: [],
    group: 'sources',
    help: 'Size of the history store. No sample if it is in memory.',
  },
  license_history_store_limit_bytes: {
    type: 'gauge',
    labels: [],
    group: 'sources',
    help: 'Maximum size of the history store, embedded_analyzer.store_max_size.',
  },
  license_history_free_bytes: {
    type: 'gauge',
    labels: [],
    group: 'sources',
    help: 'Free space of the file system of the history store. No sample if it is in memory.',
  },
  license_feature_denials_total: {
    type: 'counter',
    labels: [...historyLabels, 'cause'],
    group: 'sources',
    help: 'Requests for licenses that sources of the embedded analyzer reported as denied since its start, by cause (all_in_use, expired, not_licensed, not_permitted, other; empty if it is not known). No sample for a feature without any.',
  },
  license_exporter_state_write_errors_total: {
    type: 'counter',
    labels: ['file'],
    group: 'default',
    help: 'Attempts to save a file in storage.path that failed: alerts, messages, and advice on the number of licenses.',
  },
} as const satisfies Readonly<Record<string, Metric>>;
