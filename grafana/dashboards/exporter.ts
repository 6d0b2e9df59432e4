import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import type { EndpointName } from '../../src/base/query-api/endpoints.ts';
import { EXPORTER_STATE, EXPORTER_STATES } from '../chain.ts';
import { createDashboard } from '../dashboard.ts';
import { KEEP, linkTo, panelOf } from '../links.ts';
import { DASHED, figures, GOOD_AT_ONE, GOOD_BELOW, graph, help, type Rows, states } from '../panels.ts';
import { metric, named, once, orNoRow, select } from '../queries.ts';
import { seriesTable, stateNames } from '../tables.ts';

const rate = (name: Parameters<typeof select>[0]): string => `rate(${select(name)}[$__rate_interval])`;
/** Per minute: an exporter sends few requests a second. */
const perMinute = (name: Parameters<typeof select>[0]): string => `60 * ${rate(name)}`;

const POLLS = metric('license_poll_success');
const FAILURES = perMinute('license_exporter_upstream_request_failures_total');
const DISCARDED = metric('license_poll_discarded_values');

/** 1 if no exporter needs a logon. */
const NO_LOGON = `(min(${select('license_exporter_build_info')}) unless on () ${select('license_upstream_auth_retry_timestamp_seconds')})`;

/** A colour for each endpoint, the same in all charts. The default ones are too much alike. */
const colors: Readonly<Record<EndpointName, string>> = {
  GetProducts: 'green',
  GetFeatures: 'blue',
  GetServerDown: 'dark-blue',
  GetExpirationFeatures: 'orange',
  GetConcurrentUsers: 'purple',
  GetHistory: 'dark-yellow',
  GetHistoryReserved: 'dark-purple',
  GetEfficiency: 'dark-green',
  GetHeatMap: 'dark-orange',
  GetUsers: 'super-light-blue',
  GetHttpUserName: 'super-light-purple',
};

/** On a narrow screen, the legend of all endpoints has seven lines, and Grafana gives a legend a third of the panel. */
const TALL = 12;

/** Lines of the endpoints. */
function byEndpoint(about: Parameters<typeof graph>[0], expression: string) {
  const panel = graph(about, { '{{endpoint}}': expression });
  for (const [name, color] of Object.entries(colors)) {
    panel.overrideByName(name, [{ id: 'color', value: { mode: 'fixed', fixedColor: color } }]);
  }
  return panel;
}

const rows = (title: string): Rows => ({
  title: `Show: ${title}`,
  url: linkTo('license-exporter', KEEP.time, panelOf(title)),
});

/** Whether the monitoring itself works. */
export const exporter = () =>
  createDashboard({
    uid: 'license-exporter',
    title: 'Exporter',
    description: 'The exporter itself: polls, requests to the analyzer, delivery of alerts.',
    from: 'now-6h',
    refresh: '1m',
    choosesSources: true,
    variables: [],
  })
    .withPanel(
      figures(
        {
          title: 'Exporter',
          description:
            'Exporter: whether Prometheus can scrape it. Analyzer answers: every endpoint did at its last poll. Logon: whether the last one was accepted; if not, correct the password. The exporter waits before it tries again, so that the account is not locked. An exporter that collects from license managers itself needs none. Poll age: time since every part of an endpoint was last polled successfully, in multiples of its interval, the highest of all endpoints; above 3, data is old.',
          unit: 'bool_yes_no',
          width: 12,
        },
        {
          exporter: { of: EXPORTER_STATE, ...EXPORTER_STATES },
          'analyzer answers': { of: `min(${select('license_up')})`, steps: GOOD_AT_ONE },
          'logon accepted': {
            of: `min(${select('license_upstream_authenticated')}) or 2 * ${NO_LOGON}`,
            steps: GOOD_AT_ONE,
            names: [{ type: dashboard.MappingType.ValueToText, options: { '2': { text: 'not needed', index: 1 } } }],
          },
          'poll age': {
            of: `max((time() - (${metric('license_poll_last_success_timestamp_seconds')} > 0)) / ${metric('license_poll_interval_seconds')})`,
            steps: GOOD_BELOW(3),
            unit: 'suffix: intervals',
            decimals: 1,
          },
        },
        rows('Polls'),
        rows('Logons per minute'),
      ),
    )
    .withPanel(
      figures(
        {
          title: 'Series of license data',
          description:
            'Set sample_limit to 1.5 times their number. Withheld: whether series are left out because of metrics.max_series. Simulated: whether this is the demo, which monitors no real license server.',
          unit: 'bool_yes_no',
          width: 12,
        },
        {
          series: { of: `sum(${select('license_exporter_series')})`, unit: 'locale' },
          withheld: { of: `max(${select('license_exporter_series_limit_exceeded')})`, steps: GOOD_BELOW(1) },
          simulated: { of: `max(${select('license_exporter_demo')})`, steps: GOOD_BELOW(1, 'purple') },
        },
        rows('Series exported'),
      ),
    )
    .withPanel(
      seriesTable(
        {
          title: 'Sources',
          description:
            'The sources that the exporter reads itself, those with a problem first: whether the last reading was complete, how many failed in succession since then, and when one last gave data. An exporter that polls another analyzer has none.',
          width: 24,
          height: 6,
        },
        [
          {
            name: 'State',
            width: 90,
            ...stateNames([
              ['failing', 'red'],
              ['up', 'text'],
            ]),
            expression: orNoRow(
              metric('license_source_up'),
              'This exporter has no source of its own, or none was read yet',
              `min(${select('license_exporter_build_info')}) unless on () ${select('license_source_up')}`,
            ),
          },
          { name: 'Failed readings', unit: 'locale', width: 140, expression: metric('license_source_failed_readings') },
          {
            name: 'Last data',
            unit: 'dateTimeFromNow',
            width: 130,
            expression: `${metric('license_source_last_success_timestamp_seconds')} * 1000`,
          },
        ],
        { known: select('license_exporter_build_info'), labels: ['source', 'manager'], sortBy: ['State', 'Source'] },
      ),
    )
    .withPanel(
      states(
        {
          title: 'Polls',
          description: 'Whether every part of each endpoint was polled successfully.',
          unit: 'none',
          width: 12,
        },
        { '{{endpoint}}': `${POLLS} or (${named('endpoint', 'no poll yet', 'vector(NaN)')} unless on () ${POLLS})` },
        { good: 'good', bad: 'failed' },
      ),
    )
    .withPanel(
      byEndpoint(
        { title: 'Duration of polls', description: 'How long the last poll of each endpoint took.', unit: 's' },
        metric('license_poll_duration_seconds'),
      ),
    )
    .withPanel(
      byEndpoint(
        {
          title: 'Latency, average',
          height: TALL,
          description:
            'Average duration of requests to the analyzer, including logons and the requests of panels about history and users.',
          unit: 's',
        },
        `sum by (endpoint) (${rate('license_exporter_upstream_request_duration_seconds_sum')}) / sum by (endpoint) (${rate('license_exporter_upstream_request_duration_seconds_count')})`,
      ),
    )
    .withPanel(
      byEndpoint(
        {
          title: 'Requests to the analyzer',
          description: 'Requests per minute by endpoint.',
          unit: 'reqpm',
          height: TALL,
        },
        `sum by (endpoint) (${perMinute('license_exporter_upstream_requests_total')})`,
      ),
    )
    .withPanel(
      graph(
        {
          title: 'Failed requests',
          height: TALL,
          description: 'Failed requests per minute by reason. docs/troubleshoot.md describes the reasons.',
          unit: 'reqpm',
        },
        {
          // an exporter without a failure has no such series; without a request, it is not known
          all: `sum(${FAILURES}) or 0 * sum(${perMinute('license_exporter_upstream_requests_total')})`,
          '{{endpoint}} {{reason}}': `sum by (endpoint, reason) (${FAILURES})`,
        },
      ).axisSoftMax(1),
    )
    .withPanel(
      byEndpoint(
        {
          title: 'Bytes from the analyzer',
          description: 'Size of the answers, per second, by endpoint.',
          unit: 'Bps',
          height: TALL,
        },
        `sum by (endpoint) (${rate('license_exporter_upstream_response_bytes_total')})`,
      ),
    )
    .withPanel(
      graph(
        {
          title: 'Logons per minute',
          description:
            'Per minute: NTLM logons, and repeated logons on connections that were already logged on. If there are many, the server or a proxy closes connections. An exporter that collects from license managers itself needs none.',
          unit: 'none',
        },
        {
          handshakes: `sum(${perMinute('license_exporter_upstream_handshakes_total')})`,
          'again on a connection': `sum(${perMinute('license_exporter_upstream_reauthentications_total')})`,
          rejected: `sum(${perMinute('license_exporter_upstream_rejected_logons_total')})`,
          connections: `sum(${perMinute('license_exporter_upstream_connections_opened_total')})`,
          'not needed': `0 * ${NO_LOGON}`,
        },
      ).overrideByName('connections', [DASHED]),
    )
    .withPanel(
      graph(
        {
          title: 'Series exported',
          description:
            'Number of series of license data over time. It grows with the number of features; a sudden drop is data that is missing.',
          unit: 'locale',
        },
        { series: `sum(${select('license_exporter_series')})` },
      ),
    )
    .withPanel(
      seriesTable(
        {
          title: 'Values discarded of the last answers',
          width: 24,
          height: 7,
          description:
            'Parts of the last good answers that are not exported: values that are not numbers, records without a name, and unknown fields. NaN is normal in logarithms.',
          unit: 'none',
        },
        [
          {
            name: 'Values',
            unit: 'none',
            expression: orNoRow(
              `${DISCARDED} > 0`,
              'No value was discarded',
              `count(${metric('license_poll_records')}) unless on () (${DISCARDED} > 0)`,
            ),
            width: 90,
          },
        ],
        { labels: ['endpoint', 'reason'], sortBy: ['-Values'] },
      ),
    )
    .withRow(
      // empty unless the exporter itself sends alerts
      new dashboard.RowBuilder('Alerts sent by the exporter itself')
        .collapsed(true)
        .withPanel(
          graph(
            {
              title: 'Alerts delivered',
              description:
                'Alerts per minute for each Alertmanager: sent, failed and dropped. Empty unless alerting.alertmanagers is set.',
              unit: 'opm',
            },
            {
              'sent to {{alertmanager}}': `sum by (alertmanager) (${perMinute('license_exporter_notifications_sent_total')})`,
              'failed at {{alertmanager}}': `sum by (alertmanager) (${perMinute('license_exporter_notifications_errors_total')})`,
              'dropped for {{alertmanager}}': `sum by (alertmanager) (${perMinute('license_exporter_notifications_dropped_total')})`,
            },
          ),
        )
        .withPanel(
          graph(
            {
              title: 'Alerts waiting for delivery',
              description: 'Alerts in the queue of each Alertmanager. Empty unless alerting.alertmanagers is set.',
              unit: 'none',
            },
            { '{{alertmanager}}': once(select('license_exporter_notifications_queue_length')) },
          ),
        ),
    )
    .withRow(help());
