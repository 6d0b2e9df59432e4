import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import { createDashboard, vendorLicense } from '../dashboard.ts';
import { busyHours, periods } from '../history-panels.ts';
import { KEEP, linkTo, panelOf } from '../links.ts';
import {
  DAYS_LEFT,
  figure,
  GOOD_AT_ONE,
  GOOD_BELOW,
  graph,
  help,
  namedFigures,
  orNaN,
  PLAIN,
  SATURATED_AND_WAITING,
  SERVER_OVER_TIME,
  SHORT_DAYS_LEFT_NAMES,
  SOME_NAME,
  UNKNOWN_NAME,
} from '../panels.ts';
import {
  expiration,
  expired,
  IN_RANGE,
  metric,
  OF_VENDOR_LICENSE,
  ONE_VENDOR_LICENSE,
  withoutExpiry,
} from '../queries.ts';
import { EXPIRES, rowsTable, SHARE, STATES, VENDOR_LICENSE } from '../tables.ts';

const OF = ONE_VENDOR_LICENSE;
/** The sum of its features, by the analyzer. */
const ALL_FEATURES = { ...OF_VENDOR_LICENSE, feature: '%', wildcard: 'upstream' };

const panel = (title: string) => ({
  title: `Show: ${title}`,
  url: linkTo('license-vendor-license', KEEP.time, KEEP.vendorLicense, panelOf(title)),
});
const colored = (color: string) => [{ id: 'color', value: { mode: 'fixed', fixedColor: color } }];
const expirations = linkTo('license-expirations', KEEP.asSeveral);

/** One license server and daemon. */
export const vendorLicenseDashboard = () =>
  createDashboard({
    uid: 'license-vendor-license',
    title: 'Vendor license',
    description: 'One license server and daemon: its state, its features, when it is busy, and who holds its licenses.',
    from: 'now-7d',
    refresh: '5m',
    about: OF_VENDOR_LICENSE,
    variables: [vendorLicense()],
  })
    .withPanel(
      figure(
        {
          title: 'Server',
          description: 'Whether the license server and its daemon sent data in the last 30 minutes.',
          unit: 'none',
        },
        `min(${metric('license_server_up', OF)})`,
        GOOD_AT_ONE,
        panel('Server'),
      ).mappings([
        {
          type: dashboard.MappingType.ValueToText,
          options: { '0': { text: 'down', index: 0 }, '1': { text: 'up', index: 1 } },
        },
      ]),
    )
    .withPanel(
      figure(
        {
          title: 'Data age',
          description: 'Time since the analyzer last collected data from this server. "unknown": it never did.',
          unit: 'dtdurations',
        },
        `time() - max(${metric('license_vendor_license_last_collection_timestamp_seconds', OF)} > 0)`,
        GOOD_BELOW(1800),
        { title: 'Show', url: linkTo('license-exporter') },
      ).decimals(0),
    )
    .withPanel(SATURATED_AND_WAITING(OF, panel('Features')))
    .withPanel(
      namedFigures(
        {
          title: 'Expiries',
          description:
            'Days until the next of its licenses expires, and how many have expired, however long ago. Renew these, or remove them from the server. Unknown: features for which no expiry is reported; "some" if the server was never collected.',
          unit: 'none',
          width: 6,
        },
        {
          next: [`(min(${expiration(OF)} > time()) - time()) / 86400`, DAYS_LEFT],
          expired: [expired(OF), GOOD_BELOW(1)],
          unknown: [withoutExpiry(OF), PLAIN],
        },
        { title: 'Show its expiries', url: expirations },
      )
        .overrideByName('next', [
          { id: 'unit', value: 'suffix: d' },
          { id: 'decimals', value: 1 },
          { id: 'mappings', value: SHORT_DAYS_LEFT_NAMES },
        ])
        .overrideByName('unknown', [{ id: 'mappings', value: [UNKNOWN_NAME, SOME_NAME] }]),
    )
    .withPanel(
      namedFigures(
        {
          title: 'Users',
          description: 'Distinct users that hold one of its licenses now, each counted once.',
          unit: 'none',
        },
        { distinct: [`max(${metric('license_vendor_license_distinct_users', OF)})`, PLAIN] },
        panel('Who holds its licenses now'),
      ),
    )
    .withPanel(SERVER_OVER_TIME(OF))
    .withPanel(
      rowsTable(
        {
          title: 'Features',
          description:
            'Every feature, the largest share in use first. If usage cells are empty, usage is not known, because the server is down or its data is outdated. Without a number bought, the type says why.',
          width: 24,
          height: 13,
        },
        // from Prometheus, the answer is twenty times as large: a frame for each feature and column
        { target: 'features', parameters: OF_VENDOR_LICENSE, top: 1000, none: 'No feature is listed', keepsTime: true },
        [
          { name: 'Feature' },
          // a narrow screen shows only the first columns
          { name: 'In use', type: 'number', unit: 'locale', width: 70 },
          { name: 'Bought', type: 'number', unit: 'locale', width: 70 },
          { ...SHARE, name: 'Share', as: 'Share in use', type: 'number' },
          {
            name: 'Max queued',
            as: 'Waiting',
            type: 'number',
            unit: 'locale',
            width: 75,
            steps: GOOD_BELOW(1, 'orange'),
          },
          { ...EXPIRES, link: expirations, unknown: 'unknown' },
          { name: 'Version', width: 85 },
          { name: 'License type', as: 'Type', width: 95 },
          { name: 'Owner', width: 110, wrap: true },
          { ...VENDOR_LICENSE, hidden: true },
        ],
      ),
    )
    .withPanel(
      rowsTable(
        {
          title: 'Who holds its licenses now',
          description:
            'Users that hold or wait for a license of its features, the longest first. If more than 20 features are in use, it shows those that users wait for and the busiest, and says of how many. User names are personal data: the exporter serves them only to those whom access.names lists.',
          width: 24,
          height: 11,
        },
        {
          target: 'users',
          parameters: { ...OF_VENDOR_LICENSE, feature: '%', sort: 'Since' },
          top: 500,
          none: 'No user is listed',
          keepsTime: true,
        },
        [
          { name: 'User', minWidth: 180 },
          { name: 'Feature' },
          { name: 'Since', type: 'time', unit: 'dateTimeFromNow', width: 125 },
          { name: 'Licenses', type: 'number', unit: 'locale', width: 76 },
          { name: 'Status', width: 85, unknown: 'held', names: STATES, steps: PLAIN },
          { name: 'Host', minWidth: 180 },
          { ...VENDOR_LICENSE, hidden: true },
        ],
      ),
    )
    .withPanel(
      busyHours(
        {
          title: 'Busy hours: most in use, last 7 days',
          description:
            "Maximum number of licenses in use at once, over all features, by hour and weekday in the analyzer's time zone.",
          unit: 'none',
          width: 12,
          height: 11,
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
          height: 11,
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
          height: 11,
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
            'Denied requests of the shown time range: of all its features, those with most of them, whether or not they are busy now. Compare the peak usage of the feature with its number of licenses.',
          width: 12,
          height: 11,
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
          none: 'No denial in this time range',
          keepsTime: true,
        },
        [
          { name: 'Feature' },
          { name: 'Denials', type: 'number', unit: 'locale', decimals: 0, width: 85 },
          { name: 'Days with denials', type: 'number', width: 145 },
          { name: 'License-hours', type: 'number', unit: 'locale', decimals: 0, width: 115 },
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
          width: 12,
          height: 11,
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
        .overrideByName('idle', colored('blue'))
        .overrideByName('borrowed', colored('purple'))
        .overrideByName('reserved and unused', colored('text')),
    )
    .withRow(help());
