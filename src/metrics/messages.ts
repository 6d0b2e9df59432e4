import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import type { MetricName } from './catalogue.ts';
import type { Configuration } from './registry.ts';

/** How messages reach one receiver, read at each scrape. */
export interface ReceiverState {
  readonly receiver: string;
  readonly waiting: number;
  readonly counts: {
    readonly sent: number;
    readonly errors: number;
    readonly dropped: number;
    /** Epoch seconds. */
    readonly lastSuccess: number | undefined;
  };
}

/** Registers the metrics of messages by e-mail and webhook. They have no samples without receivers. */
export function exposeMessages(configuration: Configuration, receivers: () => readonly ReceiverState[]): void {
  const gauge = (name: MetricName, read: (state: ReceiverState) => number): Gauge =>
    new Gauge({
      ...configuration(name),
      collect() {
        this.reset();
        for (const state of receivers()) this.set({ receiver: state.receiver }, read(state));
      },
    });
  const counter = (name: MetricName, count: 'sent' | 'errors' | 'dropped'): Counter =>
    new Counter({
      ...configuration(name),
      collect() {
        this.reset();
        for (const { receiver, counts } of receivers()) this.inc({ receiver }, counts[count]);
      },
    });
  counter('license_exporter_messages_sent_total', 'sent');
  counter('license_exporter_messages_errors_total', 'errors');
  counter('license_exporter_messages_dropped_total', 'dropped');
  gauge('license_exporter_messages_waiting', ({ waiting }) => waiting);
  gauge(
    'license_exporter_messages_last_success_timestamp_seconds',
    ({ counts: { lastSuccess } }) => lastSuccess ?? Number.NaN,
  );
}
