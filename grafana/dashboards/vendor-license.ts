import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import { createDashboard, vendorLicense } from '../dashboard.ts';
import { busyHours, days, peaks, periods } from '../history-panels.ts';
import { KEEP, linkTo, panelOf } from '../links.ts';
import { figures, GOOD_AT_ONE, GOOD_BELOW, graph, help, orNaN, PLAIN, SERVER_OVER_TIME } from '../panels.ts';
import { IN_RANGE, metric, OF_VENDOR_LICENSE, ONE_VENDOR_LICENSE, saturated, sumOf } from '../queries.ts';
import {
  CAUSE,
  EXPIRES,
  IN_USE_OF_BOUGHT,
  PEOPLE,
  REMEDY,
  rowsTable,
  STATES,
  VENDOR_LICENSE,
  WAIT_NOW,
  WAITING,
} from '../tables.ts';
import { totals } from '../total-panel.ts';

const OF = ONE_VENDOR_LICENSE;
/** The sum of its features, by the analyzer. */
const ALL_FEATURES = { ...OF_VENDOR_LICENSE, feature: '%', wildcard: 'upstream' };

const panel = (title: string) => ({
  title: `Show: ${title}`,
  url: linkTo('license-vendor-license', KEEP.time, KEEP.vendorLicense, panelOf(title)),
});
const colored = (color: string) => [{ id: 'color', value: { mode: 'fixed', fixedColor: color } }];
const SERVER_NAMES: dashboard.ValueMapping = {
  type: dashboard.MappingType.ValueToText,
  options: { '0': { text: 'down', index: 0 }, '1': { text: 'up', index: 1 } },
};
const expirations = linkTo('license-expirations', KEEP.asSeveral);

/** One license server and daemon. */
export const vendorLicenseDashboard = () =>
  createDashboard({
    uid: 'license-vendor-license',
    title: 'Vendor license',
    description:
      'One license server and daemon: its state, its use against what was bought, its features, who holds its licenses, and when it is busy.',
    from: 'now-7d',
    refresh: '5m',
    about: OF_VENDOR_LICENSE,
    variables: [vendorLicense()],
  })
    .withPanel(
      figures(
        {
          title: 'Server',
          description:
            'Whether the license server and its daemon sent data in the last 30 minutes, and how long ago the analyzer last collected some.',
          unit: 'locale',
          width: 6,
        },
        {
          server: { of: `min(${metric('license_server_up', OF)})`, steps: GOOD_AT_ONE, names: [SERVER_NAMES] },
          'data age': {
            of: `time() - max(${metric('license_vendor_license_last_collection_timestamp_seconds', OF)} > 0)`,
            steps: GOOD_BELOW(1800),
            unit: 'dtdurations',
            decimals: 0,
          },
        },
        panel('Server over time'),
        { title: 'Show: Exporter', url: linkTo('license-exporter') },
      ),
    )
    .withPanel(
      figures(
        {
          title: 'Now',
          description:
            'Features that are saturated, as the alert LicenseFeatureSaturated defines it, and requests that wait. Distinct users that hold one of its licenses.',
          unit: 'locale',
          width: 8,
        },
        {
          saturated: { of: saturated(OF), steps: GOOD_BELOW(1, 'orange') },
          waiting: { of: sumOf('license_feature_max_queued', OF), steps: GOOD_BELOW(1, 'orange') },
          users: { of: `max(${metric('license_vendor_license_distinct_users', OF)})` },
        },
        panel('Features'),
        panel('Who holds its licenses now'),
      ),
    )
    .withPanel(
      totals(
        {
          title: 'Expiries',
          description:
            'Its features that have expired, however long ago, those that expire within 30 and 90 days, and those for which no expiry is reported. Renew them, or remove them from the server.',
          width: 10,
        },
        { target: 'expirations', parameters: OF_VENDOR_LICENSE },
        {
          expired: { of: 'Expired', steps: GOOD_BELOW(1) },
          '≤ 30 d': { of: 'Within 30 days', steps: GOOD_BELOW(1, 'orange') },
          '≤ 90 d': { of: 'Within 90 days' },
          'no date': { of: 'Without date' },
        },
        { title: 'Show its expiries', url: expirations },
      ),
    )
    .withPanel(
      peaks(
        {
          title: 'Use against bought',
          description:
            'All features of this vendor license, added up by the analyzer, those that take tokens beside their pool: the most licenses in use, available and reserved, for each local day of the analyzer, in a long time range for each week or month.',
          unit: 'locale',
          width: 24,
          height: 9,
        },
        ALL_FEATURES,
        days.filter(({ name }) => name !== 'Distinct Users'),
      ),
    )
    .withPanel(
      rowsTable(
        {
          title: 'Features',
          description:
            'Every feature, the largest share in use first. If usage cells are empty, usage is not known, because the server is down or its data is outdated. Without a number bought, the type says why.',
          width: 14,
          height: 12,
        },
        // from Prometheus, the answer is twenty times as large: a frame for each feature and column
        { target: 'features', parameters: OF_VENDOR_LICENSE, top: 1000, none: 'No feature is listed', keepsTime: true },
        [
          { name: 'Feature', minWidth: 105 },
          // a narrow screen shows only the first columns
          ...IN_USE_OF_BOUGHT,
          WAITING,
          { ...EXPIRES, width: 95, link: expirations, unknown: 'unknown' },
          { name: 'Version', width: 70 },
          { name: 'License type', as: 'Type', width: 80 },
          { ...VENDOR_LICENSE, hidden: true },
        ],
      ),
    )
    .withPanel(
      rowsTable(
        {
          title: 'Who holds its licenses now',
          description:
            'Users that hold or wait for a license of its features, the longest first. On a large one, it shows the features of which most licenses are in use, and says of how many. User names are personal data: the exporter serves them only to those whom access.names lists.',
          width: 10,
          height: 12,
        },
        {
          target: 'users',
          parameters: { ...OF_VENDOR_LICENSE, feature: '%', sort: 'Since' },
          top: 500,
          none: 'No user is listed',
          keepsTime: true,
        },
        [
          { name: 'User', width: 95 },
          { name: 'Feature' },
          { name: 'Since', type: 'time', unit: 'dateTimeFromNow', width: 133 },
          { name: 'Status', width: 84, names: STATES, steps: PLAIN },
          { ...VENDOR_LICENSE, hidden: true },
        ],
      ),
    )
    .withPanel(
      busyHours(
        {
          title: 'Busy hours: most in use, last 7 days',
          description:
            "Maximum number of licenses in use at once, over all features, by hour and weekday in the analyzer's time zone. The last line is what was bought, where the colours end.",
          unit: 'none',
          width: 10,
          height: 10,
        },
        { ...ALL_FEATURES, last: 'last-7-days' },
      ),
    )
    .withPanel(
      periods(
        {
          title: 'License-hours',
          description:
            'All features of this vendor license, added up by the analyzer. A bar is a day, in a long time range a week or a month.',
          unit: 'locale',
          width: 7,
          height: 10,
        },
        ALL_FEATURES,
        { series: 'Elapsed Time', as: 'license-hours', color: 'blue' },
      ),
    )
    .withPanel(
      periods(
        {
          title: 'Denials',
          description:
            'Denied requests for all its features. A bar is a day, in a long time range a week or a month. A script that retries counts each time.',
          unit: 'locale',
          width: 7,
          height: 10,
        },
        ALL_FEATURES,
        { series: 'Denials', as: 'denials', color: 'red' },
      ),
    )
    .withPanel(
      rowsTable(
        {
          title: 'Denials by feature',
          description:
            'Denied requests of the shown time range: of all its features, those with most of them, whether or not they are busy now; and who waited, where the log names who was denied: people, each once a day, their minutes, those who wait now, and the cause of most minutes with what would end it.',
          width: 16,
          height: 8,
        },
        {
          target: 'history',
          parameters: {
            ...OF_VENDOR_LICENSE,
            ...IN_RANGE,
            feature: '%',
            shape: 'totals',
            sort: '-Denials',
            with: ['Denials'],
          },
          top: 20,
          none: 'No denial',
          keepsTime: true,
        },
        [
          { name: 'Feature', minWidth: 100 },
          { name: 'Denials', type: 'number', unit: 'locale', decimals: 0, width: 72 },
          ...PEOPLE,
          WAIT_NOW,
          CAUSE,
          REMEDY,
          { ...VENDOR_LICENSE, hidden: true },
        ],
      ),
    )
    .withPanel(
      graph(
        {
          title: 'Idle, borrowed and reserved',
          description:
            'Licenses that are checked out but idle, borrowed, or reserved and unused. Try to free these before you buy more.',
          unit: 'none',
          width: 8,
          height: 8,
        },
        {
          idle: orNaN(`sum(${metric('license_feature_inactive_use', OF)})`),
          borrowed: orNaN(`sum(${metric('license_feature_borrowed_use', OF)})`),
          'reserved and unused': orNaN(`sum(${metric('license_feature_unused_reserve', OF)})`),
        },
        'lastNotNull',
        'max',
      )
        .axisSoftMax(4)
        .overrideByName('idle', colored('yellow'))
        .overrideByName('borrowed', colored('purple'))
        .overrideByName('reserved and unused', colored('orange')),
    )
    .withPanel(SERVER_OVER_TIME(OF))
    .withRow(help());
