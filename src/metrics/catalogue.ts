import { alertingMetrics } from './alerting-metrics.ts';
import { exporterMetrics } from './exporter-metrics.ts';
import { fieldMetrics } from './field-metrics.ts';
import { infoMetrics } from './info-metrics.ts';
import { pollMetrics } from './poll-metrics.ts';
import { recordingMetrics } from './recording-metrics.ts';
import { rightsizingMetrics } from './rightsizing-metrics.ts';
import { siteMetrics } from './site-metrics.ts';
import { sourceMetrics } from './source-metrics.ts';

/** Every metric of the exporter. Code, tests and the documentation are compared with it. */
export const catalogue = {
  ...infoMetrics,
  ...fieldMetrics,
  ...siteMetrics,
  ...rightsizingMetrics,
  ...pollMetrics,
  ...exporterMetrics,
  ...alertingMetrics,
  ...sourceMetrics,
  ...recordingMetrics,
};

export type MetricName = keyof typeof catalogue;
