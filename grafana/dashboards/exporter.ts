import { createDashboard } from '../dashboard.ts';
import { figure, GOOD_AT_ONE, GOOD_BELOW, graph, help, PLAIN, seriesTable, states } from '../panels.ts';
import { metric, once, select } from '../queries.ts';

const rate = (name: Parameters<typeof select>[0]): string => `rate(${select(name)}[$__rate_interval])`;

/** Is the monitoring itself all right? */
export const exporter = () =>
  createDashboard({
    uid: 'license-exporter',
    title: 'Exporter',
    description: 'The exporter itself: polls, the way to the analyzer, delivery of alerts.',
    from: 'now-6h',
    refresh: '1m',
    about: { product: '"%"' },
    variables: [],
  })
    .withPanel(
      figure(
        {
          title: 'Reaches the analyzer',
          description: 'Every endpoint answered at its last poll.',
          unit: 'bool_yes_no',
        },
        `min(${select('license_up')})`,
        GOOD_AT_ONE,
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Logon accepted',
          description:
            'Whether the last logon was accepted. If not: correct the password; the exporter waits, so that it does not lock the account.',
          unit: 'bool_yes_no',
        },
        `min(${select('license_upstream_authenticated')})`,
        GOOD_AT_ONE,
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Oldest good poll',
          description: 'Time since every part of an endpoint was last polled well, in multiples of its interval.',
          unit: 'none',
        },
        `max((time() - (${metric('license_poll_last_success_timestamp_seconds')} > 0)) / ${metric('license_poll_interval_seconds')})`,
        GOOD_BELOW(3),
      ).decimals(1),
    )
    .withPanel(
      figure(
        {
          title: 'Series',
          description: 'Series of license data. Set sample_limit to 1.5 times as many.',
          unit: 'short',
        },
        `sum(${select('license_exporter_series')})`,
        PLAIN,
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Series withheld',
          description: 'Whether metrics.max_series was reached, so that the page is not whole.',
          unit: 'bool_yes_no',
        },
        `max(${select('license_exporter_series_limit_exceeded')})`,
        GOOD_BELOW(1),
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Simulated data',
          description: 'Whether this is the demo. No license server is being watched then.',
          unit: 'bool_yes_no',
        },
        `max(${select('license_exporter_demo')})`,
        GOOD_BELOW(1, 'purple'),
      ),
    )
    .withPanel(
      states(
        {
          title: 'Polls',
          description: 'Whether every part of each endpoint was polled well.',
          unit: 'none',
          width: 12,
        },
        { '{{endpoint}}': metric('license_poll_success') },
        { good: 'good', bad: 'failed' },
      ),
    )
    .withPanel(
      graph(
        { title: 'Duration of polls', description: 'How long the last poll of each endpoint took.', unit: 's' },
        { '{{endpoint}}': metric('license_poll_duration_seconds') },
      ),
    )
    .withPanel(
      graph(
        {
          title: 'Latency of the analyzer, 95 %',
          description: 'Duration of requests to the analyzer, logons included. Panels of history and users ask it too.',
          unit: 's',
        },
        {
          '{{endpoint}}': `histogram_quantile(0.95, sum by (endpoint, le) (rate(${select('license_exporter_upstream_request_duration_seconds_bucket')}[$__rate_interval])))`,
        },
      ),
    )
    .withPanel(
      graph(
        { title: 'Requests to the analyzer', description: 'Requests per second by endpoint.', unit: 'reqps' },
        { '{{endpoint}}': `sum by (endpoint) (${rate('license_exporter_upstream_requests_total')})` },
      ),
    )
    .withPanel(
      graph(
        {
          title: 'Failed requests',
          description: 'Failed requests per second by reason; docs/failures.md says what each reason means.',
          unit: 'reqps',
          noValue: 'no request failed',
        },
        {
          '{{endpoint}} {{reason}}': `sum by (endpoint, reason) (${rate('license_exporter_upstream_request_failures_total')})`,
        },
      ),
    )
    .withPanel(
      graph(
        { title: 'Bytes from the analyzer', description: 'Bodies of its answers.', unit: 'Bps' },
        { '{{endpoint}}': `sum by (endpoint) (${rate('license_exporter_upstream_response_bytes_total')})` },
      ),
    )
    .withPanel(
      graph(
        {
          title: 'Logons',
          description:
            'NTLM handshakes, and those on connections that had been authenticated before. Many of them: the server or a proxy drops connections.',
          unit: 'ops',
        },
        {
          handshakes: `sum(${rate('license_exporter_upstream_handshakes_total')})`,
          'again on a connection': `sum(${rate('license_exporter_upstream_reauthentications_total')})`,
          rejected: `sum(${rate('license_exporter_upstream_rejected_logons_total')})`,
          connections: `sum(${rate('license_exporter_upstream_connections_opened_total')})`,
        },
      ),
    )
    .withPanel(
      seriesTable(
        {
          title: 'Values not taken over',
          description:
            'What the last good answers held that is not exported: values that are no number, records without a name, fields that are not specified. NaN is usual in logarithms.',
          unit: 'none',
          noValue: 'every value was taken over',
        },
        [{ name: 'Values', unit: 'none', expression: `${metric('license_poll_discarded_values')} > 0` }],
        ['endpoint', 'reason'],
        '-Values',
      ),
    )
    .withPanel(
      graph(
        {
          title: 'Alerts delivered',
          description:
            'Alerts sent to each Alertmanager per second, failed and dropped ones. Empty unless alerting.alertmanagers is set.',
          unit: 'ops',
          noValue: 'the alert engine is not in use',
        },
        {
          'sent to {{alertmanager}}': `sum by (alertmanager) (${rate('license_exporter_notifications_sent_total')})`,
          'failed at {{alertmanager}}': `sum by (alertmanager) (${rate('license_exporter_notifications_errors_total')})`,
          'dropped for {{alertmanager}}': `sum by (alertmanager) (${rate('license_exporter_notifications_dropped_total')})`,
        },
      ),
    )
    .withPanel(
      graph(
        {
          title: 'Alerts waiting for delivery',
          description: 'Alerts in the queue of each Alertmanager. Empty unless alerting.alertmanagers is set.',
          unit: 'none',
          noValue: 'the alert engine is not in use',
        },
        { '{{alertmanager}}': once(select('license_exporter_notifications_queue_length')) },
      ),
    )
    .withPanel(help());
