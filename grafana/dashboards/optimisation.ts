import { MappingType } from '@grafana/grafana-foundation-sdk/dashboard';
import type { MetricName } from '../../src/exporter/metrics/catalogue.ts';
import { createDashboard, vendorLicenses } from '../dashboard.ts';
import { waiting } from '../feature-table.ts';
import { KEEP, linkTo, panelOf } from '../links.ts';
import { GOOD_BELOW, help, namedFigures, PLAIN } from '../panels.ts';
import { metric, OF_VENDOR_LICENSES, once, orNoRow, SEVERAL_VENDOR_LICENSES, select, sumOf } from '../queries.ts';
import { rowsTable, type Shown, seriesTable, VENDOR_LICENSE } from '../tables.ts';
import { amounts, totals } from '../total-panel.ts';

const OF = SEVERAL_VENDOR_LICENSES;

const feature: Shown = { name: 'Feature', width: 116 };
const wideFeature: Shown = { name: 'Feature' };
const number = (name: string, as: string, width: number, rest: Partial<Shown> = {}): Shown => ({
  name,
  as,
  type: 'number',
  unit: 'locale',
  decimals: 0,
  width,
  ...rest,
});
const bought = number('Bought', 'Bought', 72);
const reason: Shown = { name: 'Reason', minWidth: 230, wrap: true };
/** The method calls a denial while all licenses were in use a refusal. */
const DENIED_DAYS = number('Refusal days', 'Days denied', 105, { unknown: 'unknown' });
const money = (name: string, width: number, unknown: string): readonly Shown[] => [
  number(name, name, width, { unknown }),
  { name: 'Currency', width: 80 },
];
const day = (name: string, as: string, unknown: string): Shown => ({
  name,
  as,
  width: 105,
  unknown,
});

/** The word of the figures. */
const SURE: NonNullable<Shown['names']> = [
  {
    type: MappingType.ValueToText,
    options: { high: { text: 'sure', index: 0 }, provisional: { text: 'maybe', index: 1 } },
  },
];

const rows = (title: string) => ({
  title: 'Show',
  url: linkTo('license-optimisation', KEEP.vendorLicenses, panelOf(title)),
});

/** The features of which most licenses are held but not used now. */
function heldNow(
  about: { readonly title: string; readonly description: string },
  column: { readonly name: string; readonly width: number; readonly metric: MetricName; readonly none: string },
  ...more: Parameters<typeof seriesTable>[1]
) {
  const held = select(column.metric, OF);
  const expression = orNoRow(once(`topk(50, ${held} > 0)`), column.none, `max(${held}) == 0`);
  const columns = [{ name: column.name, width: column.width, unit: 'locale', expression }, ...more];
  return seriesTable({ ...about, height: 10 }, columns, {
    ...(more.length > 0 && { known: held }),
    labels: ['feature', 'vendor_license'],
    // those for which users wait first
    sortBy: [...more.map(({ name, as = name }) => `-${as}`), `-${column.name}`, 'Feature'],
  });
}

/** How many licenses more than a week ago, for each feature. */
const WEEK_AGO = `last_over_time(${select('license_feature_max_available', OF)}[30m] offset 7d)`;
const CHANGE = `(${metric('license_feature_max_available', OF)} - ${once(WEEK_AGO)})`;

/** Features are known now, and were a week ago. A second join of all features would take as long as the first. */
const FEATURES_KNOWN = select('license_vendor_license_data_known', `${OF},data="features"`);
const KNOWN_A_WEEK_AGO = `max(last_over_time(${FEATURES_KNOWN}[30m] offset 7d))`;
const CHANGE_KNOWN = `(max(${FEATURES_KNOWN}) and ${KNOWN_A_WEEK_AGO}) == 1`;

/** How many licenses are needed: advice of the nightly pass, and what is held but not used now. */
export const optimisation = () =>
  createDashboard({
    uid: 'license-optimisation',
    title: 'Optimisation',
    description:
      'Right-sizing: which licenses could go at renewal, which are missing, when they run out, and what is held but not used now.',
    from: 'now-7d',
    refresh: '15m',
    variables: [vendorLicenses()],
  })
    .withPanel(
      amounts(
        {
          title: 'Sure saving a year',
          description:
            'Sum of the prices of the licenses that could go at a renewal, for each currency. It is without features that have no price, permanent licenses (dropping them saves only maintenance), those whose notice has passed, and provisional advice. It is unknown without prices, and before the first nightly pass.',
          unit: 'locale',
          width: 7,
        },
        'Saving',
        rows('What could go, with its saving a year'),
      ),
    )
    .withPanel(
      totals(
        {
          title: 'Features by advice, denials (365 d)',
          description:
            'Could go: licenses could be given back at a renewal; without permanent ones, those whose notice has passed, and features of which no use was seen. Maybe (provisional advice): use may rise, or less than a year is recorded, or reservations that are not recorded could change the number; they are in no sum. Missing: users were denied while all licenses were in use, on more than 12 days a year. Run out: use is likely to grow until all licenses are in use, within 120 days; of features with enough data. Denials: denied requests of all features, for any cause; and those while licenses were free. A script that retries counts each time. Features for which no denial is recorded are not in it.',
          unit: 'locale',
          width: 17,
        },
        {
          'could go': { of: 'Features that could go' },
          maybe: { of: 'Provisional' },
          missing: { of: 'Features missing', steps: GOOD_BELOW(1, 'orange') },
          'run out': { of: 'Run out within 120 days', steps: GOOD_BELOW(1, 'orange') },
          denials: { of: 'Denials' },
          'while free': { of: 'Other refusals' },
        },
        rows('What could go, with its saving a year'),
        rows('Missing licenses, cost in year one'),
        rows('Runs out'),
        rows('Denials by feature, last 365 days'),
      ),
    )
    .withPanel(
      totals(
        {
          title: 'The advice of a year ago',
          description:
            'Features whose licenses could go by the advice of a year ago. Too few: on some day since then, more licenses were in use than it would have left, or users were denied while all licenses were in use. It needs 23 months of history.',
          unit: 'locale',
          width: 24,
        },
        {
          'could go then': { of: 'Year ago features' },
          'too few since then': { of: 'Year ago short features', steps: GOOD_BELOW(1, 'orange') },
          'on days in all': { of: 'Year ago short days' },
          'on more than 12 days': { of: 'Year ago short longer', steps: GOOD_BELOW(1, 'orange') },
        },
        rows('What could go, with its saving a year'),
      ),
    )
    .withPanel(
      rowsTable(
        {
          title: 'What could go, with its saving a year',
          description:
            'Licenses that could be given back at renewal: fewer were enough but for a few hours a year, and hardly anybody was denied. The largest saving is first; amounts of two currencies are compared as they are. The saving is unknown without a price, for permanent licenses, and where notice has passed. Maybe: provisional advice may be wrong: use may rise, or a season is not seen. Ask the users before you drop licenses.',
          width: 24,
          height: 14,
        },
        {
          target: 'rightsizing',
          parameters: { ...OF_VENDOR_LICENSES, state: ['could go'] },
          top: 100,
          none: 'No license could go',
        },
        [
          feature,
          bought,
          number('Count', 'Could go', 80),
          ...money('Saving', 75, 'unknown'),
          { ...day('Renewal', 'Renewal', 'no date'), width: 98 },
          { name: 'Confidence', width: 98, names: SURE },
          { ...VENDOR_LICENSE, width: 210 },
          { ...reason, minWidth: 250 },
        ],
      ),
    )
    .withPanel(
      rowsTable(
        {
          title: 'Missing licenses, cost in year one',
          description:
            'Features whose users were denied while all licenses were in use, on more than 12 days a year: *Days denied*. The number is an estimate, because a full pool hides demand.',
          width: 24,
          height: 10,
        },
        {
          target: 'rightsizing',
          parameters: { ...OF_VENDOR_LICENSES, state: ['missing'], sort: '-Refusal days' },
          top: 50,
          none: 'No license is missing',
        },
        [
          feature,
          bought,
          number('Count', 'Missing', 80, { unknown: 'unknown' }),
          ...money('Cost', 75, 'unknown'),
          DENIED_DAYS,
          { ...VENDOR_LICENSE, width: 225 },
          reason,
        ],
      ),
    )
    .withPanel(
      rowsTable(
        {
          title: 'Runs out',
          description:
            'Features whose use is likely to grow. From the date on, every fourth week is expected to have a moment with all licenses in use. The range has the true date about four times in five.',
          width: 24,
          height: 6,
        },
        {
          target: 'rightsizing',
          parameters: { ...OF_VENDOR_LICENSES, sort: 'Runs out', with: ['Runs out'] },
          top: 20,
          none: 'No feature with advice is likely to run out',
        },
        [
          wideFeature,
          bought,
          number('Busy week', 'In a busy week', 121),
          number('Growth a month', 'Growth a month', 127, { decimals: 1 }),
          { ...day('Runs out', 'Runs out about', ''), width: 121 },
          day('Runs out earliest', 'Earliest', ''),
          day('Runs out latest', 'Latest', 'open'),
          day('Renewal', 'Renewal', 'no date'),
          { ...VENDOR_LICENSE, minWidth: 215 },
        ],
      ),
    )
    .withPanel(
      rowsTable(
        {
          title: 'Denials by feature, last 365 days',
          description:
            'Denied requests; days and hours a year in which requests were denied while all licenses were in use; and requests that were denied while licenses were free. These have other causes: check the options file, the version and the server list of the users.',
          width: 24,
          height: 8,
        },
        {
          target: 'rightsizing',
          parameters: { ...OF_VENDOR_LICENSES, sort: '-Denials', with: ['Denials'] },
          top: 100,
          none: 'No denial is recorded',
        },
        [
          wideFeature,
          number('Denials', 'Denials', 85),
          DENIED_DAYS,
          number('Refusal hours', 'Hours denied', 115, { unknown: 'unknown' }),
          number('Other refusals', 'Denied while free', 145, { unknown: 'unknown' }),
          VENDOR_LICENSE,
        ],
      ),
    )
    .withPanel(
      rowsTable(
        {
          title: 'No use seen, to be confirmed',
          description:
            'Features of which no use was seen for 180 days or more. Use between two samples is not seen: ask the users, or look at the log of checkouts. They are in no total.',
          width: 24,
          height: 6,
        },
        {
          target: 'rightsizing',
          parameters: { ...OF_VENDOR_LICENSES, state: ['unused'], sort: '-Bought' },
          top: 100,
          none: 'Use was seen of every feature',
        },
        [wideFeature, bought, { ...day('Unused since', 'No use since', 'records began'), width: 110 }, VENDOR_LICENSE],
      ),
    )
    .withPanel(
      rowsTable(
        {
          title: 'Reserved while users are denied',
          width: 24,
          description:
            'Features whose users were denied although reserved licenses were free. Free the reservation before you buy licenses.',
          height: 6,
        },
        {
          target: 'rightsizing',
          parameters: { ...OF_VENDOR_LICENSES, state: ['reserved'], sort: '-Refusal days' },
          top: 50,
          none: 'No reservation keeps users waiting',
        },
        [
          wideFeature,
          DENIED_DAYS,
          number('Reserved unneeded', 'Never needed', 110, { unknown: 'unknown' }),
          VENDOR_LICENSE,
        ],
      ),
    )
    .withPanel(
      namedFigures(
        {
          title: 'Held but not used now, licenses',
          description:
            'Licenses of all features. Idle: checked out by applications that are idle. Borrowed: to computers, used or not. Reserved: for users who do not use them. Each is unknown if the analyzer does not report it.',
          unit: 'locale',
          width: 24,
        },
        {
          idle: [sumOf('license_feature_inactive_use', OF), PLAIN],
          borrowed: [sumOf('license_feature_borrowed_use', OF), PLAIN],
          'reserved and unused': [sumOf('license_feature_unused_reserve', OF), PLAIN],
        },
        rows('Idle now'),
        rows('Borrowed now'),
        rows('Reserved and unused now'),
      ),
    )
    .withPanel(
      heldNow(
        {
          title: 'Idle now',
          description:
            'Licenses that are checked out by applications that are idle now. A timeout of the vendor daemon can release them.',
        },
        { name: 'Idle', width: 80, metric: 'license_feature_inactive_use', none: 'No license is idle' },
      ),
    )
    .withPanel(
      heldNow(
        {
          title: 'Borrowed now',
          description:
            'Licenses that are borrowed to computers. They are not available until the borrow period ends, even if nobody uses them.',
        },
        { name: 'Borrowed', width: 105, metric: 'license_feature_borrowed_use', none: 'No license is borrowed' },
      ),
    )
    .withPanel(
      heldNow(
        {
          title: 'Reserved and unused now',
          description:
            'Licenses that are reserved for users who do not use them now, and the requests that wait for the feature. If users wait, reduce the reservation.',
        },
        {
          name: 'Unused',
          width: 90,
          metric: 'license_feature_unused_reserve',
          none: 'No reservation is unused',
        },
        waiting(OF, ` and topk(50, ${select('license_feature_unused_reserve', OF)} > 0)`),
      ),
    )
    .withPanel(
      seriesTable(
        {
          title: 'Fewer licenses than a week ago',
          width: 12,
          height: 10,
          description: 'Features with fewer licenses than a week ago: an increment expired, or a server was changed.',
        },
        [
          {
            name: 'Change',
            // a row that says so, if the change is known and nothing shrank, or cannot be known yet
            expression: orNoRow(
              orNoRow(`bottomk(20, ${CHANGE} < 0)`, 'No feature has fewer licenses', CHANGE_KNOWN),
              'Not recorded a week ago',
              `max(${FEATURES_KNOWN}) unless on () ${KNOWN_A_WEEK_AGO}`,
            ),
            width: 90,
          },
        ],
        { labels: ['vendor_license', 'feature', 'version'], sortBy: ['Change', 'Feature'] },
      ),
    )
    .withRow(help());
