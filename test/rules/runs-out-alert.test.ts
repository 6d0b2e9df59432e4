import { describe } from 'vitest';
import { rules } from '../../src/config/sections/alert-rules.ts';
import { usualOwners } from '../../src/rules/alert.ts';
import { createRuleFile } from '../../src/rules/rule-file.ts';
import { during, only, onlyWhile, type SeriesOf, type ValueOf, vendorLicense } from '../support/exporter-series.ts';
import { peer } from '../support/peers.ts';
import { createScenarios, one } from '../support/rule-scenarios.ts';

/** LicenseRunsOut by the rules for Prometheus: when it is silent, fires and ends, its texts, and what is unknown. */

const scenario = createScenarios();

const DAY = 86_400;
const PASS = 'license_rightsizing_last_success_timestamp_seconds';
const KNOWN = 'license_data_known{data="vendor_licenses"}';
const runsOutOf = (feature: string, name = 'v;d'): string =>
  `license_feature_runs_out_timestamp_seconds{vendor_license="${name}",feature="${feature}",package="",feature_type="feature"}`;
const alert = 'LicenseRunsOut severity=warning vendor_license=v;d';
const alertOf = (feature: string): string => `LicenseRunsOut feature=${feature} severity=warning vendor_license=v;d`;

/** A site with a feature that runs out, and a pass at the beginning. */
const site = (at: ValueOf, more: SeriesOf = {}): SeriesOf => ({ [PASS]: 0, [runsOutOf('a')]: at, ...more });

/** The default settings with others of this alert. */
const withSettings = (settings: object) =>
  createRuleFile({
    rules: rules.parse({ LicenseRunsOut: settings }),
    unknownHold: 3600,
    owners: usualOwners,
    ignore: [],
    timeZone: 'UTC',
    job: 'license-exporter',
    runbookBaseUrl: undefined,
    alertmanagerUrl: undefined,
  });
const shortKeep = withSettings({ keep_firing_for: '5m' });
const perFeature = withSettings({ keep_firing_for: '5m', aggregate: 'none' });

describe.runIf(peer('promtool'))('LicenseRunsOut', () => {
  scenario('fires 120 days before', one(30, site(120 * DAY + 600)), { [alert]: '10-30' });
  scenario('is kept for a day when the date is gone', one(30, site(only(during(0, 9), 10 * DAY))), { [alert]: '0-30' });
  scenario('is silent more than 120 days before', one(30, site(120 * DAY + 1860)), {});
  scenario(
    'stays until the date is more than 180 days away, and does not begin again before 120 days',
    one(
      60,
      site((minute) => {
        if (minute < 10) return 100 * DAY;
        if (minute < 20) return 179 * DAY;
        return minute < 30 ? 181 * DAY : 179 * DAY;
      }),
      { rules: shortKeep },
    ),
    { [alert]: '0-24' },
  );
  scenario(
    'ends when a good pass does not name the feature any more',
    one(30, site(only(during(0, 9), 10 * DAY)), { rules: shortKeep }),
    { [alert]: '0-14' },
  );
  scenario(
    'is one alert for each vendor license, with the owner of it',
    one(
      10,
      {
        ...vendorLicense('w;d', 1, 'ada'),
        ...site(100 * DAY, {
          // the first moment of March in New York
          [runsOutOf('b')]: (59 * 24 + 5) * 3600,
          // the first moment of April in Berlin
          [runsOutOf('c')]: (90 * 24 - 1) * 3600,
          [runsOutOf('d')]: 170 * DAY,
          [runsOutOf('e')]: 190 * DAY,
          [runsOutOf('a', 'w;d')]: 20 * DAY,
        }),
      },
      { texts: [['LicenseRunsOut', 5]] },
    ),
    { [alert]: '0-10', 'LicenseRunsOut owner=ada severity=warning vendor_license=w;d': '0-10' },
    {
      [alert]: {
        summary: 'Features of v;d are expected to run out of licenses, the first about 1970-03.',
        description:
          'b about 1970-03, c about 1970-04, a about 1970-04, d about 1970-06. From then on, every fourth week is expected to have a moment with all licenses in use. Order more licenses in time, or find out why the use grows.',
        runbook_url: 'http://e1/runbooks#licenserunsout',
      },
    },
  );
  scenario(
    'lists ten features, and says how many there are',
    one(
      10,
      site(
        12 * DAY,
        Object.fromEntries(Array.from({ length: 11 }, (_, i) => [runsOutOf(`f${i}`), (i + 1) * DAY] as const)),
      ),
      { texts: [['LicenseRunsOut', 5]] },
    ),
    { [alert]: '0-10' },
    {
      [alert]: {
        description:
          'f0 about 1970-01, f1 about 1970-01, f2 about 1970-01, f3 about 1970-01, f4 about 1970-01, f5 about 1970-01, f6 about 1970-01, f7 about 1970-01, f8 about 1970-01, f9 about 1970-01, of 12 features. From then on, every fourth week is expected to have a moment with all licenses in use. Order more licenses in time, or find out why the use grows.',
      },
    },
  );
  scenario(
    'is one alert for each feature, where that is set',
    one(
      30,
      site(100 * DAY, {
        [runsOutOf('b')]: (minute) => (minute < 10 ? 100 * DAY : 190 * DAY),
        [runsOutOf('c')]: 130 * DAY,
      }),
      { rules: perFeature, texts: [['LicenseRunsOut', 5]] },
    ),
    { [alertOf('a')]: '0-30', [alertOf('b')]: '0-14' },
    {
      [alertOf('a')]: { summary: 'a of v;d is expected to run out of licenses about 1970-04.' },
    },
  );
  scenario(
    'takes another lead for some features, and leaves some out',
    one(20, site(200 * DAY, { [runsOutOf('b')]: 200 * DAY, [runsOutOf('c')]: 10 * DAY }), {
      rules: withSettings({
        aggregate: 'none',
        overrides: [
          { feature: '^a$', lead: '300d' },
          { feature: '^c$', enabled: false },
        ],
      }),
    }),
    { [alertOf('a')]: '0-20' },
  );
});

describe.runIf(peer('promtool'))('LicenseRunsOut, of which it is unknown', () => {
  scenario(
    'is kept for an hour when the last good pass is two days old, without a list of features',
    one(90, site(10 * DAY, { [PASS]: -2 * DAY + 600 }), { rules: shortKeep, texts: [['LicenseRunsOut', 30]] }),
    { [alert]: '0-74' },
    {
      [alert]: {
        summary: 'Features of v;d are expected to run out of licenses, the first about 1970-01.',
        description:
          'From then on, every fourth week is expected to have a moment with all licenses in use. Order more licenses in time, or find out why the use grows.',
      },
    },
  );
  scenario('is silent if the last good pass is two days old', one(20, site(10 * DAY, { [PASS]: -2 * DAY })), {});
  scenario(
    'is kept while there is no result, and ends when a new one gives no date',
    one(
      60,
      {
        [PASS]: only((minute) => !during(10, 29)(minute), 0),
        [runsOutOf('a')]: only(during(0, 9), 10 * DAY),
      },
      { rules: shortKeep },
    ),
    { [alert]: '0-34' },
  );
  scenario(
    'is kept while series are withheld',
    one(
      60,
      {
        [PASS]: 0,
        [runsOutOf('a')]: only((minute) => !during(10, 29)(minute), 10 * DAY),
        license_exporter_series_limit_exceeded: (minute) => Number(during(10, 29)(minute)),
      },
      { rules: shortKeep },
    ),
    { [alert]: '0-60', 'LicenseExporterSeriesLimit instance=e1 severity=warning': '20-34' },
  );
  scenario(
    'ends when its vendor license is known to be gone',
    {
      minutes: 40,
      rules: shortKeep,
      exporters: [{ series: { ...onlyWhile(during(0, 9), vendorLicense('v;d')), ...site(10 * DAY) } }],
    },
    { [alert]: '0-14', 'LicenseVendorLicenseVanished severity=warning vendor_license=v;d': '25-40' },
  );
  scenario(
    'is kept while the vendor licenses are not known',
    {
      minutes: 40,
      rules: shortKeep,
      exporters: [
        {
          series: {
            ...onlyWhile(during(0, 9), vendorLicense('v;d')),
            ...site(10 * DAY),
            [KNOWN]: (minute) => Number(minute < 10),
          },
        },
      ],
    },
    { [alert]: '0-40' },
  );
  scenario(
    'fires as long as one of two exporters has a date of a recent pass',
    {
      minutes: 40,
      rules: shortKeep,
      exporters: [
        { instance: 'e1', series: { ...vendorLicense('v;d'), ...site(10 * DAY, { [PASS]: -2 * DAY + 600 }) } },
        { instance: 'e2', series: { ...vendorLicense('v;d'), ...site(only(during(0, 19), 11 * DAY)) } },
      ],
    },
    { [alert]: '0-24' },
  );
});
