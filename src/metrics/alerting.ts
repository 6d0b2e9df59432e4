import { Counter, Gauge } from 'prom-client';
import type { MetricName } from './catalogue.ts';
import type { Configuration } from './registry.ts';

/** How alerts are evaluated and delivered, read at each scrape. Times are epoch seconds, durations seconds. */
export interface AlertingState {
  readonly rules: readonly { readonly name: string }[];
  readonly alerts: readonly { readonly labels: Readonly<Record<string, string>>; readonly state: string }[];
  /** Names of the rules that Prometheus need not evaluate. */
  readonly active: ReadonlySet<string>;
  readonly deliveries: readonly {
    readonly url: string;
    readonly counts: {
      readonly sent: number;
      readonly errors: number;
      readonly dropped: number;
      readonly lastSuccess: number | undefined;
    };
    queueLength(): number;
  }[];
  readonly queueCapacity: number;
  readonly lastEvaluation: { readonly at: number; readonly seconds: number } | undefined;
}

/** Registers the metrics of the alert engine. They are read from its state at each scrape, and have no samples while it is off. */
export function exposeAlerting(configuration: Configuration, alerting: () => AlertingState | undefined): void {
  type Samples = Iterable<readonly [Readonly<Record<string, string>>, number | undefined]>;
  const gauge = (name: MetricName, read: (state: AlertingState) => Samples): Gauge =>
    new Gauge({
      ...configuration(name),
      collect() {
        this.reset();
        const state = alerting();
        // prom-client starts a metric without labels at 0, which would be wrong
        if (state === undefined) this.remove({});
        else for (const [labels, value] of read(state)) this.set(labels, value ?? Number.NaN);
      },
    });
  const counter = (name: MetricName, count: 'sent' | 'errors' | 'dropped'): Counter =>
    new Counter({
      ...configuration(name),
      collect() {
        this.reset();
        for (const { url, counts } of alerting()?.deliveries ?? []) this.inc({ alertmanager: url }, counts[count]);
      },
    });
  const alertNames = ({ rules }: AlertingState) => [...new Set(rules.map(({ name }) => name))];
  const toEach =
    (read: (delivery: AlertingState['deliveries'][number]) => number | undefined) => (state: AlertingState) =>
      state.deliveries.map((delivery) => [{ alertmanager: delivery.url }, read(delivery)] as const);

  gauge('license_exporter_alerting_active', (state) =>
    alertNames(state).map((alertname) => [{ alertname }, Number(state.active.has(alertname))]),
  );
  gauge('license_exporter_alerts', (state) => {
    const counts = new Map<string, number>();
    for (const { labels, state: is } of state.alerts) {
      const key = `${labels.alertname} ${is}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return alertNames(state).flatMap((alertname) =>
      ['pending', 'firing'].map((is) => [{ alertname, state: is }, counts.get(`${alertname} ${is}`) ?? 0] as const),
    );
  });
  gauge('license_exporter_alert_evaluation_duration_seconds', ({ lastEvaluation }) => [[{}, lastEvaluation?.seconds]]);
  gauge('license_exporter_alert_last_evaluation_timestamp_seconds', ({ lastEvaluation }) => [[{}, lastEvaluation?.at]]);
  counter('license_exporter_notifications_sent_total', 'sent');
  counter('license_exporter_notifications_errors_total', 'errors');
  counter('license_exporter_notifications_dropped_total', 'dropped');
  gauge(
    'license_exporter_notifications_queue_length',
    toEach((delivery) => delivery.queueLength()),
  );
  gauge('license_exporter_notifications_queue_capacity', ({ queueCapacity }) => [[{}, queueCapacity]]);
  gauge(
    'license_exporter_notifications_last_success_timestamp_seconds',
    toEach(({ counts }) => counts.lastSuccess),
  );
}
