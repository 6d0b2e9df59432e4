import { createDashboard, vendorLicense } from '../dashboard.ts';
import { DAYS_LEFT, EXPIRY, figure, GOOD_BELOW, graph, help, jsonTable, PLAIN, seriesTable } from '../panels.ts';
import { expiration, expired, expiring, JsonQuery, metric } from '../queries.ts';

const OF = 'vendor_license=~"$vendor_license"';
const ends = expiration(OF);
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
    variables: [vendorLicense(true)],
  })
    .withPanel(
      figure(
        {
          title: 'Expired',
          description: 'Licenses that have ended. Renew them or take them off the server.',
          unit: 'none',
        },
        expired(OF),
        GOOD_BELOW(1),
      ),
    )
    .withPanel(
      figure(
        { title: 'Within 7 days', description: 'Licenses that end within 7 days.', unit: 'none' },
        expiring(7, OF),
        GOOD_BELOW(1),
      ),
    )
    .withPanel(
      figure(
        { title: 'Within 21 days', description: 'Licenses that end within 21 days.', unit: 'none' },
        expiring(21, OF),
        GOOD_BELOW(1, 'orange'),
      ),
    )
    .withPanel(
      figure(
        { title: 'Within 30 days', description: 'Licenses that end within 30 days.', unit: 'none' },
        expiring(30, OF),
        GOOD_BELOW(1, 'yellow'),
      ),
    )
    .withPanel(
      figure(
        { title: 'Later', description: 'Licenses that end after more than 30 days.', unit: 'none' },
        `sum((${ends} > bool time() + 30 * 86400) * (${ends} < bool Inf))`,
        [[null, 'green']],
      ),
    )
    .withPanel(
      figure(
        { title: 'Permanent', description: 'Licenses that never end.', unit: 'none' },
        `sum(${ends} == bool Inf)`,
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
            expression: `(${ends} - time()) / 86400 <= 30`,
          },
          {
            name: 'Licenses',
            unit: 'none',
            expression: `${metric('license_feature_max_available', OF)} and (${ends} - time()) / 86400 <= 30`,
          },
          {
            name: 'In use',
            unit: 'none',
            expression: `${metric('license_feature_in_use', OF)} and (${ends} - time()) / 86400 <= 30`,
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
        [...EXPIRY],
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
            expression: `${metric('license_feature_max_available', OF)} and (${ends} == Inf)`,
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
