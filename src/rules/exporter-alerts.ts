import { type PlainAlert, type RuleOptions, settingsOf } from './alert.ts';
import { EXPLAINED } from './analyzer-alerts.ts';
import { durationOf, ofExporters, quote, SITE } from './promql.ts';
import { ANALYZER_TEXT } from './texts.ts';

/** Alerts about the exporter, and about Prometheus itself. The exporter cannot evaluate them. */

function exporterAbsent(options: RuleOptions): PlainAlert {
  const within = durationOf(Number(settingsOf(options, 'LicenseExporterAbsent').base.within));
  const seen = `last_over_time(license:exporter:info[${within}])`;
  return {
    alert: 'LicenseExporterAbsent',
    severity: 'critical',
    // not if its target exists but is down, nor if the exporter now serves another analyzer
    selection: () => `(
  max by (${SITE}) (${seen})
  unless on (${SITE}) license:exporter:info
  unless on (${SITE}) (${seen} and on (job, instance) (up == 0 or license:exporter:info))
)
or absent(up{job=${quote(options.job)}})`,
    summary: `There is no license exporter{{ if $labels.analyzer }} of ${ANALYZER_TEXT}{{ end }}.`,
    description:
      'Prometheus has no target that serves its metrics, so there are no license alerts. Check the service discovery and the scrape configuration. If the exporter was removed on purpose, the alert about an analyzer resolves after a day.',
  };
}

const pollStale: PlainAlert = {
  alert: 'LicensePollStale',
  severity: 'warning',
  // by the clock of the exporter; another alert explains an endpoint whose last poll failed
  selection: () => `${ofExporters(
    'min',
    `${SITE}, endpoint`,
    `(
    (license_exporter_time_seconds - on (job, instance) group_right () license_poll_last_success_timestamp_seconds)
    > on (job, instance, endpoint) (3 * license_poll_interval_seconds)
  )`,
  )}
unless on (${SITE}) ${EXPLAINED}
unless on (${SITE}, endpoint) license:condition{alertname="LicensePollPartial"}`,
  summary: `Endpoint {{ $labels.endpoint }} of ${ANALYZER_TEXT} {{ if gt $value 1e9 }}has never been polled successfully{{ else }}was last polled successfully {{ $value | humanizeDuration }} ago{{ end }}.`,
  description:
    'Its polls do not start, or do not end. Data older than poll.max_data_age is no longer exported. The log of the exporter has the reason.',
};

export const exporterAlerts = (options: RuleOptions): readonly PlainAlert[] => [
  {
    alert: 'LicenseExporterDown',
    severity: 'critical',
    selection: () => `up{job=${quote(options.job)}} == 0`,
    summary: 'License exporter {{ $labels.instance }} cannot be scraped.',
    description:
      'There is no license data from it. Alerts that fire are kept for an hour. Check the process and its log.',
  },
  exporterAbsent(options),
  pollStale,
  {
    alert: 'LicenseAlertDeliveryFailing',
    severity: 'critical',
    selection: () => `rate(license_exporter_notifications_errors_total[5m]) > 0
or rate(license_exporter_notifications_dropped_total[5m]) > 0`,
    summary: 'License exporter {{ $labels.instance }} cannot deliver alerts to {{ $labels.alertmanager }}.',
    description:
      'The rules of Prometheus take over while no Alertmanager accepts its alerts. Check that Alertmanager. Run "license-exporter test-alert" to see its answer.',
  },
  {
    alert: 'LicenseExporterSeriesLimit',
    severity: 'warning',
    selection: () => 'license_exporter_series_limit_exceeded == 1',
    summary: 'License exporter {{ $labels.instance }} withholds series.',
    description: 'The number of series has reached metrics.max_series. Raise the limit, select less, or use shards.',
  },
  {
    alert: 'LicenseExporterConfigReloadFailed',
    severity: 'warning',
    selection: () => 'license_exporter_config_last_reload_successful == 0',
    summary: 'License exporter {{ $labels.instance }} runs with an old configuration.',
    description:
      'The last reload was refused. Run "license-exporter check-config FILE" to see what is wrong. Correct the configuration and reload it.',
  },
  {
    alert: 'LicenseExporterShardMismatch',
    severity: 'warning',
    selection: () => `${ofExporters('max', 'analyzer', 'license_exporter_shards')}
!= count by (analyzer) (count by (${SITE}) (license:exporter:info))`,
    summary: 'The analyzer {{ $labels.analyzer }} does not have the {{ $value }} shards that are configured.',
    description:
      'A shard is missing, or shard.total differs between shards. Some vendor licenses may not be monitored. Compare shard.index and shard.total of all shards.',
  },
  {
    alert: 'LicenseWatchdog',
    severity: 'none',
    selection: () => 'vector(1)',
    summary: 'Prometheus evaluates the license rules and reaches Alertmanager.',
    description:
      "This alert always fires. Send it to a dead man's switch, which reports when it stops: then alerts no longer arrive.",
  },
];
