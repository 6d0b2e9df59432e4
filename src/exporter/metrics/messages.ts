import type { MetricName } from './catalogue.ts';
import type { Expose } from './registry.ts';

/** What one receiver has got. */
export interface SentCounts {
  readonly sent: number;
  readonly errors: number;
  readonly dropped: number;
  /** Epoch seconds. */
  readonly lastSuccess: number | undefined;
}

/** How messages reach one receiver, read at each scrape. */
export interface ReceiverState {
  readonly receiver: string;
  readonly waiting: number;
  readonly counts: SentCounts;
}

/** Registers the metrics of messages by e-mail and webhook. They have no samples without receivers. */
export function exposeMessages(expose: Expose, receivers: () => readonly ReceiverState[]): void {
  const show = (name: MetricName, read: (state: ReceiverState) => number | undefined): void =>
    expose(name, () => receivers().map((state) => [{ receiver: state.receiver }, read(state)]));
  show('license_exporter_messages_sent_total', ({ counts }) => counts.sent);
  show('license_exporter_messages_errors_total', ({ counts }) => counts.errors);
  show('license_exporter_messages_dropped_total', ({ counts }) => counts.dropped);
  show('license_exporter_messages_waiting', ({ waiting }) => waiting);
  show('license_exporter_messages_last_success_timestamp_seconds', ({ counts }) => counts.lastSuccess);
}
