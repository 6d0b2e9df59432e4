import { prometheusAlert } from '../../definition.ts';

/** The engine cannot deliver alerts. */
export const alertDeliveryFailing = prometheusAlert({
  subject: 'analyzer',
  messages: 'fault',
  severity: 'critical',
  needs: 'a second way of delivery',
  for: '10m',
  keepFiringFor: '5m',
  parameters: {},
  expr: () => `rate(license_exporter_notifications_errors_total[5m]) > 0
or rate(license_exporter_notifications_dropped_total[5m]) > 0`,
  texts: {
    summary: () =>
      'License exporter {{ $labels.instance }} fails to deliver some or all alerts to {{ $labels.alertmanager }}.',
    impact:
      'Messages about licenses may come late or not at all. The rules of Prometheus take over while no Alertmanager accepts the alerts of the exporter.',
    step: 'Run "license-exporter test-alert" to see what that Alertmanager answers.',
  },
});
