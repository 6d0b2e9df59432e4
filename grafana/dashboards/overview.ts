import { createDashboard } from '../dashboard.ts';
import {
  DAYS_LEFT,
  EXPIRY,
  figure,
  GOOD_AT_ONE,
  GOOD_BELOW,
  graph,
  help,
  jsonTable,
  PLAIN,
  SATURATION,
  seriesTable,
  states,
} from '../panels.ts';
import { expiration, expired, expiring, JsonQuery, metric, saturation, select } from '../queries.ts';

const FEATURE = ['vendor_license', 'feature', 'version', 'package'];

/** Whether anything needs attention. */
export const overview = () =>
  createDashboard({
    uid: 'license-overview',
    title: 'Overview',
    description: 'Whether anything needs attention: servers, expiries, saturation, queues, and the age of the data.',
    from: 'now-24h',
    refresh: '1m',
    about: { product: '"%"' },
    variables: [],
  })
    .withPanel(
      figure(
        {
          title: 'Servers down',
          description:
            'Vendor licenses whose server or daemon has sent no data for 30 minutes. Check the license server and its daemon. "No data" means that the state is not known.',
          unit: 'none',
        },
        `sum(${metric('license_server_up')} == bool 0)`,
        GOOD_BELOW(1),
        'license-vendor-license',
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Expired',
          description: 'Features whose license has expired. Renew them, or remove them from the server.',
          unit: 'none',
        },
        expired(),
        GOOD_BELOW(1),
        'license-expirations',
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Expiring within 30 days',
          description:
            'Features whose license expires within 30 days and has not expired yet. Permanent licenses are not counted.',
          unit: 'none',
        },
        expiring(30),
        GOOD_BELOW(1, 'orange'),
        'license-expirations',
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Saturated features',
          description: 'Features with at least 95 % of their licenses in use now. The next user may be denied.',
          unit: 'none',
        },
        `sum(${saturation()} >= bool 0.95)`,
        GOOD_BELOW(1, 'orange'),
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Waiting requests',
          description: 'Maximum number of queued requests since the previous collection, summed over all features.',
          unit: 'none',
        },
        `sum(${metric('license_feature_max_queued')})`,
        GOOD_BELOW(1, 'orange'),
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Concurrent users',
          description: 'Distinct users over all vendor licenses, each counted once.',
          unit: 'none',
        },
        `max(${select('license_concurrent_users')})`,
        PLAIN,
      ),
    )
    .withPanel(
      states(
        {
          title: 'License servers',
          description: 'Whether each license server and daemon sent data. During a gap, the state is not known.',
          unit: 'none',
          width: 16,
          height: 9,
        },
        { '{{vendor_license}}': metric('license_server_up') },
        { good: 'up', bad: 'down' },
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Exporter reaches the analyzer',
          description: '1 when every endpoint answered at its last poll. Otherwise see the dashboard Exporter.',
          unit: 'bool_yes_no',
          height: 9,
        },
        `min(${select('license_up')})`,
        GOOD_AT_ONE,
        'license-exporter',
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Oldest usage data',
          description:
            'Age of the oldest collection among the servers that are up. The analyzer collects every few minutes. After 30 minutes without data, a vendor license counts as down.',
          unit: 's',
          height: 9,
        },
        `time() - min(${metric('license_vendor_license_last_collection_timestamp_seconds')} and on (vendor_license) (${metric('license_server_up')} == 1))`,
        GOOD_BELOW(1800),
        'license-exporter',
      ),
    )
    .withPanel(
      seriesTable(
        {
          title: 'Saturated features',
          description: 'Features with at least 80 % of their licenses in use. Click a feature to see its history.',
          unit: 'percentunit',
          noValue: 'no feature is above 80 %',
        },
        [{ name: 'In use', unit: 'percentunit', steps: SATURATION, expression: `${saturation()} >= 0.8`, width: 110 }],
        FEATURE,
        '-In use',
      ),
    )
    .withPanel(
      seriesTable(
        {
          title: 'Next expiries',
          description:
            'The twenty licenses that expire next, including those that have expired. Permanent licenses are not listed.',
          unit: 'd',
          noValue: 'no license expires',
        },
        [
          {
            name: 'Days left',
            unit: 'd',
            steps: DAYS_LEFT,
            expression: `bottomk(20, (${expiration()} < Inf) - time()) / 86400`,
            width: 110,
          },
        ],
        FEATURE,
        'Days left',
      ),
    )
    .withPanel(
      seriesTable(
        {
          title: 'Queues',
          description:
            'Features that users wait for. Check whether their licenses are idle, borrowed, or reserved and unused.',
          unit: 'none',
          noValue: 'no user waits, or queues are not reported',
        },
        [
          {
            name: 'Waiting',
            unit: 'none',
            expression: `${metric('license_feature_max_queued')} > 0`,
            steps: GOOD_BELOW(1, 'orange'),
            width: 110,
          },
        ],
        FEATURE,
        '-Waiting',
      ),
    )
    .withPanel(
      graph(
        {
          title: 'Licenses in use by vendor license',
          description:
            'Licenses checked out now. During a gap, the server is down or its data is outdated, so usage is unknown.',
          unit: 'none',
        },
        { '{{vendor_license}}': `sum by (vendor_license) (${metric('license_feature_in_use')})` },
      ),
    )
    .withPanel(
      jsonTable(
        {
          title: 'Vendor licenses',
          description: 'Every vendor license with its users and nearest expiry, as of the last poll.',
          unit: 'none',
          width: 24,
          height: 10,
        },
        new JsonQuery('products', '{}'),
        [{ name: 'Product', width: 220 }, { name: 'Collected', unit: 'dateTimeFromNow' }, ...EXPIRY],
        'Product',
      ),
    )
    .withPanel(
      jsonTable(
        {
          title: 'Servers that are down',
          description:
            'Vendor licenses that the analyzer reports as down, and the time of their last data. Empty if no server is down.',
          unit: 'none',
          width: 24,
          height: 5,
          noValue: 'no server is down',
        },
        new JsonQuery('server_down', '{}'),
        [{ name: 'Last collection', unit: 'dateTimeFromNow' }],
        'Product',
      ),
    )
    .withPanel(help());
