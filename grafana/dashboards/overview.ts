import { MappingType } from '@grafana/grafana-foundation-sdk/dashboard';
import type { MetricName } from '../../src/exporter/metrics/catalogue.ts';
import { createDashboard } from '../dashboard.ts';
import { waiting } from '../feature-table.ts';
import { EXPIRIES_OF_ROW, linkTo, panelOf } from '../links.ts';
import {
  GOOD_BELOW,
  help,
  namedFigures,
  orNaN,
  PLAIN,
  SATURATED_AND_WAITING,
  split,
  states,
  UNKNOWN_NAME,
} from '../panels.ts';
import { busy, expiration, expiriesIn, metric, named, once, select } from '../queries.ts';
import { DAYS, EXPIRES, rowsTable, SHARE, type Shown, seriesTable, VENDOR_LICENSE } from '../tables.ts';

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
/** In place of a number that is not known. */
const UNKNOWN = -1;
/** Alerts that fire, also those whose condition is not known now. That none fires is known only if every alert has been said. */
const firing = (severity: string): string =>
  `sum(${said('license_alert_firing', `severity="${severity}"`)} != bool 0) > 0 or 0 * (${ALL_SAID}) or 0 * ${EVALUATED} ${UNKNOWN}`;

const of = (name: MetricName): string => `max by (vendor_license) (${select(name)})`;
const COLLECTED = of('license_vendor_license_last_collection_timestamp_seconds');

/** The states of a vendor license, the worst one last. Each is the value of the series that are in no worse state. */
const serverStates: readonly (readonly [text: string, color: string])[] = [
  ['up', 'text'],
  ['unknown', 'text'],
  ['outdated', 'orange'],
  ['never collected', 'text'],
  ['down', 'red'],
];
const STATE = [
  `(${of('license_server_up')} == 0) + 4`,
  `(0 * (max by (vendor_license) (${select('license_vendor_license_data_known', 'data="collection"')}) == 1) + 3) unless ${COLLECTED}`,
  `(${of('license_vendor_license_current')} == 0) + 2`,
  `(0 * (${of('license_server_up')} == 1)) and (${of('license_vendor_license_current')} == 1)`,
  `0 * ${of('license_vendor_license_info')} + 1`,
].join(' or ');
const state: Shown = {
  name: 'State',
  width: 120,
  steps: PLAIN,
  names: [
    {
      type: 'value',
      options: Object.fromEntries(serverStates.map(([text, color], i) => [i, { text, color, index: i }])),
    },
  ] as unknown as NonNullable<Shown['names']>,
};

const UP = once(`min_over_time(${select('license_server_up')}[$__rate_interval])`);
const DOWN_IN_DAY = `sum(min without (job, instance) (min_over_time(${select('license_server_up')}[24h])) == bool 0)`;
/** 0 is known only if servers are known now, and were a day ago. */
const KNOWN_FOR_A_DAY = `(sum(${select('license_server_up')}) and sum(last_over_time(${select('license_server_up')}[1h] offset 23h)))`;

/** The servers that were down at some time of the range: the same ones at each point of it. */
const WERE_DOWN = `${once(`min_over_time(${select('license_server_up')}[$__range] @ end())`)} == 0`;
const DOWN_IN_RANGE = `${UP} and on (vendor_license) (${WERE_DOWN})`;
/** One row, if none was down. */
const ALL_SERVERS = `${named('vendor_license', 'all servers', `(${orNaN(`min(${UP})`)})`)} unless on () (${WERE_DOWN})`;

/** The features with the largest share in use. Each selector of a large site reads 20,000 series. */
const BUSIEST = `topk(100, ${busy()})`;

/** What needs attention now, then servers and expiries. */
export const overview = () =>
  createDashboard({
    uid: 'license-overview',
    title: 'Overview',
    description: 'What needs attention now, the most urgent first; the license servers; and what expires next.',
    from: 'now-24h',
    refresh: '1m',
    variables: [],
  })
    .withPanel(
      namedFigures(
        {
          title: 'Servers',
          description:
            'Vendor licenses whose server or daemon has sent no data for 30 minutes, and those that were down at some time of the last 24 hours. Check the license server and its daemon.',
          unit: 'none',
          width: 5,
        },
        {
          'down now': [`sum(${metric('license_server_up')} == bool 0)`, GOOD_BELOW(1)],
          'in last 24 h': [
            `(${DOWN_IN_DAY} > 0) or (${DOWN_IN_DAY} and on () ${KNOWN_FOR_A_DAY})`,
            GOOD_BELOW(1, 'orange'),
          ],
        },
        panel('License servers'),
      ),
    )
    .withPanel(
      split(
        {
          title: 'Expiries',
          description:
            'Features that have expired in the last 14 days, and those that expire within 7 days, or after 7 and within 30 days. Renew them, or remove them. The dashboard Expirations has all that have expired, and how many are not known. Those of vendor licenses that were never collected are not known.',
          unit: 'none',
          width: 5,
        },
        expiriesIn({ 'past 14 d': '-([1-9]|1[0-4])', '≤ 7 d': '[0-6]', '7–30 d': '[7-9]|[12][0-9]' }, ''),
        { 'past 14 d': GOOD_BELOW(1), '≤ 7 d': GOOD_BELOW(1), '7–30 d': GOOD_BELOW(1, 'orange') },
        { title: 'Show the licenses', url: linkTo('license-expirations', panelOf('Upcoming')) },
      ),
    )
    .withPanel(SATURATED_AND_WAITING('', panel('Busiest features')))
    .withPanel(
      namedFigures(
        {
          title: 'Users',
          description: 'Distinct users over all vendor licenses, each counted once.',
          unit: 'none',
        },
        { 'distinct, in all': [`max(${select('license_concurrent_users')})`, PLAIN] },
        panel('License servers'),
      ),
    )
    .withPanel(
      namedFigures(
        {
          title: 'Data age',
          description:
            'Age of the oldest collection among the servers that are up. The analyzer collects every few minutes. After 30 minutes without data, a vendor license counts as down.',
          unit: 'dtdurations',
        },
        {
          'oldest, of servers up': [
            `time() - min(${metric('license_vendor_license_last_collection_timestamp_seconds')} and on (vendor_license) (${metric('license_server_up')} == 1))`,
            GOOD_BELOW(1800),
          ],
        },
        { title: 'Show', url: linkTo('license-exporter') },
      ).decimals(0),
    )
    .withPanel(
      namedFigures(
        {
          title: 'Alerts by vendor license and owner',
          description:
            'How many alerts fire, from Prometheus: what the exporter last said of them, for a day after it has stopped. See how long ago that was. Those that are pending are in the list below, and not counted here.',
          width: 24,
        },
        {
          critical: [firing('critical'), GOOD_BELOW(1)],
          warning: [firing('warning'), GOOD_BELOW(1, 'orange')],
          info: [firing('info'), PLAIN],
          'evaluated ago': [`time() - ${EVALUATED}`, GOOD_BELOW(300)],
        },
        panel('Needs attention: now, then what is coming'),
      )
        .mappings([
          UNKNOWN_NAME,
          { type: MappingType.ValueToText, options: { [UNKNOWN]: { text: 'unknown', color: 'text', index: 0 } } },
        ])
        .overrideByName('evaluated ago', [
          { id: 'unit', value: 's' },
          { id: 'decimals', value: 0 },
        ]),
    )
    .withPanel(
      rowsTable(
        {
          title: 'Needs attention: now, then what is coming',
          description:
            'What needs action: what cannot be used now first, then what is coming. These are the alerts that fire, and those that are pending, which fire if they last; each is one row, whether or not it is sent anywhere. A license that has expired is listed for 14 days (within of LicenseExpired), and longer on the dashboard Expirations. Names lead to the vendor license and the feature.',
          width: 24,
          height: 10,
        },
        { target: 'attention', top: 200, none: 'Nothing needs attention' },
        [
          { name: 'State', width: 80, colors: { critical: 'red', warning: 'orange' } },
          { name: 'What', width: 130, wrap: true },
          { ...VENDOR_LICENSE, minWidth: 215 },
          { name: 'Feature', minWidth: 120 },
          { name: 'Details', width: 250, wrap: true },
          { name: 'Since', type: 'time', unit: 'dateTimeFromNow', width: 125 },
          { name: 'Owner', width: 110, wrap: true },
        ],
      ),
    )
    .withPanel(
      seriesTable(
        {
          title: 'License servers',
          description:
            'Every vendor license, those with a problem first. Usage that is not known is empty. The days are those to the next expiry.',
          width: 24,
          height: 12,
        },
        [
          { ...state, expression: STATE },
          {
            name: 'Distinct users',
            expression: of('license_vendor_license_distinct_users'),
            unit: 'locale',
            width: 128,
          },
          { name: 'Last data', expression: `${COLLECTED} * 1000`, unit: 'dateTimeFromNow', width: 145 },
          {
            ...DAYS,
            link: EXPIRIES_OF_ROW,
            expression: `(min by (vendor_license) (${expiration()} > time()) - time()) / 86400`,
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
      states(
        {
          title: 'Servers that were down',
          description:
            'The license servers and daemons that sent no data at some time of the time range, and whether all did. During a gap, the state is not known.',
          unit: 'none',
          width: 24,
          height: 6,
        },
        {
          '{{vendor_license}}': `(${ALL_SERVERS}) or (${DOWN_IN_RANGE})`,
        },
        { good: 'up', bad: 'down' },
      ),
    )
    .withPanel(
      rowsTable(
        {
          title: 'Next expiries',
          description: 'The licenses that expire next. Those that have expired need attention, and are listed above.',
          width: 24,
          height: 10,
        },
        {
          target: 'expirations',
          parameters: { product: '%', status: ['upcoming'], within: 365 },
          top: 100,
          none: 'No license expires within a year',
        },
        [VENDOR_LICENSE, { name: 'Feature' }, { ...EXPIRES, link: EXPIRIES_OF_ROW }, DAYS],
      ),
    )
    .withPanel(
      seriesTable(
        {
          title: 'Busiest features',
          description:
            'The features with the largest share of their licenses in use now, and those for which users wait, each version in a row of its own. Waiting is empty where nobody waits, and where it is not known.',
          width: 24,
          height: 12,
        },
        [
          { ...SHARE, expression: once(BUSIEST) },
          // features without a share in use are in the list only if users wait for them
          { ...waiting('', ' > 0'), name: 'Waiting, if any', width: 135 },
        ],
        {
          known: select('license_vendor_license_info'),
          labels: ['vendor_license', 'feature', 'version'],
          sortBy: ['-Share in use', 'Feature'],
        },
      ),
    )
    .withRow(help());
