import { prometheusAlert } from '../../definition.ts';

/** The exporter says nothing to the rules for Prometheus, because it is older than they are, or does not evaluate. */
export const exporterSilent = prometheusAlert({
  subject: 'analyzer',
  messages: 'fault',
  severity: 'critical',
  needs: 'a process that is not the exporter',
  for: '10m',
  keepFiringFor: '0s',
  parameters: {},
  // a page without statements, or with old ones: no other rule could fire for it. A lost scrape does not begin its time again
  expr: () => `max by (job, instance) (
  last_over_time(license_exporter_build_info[5m])
  unless on (job, instance) last_over_time(license_alerts_evaluated_timestamp_seconds[5m])
)
or
max by (job, instance) (
  last_over_time(license_exporter_time_seconds[5m])
  - on (job, instance) group_right () last_over_time(license_alerts_evaluated_timestamp_seconds[5m])
  > 300
)`,
  texts: {
    summary: () => 'License exporter {{ $labels.instance }} gives Prometheus no current state of alerts.',
    impact: 'Prometheus sends no new alerts about licenses.',
    step: 'Update the exporter if it is older than these rules. Otherwise check metrics.collectors.alerts, and read its log.',
  },
});
