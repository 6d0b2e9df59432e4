import type { Metric } from './metric.ts';
import { historyLabels } from './site-metrics.ts';

/** Metrics of the advice on the number of licenses. */
export const rightsizingMetrics = {
  license_feature_needed: {
    type: 'gauge',
    labels: historyLabels,
    group: 'rightsizing',
    help: 'Smallest number of licenses that was exceeded for at most rightsizing.tolerance hours a year, as of the last pass of right-sizing.',
  },
  license_feature_runs_out_timestamp_seconds: {
    type: 'gauge',
    labels: historyLabels,
    group: 'rightsizing',
    help: 'Unix time from which every fourth week is expected to have a moment with all licenses in use. No sample if growth is not proven, or if that is more than a year ahead.',
  },
  license_rightsizing_last_success_timestamp_seconds: {
    type: 'gauge',
    labels: [],
    group: 'rightsizing',
    help: 'Unix time of the last pass of right-sizing that was finished. No sample before the first one.',
  },
  license_rightsizing_duration_seconds: {
    type: 'gauge',
    labels: [],
    group: 'rightsizing',
    help: 'Duration of the last pass of right-sizing.',
  },
} as const satisfies Readonly<Record<string, Metric>>;
