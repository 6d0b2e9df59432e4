import { identityLabels, scopeLabels } from '../model/alert-labels.ts';
import type { Metric } from './metric.ts';

/** What identifies an alert. Its owner and the other labels of the setting `owners` are added. */
const alertLabels = [...identityLabels, ...scopeLabels, 'owner'] as const;

/** Metrics of the alert engine, and of messages by e-mail and webhook. */
export const alertingMetrics = {
  license_alert_firing: {
    type: 'gauge',
    labels: alertLabels,
    group: 'alerts',
    help: 'What the alert engine says of an alert: 1 it fires, -1 it fired and its condition is not known now, 0 it is over (for an hour). With the labels of its owner.',
  },
  license_alert_started_timestamp_seconds: {
    type: 'gauge',
    labels: alertLabels,
    group: 'alerts',
    help: 'Unix time at which an alert began to fire.',
  },
  license_alerts_complete: {
    type: 'gauge',
    labels: ['alertname', 'analyzer', 'shard'],
    group: 'alerts',
    help: 'The share of the analyzer of which license_alert_firing has every alert of this name that fires: 1 divided by the number of shards, or 0 while data is missing.',
  },
  license_alerts_delivered: {
    type: 'gauge',
    labels: ['alertname', 'analyzer', 'shard'],
    group: 'alerts',
    help: 'The share of the analyzer whose alerts of this name the exporter delivers itself: 1 divided by the number of shards if the last delivery to an Alertmanager is younger than twice the resend delay, else 0. No sample until the first delivery has ended. Prometheus is silent about them.',
  },
  license_alert_threshold: {
    type: 'gauge',
    labels: ['alertname', 'severity', 'analyzer'],
    group: 'alerts',
    help: 'What the alert compares with, unless an override sets another value for a vendor license or a feature. In the unit of its setting, durations in seconds.',
  },
  license_alerts_evaluated_timestamp_seconds: {
    type: 'gauge',
    labels: ['analyzer', 'shard'],
    group: 'alerts',
    help: 'Unix time of the last evaluation of the alerts.',
  },
  license_exporter_alerts: {
    type: 'gauge',
    labels: ['state'],
    group: 'alerting',
    help: 'Alerts by state (pending, firing).',
  },
  license_exporter_alert_evaluation_duration_seconds: {
    type: 'gauge',
    labels: [],
    group: 'alerting',
    help: 'Duration of the last evaluation of the embedded alert rules.',
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
