import { createDashboard, vendorLicense } from '../dashboard.ts';
import {
  busyHours,
  DAYS_LEFT,
  EXPIRY,
  figure,
  GOOD_AT_ONE,
  GOOD_BELOW,
  graph,
  help,
  jsonTable,
  PLAIN,
  trend,
} from '../panels.ts';
import { JsonQuery, metric, saturation } from '../queries.ts';

const OF = 'vendor_license="$vendor_license"';
const PRODUCT = '"$vendor_license"';

/** One license server and daemon. */
export const vendorLicenseDashboard = () =>
  createDashboard({
    uid: 'license-vendor-license',
    title: 'Vendor license',
    description: 'One license server and daemon: its state, features, history, and the users that hold its licenses.',
    from: 'now-7d',
    refresh: '5m',
    about: { product: PRODUCT, matchers: OF },
    variables: [vendorLicense(false)],
  })
    .withPanel(
      figure(
        {
          title: 'Server up',
          description: 'Whether the license server and its daemon sent data in the last 30 minutes.',
          unit: 'bool_yes_no',
        },
        `min(${metric('license_server_up', OF)})`,
        GOOD_AT_ONE,
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Data age',
          description: 'Time since the analyzer last collected data from this server.',
          unit: 's',
        },
        `time() - max(${metric('license_vendor_license_last_collection_timestamp_seconds', OF)} > 0)`,
        GOOD_BELOW(1800),
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Distinct users',
          description: 'Users that hold one of its licenses now, each counted once.',
          unit: 'none',
        },
        `max(${metric('license_vendor_license_distinct_users', OF)})`,
        PLAIN,
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Nearest expiry',
          description: 'Days until the first of its licenses expires; +Inf if all are permanent.',
          unit: 'd',
        },
        `(min(${metric('license_vendor_license_min_expiration_timestamp_seconds', OF)}) - time()) / 86400`,
        DAYS_LEFT,
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Saturated features',
          description: 'Features with at least 95 % of their licenses in use.',
          unit: 'none',
        },
        `sum(${saturation(OF)} >= bool 0.95)`,
        GOOD_BELOW(1, 'orange'),
      ),
    )
    .withPanel(
      figure(
        { title: 'Waiting requests', description: 'Queued requests for its features.', unit: 'none' },
        `sum(${metric('license_feature_max_queued', OF)})`,
        GOOD_BELOW(1, 'orange'),
      ),
    )
    .withPanel(
      jsonTable(
        {
          title: 'Features',
          description:
            'Every feature with its usage, queue, borrowed and reserved licenses, as of the last poll. If usage cells are empty, the server is down and usage is unknown.',
          unit: 'none',
          width: 24,
          height: 12,
        },
        new JsonQuery('features', `{"product":${PRODUCT}}`),
        [
          { name: 'Product', width: 180 },
          { name: 'Feature', width: 180 },
          { name: 'Max queued', steps: GOOD_BELOW(1, 'orange') },
          ...EXPIRY,
        ],
        'Product',
      ),
    )
    .withPanel(
      graph(
        {
          title: 'Share in use',
          description: 'Ratio of licenses in use for each feature, the twenty highest now.',
          unit: 'percentunit',
        },
        {
          '{{feature}} {{version}}': `topk(20, ${saturation(OF)})`,
        },
      ).max(1),
    )
    .withPanel(
      graph(
        {
          title: 'Idle, borrowed and reserved',
          description:
            'Licenses that are checked out but inactive, borrowed, or reserved and unused. Try to free these before you buy more.',
          unit: 'none',
        },
        {
          'checked out but inactive': `sum(${metric('license_feature_inactive_use', OF)})`,
          borrowed: `sum(${metric('license_feature_borrowed_use', OF)})`,
          'reserved and unused': `sum(${metric('license_feature_unused_reserve', OF)})`,
        },
      ),
    )
    .withPanel(
      trend(
        {
          title: 'Utilisation history, all features',
          description:
            'All features of this vendor license, added up by the analyzer: maximum of available licenses, license-hours and denials per day.',
          unit: 'none',
        },
        `{"product":${PRODUCT},"feature":"%","wildcard":"upstream"}`,
      ),
    )
    .withPanel(
      busyHours(
        {
          title: 'Busy hours',
          description:
            "Maximum number of licenses in use at once, by hour and weekday in the analyzer's time zone. It covers the time range if that ends now, else the last month of the range.",
          unit: 'none',
        },
        `{"product":${PRODUCT},"feature":"%","wildcard":"upstream","shape":"table"}`,
      ),
    )
    .withPanel(
      jsonTable(
        {
          title: 'Who holds its licenses now',
          description:
            'Users of all its features. User names are personal data: the exporter serves them only if datasource.users allows it.',
          unit: 'none',
          width: 24,
          height: 10,
          noValue: 'no user holds a license',
        },
        new JsonQuery('users', `{"product":${PRODUCT},"feature":"%","wildcard":"upstream"}`),
        [{ name: 'Since', unit: 'dateTimeFromNow' }],
      ),
    )
    .withPanel(help());
