import { createDashboard, vendorLicense } from '../dashboard.ts';
import { DAYS_LEFT, figure, GOOD_BELOW, graph, help, jsonTable, PLAIN, seriesTable } from '../panels.ts';
import { JsonQuery, metric } from '../queries.ts';

const OF = 'vendor_license=~"$vendor_license"';
const expiration = metric('license_feature_expiration_timestamp_seconds', OF);
const within = (days: number): string =>
  `sum((${expiration} > bool time()) * (${expiration} <= bool time() + ${days} * 86400))`;
const FEATURE = ['vendor_license', 'feature', 'version', 'package', 'feature_type'];

/** What ends when. */
export const expirations = () =>
  createDashboard({
    uid: 'license-expirations',
    title: 'Expirations',
    description: 'What ends within 7, 21 and 30 days, what has ended, and what never ends.',
    from: 'now-30d',
    refresh: '15m',
    about: { product: '$vendor_license', matchers: OF },
    marksDenials: false,
    variables: [vendorLicense(true)],
  })
    .withPanel(
      figure(
        {
          title: 'Expired',
          description: 'Licenses that have ended. Renew them or take them off the server.',
          unit: 'none',
        },
        `sum(${expiration} <= bool time())`,
        GOOD_BELOW(1),
      ),
    )
    .withPanel(
      figure(
        { title: 'Within 7 days', description: 'Licenses that end within 7 days.', unit: 'none' },
        within(7),
        GOOD_BELOW(1),
      ),
    )
    .withPanel(
      figure(
        { title: 'Within 21 days', description: 'Licenses that end within 21 days.', unit: 'none' },
        within(21),
        GOOD_BELOW(1, 'orange'),
      ),
    )
    .withPanel(
      figure(
        { title: 'Within 30 days', description: 'Licenses that end within 30 days.', unit: 'none' },
        within(30),
        GOOD_BELOW(1, 'yellow'),
      ),
    )
    .withPanel(
      figure(
        { title: 'Later', description: 'Licenses that end after more than 30 days.', unit: 'none' },
        `sum((${expiration} > bool time() + 30 * 86400) * (${expiration} < bool Inf))`,
        [[null, 'green']],
      ),
    )
    .withPanel(
      figure(
        { title: 'Permanent', description: 'Licenses that never end.', unit: 'none' },
        `sum(${expiration} == bool Inf)`,
        PLAIN,
      ),
    )
    .withPanel(
      seriesTable(
        {
          title: 'Ended, or ending within 30 days',
          description: 'The licenses to be renewed, the nearest first. Negative days have passed.',
          unit: 'd',
          width: 24,
          height: 11,
          noValue: 'nothing ends within 30 days',
        },
        [
          {
            name: 'Days left',
            unit: 'd',
            steps: DAYS_LEFT,
            expression: `(${expiration} - time()) / 86400 <= 30`,
          },
          {
            name: 'Licenses',
            unit: 'none',
            expression: `${metric('license_feature_max_available', OF)} and (${expiration} - time()) / 86400 <= 30`,
          },
          {
            name: 'In use',
            unit: 'none',
            expression: `${metric('license_feature_in_use', OF)} and (${expiration} - time()) / 86400 <= 30`,
          },
        ],
        FEATURE,
        'Days left',
      ),
    )
    .withPanel(
      jsonTable(
        {
          title: 'All licenses',
          description: 'Every license of the chosen vendor licenses as of the last poll. Without a date: permanent.',
          unit: 'none',
          width: 24,
          height: 12,
        },
        new JsonQuery('expirations', '{"product":$vendor_license}'),
        [
          { name: 'Expires', unit: 'dateTimeAsIso' },
          { name: 'Days left', unit: 'd', steps: DAYS_LEFT },
        ],
        'Product',
      ),
    )
    .withPanel(
      seriesTable(
        {
          title: 'Permanent licenses',
          description: 'Licenses that never end, apart, so that they hide nothing.',
          unit: 'none',
          noValue: 'no license is permanent',
        },
        [
          {
            name: 'Licenses',
            unit: 'none',
            expression: `${metric('license_feature_max_available', OF)} and (${expiration} == Inf)`,
          },
        ],
        FEATURE,
      ),
    )
    .withPanel(
      graph(
        {
          title: 'Licenses available',
          description:
            'Licenses of each vendor license over time, those without a count left out. A step down is an expiry or a lost increment.',
          unit: 'none',
        },
        {
          '{{vendor_license}}': `sum by (vendor_license) (${metric('license_feature_max_available', OF)} < 99999)`,
        },
      ),
    )
    .withPanel(help());
