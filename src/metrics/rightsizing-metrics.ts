import { metricsOf } from './metric.ts';
import { historyLabels } from './site-metrics.ts';

/** Metrics of the advice on the number of licenses. */
export const rightsizingMetrics = {
  ...metricsOf('rightsizing', historyLabels, {
    license_feature_needed:
      'Smallest number of licenses that was exceeded for at most rightsizing.tolerance hours a year, as of the last pass of right-sizing.',
    license_feature_runs_out_timestamp_seconds:
      'Unix time from which every fourth week is expected to have a moment with all licenses in use. No sample if growth is not proven, or if that is more than a year ahead.',
  }),
  ...metricsOf('rightsizing', [], {
    license_rightsizing_last_success_timestamp_seconds:
      'Unix time of the last pass of right-sizing that was finished. No sample before the first one.',
    license_rightsizing_duration_seconds: 'Duration of the last pass of right-sizing.',
  }),
} as const;
