import { createDashboard, feature, vendorLicense } from '../dashboard.ts';
import {
  busyHours,
  busyHoursMap,
  DAYS_LEFT,
  efficiency,
  figure,
  GOOD_BELOW,
  graph,
  help,
  jsonTable,
  PLAIN,
  reserved,
  SATURATION,
  trend,
} from '../panels.ts';
import { JsonQuery, metric, saturation } from '../queries.ts';

const OF = 'vendor_license="$vendor_license",feature="$feature"';
const WHOSE = '"product":"$vendor_license","feature":"$feature"';

const WINDOW =
  'It covers the last day, 7 days or year, the shortest that holds the time range; a range that ends in the past shows the month of its end.';

/** One feature: now and over time. */
export const featureDashboard = () =>
  createDashboard({
    uid: 'license-feature',
    title: 'Feature',
    description: 'One feature: its users now, its usage and denials over time, and how many licenses it needs.',
    from: 'now-30d',
    refresh: '5m',
    about: { product: '"$vendor_license"', feature: '"$feature"', matchers: 'vendor_license="$vendor_license"' },
    variables: [vendorLicense(false), feature()],
  })
    .withPanel(
      figure(
        { title: 'In use', description: 'Licenses checked out now, including borrowed ones.', unit: 'none' },
        `sum(${metric('license_feature_in_use', OF)})`,
        PLAIN,
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Available at most',
          description: 'Licenses of all increments that have not expired. 99999 means unlimited.',
          unit: 'none',
        },
        `sum(${metric('license_feature_max_available', OF)})`,
        PLAIN,
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Share in use',
          description: 'Ratio of licenses in use. At 95 % or more, the next user may be denied.',
          unit: 'percentunit',
        },
        `max(${saturation(OF)})`,
        SATURATION,
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Waiting requests',
          description: 'Maximum number of queued requests since the previous collection.',
          unit: 'none',
        },
        `sum(${metric('license_feature_max_queued', OF)})`,
        GOOD_BELOW(1, 'orange'),
      ),
    )
    .withPanel(
      figure(
        { title: 'Inactive', description: 'Licenses checked out by applications that are inactive now.', unit: 'none' },
        `sum(${metric('license_feature_inactive_use', OF)})`,
        PLAIN,
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Expires in',
          description: 'Days until the first of its licenses expires; +Inf if all are permanent.',
          unit: 'd',
        },
        `(min(${metric('license_feature_expiration_timestamp_seconds', OF)}) - time()) / 86400`,
        DAYS_LEFT,
      ),
    )
    .withPanel(
      graph(
        {
          title: 'Use',
          description:
            'Licenses in use, queued requests, and available licenses. If the number of available licenses drops, an increment was lost.',
          unit: 'none',
        },
        {
          'available at most': `sum(${metric('license_feature_max_available', OF)})`,
          'in use': `sum(${metric('license_feature_in_use', OF)})`,
          waiting: `sum(${metric('license_feature_max_queued', OF)})`,
        },
      ),
    )
    .withPanel(
      graph(
        {
          title: 'Held but not used',
          description: 'Licenses that are borrowed, inactive, or reserved and unused. Check these when users wait.',
          unit: 'none',
        },
        {
          inactive: `sum(${metric('license_feature_inactive_use', OF)})`,
          borrowed: `sum(${metric('license_feature_borrowed_use', OF)})`,
          'borrowed and inactive': `sum(${metric('license_feature_borrowed_inactive_use', OF)})`,
          'reserved and unused': `sum(${metric('license_feature_unused_reserve', OF)})`,
        },
      ),
    )
    .withPanel(
      trend(
        {
          title: 'Utilisation history',
          description:
            'Maximum of available licenses, license-hours in use, and denials, per local day of the analyzer. The analyzer can keep this history longer than Prometheus.',
          unit: 'none',
        },
        `{${WHOSE}}`,
      ),
    )
    .withPanel(
      reserved(
        {
          title: 'Reserved, users and peak',
          description: 'Maxima per local day: reserved licenses, distinct users at one time, and licenses in use.',
          unit: 'none',
        },
        `{${WHOSE},"shape":"timeseries"}`,
      ),
    )
    .withPanel(
      efficiency(
        {
          title: 'How many licenses are needed',
          description: `Hours during which at least N licenses were in use at once. The licenses whose bars reach the line at 5 % covered 95 % of the time in use. Those that reach the line at 1 % covered 99 %. ${WINDOW}`,
          unit: 'h',
        },
        `{${WHOSE}}`,
      ),
    )
    .withPanel(
      busyHours(
        {
          title: 'Busy hours',
          description: `Maximum number of licenses in use at once, by hour and weekday in the analyzer's time zone. ${WINDOW}`,
          unit: 'none',
        },
        `{${WHOSE},"shape":"table"}`,
      ),
    )
    .withPanel(
      busyHoursMap(
        {
          title: 'Busy hours as a map',
          description: `The same data as a heatmap, for Grafana 9.4 and later. Hours from left to right, in the analyzer's time zone. ${WINDOW}`,
          unit: 'none',
        },
        `{${WHOSE}}`,
      ),
    )
    .withPanel(
      jsonTable(
        {
          title: 'Who holds it now',
          description:
            'Users that hold a license or wait for one. User names are personal data: the exporter serves them only if datasource.users allows it.',
          unit: 'none',
          height: 9,
          noValue: 'no user holds a license',
        },
        new JsonQuery('users', `{${WHOSE}}`),
        [{ name: 'Since', unit: 'dateTimeFromNow' }],
      ),
    )
    .withPanel(help());
