import { createDashboard, vendorLicense } from '../dashboard.ts';
import { DAYS_LEFT, EXPIRY, figure, GOOD_BELOW, graph, help, jsonTable, PLAIN, seriesTable } from '../panels.ts';
import { expiration, expired, expiring, JsonQuery, metric } from '../queries.ts';

const OF = 'vendor_license=~"$vendor_license"';
const ends = expiration(OF);
const FEATURE = ['vendor_license', 'feature', 'version', 'package', 'feature_type'];

/** When licenses expire. */
export const expirations = () =>
  createDashboard({
    uid: 'license-expirations',
    title: 'Expirations',
    description: 'Which licenses expire within 7, 21 and 30 days, which have expired, and which are permanent.',
    from: 'now-30d',
    refresh: '15m',
    about: { product: '$vendor_license', matchers: OF },
    variables: [vendorLicense(true)],
  })
    .withPanel(
      figure(
        {
          title: 'Expired',
          description: 'Licenses that have expired. Renew them, or remove them from the server.',
          unit: 'none',
        },
        expired(OF),
        GOOD_BELOW(1),
      ),
    )
    .withPanel(
      figure(
        { title: 'Within 7 days', description: 'Licenses that expire within 7 days.', unit: 'none' },
        expiring(7, OF),
        GOOD_BELOW(1),
      ),
    )
    .withPanel(
      figure(
        { title: 'Within 21 days', description: 'Licenses that expire within 21 days.', unit: 'none' },
        expiring(21, OF),
        GOOD_BELOW(1, 'orange'),
      ),
    )
    .withPanel(
      figure(
        { title: 'Within 30 days', description: 'Licenses that expire within 30 days.', unit: 'none' },
        expiring(30, OF),
        GOOD_BELOW(1, 'yellow'),
      ),
    )
    .withPanel(
      figure(
        { title: 'Later', description: 'Licenses that expire after more than 30 days.', unit: 'none' },
        `sum((${ends} > bool time() + 30 * 86400) * (${ends} < bool Inf))`,
        [[null, 'green']],
      ),
    )
    .withPanel(
      figure(
        { title: 'Permanent', description: 'Licenses that never expire.', unit: 'none' },
        `sum(${ends} == bool Inf)`,
        PLAIN,
      ),
    )
    .withPanel(
      seriesTable(
        {
          title: 'Ended, or ending within 30 days',
          description:
            'Licenses that need renewal, the nearest expiry first. Negative days mean that the license has expired.',
          unit: 'd',
          width: 24,
          height: 11,
          noValue: 'no license expires within 30 days',
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
          description:
            'Every license of the selected vendor licenses, as of the last poll. A license without a date is permanent.',
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
          description: 'Licenses that never expire. They are listed separately, so that they do not hide the others.',
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
            'Licenses of each vendor license over time, without uncounted ones. A step down is an expiry or a removed increment.',
          unit: 'none',
        },
        {
          '{{vendor_license}}': `sum by (vendor_license) (${metric('license_feature_max_available', OF)} < 99999)`,
        },
      ),
    )
    .withPanel(help());
