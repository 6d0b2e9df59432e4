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
    description: 'One feature: who uses it now, how its use and denials developed, and how many licenses it needs.',
    from: 'now-30d',
    refresh: '5m',
    about: { product: '"$vendor_license"', feature: '"$feature"', matchers: 'vendor_license="$vendor_license"' },
    variables: [vendorLicense(false), feature()],
  })
    .withPanel(
      figure(
        { title: 'In use', description: 'Licenses checked out now, borrowed ones included.', unit: 'none' },
        `sum(${metric('license_feature_in_use', OF)})`,
        PLAIN,
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Available at most',
          description: 'Licenses of all increments that have not ended; 99999 stands for unlimited.',
          unit: 'none',
        },
        `sum(${metric('license_feature_max_available', OF)})`,
        PLAIN,
      ),
    )
    .withPanel(
      figure(
        { title: 'Share in use', description: 'From 95 % on the next user may be denied.', unit: 'percentunit' },
        `max(${saturation(OF)})`,
        SATURATION,
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Waiting requests',
          description: 'Queued requests, at most since the previous collection.',
          unit: 'none',
        },
        `sum(${metric('license_feature_max_queued', OF)})`,
        GOOD_BELOW(1, 'orange'),
      ),
    )
    .withPanel(
      figure(
        { title: 'Inactive', description: 'Licenses checked out by applications nobody uses now.', unit: 'none' },
        `sum(${metric('license_feature_inactive_use', OF)})`,
        PLAIN,
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Expires in',
          description: 'Days until the first of its licenses ends; +Inf for permanent ones.',
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
            'Licenses in use and waiting, under the line of what there is. A shrinking line is a lost increment.',
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
          description: 'Borrowed, inactive, and reserved licenses nobody uses: look here when users wait.',
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
            'Per local day of the analyzer: licenses at most, license-hours in use, and denials. The analyzer keeps it longer than Prometheus does.',
          unit: 'none',
        },
        `{${WHOSE}}`,
      ),
    )
    .withPanel(
      reserved(
        {
          title: 'Reserved, users and peak',
          description: 'Per local day: reserved licenses, distinct users at one time, and most licenses in use.',
          unit: 'none',
        },
        `{${WHOSE},"shape":"timeseries"}`,
      ),
    )
    .withPanel(
      efficiency(
        {
          title: 'How many licenses are needed',
          description: `Hours during which at least so many licenses were in use at once. Left of the line at 5 % is what covers 95 % of the time in use, left of the line at 1 % what covers 99 %. ${WINDOW}`,
          unit: 'h',
        },
        `{${WHOSE}}`,
      ),
    )
    .withPanel(
      busyHours(
        {
          title: 'Busy hours',
          description: `Most licenses in use at once, by hour and weekday in the analyzer's time zone. ${WINDOW}`,
          unit: 'none',
        },
        `{${WHOSE},"shape":"table"}`,
      ),
    )
    .withPanel(
      busyHoursMap(
        {
          title: 'Busy hours as a map',
          description: `The same as a map, for Grafana 9.4 and later: hours from left to right in the analyzer's time zone. ${WINDOW}`,
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
            'Users with a license or waiting for one. Names are personal: the exporter serves them only where datasource.users allows it.',
          unit: 'none',
          height: 9,
          noValue: 'nobody holds a license',
        },
        new JsonQuery('users', `{${WHOSE}}`),
        [{ name: 'Since', unit: 'dateTimeFromNow' }],
      ),
    )
    .withPanel(help());
