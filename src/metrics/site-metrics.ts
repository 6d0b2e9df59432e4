import { metricsOf } from './metric.ts';

/** The labels of history, which has no versions. */
export const historyLabels = ['vendor_license', 'feature', 'package', 'feature_type'] as const;

/** Metrics of the site and of the history of features. */
export const siteMetrics = {
  ...metricsOf('history', historyLabels, {
    license_feature_history_denials: 'Denials in the most recent period of GetHistory.',
    license_feature_history_elapsed_time:
      'Elapsed time in the most recent period of GetHistory, in the unit of the API.',
    license_feature_history_timestamp_seconds: 'Unix time of the most recent period of GetHistory.',
  }),
  ...metricsOf('default', [], {
    license_concurrent_users: 'Distinct users over all vendor licenses, from GetConcurrentUsers.',
  }),
} as const;
