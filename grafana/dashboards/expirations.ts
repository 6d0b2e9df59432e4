import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import { createDashboard, vendorLicenses } from '../dashboard.ts';
import { months } from '../history-panels.ts';
import { KEEP, linkTo, panelOf } from '../links.ts';
import { figure, GOOD_BELOW, help, PLAIN, pair, type Rows, type Step } from '../panels.ts';
import {
  expired,
  expiring,
  expiringLater,
  OF_VENDOR_LICENSES,
  permanent,
  SEVERAL_VENDOR_LICENSES,
} from '../queries.ts';
import { DAYS, EXPIRES, rowsTable, type Shown, VENDOR_LICENSE } from '../tables.ts';

const OF = SEVERAL_VENDOR_LICENSES;

const rows = (title: string): Rows => ({
  title: 'Show',
  url: linkTo('license-expirations', KEEP.vendorLicenses, panelOf(title)),
});

const count = (
  title: string,
  description: string,
  expression: string,
  { table, width, steps = PLAIN }: { readonly table: string; readonly width: number; readonly steps?: readonly Step[] },
) => figure({ title, description, unit: 'locale', width }, expression, steps, rows(table));

/** Two periods from now, with their colours. */
const soon = (title: string, description: string, days: Readonly<Record<number, readonly Step[]>>) =>
  pair(
    { title, description, unit: 'locale', width: 5 },
    Object.fromEntries(
      Object.entries(days).map(([n, steps]) => [`within ${n} days`, [expiring(Number(n), OF), steps] as const]),
    ),
    rows('Upcoming'),
  );

const feature: Shown = { name: 'Feature' };
const rest: readonly Shown[] = [
  { name: 'Version', width: 90 },
  { name: 'Package', width: 120 },
  { ...VENDOR_LICENSE, width: 200 },
  { name: 'Owner', width: 130, unknown: 'nobody', wrap: true },
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
    variables: [vendorLicenses(), month()],
  })
    .withPanel(
      count(
        'Expired',
        'All licenses that have expired, however long ago. Renew them, or remove them from the server. The dashboard Overview lists one only for 14 days.',
        expired(OF),
        { table: 'Expired', width: 4, steps: GOOD_BELOW(1) },
      ),
    )
    .withPanel(
      soon('Soon', 'Licenses that expire within 7 days, and within 21 days. Those within 7 days are in both.', {
        7: GOOD_BELOW(1),
        21: GOOD_BELOW(1, 'orange'),
      }),
    )
    .withPanel(
      soon(
        'Next months',
        'Licenses that expire within 30 days, and within 90 days. Those that expire sooner are in both.',
        { 30: GOOD_BELOW(1, 'orange'), 90: PLAIN },
      ),
    )
    .withPanel(
      count('Later', 'Licenses that expire after more than 90 days.', expiringLater(90, OF), {
        table: 'Upcoming',
        width: 5,
      }),
    )
    .withPanel(
      count('Permanent', 'Licenses that never expire. They are in no table.', permanent(OF), {
        table: 'Upcoming',
        width: 5,
      }),
    )
    .withPanel(
      months(
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
          height: 11,
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
          { name: 'Days since', as: 'Days ago', type: 'number', unit: 'locale', decimals: 0, width: 95 },
          ...rest,
        ],
      ),
    )
    .withRow(help());
