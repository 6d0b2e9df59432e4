import { identityLabels, scopeLabels } from '../../../base/model/alert-labels.ts';
import { EXPORTER } from './promql.ts';

/**
 * The rules that relay what exporters say about alerts. The exporter evaluates the conditions, because it knows what is unknown;
 * these rules make one alert of what several exporters say, and keep it while none of them is there.
 */

/** A recording rule of Prometheus. */
export interface RecordingRule {
  readonly record: string;
  readonly expr: string;
}

/** Time without a scrape for which the last statement counts. */
const STATEMENT = '5m';
/** How long the memory bridges evaluations that were left out. */
const MEMORY = '1h';
/** An alert of an analyzer that has no exporter is kept for this long. */
const LONGEST = '1d';

/**
 * The shares of an analyzer of whose alerts its shards say this, by name. A target that has become another shard, or another
 * analyzer, does not count as the one that it was.
 */
const sharesOf = (metric: string, within: string): string => `sum by (analyzer, alertname) (
  max by (analyzer, shard, alertname) (
    ${metric} or last_over_time(${metric}[${within}]) unless on (job, instance) ${metric}
  )
)`;

/** The labels of an alert. @param labels of owners, and those of targets to keep */
const alertLabels = (labels: readonly string[]): string => [...identityLabels, ...scopeLabels, ...labels].join(', ');

/** @param labels of owners, and those of targets to keep */
export const relayRecords = (labels: readonly string[]): readonly RecordingRule[] => [
  {
    // of several exporters the highest counts: firing before over, over before unknown
    record: 'license:alert_said',
    expr: `max by (${alertLabels(labels)}) (last_over_time(license_alert_firing[${STATEMENT}]))`,
  },
  {
    // shares of different numbers of shards, while that is changed, are not all of it
    record: 'license:alert_complete',
    expr: `abs(1 - ${sharesOf('license_alerts_complete', STATEMENT)}) < 0.01`,
  },
  {
    // 1: it is said to fire. -1: it fired, and nobody knows better. 0: once at its end. The record is its own memory.
    // Where it is known that it does not fire, an exporter that has not seen its end does not count, unless only its owner is new
    record: 'license:alert_firing',
    expr: `license:alert_said > 0
or
(
  -abs(last_over_time(license:alert_firing[${MEMORY}]) != 0)
  or (license:alert_said < 0 unless on (analyzer, alertname) last_over_time(license:alert_complete[${LONGEST}]))
  or (license:alert_said < 0 and on (${['analyzer', ...identityLabels].join(', ')}) (last_over_time(license:alert_firing[${MEMORY}]) != 0))
)
unless license:alert_said == 0
unless on (analyzer, alertname) license:alert_complete
and on (analyzer) (${EXPORTER} or last_over_time(${EXPORTER}[${LONGEST}]) unless on (job, instance) ${EXPORTER})
or
0 * (last_over_time(license:alert_firing[${MEMORY}]) != 0)`,
  },
  {
    // with a look-back, or a lost scrape would send an alert twice; shorter than Alertmanager keeps one that is not sent again
    record: 'license:alert_delivered',
    expr: `${sharesOf('license_alerts_delivered', '3m')} > 0.99`,
  },
  {
    // unless the exporters deliver it themselves. What Prometheus has begun to send, it sends until it is over: Alertmanager has one
    // alert of both senders, and would take the end of one of them for its end
    record: 'license:alert_sent',
    expr: `license:alert_firing != 0 unless on (analyzer, alertname) license:alert_delivered
or
license:alert_firing != 0 and on (${alertLabels(labels)}) ALERTS{source="license-exporter", alertstate="firing"}`,
  },
];

/** The alert of Prometheus. */
export const relayExpression = (alert: string): string => `license:alert_sent{alertname="${alert}"}`;
