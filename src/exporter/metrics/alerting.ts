import type { MetricName } from './catalogue.ts';
import { createFamily, type Family } from './family.ts';
import type { SentCounts } from './own-state.ts';
import type { Expose } from './registry.ts';
import { buildLabeledRows, buildRows } from './rows.ts';

/** How alerts are evaluated and delivered, read at each scrape. Times are epoch seconds, durations seconds. */
export interface AlertingState {
  readonly rules: readonly {
    readonly name: string;
    readonly severity: string;
    readonly threshold: number | undefined;
  }[];
  readonly alerts: readonly { readonly labels: Readonly<Record<string, string>>; readonly state: string }[];
  /** Names of the alerts that are delivered. */
  readonly active: ReadonlySet<string>;
  /** What is said of the alerts; `undefined` before the first evaluation. */
  readonly statements:
    | {
        readonly evaluatedAt: number;
        readonly alerts: readonly {
          readonly labels: Readonly<Record<string, string>>;
          readonly value: number;
          readonly startedAt: number | undefined;
          /** What is known of it; empty without. */
          readonly facts: string;
        }[];
        readonly complete: ReadonlySet<string>;
      }
    | undefined;
  /** Names of the alerts about what is not configured. Nothing is said of them. */
  readonly notConfigured: ReadonlySet<string>;
  readonly deliveries: readonly {
    readonly url: string;
    readonly counts: SentCounts;
    queueLength(): number;
  }[];
  readonly queueCapacity: number;
  readonly lastEvaluation: { readonly at: number; readonly seconds: number } | undefined;
}

/** Which analyzer, or which share of it, the alerts are about. */
export interface AlertScope {
  readonly analyzer: string;
  /** Empty if it is all of the analyzer. */
  readonly shard: string;
  readonly shards: number;
}

/**
 * What the rules for Prometheus relay: each alert that fires or has ended, and of which alerts everything is said. Empty before the
 * first evaluation, except for what is always there.
 */
export function collectAlerts(
  { rules, active, statements, deliveries, notConfigured }: AlertingState,
  scope: AlertScope,
): readonly Family[] {
  const { analyzer, shard } = scope;
  const share = 1 / scope.shards;
  const names = [...new Set(rules.map(({ name }) => name))];
  const byName = buildLabeledRows(names.map((alertname) => withShard({ alertname, analyzer }, shard)));
  const compared = rules.filter(({ threshold }) => threshold !== undefined);
  const thresholds = buildRows(
    ['alertname', 'severity', 'analyzer'],
    compared.map(({ name, severity }) => [name, severity, analyzer]),
  );
  const alerts = statements?.alerts ?? [];
  const rows = buildLabeledRows(alerts.map(({ labels }) => labels));
  const known = alerts.filter(({ facts }) => facts !== '');
  // until its first delivery has ended, what an exporter said before its restart counts: Prometheus would send all alerts too
  const isTried = deliveries.some(({ counts }) => counts.lastSuccess !== undefined || counts.errors > 0);
  const isOf = (all: ReadonlySet<string> | undefined, row: number) => all?.has(names[row] ?? '') === true;
  return [
    createFamily('license_alert_firing', rows, (row) => alerts[row]?.value),
    createFamily('license_alert_started_timestamp_seconds', rows, (row) => alerts[row]?.startedAt),
    createFamily(
      'license_alert_facts',
      buildLabeledRows(known.map(({ labels, facts }) => ({ ...labels, facts }))),
      () => 1,
    ),
    createFamily('license_alerts_complete', byName, (row) =>
      isOf(notConfigured, row) ? undefined : isOf(statements?.complete, row) ? share : 0,
    ),
    createFamily('license_alerts_delivered', byName, (row) => (isOf(active, row) ? share : isTried ? 0 : undefined)),
    createFamily('license_alert_threshold', thresholds, (row) => compared[row]?.threshold),
    createFamily(
      'license_alerts_evaluated_timestamp_seconds',
      buildLabeledRows([withShard({ analyzer }, shard)]),
      () => statements?.evaluatedAt,
    ),
  ];
}

const withShard = (labels: Readonly<Record<string, string>>, shard: string): Readonly<Record<string, string>> =>
  shard === '' ? labels : { ...labels, shard };

/** Registers the metrics of the alert engine. They are read from its state at each scrape, and have no samples while it is off. */
export function exposeAlerting(expose: Expose, alerting: () => AlertingState | undefined): void {
  type Delivery = AlertingState['deliveries'][number];
  const ofSite = (name: MetricName, read: (state: AlertingState) => number | undefined): void =>
    expose(name, () => {
      const state = alerting();
      return [[{}, state && read(state)]];
    });
  const ofEach = (name: MetricName, read: (delivery: Delivery) => number | undefined): void =>
    expose(name, () =>
      (alerting()?.deliveries ?? []).map((delivery) => [{ alertmanager: delivery.url }, read(delivery)] as const),
    );
  expose('license_exporter_alerts', () => {
    const state = alerting();
    return ['pending', 'firing'].map((name) => [
      { state: name },
      state?.alerts.filter((alert) => alert.state === name).length,
    ]);
  });
  ofSite('license_exporter_alert_evaluation_duration_seconds', ({ lastEvaluation }) => lastEvaluation?.seconds);
  ofEach('license_exporter_notifications_sent_total', ({ counts }) => counts.sent);
  ofEach('license_exporter_notifications_errors_total', ({ counts }) => counts.errors);
  ofEach('license_exporter_notifications_dropped_total', ({ counts }) => counts.dropped);
  ofEach('license_exporter_notifications_queue_length', (delivery) => delivery.queueLength());
  ofSite('license_exporter_notifications_queue_capacity', ({ queueCapacity }) => queueCapacity);
  ofEach('license_exporter_notifications_last_success_timestamp_seconds', ({ counts }) => counts.lastSuccess);
}
