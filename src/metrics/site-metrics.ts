import type { Metric } from './metric.ts';

/** The labels of history, which has no versions. */
export const historyLabels = ['vendor_license', 'feature', 'package', 'feature_type'] as const;

/** Metrics of the site and of the history of features. */
export const siteMetrics = {
  license_feature_history_denials: {
    type: 'gauge',
    labels: historyLabels,
    group: 'history',
    help: 'Denials in the most recent period of GetHistory.',
  },
  license_feature_history_elapsed_time: {
    type: 'gauge',
    labels: historyLabels,
    group: 'history',
    help: 'Elapsed time in the most recent period of GetHistory, in the unit of the API.',
  },
  license_feature_history_timestamp_seconds: {
    type: 'gauge',
    labels: historyLabels,
    group: 'history',
    help: 'Unix time of the most recent period of GetHistory.',
  },
  license_concurrent_users: {
    type: 'gauge',
    labels: [],
    group: 'default',
    help: 'Distinct users over all vendor licenses, from GetConcurrentUsers.',
  },
} as const satisfies Readonly<Record<string, Metric>>;
