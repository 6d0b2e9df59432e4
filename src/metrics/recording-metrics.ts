import { metricsOf } from './metric.ts';
import { historyLabels } from './site-metrics.ts';

/** Metrics of the history that an analyzer in this process records, and of files that are saved again and again. */
export const recordingMetrics = {
  ...metricsOf('sources', [], {
    license_history_recording_start_timestamp_seconds: 'Unix time at which this process began to record the history.',
    license_history_last_sample_timestamp_seconds:
      'Unix time of the newest collection in the history. No sample before this process has recorded one.',
    license_history_sample_interval_seconds:
      'Seconds between two collections, of the source that is collected most often.',
    license_history_write_errors_total: 'Attempts to record the history that failed.',
    license_history_store_size_bytes: 'Size of the history store. No sample if it is in memory.',
    license_history_store_limit_bytes: 'Maximum size of the history store, embedded_analyzer.store_max_size.',
    license_history_free_bytes: 'Free space of the file system of the history store. No sample if it is in memory.',
  }),
  ...metricsOf('sources', [...historyLabels, 'cause'], {
    license_feature_denials_total:
      'Requests for licenses that sources of the embedded analyzer reported as denied since its start, by cause (all_in_use, expired, not_licensed, not_permitted, other; empty if it is not known). No sample for a feature without any.',
  }),
  ...metricsOf('default', ['file'], {
    license_exporter_state_write_errors_total:
      'Attempts to save a file in storage.path that failed: alerts, messages, and advice on the number of licenses.',
  }),
} as const;
