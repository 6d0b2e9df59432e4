import { createDashboard, vendorLicenses } from '../dashboard.ts';
import { KEEP, linkTo, panelOf } from '../links.ts';
import { figure, GOOD_BELOW, help } from '../panels.ts';
import { metric, noRow, OF_VENDOR_LICENSES, once, SEVERAL_VENDOR_LICENSES, select } from '../queries.ts';
import { jsonTable, type Shown, seriesTable, type TableQuery } from '../tables.ts';
import { total } from '../total-panel.ts';

const OF = SEVERAL_VENDOR_LICENSES;

const product: Shown = { name: 'Product', as: 'Vendor license', width: 175 };
const feature: Shown = { name: 'Feature', width: 150 };
/** In a panel of half the width, the feature takes what is left. */
const narrowProduct: Shown = { name: 'Product', as: 'Vendor license', width: 165 };
const bought: Shown = { name: 'Bought', width: 75 };
const reason: Shown = { name: 'Reason', minWidth: 380, wrap: true };
/** The method calls a denial while all licenses were in use a refusal. */
const DENIED_DAYS: Shown = {
  name: 'Refusal days',
  as: 'Denied while full',
  unit: 'suffix: d a year',
  decimals: 0,
  width: 145,
  unknown: 'unknown',
};
const money = (name: string, unknown: string): readonly Shown[] => [
  { name, unit: 'locale', decimals: 0, width: 95, unknown },
  { name: 'Currency', width: 85 },
];
const day = (name: string, as: string, unknown: string): Shown => ({
  name,
  as,
  width: 110,
  unknown,
});

const rows = (title: string) => ({
  title: 'Show',
  url: linkTo('license-optimisation', KEEP.vendorLicenses, panelOf(title)),
});

/** The features of the last poll with the highest values of a column. */
const heldNow = (column: 'Inactive use' | 'Borrowed use' | 'Unused reserve', none: string): TableQuery => ({
  target: 'features',
  payload: { ...OF_VENDOR_LICENSES, sort: `-${column}`, with: [column] },
  top: 100,
  owner: 'Product',
  none,
});
const inUse: readonly Shown[] = [
  { name: 'In use', width: 75, unknown: 'unknown' },
  { name: 'Bought', width: 95, align: 'right', unknown: 'unknown' },
  narrowProduct,
];

/** How many licenses more than a week ago, for each feature. */
const CHANGE = `(${metric('license_feature_max_available', OF)} - ${once(`last_over_time(${select('license_feature_max_available', OF)}[30m] offset 7d)`)})`;

/** How many licenses of all features are held but not used now. */
const heldInAll = (title: string, field: string, description: string, table: string) =>
  total({ title, description, unit: 'none', width: 6 }, { target: 'features', field }, rows(table));

/** How many licenses are needed: advice of the nightly pass, and what is held but not used now. */
export const optimisation = () =>
  createDashboard({
    uid: 'license-optimisation',
    title: 'Optimisation',
    description:
      'Right-sizing: which licenses could go at renewal, which are missing, when they run out, and what is held but not used now.',
    from: 'now-7d',
    refresh: '15m',
    about: { matchers: OF, annotated: false },
    variables: [vendorLicenses()],
  })
    .withPanel(
      total(
        {
          title: 'Saving a year',
          description:
            'Sum of the prices of the licenses that could go, for each currency. Features without a price are not in it, and provisional advice is not either. It is unknown without prices, and before the first nightly pass.',
          unit: 'locale',
          width: 5,
        },
        { target: 'rightsizing', field: 'Saving', label: 'Currency' },
        rows('What could go'),
      ),
    )
    .withPanel(
      total(
        {
          title: 'With spare licenses',
          description:
            'Features of which licenses could go at renewal, without provisional advice and without those of which no use was seen.',
          unit: 'suffix: features',
          width: 5,
        },
        { target: 'rightsizing', field: 'Features that could go' },
        rows('What could go'),
      ),
    )
    .withPanel(
      total(
        {
          title: 'Missing licenses',
          description:
            'Features whose users were denied while all licenses were in use, on more than 12 days a year, also if less than a year is recorded.',
          unit: 'suffix: features',
          width: 5,
        },
        { target: 'rightsizing', field: 'Features missing', steps: [[1, 'orange']] },
        rows('Missing'),
      ),
    )
    .withPanel(
      total(
        {
          title: 'Run out by growth',
          description:
            'Features with proven growth whose licenses are expected to be all in use within 120 days. Features whose licenses are missing today are not counted here.',
          unit: 'suffix: features',
          width: 5,
        },
        { target: 'rightsizing', field: 'Run out within 120 days', steps: [[1, 'orange']] },
        rows('Runs out'),
      ),
    )
    .withPanel(
      total(
        {
          title: 'Provisional',
          description:
            'Features whose licenses could go, but whose use may rise, or of which less than a year or no reservations are recorded. They are in no total.',
          unit: 'suffix: features',
          width: 4,
        },
        { target: 'rightsizing', field: 'Provisional' },
        rows('What could go'),
      ),
    )
    .withPanel(
      jsonTable(
        {
          title: 'What could go',
          description:
            'Licenses that could be given back at renewal: fewer were enough but for a few hours a year, and hardly anybody was denied. Provisional advice may be wrong: use may rise, or a season is not seen. Ask the users before you drop licenses.',
          width: 24,
          height: 16,
        },
        {
          target: 'rightsizing',
          payload: { ...OF_VENDOR_LICENSES, state: ['could go'] },
          top: 100,
          owner: 'Product',
          none: 'No license could go',
        },
        [
          feature,
          bought,
          { name: 'Needed', width: 80 },
          { name: 'Count', as: 'Could go', width: 85 },
          ...money('Saving', 'no price'),
          day('Renewal', 'Renewal', 'no date'),
          product,
          reason,
        ],
      ),
    )
    .withPanel(
      jsonTable(
        {
          title: 'Missing',
          description:
            'Features whose users were denied while all licenses were in use, on more than 12 days a year. The number is an estimate, because a full pool hides demand.',
          width: 24,
          height: 21,
        },
        {
          target: 'rightsizing',
          payload: { ...OF_VENDOR_LICENSES, state: ['missing'], sort: '-Refusal days' },
          top: 50,
          owner: 'Product',
          none: 'No license is missing',
        },
        [
          feature,
          bought,
          { name: 'Count', as: 'Missing', width: 85, unknown: 'unknown' },
          ...money('Cost', 'unknown'),
          DENIED_DAYS,
          product,
          reason,
        ],
      ),
    )
    .withPanel(
      jsonTable(
        {
          title: 'Runs out',
          description:
            'Features with proven growth. From the date on, every fourth week is expected to have a moment with all licenses in use. The true date lies within the range about four times in five.',
          width: 24,
          height: 11,
        },
        {
          target: 'rightsizing',
          payload: { ...OF_VENDOR_LICENSES, sort: 'Runs out', with: ['Runs out'] },
          top: 20,
          owner: 'Product',
        },
        [
          { name: 'Feature' },
          bought,
          { name: 'Busy week', as: 'In a busy week', decimals: 0, width: 125 },
          { name: 'Growth a month', decimals: 1, width: 130 },
          { ...day('Runs out', 'Runs out about', ''), width: 125 },
          day('Runs out earliest', 'Earliest', ''),
          day('Runs out latest', 'Latest', 'open'),
          product,
        ],
      ),
    )
    .withPanel(
      jsonTable(
        {
          title: 'Denials by feature, last 365 days',
          description:
            'Features with the most days on which requests were denied while all licenses were in use, and the number of denials while licenses were free. These have other causes: check the options file, the version and the server list of the users.',
          width: 14,
          height: 11,
        },
        {
          target: 'rightsizing',
          payload: { ...OF_VENDOR_LICENSES, sort: '-Refusal days', with: ['Refusal days'] },
          top: 100,
          owner: 'Product',
          none: 'No denial is recorded',
        },
        [
          { name: 'Feature' },
          DENIED_DAYS,
          {
            name: 'Refusal hours',
            as: 'Hours with denials',
            unit: 'locale',
            decimals: 0,
            width: 155,
            unknown: 'unknown',
          },
          { name: 'Other refusals', as: 'Denials while free', unit: 'locale', width: 155, unknown: 'unknown' },
          narrowProduct,
        ],
      ),
    )
    .withPanel(
      jsonTable(
        {
          title: 'No use seen, to be confirmed',
          description:
            'Features of which no use was seen for 180 days or more. Use between two samples is not seen: ask the users, or look at the log of checkouts. They are in no total.',
          width: 10,
          height: 11,
        },
        {
          target: 'rightsizing',
          payload: { ...OF_VENDOR_LICENSES, state: ['unused'], sort: '-Bought' },
          top: 100,
          owner: 'Product',
          none: 'Use was seen of every feature',
        },
        [{ name: 'Feature' }, bought, day('Unused since', 'No use since', 'records began'), narrowProduct],
      ),
    )
    .withPanel(
      heldInAll(
        'Idle in all',
        'Inactive use',
        'Licenses that are checked out by applications that are idle now. It is unknown if the analyzer does not know the applications.',
        'Idle now',
      ),
    )
    .withPanel(
      heldInAll(
        'Borrowed in all',
        'Borrowed use',
        'Licenses that are borrowed to computers now. It is unknown if the analyzer does not report borrowed licenses.',
        'Borrowed now',
      ),
    )
    .withPanel(
      heldInAll(
        'Reserved and unused in all',
        'Unused reserve',
        'Licenses that are reserved for users who do not use them now. It is unknown if the analyzer does not report reservations.',
        'Reserved and unused now',
      ),
    )
    .withPanel(
      figure(
        {
          title: 'Shrunk in a week',
          description:
            'Features with fewer licenses than a week ago. It is unknown if Prometheus has no data of that time.',
          unit: 'none',
          width: 6,
        },
        `sum(${CHANGE} < bool 0)`,
        GOOD_BELOW(1, 'orange'),
        rows('Fewer licenses than a week ago'),
      ),
    )
    .withPanel(
      jsonTable(
        {
          title: 'Idle now',
          description:
            'Licenses that are checked out by applications that are idle now. A timeout of the vendor daemon can release them.',
          height: 11,
        },
        heldNow('Inactive use', 'No license is idle'),
        [{ name: 'Feature' }, { name: 'Inactive use', as: 'Idle', width: 70 }, ...inUse],
      ),
    )
    .withPanel(
      jsonTable(
        {
          title: 'Borrowed now',
          description:
            'Licenses that are borrowed to computers. They are not available until the borrow period ends, even if nobody uses them.',
          height: 11,
        },
        heldNow('Borrowed use', 'No license is borrowed'),
        [{ name: 'Feature' }, { name: 'Borrowed use', as: 'Borrowed', width: 90 }, ...inUse],
      ),
    )
    .withPanel(
      jsonTable(
        {
          title: 'Reserved while users are denied',
          description:
            'Features whose users were denied although reserved licenses were free. Free the reservation before you buy licenses.',
          height: 11,
        },
        {
          target: 'rightsizing',
          payload: { ...OF_VENDOR_LICENSES, state: ['reserved'], sort: '-Refusal days' },
          top: 50,
          owner: 'Product',
          none: 'No reservation keeps users waiting',
        },
        [
          { name: 'Feature' },
          bought,
          DENIED_DAYS,
          { name: 'Reserved unneeded', as: 'Never needed', width: 120, unknown: 'unknown' },
          narrowProduct,
        ],
      ),
    )
    .withPanel(
      jsonTable(
        {
          title: 'Reserved and unused now',
          description:
            'Licenses that are reserved for users who do not use them now, and the requests that wait for the feature. If users wait, reduce the reservation.',
          height: 11,
        },
        heldNow('Unused reserve', 'No reservation is unused'),
        [
          { name: 'Feature' },
          { name: 'Unused reserve', as: 'Unused', width: 80 },
          {
            name: 'Max queued',
            as: 'Waiting',
            width: 80,
            steps: [
              [null, 'text'],
              [1, 'orange'],
            ],
            unknown: 'unknown',
          },
          ...inUse,
        ],
      ),
    )
    .withPanel(
      seriesTable(
        {
          title: 'Fewer licenses than a week ago',
          width: 24,
          height: 11,
          description: 'Features with fewer licenses than a week ago: an increment expired, or a server was changed.',
        },
        [
          {
            name: 'Change',
            // a row that says so, if the change is known and nothing shrank
            expression: `bottomk(20, ${CHANGE} < 0) or ${noRow('feature', 'No feature has fewer', `min(${CHANGE}) >= 0`)}`,
            width: 90,
          },
        ],
        ['vendor_license', 'feature', 'version'],
        'Change',
      ),
    )
    .withRow(help());
