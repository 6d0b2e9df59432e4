import { MappingType, RowBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import { createDashboard, vendorLicenses } from '../dashboard.ts';
import { KEEP, linkTo, panelOf } from '../links.ts';
import { GOOD_BELOW, help } from '../panels.ts';
import { metric, OF_VENDOR_LICENSES, once, orNoRow, SEVERAL_VENDOR_LICENSES, select } from '../queries.ts';
import { CAUSE, count, PEOPLE, REMEDY, rowsTable, SHARE, type Shown, seriesTable, VENDOR_LICENSE } from '../tables.ts';
import { amounts, totals } from '../total-panel.ts';

const OF = SEVERAL_VENDOR_LICENSES;

/** Of all that is chosen at the top. */
const TOTALS = { target: 'rightsizing', parameters: OF_VENDOR_LICENSES } as const;

const feature: Shown = { name: 'Feature' };
/** The method calls a denial while all licenses were in use a refusal. */
const DENIED_DAYS = count('Refusal days', 'Days', 60);

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
      'What to change at the next renewals, with its money and utilisation; what runs out, what has shrunk, and denials.',
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
          width: 6,
        },
        TOTALS,
        'Saving',
        rows('By renewal'),
      ),
    )
    .withPanel(
      totals(
        {
          title: 'Features to reduce',
          description:
            'Could go: licenses could be given back at a renewal. Maybe (provisional advice): use may rise, or less than a year is recorded, or reservations that are not recorded could change the number. Notice passed: it is too late for their renewal. Permanent: dropping them saves only maintenance. The last three are not in the sum of money.',
          unit: 'locale',
          width: 7,
        },
        TOTALS,
        {
          'could go': { of: 'Features that could go' },
          maybe: { of: 'Provisional' },
          'notice passed': { of: 'Features too late' },
          permanent: { of: 'Features permanent' },
        },
        rows('By renewal'),
      ),
    )
    .withPanel(
      totals(
        {
          title: 'Features with too few',
          description:
            'Missing: users were denied while all licenses were in use, on more days than 12 in a year. Run out: use is likely to grow until all licenses are in use, within 120 days.',
          unit: 'locale',
          width: 6,
        },
        TOTALS,
        {
          missing: { of: 'Features missing', steps: GOOD_BELOW(1, 'orange') },
          'run out': { of: 'Run out within 120 days', steps: GOOD_BELOW(1, 'orange') },
        },
        rows('By renewal'),
        rows('Runs out'),
      ),
    )
    .withPanel(
      totals(
        {
          title: 'Denials, 365 d',
          description:
            'Denied requests of all features in the 365 days to yesterday, for any cause, and those for another reason than want of licenses. A script that retries counts each time. Features for which no denial is recorded are not in it.',
          unit: 'locale',
          width: 5,
        },
        TOTALS,
        { denials: { of: 'Denials' }, 'other reasons': { of: 'Other refusals' } },
        rows('Denials, 365 days to yesterday'),
      ),
    )
    .withPanel(
      rowsTable(
        {
          title: 'By renewal',
          description:
            'Every feature with something to do, what must be done next first: until the day of notice, else of the renewal; what is too late for it stands last: licenses that could go, that are missing, or of which no use was seen, and features that run out. Money: what the licenses that could go cost in a year, or the missing ones in the first year; empty without a price, and where nothing is saved. At peak: peak / bought, on the busiest moment of the recorded time. On average: license-hours in use / licenses bought for the same hours. Maybe: provisional advice may be wrong. The name of a feature leads to its reasons. Ask the users before you drop licenses.',
          width: 24,
          height: 8,
        },
        {
          target: 'rightsizing',
          parameters: { ...OF_VENDOR_LICENSES, sort: 'Act by', with: ['Advice'] },
          top: 500,
          none: 'Nothing needs a change',
        },
        [
          { name: 'Feature', width: 118 },
          { name: 'Advice', width: 148 },
          { name: 'Act by', width: 92 },
          { name: 'Money', as: 'Money a year', width: 145 },
          { name: 'Renewal', width: 92 },
          { name: 'Confidence', width: 98, names: SURE },
          count('Bought', 'Bought', 64),
          count('Peak', 'Peak', 54),
          { ...SHARE, name: 'Peak share', as: 'At peak', width: 70 },
          { ...SHARE, name: 'Utilisation', as: 'On average', width: 95 },
          { ...VENDOR_LICENSE, minWidth: 100 },
        ],
      ),
    )
    .withPanel(
      rowsTable(
        {
          title: 'Runs out',
          description:
            'Features whose use is likely to grow. From the date on, every fourth week is expected to have a moment with all licenses in use. The range has the true date about four times in five.',
          width: 12,
          height: 7,
        },
        {
          target: 'rightsizing',
          parameters: { ...OF_VENDOR_LICENSES, sort: 'Runs out', with: ['Runs out'] },
          top: 20,
          none: 'No feature with advice is likely to run out',
        },
        [feature, { name: 'Runs out', width: 92 }, { name: 'Renewal', width: 92 }, { ...VENDOR_LICENSE, hidden: true }],
      ),
    )
    .withPanel(
      seriesTable(
        {
          title: 'Fewer licenses than a week ago',
          width: 12,
          height: 7,
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
            width: 80,
          },
        ],
        { labels: ['feature', 'vendor_license'], sortBy: ['Change', 'Feature'] },
      ),
    )
    .withPanel(
      rowsTable(
        {
          title: 'Denials, 365 days to yesterday',
          description:
            'Denied requests for any cause; days: those on which requests were denied for want of licenses. Requests that were denied for another reason: check the options file, the version and the server list of the users. People and minutes: who waited on those days, as far as logs name who was denied, each person once a day; the cause of most of these minutes, and what would end it.',
          width: 24,
          height: 7,
        },
        {
          target: 'rightsizing',
          parameters: { ...OF_VENDOR_LICENSES, sort: '-Denials', with: ['Denials'] },
          top: 100,
          none: 'No denial is recorded',
        },
        [
          { ...feature, minWidth: 105 },
          count('Denials', 'Denials', 75),
          DENIED_DAYS,
          ...PEOPLE,
          CAUSE,
          REMEDY,
          { ...VENDOR_LICENSE, minWidth: 105 },
        ],
      ),
    )
    .withRow(
      new RowBuilder('How good the advice of a year ago was').collapsed(true).withPanel(
        totals(
          {
            title: 'The advice of a year ago',
            description:
              'Features whose licenses could go by the advice of a year ago. Too few: on some day since then, more licenses were in use than it would have left, or users were denied while all licenses were in use. It needs 23 months of history.',
            unit: 'locale',
            width: 12,
          },
          TOTALS,
          {
            'could go then': { of: 'Year ago features' },
            'too few since then': { of: 'Year ago short features', steps: GOOD_BELOW(1, 'orange') },
            'on days in all': { of: 'Year ago short days' },
            'on more than 12 days': { of: 'Year ago short longer', steps: GOOD_BELOW(1, 'orange') },
          },
          rows('By renewal'),
        ),
      ),
    )
    .withRow(help());
