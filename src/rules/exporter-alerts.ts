import { durationOf, type OwnAlert, type RuleOptions, settingsOf } from './alert.ts';

/** Alerts about the exporter, and about Prometheus itself. The exporter cannot evaluate them. */

const INFO = 'license_exporter_analyzer_info';

/** Which analyzer, as a template. */
const ANALYZER =
  'analyzer{{ if $labels.analyzer }} {{ $labels.analyzer }}{{ end }}{{ if $labels.shard }} (shard {{ $labels.shard }}){{ end }}';

/** A string literal of PromQL. */
const quote = (text: string): string => JSON.stringify(text);

function exporterAbsent(options: RuleOptions): OwnAlert {
  const seen = `last_over_time(${INFO}[${durationOf(settingsOf(options, 'LicenseExporterAbsent').within ?? 0)}])`;
  return {
    alert: 'LicenseExporterAbsent',
    severity: 'critical',
    // not if its target exists but is down, nor if the exporter now serves another analyzer
    expr: `(
  max by (analyzer, shard) (${seen})
  unless on (analyzer, shard) ${INFO}
  unless on (analyzer, shard) (${seen} and on (job, instance) (up == 0 or ${INFO}))
)
or (absent(up{job=${quote(options.job)}}) unless on (job) ${seen})`,
    summary: `There is no license exporter{{ if $labels.analyzer }} of ${ANALYZER}{{ end }}.`,
    description:
      'Prometheus has no target that serves its metrics, so there are no new license alerts. Check the service discovery and the scrape configuration. If the exporter was removed on purpose, the alert about an analyzer resolves after a day.',
  };
}

const pollStale: OwnAlert = {
  alert: 'LicensePollStale',
  severity: 'warning',
  // by the clock of the exporter. Other alerts explain an endpoint whose polls fail, and a logon that is rejected
  expr: `min by (analyzer, shard, endpoint) (
  (
    (license_exporter_time_seconds - on (job, instance) group_right () license_poll_last_success_timestamp_seconds)
    > on (job, instance, endpoint) (3 * license_poll_interval_seconds)
    unless on (job, instance, endpoint) (
      license_poll_success == 0
      and on (job, instance, endpoint)
      (license_exporter_time_seconds - on (job, instance) group_right () license_poll_last_attempt_timestamp_seconds)
      <= on (job, instance, endpoint) (3 * license_poll_interval_seconds)
    )
    unless on (job, instance) license_upstream_authenticated == 0
  )
  * on (job, instance) group_left (analyzer, shard) ${INFO}
)`,
  summary: `Endpoint {{ $labels.endpoint }} of ${ANALYZER} {{ if gt $value 1e9 }}has never been polled successfully{{ else }}was last polled successfully {{ $value | humanizeDuration }} ago{{ end }}.`,
  description:
    'Its polls do not start, or do not end. Data older than poll.max_data_age is no longer exported. The log of the exporter has the reason.',
};

/** All of them, with the settings of the configuration. */
export const exporterAlerts = (options: RuleOptions): readonly OwnAlert[] => [
  {
    alert: 'LicenseExporterDown',
    severity: 'critical',
    expr: `up{job=${quote(options.job)}} == 0`,
    summary: 'License exporter {{ $labels.instance }} cannot be scraped.',
    description:
      'There is no license data from it. Alerts that fire are kept, for a day at most. Check the process and its log.',
  },
  exporterAbsent(options),
  {
    alert: 'LicenseExporterSilent',
    severity: 'critical',
    // a page without statements, or with old ones: no other rule could fire for it. A lost scrape does not begin its time again
    expr: `max by (job, instance) (
  last_over_time(license_exporter_build_info[5m])
  unless on (job, instance) last_over_time(license_alerts_evaluated_timestamp_seconds[5m])
)
or
max by (job, instance) (
  last_over_time(license_exporter_time_seconds[5m])
  - on (job, instance) group_right () last_over_time(license_alerts_evaluated_timestamp_seconds[5m])
  > 300
)`,
    summary: 'License exporter {{ $labels.instance }} says nothing about alerts.',
    description:
      'These rules relay what the exporter finds. It is older than they are, has metrics.collectors.alerts switched off, or does not evaluate its alerts. Update it, or look into its log.',
  },
  pollStale,
  {
    alert: 'LicenseAlertDeliveryFailing',
    severity: 'critical',
    expr: `rate(license_exporter_notifications_errors_total[5m]) > 0
or rate(license_exporter_notifications_dropped_total[5m]) > 0`,
    summary: 'License exporter {{ $labels.instance }} cannot deliver alerts to {{ $labels.alertmanager }}.',
    description:
      'The rules of Prometheus take over while no Alertmanager accepts its alerts. Check that Alertmanager. Run "license-exporter test-alert" to see its answer.',
  },
  {
    alert: 'LicenseExporterShardMismatch',
    severity: 'warning',
    expr: `max by (analyzer) (license_exporter_shards * on (job, instance) group_left (analyzer) ${INFO})
!= count by (analyzer) (count by (analyzer, shard) (${INFO}))`,
    summary: 'The analyzer {{ $labels.analyzer }} does not have the {{ $value }} shards that are configured.',
    description:
      'A shard is missing, or shard.total differs between shards. Some vendor licenses may not be monitored. Compare shard.index and shard.total of all shards.',
  },
  {
    alert: 'LicenseWatchdog',
    severity: 'none',
    expr: 'vector(1)',
    summary: 'Prometheus evaluates the license rules and reaches Alertmanager.',
    description:
      "This alert always fires. Send it to a dead man's switch, which reports when it stops: then alerts no longer arrive.",
  },
];
