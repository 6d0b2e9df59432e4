import type { Metric } from './metric.ts';

/** Metrics of the alert engine, and of messages by e-mail and webhook. */
export const alertingMetrics = {
  license_exporter_alerting_active: {
    type: 'gauge',
    labels: ['alertname'],
    group: 'alerting',
    help: 'Whether the last evaluation of the alert by this daemon had data, and its last delivery to an Alertmanager is younger than twice the resend delay.',
  },
  license_exporter_alerts: {
    type: 'gauge',
    labels: ['alertname', 'state'],
    group: 'alerting',
    help: 'Alerts of the embedded evaluator by name and state (pending, firing).',
  },
  license_exporter_alert_evaluation_duration_seconds: {
    type: 'gauge',
    labels: [],
    group: 'alerting',
    help: 'Duration of the last evaluation of the embedded alert rules.',
  },
  license_exporter_alert_last_evaluation_timestamp_seconds: {
    type: 'gauge',
    labels: [],
    group: 'alerting',
    help: 'Unix time of the last evaluation of the embedded alert rules.',
  },
  license_exporter_notifications_sent_total: {
    type: 'counter',
    labels: ['alertmanager'],
    group: 'alerting',
    help: 'Alerts delivered to the Alertmanager.',
  },
  license_exporter_notifications_errors_total: {
    type: 'counter',
    labels: ['alertmanager'],
    group: 'alerting',
    help: 'Alerts affected by failed deliveries to the Alertmanager; a failed heartbeat counts as one.',
  },
  license_exporter_notifications_dropped_total: {
    type: 'counter',
    labels: ['alertmanager'],
    group: 'alerting',
    help: 'Alerts dropped because the queue was full, the Alertmanager rejected them, or they waited too long.',
  },
  license_exporter_notifications_queue_length: {
    type: 'gauge',
    labels: ['alertmanager'],
    group: 'alerting',
    help: 'Alerts waiting for delivery.',
  },
  license_exporter_notifications_queue_capacity: {
    type: 'gauge',
    labels: [],
    group: 'alerting',
    help: 'Capacity of the delivery queue.',
  },
  license_exporter_notifications_last_success_timestamp_seconds: {
    type: 'gauge',
    labels: ['alertmanager'],
    group: 'alerting',
    help: 'Unix time of the last successful delivery, heartbeats included.',
  },
  license_exporter_messages_sent_total: {
    type: 'counter',
    labels: ['receiver'],
    group: 'messages',
    help: 'Messages about alerts that the receiver (email, webhook) has accepted.',
  },
  license_exporter_messages_errors_total: {
    type: 'counter',
    labels: ['receiver'],
    group: 'messages',
    help: 'Attempts to send a message to the receiver that failed, and addresses that refused one.',
  },
  license_exporter_messages_dropped_total: {
    type: 'counter',
    labels: ['receiver'],
    group: 'messages',
    help: 'Ends of alerts that could not be delivered to the receiver for a week.',
  },
  license_exporter_messages_waiting: {
    type: 'gauge',
    labels: ['receiver'],
    group: 'messages',
    help: 'Messages that are due and that the receiver has not accepted.',
  },
  license_exporter_messages_last_success_timestamp_seconds: {
    type: 'gauge',
    labels: ['receiver'],
    group: 'messages',
    help: 'Unix time at which the receiver last accepted a message.',
  },
} as const satisfies Readonly<Record<string, Metric>>;
