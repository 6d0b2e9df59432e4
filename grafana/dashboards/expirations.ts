import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import { createDashboard, vendorLicenses } from '../dashboard.ts';
import { monthBars } from '../expiry-panels.ts';
import { KEEP, linkTo, panelOf } from '../links.ts';
import { GOOD_BELOW, help, PLAIN, type Rows } from '../panels.ts';
import { OF_VENDOR_LICENSES, SEVERAL_VENDOR_LICENSES } from '../queries.ts';
import { EXPIRY, jsonTable, type Shown } from '../tables.ts';
import { total, totalPair } from '../total-panel.ts';

const OF = SEVERAL_VENDOR_LICENSES;

const rows = (title: string): Rows => ({
  title: 'Show',
  url: linkTo('license-expirations', KEEP.vendorLicenses, panelOf(title)),
});

/** A column of the totals, coloured from 1 on. */
const count = (column: string, description: string, table: string, width: number, color?: string) =>
  total(
    { title: column, description, unit: 'none', width },
    { target: 'expirations', field: column, ...(color !== undefined && { steps: [[1, color]] as const }) },
    rows(table),
  );

const feature: Shown = { name: 'Feature' };
const expires: Shown = { name: 'Expires', width: 110 };
const rest: readonly Shown[] = [
  { name: 'Version', width: 100 },
  { name: 'Package', width: 150 },
  { name: 'Product', as: 'Vendor license', width: 190 },
  { name: 'Owner', width: 160, unknown: 'nobody' },
];

/** The month of the table of upcoming expiries. It is set by a click on a bar, and empty for all months. */
const month = () => new dashboard.TextBoxVariableBuilder('month').label('Month').defaultValue('');

/** When licenses expire. */
export const expirations = () =>
  createDashboard({
    uid: 'license-expirations',
    title: 'Expirations',
    description:
      'What expires in each of the next months, the licenses that expire next with their owners, and what has expired.',
    from: 'now-30d',
    refresh: '15m',
    about: { matchers: OF, annotated: false },
    variables: [vendorLicenses(), month()],
  })
    .withPanel(
      count(
        'Expired',
        'All licenses that have expired, however long ago. Renew them, or remove them from the server. The dashboard Overview lists one only for 14 days.',
        'Expired',
        4,
        'red',
      ),
    )
    .withPanel(
      totalPair(
        {
          title: 'Soon',
          description: 'Licenses that expire within 7 days, and within 21 days. Those within 7 days are in both.',
          unit: 'none',
          width: 5,
        },
        { target: 'expirations' },
        {
          'Within 7 days': { as: 'within 7 days', steps: GOOD_BELOW(1) },
          'Within 21 days': { as: 'within 21 days', steps: GOOD_BELOW(1, 'orange') },
        },
        rows('Upcoming'),
      ),
    )
    .withPanel(
      totalPair(
        {
          title: 'Next months',
          description: 'Licenses that expire within 30 days, and within 90 days. Those that expire sooner are in both.',
          unit: 'none',
          width: 5,
        },
        { target: 'expirations' },
        {
          'Within 30 days': { as: 'within 30 days', steps: GOOD_BELOW(1, 'orange') },
          'Within 90 days': { as: 'within 90 days', steps: PLAIN },
        },
        rows('Upcoming'),
      ),
    )
    .withPanel(count('Later', 'Licenses that expire after more than 90 days.', 'Upcoming', 5))
    .withPanel(count('Permanent', 'Licenses that never expire. They are in no table.', 'Upcoming', 5))
    .withPanel(
      monthBars(
        {
          title: 'Expiries by month',
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
      jsonTable(
        {
          title: 'Upcoming',
          description:
            'Licenses that have not expired yet, the next one first. The month at the top limits it to one month; empty it for all.',
          width: 24,
          height: 13,
        },
        {
          target: 'expirations',
          payload: { ...OF_VENDOR_LICENSES, status: ['upcoming'], expiry_month: '$month', sort: 'Expires' },
          top: 500,
          owner: 'Product',
          none: 'No license expires, or none in this month',
        },
        [
          feature,
          ...EXPIRY,
          { name: 'Bought', width: 95, align: 'right', unknown: 'unknown' },
          { name: 'In use', width: 75, unknown: 'unknown' },
          ...rest,
        ],
      ),
    )
    .withPanel(
      jsonTable(
        {
          title: 'Expired',
          description:
            'All licenses that have expired, however long ago, the last one first. Renew them, or remove them from the server. The dashboard Overview lists one only for 14 days.',
          width: 24,
          height: 11,
        },
        {
          target: 'expirations',
          payload: { ...OF_VENDOR_LICENSES, status: ['ended'], sort: '-Expires' },
          top: 100,
          owner: 'Product',
          none: 'No license has expired',
        },
        [feature, expires, { name: 'Days since', as: 'Days ago', unit: 'none', decimals: 0, width: 95 }, ...rest],
      ),
    )
    .withRow(help());
