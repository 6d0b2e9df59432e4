import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import { createDashboard, vendorLicense } from '../dashboard.ts';
import { busyHours, daily } from '../history-panels.ts';
import { KEEP, linkTo, panelOf } from '../links.ts';
import {
  DAYS_LEFT,
  figure,
  GOOD_AT_ONE,
  GOOD_BELOW,
  graph,
  help,
  PLAIN,
  pair,
  SHORT_DAYS_LEFT_NAMES,
  states,
} from '../panels.ts';
import { expiration, expired, metric, OF_VENDOR_LICENSE, ONE_VENDOR_LICENSE } from '../queries.ts';
import { BOUGHT, DAYS, jsonTable, SHARE, STATES } from '../tables.ts';
import { total } from '../total-panel.ts';

const OF = ONE_VENDOR_LICENSE;
/** The sum of its features, by the analyzer. */
const ALL_FEATURES = { ...OF_VENDOR_LICENSE, feature: ['%'], wildcard: 'upstream' };

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
    about: { payload: OF_VENDOR_LICENSE, matchers: OF },
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
        panel('Server over time'),
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
          unit: 's',
        },
        `time() - max(${metric('license_vendor_license_last_collection_timestamp_seconds', OF)} > 0)`,
        GOOD_BELOW(1800),
        'license-exporter',
      ).decimals(0),
    )
    .withPanel(
      total(
        {
          title: 'Saturated',
          description: 'Features with at least 95 % of their licenses in use.',
          unit: 'none',
        },
        { target: 'features', payload: OF_VENDOR_LICENSE, field: 'Saturated', steps: [[1, 'orange']] },
        panel('Features'),
      ),
    )
    .withPanel(
      total(
        {
          title: 'Waiting requests',
          description: 'Maximum number of waiting requests for its features since the previous collection.',
          unit: 'none',
        },
        { target: 'features', payload: OF_VENDOR_LICENSE, field: 'Max queued', steps: [[1, 'orange']] },
        panel('Features'),
      ),
    )
    .withPanel(
      pair(
        {
          title: 'Expiries',
          description:
            'Days until the next of its licenses expires, and how many have expired, however long ago. Renew these, or remove them from the server.',
          unit: 'none',
        },
        {
          next: [`(min(${expiration(OF)} > time()) - time()) / 86400`, DAYS_LEFT],
          expired: [expired(OF), GOOD_BELOW(1)],
        },
        { title: 'Show its expiries', url: expirations },
      ).overrideByName('next', [
        { id: 'unit', value: 'suffix: d' },
        { id: 'decimals', value: 0 },
        { id: 'mappings', value: SHORT_DAYS_LEFT_NAMES },
      ]),
    )
    .withPanel(
      figure(
        {
          title: 'Users now',
          description: 'Distinct users that hold one of its licenses now, each counted once.',
          unit: 'none',
        },
        `max(${metric('license_vendor_license_distinct_users', OF)})`,
        PLAIN,
        panel('Who holds its licenses now'),
      ),
    )
    .withPanel(
      jsonTable(
        {
          title: 'Features',
          description:
            'Every feature as of the last poll, the largest share in use first. If usage cells are empty, usage is not known, because the server is down or its data is outdated.',
          width: 24,
          height: 13,
        },
        { target: 'features', payload: OF_VENDOR_LICENSE, top: 1000, owner: 'Product', keepsTime: true },
        [
          { name: 'Feature' },
          // a narrow screen shows only the first columns
          { name: 'In use', width: 80 },
          BOUGHT,
          SHARE,
          { name: 'Max queued', as: 'Waiting', steps: GOOD_BELOW(1, 'orange'), width: 90 },
          { ...DAYS, width: 100, link: expirations },
          { name: 'Version', width: 100 },
          { name: 'Owner', width: 150 },
          { name: 'Product', hidden: true },
        ],
      ),
    )
    .withPanel(
      busyHours(
        {
          title: 'Busy hours, last 7 days',
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
      jsonTable(
        {
          title: 'Who holds its licenses now',
          description:
            'Users that hold or wait for a license of its features, the longest first. If more than 20 features are in use, it shows those that users wait for and the busiest. User names are personal data: the exporter serves them only to those whom access.names lists.',
          width: 12,
          height: 11,
        },
        {
          target: 'users',
          payload: { ...OF_VENDOR_LICENSE, feature: ['%'], sort: 'Since' },
          top: 500,
          owner: 'Product',
          none: 'No user is listed',
          keepsTime: true,
        },
        [
          { name: 'User' },
          { name: 'Feature', width: 130 },
          { name: 'Since', unit: 'dateTimeFromNow', width: 130 },
          { name: 'Licenses', width: 80 },
          { name: 'Status', width: 80, names: STATES },
          { name: 'Host', width: 95 },
          { name: 'Product', hidden: true },
        ],
      ),
    )
    .withPanel(
      daily(
        {
          title: 'License-hours by day',
          description: 'All features of this vendor license, added up by the analyzer, per local day of the analyzer.',
          height: 11,
        },
        ALL_FEATURES,
        { series: 'Elapsed Time', as: 'license-hours', color: 'blue' },
      ),
    )
    .withPanel(
      daily(
        {
          title: 'Denials by day',
          description:
            'Denied requests for all its features, per local day of the analyzer. A script that retries counts each time.',
          unit: 'none',
          height: 11,
        },
        ALL_FEATURES,
        { series: 'Denials', as: 'denials', color: 'red' },
      ),
    )
    .withPanel(
      jsonTable(
        {
          title: 'Denials by feature',
          description:
            'Denied requests of the shown time range, for each feature. If there are more than 20 features, it shows those that users wait for and the busiest. Compare the peak usage of the feature with its number of licenses.',
          width: 12,
          height: 11,
        },
        {
          target: 'history',
          payload: { ...OF_VENDOR_LICENSE, feature: ['%'], shape: 'totals', sort: '-Denials', with: ['Denials'] },
          top: 20,
          owner: 'Product',
          none: 'No denial in this time range',
          keepsTime: true,
        },
        [
          { name: 'Feature' },
          { name: 'Denials', unit: 'locale', decimals: 0, width: 100 },
          { name: 'Days with denials', width: 145 },
          { name: 'License-hours', unit: 'locale', decimals: 0, width: 125 },
          { name: 'Product', hidden: true },
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
          height: 8,
        },
        {
          idle: `sum(${metric('license_feature_inactive_use', OF)})`,
          borrowed: `sum(${metric('license_feature_borrowed_use', OF)})`,
          'reserved and unused': `sum(${metric('license_feature_unused_reserve', OF)})`,
        },
        'lastNotNull',
        'max',
      )
        .axisSoftMax(4)
        .overrideByName('idle', colored('blue'))
        .overrideByName('borrowed', colored('purple'))
        .overrideByName('reserved and unused', colored('text')),
    )
    .withPanel(
      states(
        {
          title: 'Server over time',
          description: 'Whether the license server and its daemon sent data. During a gap, the state is not known.',
          unit: 'none',
          width: 12,
          height: 8,
        },
        { '{{vendor_license}}': metric('license_server_up', OF) },
        { good: 'up', bad: 'down' },
      ),
    )
    .withRow(help());
