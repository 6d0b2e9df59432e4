import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import { createDashboard, vendorLicenses } from '../dashboard.ts';
import { KEEP, linkTo, panelOf } from '../links.ts';
import { GOOD_BELOW, help, PLAIN, type Rows } from '../panels.ts';
import { OF_VENDOR_LICENSES } from '../queries.ts';
import { rowsTable, type Shown, STATES, VENDOR_LICENSE, WAITING } from '../tables.ts';
import { totals } from '../total-panel.ts';

const rows = (title: string): Rows => ({
  title: `Show: ${title}`,
  url: linkTo('license-holders', KEEP.vendorLicenses, panelOf(title)),
});

/** Whose checkouts are listed. `%` stands for any text. */
const user = () => new dashboard.TextBoxVariableBuilder('user').label('User (% for any text)').defaultValue('%');

const CHECKOUTS = { ...OF_VENDOR_LICENSES, feature: '%', user: `\${user:raw}` } as const;

const userName: Shown = { name: 'User', width: 120 };
const feature: Shown = { name: 'Feature', minWidth: 120 };
const licenses: Shown = { name: 'Licenses', type: 'number', unit: 'locale', width: 76 };
const idle: Shown = { name: 'Idle for', type: 'number', unit: 'dtdurations', decimals: 0, width: 125 };
const rest: readonly Shown[] = [
  { name: 'Host', width: 130 },
  { ...VENDOR_LICENSE, minWidth: 190 },
];

/** The features of which most licenses are held but not used now. */
const heldNow = (
  about: { readonly title: string; readonly description: string; readonly width: number },
  { name, as, none }: { readonly name: string; readonly as: string; readonly none: string },
  ...more: readonly Shown[]
) =>
  rowsTable(
    { ...about, height: 7 },
    { target: 'features', parameters: { ...OF_VENDOR_LICENSES, sort: `-${name}`, with: [name] }, top: 1000, none },
    [
      { ...feature, minWidth: 110 },
      { name, as, type: 'number', unit: 'locale', width: 68 },
      ...more,
      { ...VENDOR_LICENSE, hidden: true },
    ],
  );

/** Who holds licenses, over the whole site. */
export const holders = () =>
  createDashboard({
    uid: 'license-holders',
    title: 'Holders',
    description:
      'What is held but not used now, which checkouts are idle, and who holds licenses, over the whole site or of one user.',
    from: 'now-6h',
    refresh: '5m',
    variables: [vendorLicenses(), user()],
  })
    .withPanel(
      totals(
        {
          title: 'Licenses now',
          description:
            'Licenses of all features: in use, and of these, checked out by applications that are idle, or borrowed to computers; those that are reserved for users who do not use them; and requests that wait. Each is unknown if the analyzer does not report it.',
          unit: 'locale',
          width: 24,
        },
        { target: 'features', parameters: OF_VENDOR_LICENSES },
        {
          'in use': { of: 'In use' },
          idle: { of: 'Inactive use' },
          borrowed: { of: 'Borrowed use' },
          reserved: { of: 'Unused reserve' },
          waiting: { of: 'Max queued', steps: GOOD_BELOW(1, 'orange') },
        },
        rows('Idle checkouts'),
        rows('Who holds licenses now'),
      ),
    )
    .withPanel(
      heldNow(
        {
          title: 'Idle now',
          description:
            'Licenses that are checked out by applications that are idle now. A timeout of the vendor daemon can release them.',
          width: 6,
        },
        { name: 'Inactive use', as: 'Idle', none: 'No license is idle' },
      ),
    )
    .withPanel(
      heldNow(
        {
          title: 'Reserved, not used',
          description:
            'Licenses that are reserved for users who do not use them now, and the requests that wait for the feature. If users wait, reduce the reservation.',
          width: 6,
        },
        { name: 'Unused reserve', as: 'Unused', none: 'No reservation is unused' },
        WAITING,
      ),
    )
    .withPanel(
      rowsTable(
        {
          title: 'Borrowed now',
          description:
            'Checkouts that are borrowed to computers, the longest first. Their licenses are not available until the borrow period ends, even if nobody uses them. A user who no longer needs one can return it early.',
          width: 12,
          height: 7,
        },
        {
          target: 'users',
          parameters: { ...CHECKOUTS, sort: 'Since', with: ['Borrowed'] },
          top: 500,
          none: 'No license is borrowed',
        },
        [
          userName,
          feature,
          { name: 'Since', type: 'time', unit: 'dateTimeFromNow', width: 133 },
          { name: 'Borrowed', type: 'number', hidden: true },
          { ...VENDOR_LICENSE, hidden: true },
        ],
      ),
    )
    .withPanel(
      rowsTable(
        {
          title: 'Idle checkouts',
          description:
            'Checkouts of applications that are idle, as the analyzer says now, the longest first; the figures above are of the last poll. Ask their users to close the application, or let a timeout of the vendor daemon release the licenses. Empty where the license manager does not say what is idle. User names are personal data: the exporter serves them only to those whom access.names lists.',
          width: 24,
          height: 10,
        },
        {
          target: 'users',
          parameters: { ...CHECKOUTS, sort: '-Idle for', with: ['Idle for'] },
          top: 500,
          none: 'No checkout is idle',
        },
        [userName, idle, feature, licenses, ...rest],
      ),
    )
    .withPanel(
      rowsTable(
        {
          title: 'Who holds licenses now',
          description:
            'Users that hold or wait for a license, the longest first. On a large site, it shows the features of which most licenses are in use, and says of how many. User names are personal data: the exporter serves them only to those whom access.names lists.',
          width: 24,
          height: 16,
        },
        { target: 'users', parameters: { ...CHECKOUTS, sort: 'Since' }, top: 2000, none: 'No user is listed' },
        [
          userName,
          feature,
          { name: 'Since', type: 'time', unit: 'dateTimeFromNow', width: 125 },
          { name: 'Status', width: 85, names: STATES, steps: PLAIN },
          idle,
          licenses,
          ...rest,
        ],
      ),
    )
    .withRow(help());
