import { identityLabels, scopeLabels } from '../model/alert-labels.ts';
import { metricsOf } from './metric.ts';

/** What identifies an alert. Its owner and the other labels of the setting `owners` are added. */
const alertLabels = [...identityLabels, ...scopeLabels, 'owner'] as const;

/** Metrics of the alert engine, and of messages by e-mail and webhook. */
export const alertingMetrics = {
  ...metricsOf('alerts', alertLabels, {
    license_alert_firing:
      'What the alert engine says of an alert: 1 it fires, -1 it fired and its condition is not known now, 0 it is over (for an hour). With the labels of its owner.',
    license_alert_started_timestamp_seconds: 'Unix time at which an alert began to fire.',
  }),
  ...metricsOf('alerts', ['alertname', 'analyzer', 'shard'], {
    license_alerts_complete:
      'The share of the analyzer of which license_alert_firing has every alert of this name that fires: 1 divided by the number of shards, or 0 while data is missing.',
    license_alerts_delivered:
      'The share of the analyzer whose alerts of this name the exporter delivers itself: 1 divided by the number of shards if the last delivery to an Alertmanager is younger than twice the resend delay, else 0. No sample until the first delivery has ended. Prometheus is silent about them.',
  }),
  ...metricsOf('alerts', ['alertname', 'severity', 'analyzer'], {
    license_alert_threshold:
      'What the alert compares with, unless an override sets another value for a vendor license or a feature. In the unit of its setting, durations in seconds.',
  }),
  ...metricsOf('alerts', ['analyzer', 'shard'], {
    license_alerts_evaluated_timestamp_seconds: 'Unix time of the last evaluation of the alerts.',
  }),
  ...metricsOf('alerting', ['state'], {
    license_exporter_alerts: 'Alerts by state (pending, firing).',
  }),
  ...metricsOf('alerting', [], {
    license_exporter_alert_evaluation_duration_seconds: 'Duration of the last evaluation of the embedded alert rules.',
  }),
  ...metricsOf('alerting', ['alertmanager'], {
    license_exporter_notifications_sent_total: 'Alerts delivered to the Alertmanager.',
    license_exporter_notifications_errors_total:
      'Alerts affected by failed deliveries to the Alertmanager; a failed heartbeat counts as one.',
    license_exporter_notifications_dropped_total:
      'Alerts dropped because the queue was full, the Alertmanager rejected them, or they waited too long.',
    license_exporter_notifications_queue_length: 'Alerts waiting for delivery.',
  }),
  ...metricsOf('alerting', [], {
    license_exporter_notifications_queue_capacity: 'Capacity of the delivery queue.',
  }),
  ...metricsOf('alerting', ['alertmanager'], {
    license_exporter_notifications_last_success_timestamp_seconds:
      'Unix time of the last successful delivery, heartbeats included.',
  }),
  ...metricsOf('messages', ['receiver'], {
    license_exporter_messages_sent_total: 'Messages about alerts that the receiver (email, webhook) has accepted.',
    license_exporter_messages_errors_total:
      'Attempts to send a message to the receiver that failed, and addresses that refused one.',
    license_exporter_messages_dropped_total: 'Ends of alerts that could not be delivered to the receiver for a week.',
    license_exporter_messages_waiting: 'Messages that are due and that the receiver has not accepted.',
    license_exporter_messages_last_success_timestamp_seconds:
      'Unix time at which the receiver last accepted a message.',
  }),
} as const;
