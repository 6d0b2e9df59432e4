import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import { createDashboard, vendorLicenses } from '../dashboard.ts';
import { months } from '../history-panels.ts';
import { KEEP, linkTo, panelOf } from '../links.ts';
import { GOOD_BELOW, help, type Rows } from '../panels.ts';
import { OF_VENDOR_LICENSES } from '../queries.ts';
import { DAYS, EXPIRES, rowsTable, type Shown, VENDOR_LICENSE } from '../tables.ts';
import { totals } from '../total-panel.ts';

const rows = (title: string): Rows => ({
  title: 'Show',
  url: linkTo('license-expirations', KEEP.vendorLicenses, panelOf(title)),
});

// beside a note, the date is still seen on a narrow screen
const feature: Shown = { name: 'Feature', minWidth: 120 };
const rest: readonly Shown[] = [
  { name: 'Version', width: 90 },
  { name: 'Package', width: 120 },
  { ...VENDOR_LICENSE, minWidth: 170 },
  { name: 'Owner', width: 130, wrap: true },
];

/** The month of the table of upcoming expiries. It is set by a click on a bar, and empty for all months. */
const month = () => new dashboard.TextBoxVariableBuilder('month').label('Month (YYYY-MM, or later)').defaultValue('');

/** When licenses expire. */
export const expirations = () =>
  createDashboard({
    uid: 'license-expirations',
    title: 'Expirations',
    description:
      'What expires in each of the next months, the licenses that expire next with their owners, and what has expired.',
    from: 'now-30d',
    refresh: '15m',
    variables: [vendorLicenses(), month()],
  })
    .withPanel(
      totals(
        {
          title: 'Features by days left',
          description:
            'How many features expire within these days: each version and package of a feature counts, however many licenses it has. What expires within 7 days expires within 30 days too. All that have expired count, however long ago: renew them, or remove them from the server.',
          width: 13,
        },
        { target: 'expirations', parameters: OF_VENDOR_LICENSES },
        {
          expired: { of: 'Expired', steps: GOOD_BELOW(1) },
          '≤ 7 d': { of: 'Within 7 days', steps: GOOD_BELOW(1) },
          '≤ 21 d': { of: 'Within 21 days', steps: GOOD_BELOW(1, 'orange') },
          '≤ 30 d': { of: 'Within 30 days', steps: GOOD_BELOW(1, 'orange') },
        },
        rows('Upcoming'),
        rows('Expired'),
      ),
    )
    .withPanel(
      totals(
        {
          title: 'Later, or never',
          description:
            'Features that expire within 90 days, which include those within 30, those that expire after that, and those that are permanent. No date: no expiry is reported; not known while a vendor license was never collected.',
          width: 11,
        },
        { target: 'expirations', parameters: OF_VENDOR_LICENSES },
        {
          '≤ 90 d': { of: 'Within 90 days' },
          '> 90 d': { of: 'Later' },
          permanent: { of: 'Permanent' },
          'no date': { of: 'Without date' },
        },
        rows('Upcoming'),
      ),
    )
    .withPanel(
      months(
        {
          title: 'Upcoming expiries by month',
          description:
            'How many entries expire in each month: one for each version and package of a feature, however many licenses it has. The first month is the current one. Those that have expired and those that are permanent are not counted. A click on a bar lists its licenses below.',
          unit: 'none',
        },
        OF_VENDOR_LICENSES,
        {
          title: 'List the licenses of this month',
          url: linkTo('license-expirations', KEEP.vendorLicenses, `var-month=\${__data.fields.Month:percentencode}`),
        },
      ),
    )
    .withPanel(
      rowsTable(
        {
          title: 'Upcoming',
          description:
            'Licenses that have not expired yet, the next one first. The month at the top limits it to one month; empty it for all.',
          width: 24,
          height: 13,
        },
        {
          target: 'expirations',
          parameters: {
            ...OF_VENDOR_LICENSES,
            status: ['upcoming'],
            expiry_month: `\${month:raw}`,
            sort: 'Expires',
          },
          top: 500,
          none: 'No license expires, or none in this month',
        },
        [
          feature,
          EXPIRES,
          DAYS,
          { name: 'Bought', type: 'number', unit: 'locale', width: 80 },
          { name: 'In use', type: 'number', unit: 'locale', width: 80 },
          ...rest,
        ],
      ),
    )
    .withPanel(
      rowsTable(
        {
          title: 'Expired',
          description:
            'All licenses that have expired, however long ago, the last one first. Renew them, or remove them from the server. The dashboard Overview lists one only for 14 days.',
          width: 24,
          height: 7,
        },
        {
          target: 'expirations',
          parameters: { ...OF_VENDOR_LICENSES, status: ['ended'], sort: '-Expires' },
          top: 100,
          none: 'No license has expired',
        },
        [
          feature,
          EXPIRES,
          { name: 'Days since', as: 'Days ago', type: 'number', unit: 'locale', decimals: 1, width: 95 },
          ...rest,
        ],
      ),
    )
    .withRow(help());
