import type { MetricName } from '../../src/exporter/metrics/catalogue.ts';
import { CHAIN } from '../chain.ts';
import { createDashboard } from '../dashboard.ts';
import { ATTENTION_OF_ROW, linkTo, panelOf } from '../links.ts';
import { figures, GOOD_BELOW, help, orNaN, QUIET, states } from '../panels.ts';
import { metric, named, once, saturated, select, sumOf } from '../queries.ts';
import {
  IN_USE_OF_BOUGHT,
  rowsTable,
  type Shown,
  seriesTable,
  stateNames,
  VENDOR_LICENSE,
  WAITING,
} from '../tables.ts';
import { totals } from '../total-panel.ts';

const panel = (title: string) => ({ title: `Show: ${title}`, url: linkTo('license-overview', panelOf(title)) });

/** What the alert engine last said, for a day after the daemon has stopped. */
const said = (name: MetricName, matchers = ''): string => once(`last_over_time(${select(name, matchers)}[1d])`);
const EVALUATED = `max(${said('license_alerts_evaluated_timestamp_seconds')})`;
const COMPLETE = select('license_alerts_complete');
/**
 * Whether every alert that fires has been said. It is not while something of the site is not known. An exporter says nothing of
 * alerts about what is not configured any more, so that an earlier sample counts only while the exporter has none.
 */
const ALL_SAID = `min(sum by (alertname) (${once(`${COMPLETE} or last_over_time(${COMPLETE}[1d]) unless on (job, instance) ${COMPLETE}`)})) > 0.99`;
/** Alerts that fire, also those whose condition is not known now. That none fires is known only if every alert has been said. */
const firing = (severity: string): string =>
  `sum(${said('license_alert_firing', `severity="${severity}"`)} != bool 0) > 0 or 0 * (${ALL_SAID})`;

const of = (name: MetricName): string => `max by (vendor_license) (${select(name)})`;
const COLLECTED = of('license_vendor_license_last_collection_timestamp_seconds');

/** The states of a vendor license, the worst one last. Each is the value of the series that are in no worse state. */
const serverStates: readonly (readonly [text: string, color: string])[] = [
  ['up', 'text'],
  ['unknown', QUIET],
  ['outdated', 'orange'],
  ['never collected', 'text'],
  ['down', 'red'],
];
const STATE = [
  `(${of('license_server_up')} == 0) + 4`,
  `(0 * ${of('license_vendor_license_current')} + 3) unless ${COLLECTED}`,
  `(${of('license_vendor_license_current')} == 0) + 2`,
  `(0 * (${of('license_server_up')} == 1)) and (${of('license_vendor_license_current')} == 1)`,
  `0 * ${of('license_vendor_license_info')} + 1`,
].join(' or ');
const state: Shown = { name: 'State', width: 118, ...stateNames(serverStates) };

const UP = once(`min_over_time(${select('license_server_up')}[$__rate_interval])`);

/** The servers that were down at some time of the range: the same ones at each point of it. */
const WERE_DOWN = `${once(`min_over_time(${select('license_server_up')}[$__range] @ end())`)} == 0`;
const DOWN_IN_RANGE = `${UP} and on (vendor_license) (${WERE_DOWN})`;
/** One row, if none was down; not known while the state of one is not. */
const ALL_UP = `min(${UP}) unless on () (${select('license_vendor_license_info')} unless on (vendor_license) ${select('license_server_up')})`;
const ALL_SERVERS = `${named('vendor_license', 'all servers', `(${orNaN(ALL_UP)})`)} unless on () (${WERE_DOWN})`;

/** Users of several analyzers cannot be added up: one person may be a user of each. */
const SEVERAL_ANALYZERS = `count(count by (analyzer) (${select('license_exporter_analyzer_info')})) > 1`;

/** Whether everything that is watched can be seen, then what needs attention now. */
export const overview = () =>
  createDashboard({
    uid: 'license-overview',
    title: 'Overview',
    description:
      'Whether exporter, sources, analyzer and license servers work; what needs attention now, the most urgent first; the license servers and the busiest features.',
    from: 'now-24h',
    refresh: '1m',
    variables: [],
  })
    .withPanel(CHAIN(panel('License servers')).gridPos({ x: 0, y: 0, w: 12, h: 6 }))
    .withPanel(
      figures(
        {
          title: 'Alerts that fire',
          description:
            'How many alerts fire, one for each vendor license and owner, from Prometheus: what the exporter last said of them, for a day after it has stopped. It is not known that none fires before every condition has been evaluated for as long as it must last, and while something of the site is not known. See how long ago that was. Those that are pending are in the list below, and not counted here.',
        },
        {
          critical: { of: firing('critical'), steps: GOOD_BELOW(1) },
          warning: { of: firing('warning'), steps: GOOD_BELOW(1, 'orange') },
          info: { of: firing('info') },
          'evaluated ago': { of: `time() - ${EVALUATED}`, steps: GOOD_BELOW(300), unit: 's', decimals: 0 },
        },
        panel('Needs attention: now, then what is coming'),
      ).gridPos({ x: 12, y: 0, w: 12, h: 3 }),
    )
    .withPanel(
      figures(
        {
          title: 'Now',
          description:
            'Features that are saturated, as the alert LicenseFeatureSaturated defines it: by default at least 95 % of two or more licenses are in use. Requests that wait, summed over the features. Distinct users over all vendor licenses of an analyzer, each counted once. On how many vendor licenses this is known: what is in use on a server that is down is not.',
          unit: 'locale',
        },
        {
          saturated: { of: saturated(), steps: GOOD_BELOW(1, 'orange') },
          waiting: { of: sumOf('license_feature_max_queued'), steps: GOOD_BELOW(1, 'orange') },
          users: { of: `max(${select('license_concurrent_users')}) unless on () (${SEVERAL_ANALYZERS})` },
          'known on servers': { of: `count(${metric('license_vendor_license_saturated_features')})` },
        },
        panel('Busiest features'),
      ).gridPos({ x: 12, y: 3, w: 7, h: 3 }),
    )
    .withPanel(
      totals(
        {
          title: 'Expiries',
          description:
            'Features that have expired, however long ago, and those that expire within 7 and within 30 days: each version and package counts. Renew them, or remove them from the server.',
        },
        { target: 'expirations', parameters: { product: '%' } },
        {
          expired: { of: 'Expired', steps: GOOD_BELOW(1) },
          '≤ 7 d': { of: 'Within 7 days', steps: GOOD_BELOW(1) },
          '≤ 30 d': { of: 'Within 30 days', steps: GOOD_BELOW(1, 'orange') },
        },
        { title: 'Show the licenses', url: linkTo('license-expirations', panelOf('Upcoming')) },
      ).gridPos({ x: 19, y: 3, w: 5, h: 3 }),
    )
    .withPanel(
      rowsTable(
        {
          title: 'Needs attention: now, then what is coming',
          description:
            'What needs action: what cannot be used now first, then what is coming. These are the alerts that fire, and those that are pending, which fire if they last; each is one row, whether or not it is sent anywhere. A license that has expired is listed for 14 days (within of LicenseExpired), and longer on the dashboard Expirations. Names lead to the vendor license and the feature.',
        },
        { target: 'attention', top: 200, none: 'Nothing needs attention' },
        [
          { name: 'State', width: 72, colors: { critical: 'red', warning: 'orange' } },
          { name: 'What', width: 115, wrap: true },
          { name: 'Where', width: 165, wrap: true, link: ATTENTION_OF_ROW },
          { name: 'Details', minWidth: 250, wrap: true },
          { name: 'Since', type: 'time', unit: 'dateTimeFromNow', width: 135 },
          { name: 'Owner', width: 105, wrap: true },
          { ...VENDOR_LICENSE, minWidth: 190 },
          { name: 'Feature', hidden: true },
          { name: 'Dashboard', hidden: true },
        ],
      ).gridPos({ x: 0, y: 6, w: 24, h: 10 }),
    )
    .withPanel(
      seriesTable(
        {
          title: 'License servers',
          description:
            'Every vendor license, those with a problem first. Usage that is not known is empty. Available: the share of the time range in which the server was up, of the time in which its state is known.',
          width: 13,
          height: 12,
        },
        [
          { ...state, expression: STATE },
          { name: 'Last data', expression: `${COLLECTED} * 1000`, unit: 'dateTimeFromNow', width: 135 },
          {
            name: 'Users',
            expression: of('license_vendor_license_distinct_users'),
            unit: 'locale',
            width: 65,
          },
          {
            name: 'Available',
            expression: `${once(`avg_over_time(${select('license_server_up')}[$__range])`)} and on (vendor_license) ${of('license_vendor_license_info')}`,
            unit: 'percentunit',
            decimals: 1,
            width: 90,
          },
        ],
        {
          known: select('license_vendor_license_info'),
          labels: ['vendor_license'],
          sortBy: ['-State', 'Vendor license'],
        },
      ),
    )
    .withPanel(
      rowsTable(
        {
          title: 'Busiest features',
          description:
            'The features with the largest share of their licenses in use now, each version in a row of its own. Waiting is empty where it is not known.',
          width: 11,
          height: 12,
        },
        { target: 'features', parameters: { product: '%' }, top: 250, none: 'No feature is listed' },
        [{ name: 'Feature', minWidth: 110 }, ...IN_USE_OF_BOUGHT, WAITING, { ...VENDOR_LICENSE, minWidth: 110 }],
      ),
    )
    .withPanel(
      states(
        {
          title: 'Servers that were down',
          description:
            'The license servers and daemons that sent no data at some time of the time range, and whether all did. Where the strip is hollow, the state is not known.',
          unit: 'none',
          width: 24,
          height: 5,
        },
        {
          '{{vendor_license}}': `(${ALL_SERVERS}) or (${DOWN_IN_RANGE})`,
        },
        { good: 'up', bad: 'down' },
      ),
    )
    .withRow(help());
