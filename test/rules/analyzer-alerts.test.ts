import { describe, expect } from 'vitest';
import {
  during,
  exceptDuring,
  feature,
  featureLabels,
  only,
  onlyWhile,
  type SeriesOf,
  type ValueOf,
  valueAt,
  vendorLicense,
} from '../support/exporter-series.ts';
import { peer } from '../support/peers.ts';
import { createScenarios, one } from '../support/rule-scenarios.ts';

/** Alerts about polling the analyzer, and about the sources of the embedded one. One cause is one alert. */

const scenario = createScenarios();

const endpoints = ['GetProducts', 'GetServerDown', 'GetFeatures', 'GetExpirationFeatures'];
const ofEndpoints = (metric: string, value: ValueOf): SeriesOf =>
  Object.fromEntries(endpoints.map((endpoint) => [`${metric}{endpoint="${endpoint}"}`, value]));

const unreachable = 'LicenseAnalyzerUnreachable severity=critical';
const rejected = 'LicenseAnalyzerAuthFailing severity=critical';
const partial = 'LicensePollPartial endpoint=GetFeatures severity=warning';
const known = (data: string) => `license_vendor_license_data_known{vendor_license="v;d",data="${data}"}`;

/** The clock of an exporter; the time of the rules starts at 0. */
const NOW = 1_700_000_000;
const clock = (minute: number): number => NOW + minute * 60;

/** Polls of all endpoints fail in these minutes. The times are of a real clock. */
const failingPolls = (from: number, to: number): SeriesOf => ({
  license_up: exceptDuring(from, to),
  license_exporter_time_seconds: clock,
  ...ofEndpoints('license_poll_success', exceptDuring(from, to)),
  ...ofEndpoints('license_poll_interval_seconds', 60),
  ...ofEndpoints('license_poll_last_success_timestamp_seconds', (minute) =>
    clock(during(from, to)(minute) ? from - 1 : minute),
  ),
});

describe.runIf(peer('promtool'))('LicenseAnalyzerUnreachable', () => {
  scenario(
    'is the only alert about an analyzer that does not answer, also after its data has become too old',
    one(
      120,
      {
        ...failingPolls(10, 60),
        ...onlyWhile((minute) => !during(30, 60)(minute), vendorLicense('v;d')),
        'license_server_up{vendor_license="v;d"}': only((minute) => !during(30, 60)(minute), 1),
        'license_data_known{data="vendor_licenses"}': exceptDuring(30, 60),
      },
      { texts: [['LicenseAnalyzerUnreachable', 30]] },
    ),
    { [unreachable]: '20-65' },
    {
      [unreachable]: {
        summary: 'The analyzer a1 cannot be polled.',
        description: expect.stringContaining('Until the analyzer answers, there is no new data'),
        runbook_url: 'http://e1/runbooks#licenseanalyzerunreachable',
      },
    },
  );
  scenario(
    'is kept over one failed scrape',
    {
      minutes: 40,
      exporters: [
        { isScraped: (minute) => minute !== 24, series: { ...vendorLicense('v;d'), ...failingPolls(1, 27) } },
      ],
    },
    { [unreachable]: '11-32' },
  );
  scenario(
    'is kept while the exporter is gone, and starts again if it still cannot poll',
    {
      minutes: 90,
      exporters: [
        {
          isScraped: (minute) => !during(30, 49)(minute),
          series: { ...vendorLicense('v;d'), ...failingPolls(10, 70) },
        },
      ],
    },
    { [unreachable]: '20-75', 'LicenseExporterDown instance=e1 severity=critical': '35-49' },
  );
});

describe.runIf(peer('promtool'))('LicenseAnalyzerAuthFailing', () => {
  scenario(
    'case 5: is the only alert about a rejected password',
    one(
      120,
      {
        ...failingPolls(10, 60),
        license_upstream_authenticated: exceptDuring(10, 60),
        ...onlyWhile((minute) => !during(30, 60)(minute), vendorLicense('v;d')),
        'license_data_known{data="vendor_licenses"}': exceptDuring(30, 60),
      },
      { texts: [['LicenseAnalyzerAuthFailing', 30]] },
    ),
    { [rejected]: '12-65' },
    {
      [rejected]: {
        summary: 'The analyzer a1 rejects the logon.',
        description: expect.stringContaining('Correct the credentials'),
      },
    },
  );
  scenario(
    'case 5: is the only alert about a rejected password after a restart without a good poll',
    {
      minutes: 120,
      exporters: [
        {
          isScraped: (minute) => minute !== 30,
          series: {
            ...onlyWhile((minute) => minute < 30 || minute > 90, vendorLicense('v;d')),
            ...failingPolls(10, 90),
            // no logon has had a verdict yet
            license_upstream_authenticated: only((minute) => minute !== 31, exceptDuring(10, 90)),
            'license_data_known{data="vendor_licenses"}': exceptDuring(30, 90),
            ...ofEndpoints('license_poll_last_success_timestamp_seconds', (minute) =>
              minute < 30 ? clock(Math.min(minute, 9)) : minute > 90 ? clock(minute) : 0,
            ),
          },
        },
      ],
    },
    { [rejected]: '12-95' },
  );
  scenario(
    'is not hidden by LicenseAnalyzerUnreachable, which ends',
    one(90, { ...failingPolls(10, 60), license_upstream_authenticated: exceptDuring(30, 60) }),
    { [unreachable]: '20-34', [rejected]: '32-65' },
  );
});

describe.runIf(peer('promtool'))('LicenseFieldMissing', () => {
  const name = 'LicenseFieldMissing endpoint=GetFeatures field=InUse severity=warning';
  const MISSING = 'license_poll_field_missing{endpoint="GetFeatures",field="InUse"}';
  scenario(
    'fires after 15 minutes, and ends when the field is back',
    one(
      60,
      { ...vendorLicense('v;d'), [MISSING]: (minute) => Number(during(5, 39)(minute)) },
      {
        texts: [['LicenseFieldMissing', 25]],
      },
    ),
    { [name]: '20-44' },
    {
      [name]: {
        summary: 'The field InUse of GetFeatures of analyzer a1 is missing.',
        description: expect.stringContaining('add GetFeatures.InUse to analyzer.absent_fields'),
      },
    },
  );
  scenario(
    'is kept while the exporter is gone',
    {
      minutes: 60,
      exporters: [
        {
          isScraped: (minute) => !during(30, 49)(minute),
          series: { ...vendorLicense('v;d'), [MISSING]: 1 },
        },
      ],
    },
    { [name]: '15-60', 'LicenseExporterDown instance=e1 severity=critical': '35-49' },
  );
});

describe.runIf(peer('promtool'))('LicensePollPartial', () => {
  const FAILING = 'license_poll_success{endpoint="GetFeatures"}';

  scenario(
    'fires after 10 minutes and is kept for 5, over one failed scrape',
    {
      minutes: 50,
      exporters: [
        { isScraped: (minute) => minute !== 24, series: { ...vendorLicense('v;d'), [FAILING]: exceptDuring(1, 29) } },
      ],
      texts: [['LicensePollPartial', 20]],
    },
    { [partial]: '11-34' },
    {
      [partial]: {
        summary: 'Only a part of GetFeatures of analyzer a1 can be polled.',
        description: expect.stringContaining('Data that is not polled ages out.'),
      },
    },
  );
  scenario(
    'fires while a list has unusable records',
    one(50, {
      'license_poll_success{endpoint="GetFeatures"}': 1,
      'license_poll_incomplete{endpoint="GetFeatures"}': (minute) => Number(minute >= 1 && minute < 29),
    }),
    { [partial]: '11-33' },
  );
  scenario(
    'case 5: ends when the whole analyzer is unreachable',
    one(120, {
      ...failingPolls(60, 200),
      [FAILING]: 0,
      'license_poll_last_success_timestamp_seconds{endpoint="GetFeatures"}': NOW,
    }),
    // the polls of GetFeatures fail: LicensePollStale would say nothing else
    { [partial]: '10-64', [unreachable]: '70-120' },
  );
  scenario(
    'case 5: is silent while the logon is rejected',
    one(60, { [FAILING]: 0, license_upstream_authenticated: 0 }),
    { [rejected]: '2-60' },
  );
});

describe.runIf(peer('promtool'))('LicenseRecordsDiscarded', () => {
  const discarded = 'LicenseRecordsDiscarded endpoint=GetFeatures severity=warning';

  scenario(
    'fires above a share, not at it, and not without records',
    one(
      60,
      {
        'license_poll_discarded_values{endpoint="GetFeatures",reason="bad_record"}': (minute) =>
          during(1, 27)(minute) ? 20 : 10,
        'license_poll_discarded_values{endpoint="GetFeatures",reason="nan"}': 90,
        'license_poll_records{endpoint="GetFeatures"}': (minute) => (during(1, 27)(minute) ? 80 : 90),
        'license_poll_discarded_values{endpoint="GetServerDown",reason="bad_record"}': 0,
        'license_poll_records{endpoint="GetServerDown"}': 0,
      },
      { texts: [['LicenseRecordsDiscarded', 20]] },
    ),
    { [discarded]: '11-32' },
    {
      [discarded]: {
        summary: '20% of the records of GetFeatures are discarded.',
        description: expect.stringContaining('Run "license-exporter doctor"'),
      },
    },
  );
});

describe.runIf(peer('promtool'))('LicenseProductsEmpty', () => {
  const RECORDS = 'license_poll_records{endpoint="GetProducts"}';
  const empty = 'LicenseProductsEmpty severity=critical';
  const site: SeriesOf = {
    ...onlyWhile((minute) => !during(20, 59)(minute), {
      ...vendorLicense('v;d'),
      'license_server_up{vendor_license="v;d"}': 1,
      ...feature(featureLabels('a')),
    }),
    [RECORDS]: exceptDuring(20, 59),
  };

  scenario(
    'case 2: is the only alert about an analyzer that lists nothing',
    { minutes: 100, exporters: [{ series: site }], texts: [['LicenseProductsEmpty', 40]] },
    { [empty]: '30-64' },
    {
      [empty]: {
        summary: 'GetProducts of analyzer a1 is empty.',
        description: expect.stringContaining('it lists no vendor license, so nothing is monitored'),
      },
    },
  );
  scenario(
    'is not silenced by another exporter that keeps an old answer, because it cannot poll',
    {
      minutes: 100,
      exporters: [
        { series: site },
        {
          instance: 'e2',
          series: { [RECORDS]: 1, 'license_poll_success{endpoint="GetProducts"}': exceptDuring(20, 100) },
        },
      ],
    },
    { [empty]: '30-64', 'LicensePollPartial endpoint=GetProducts severity=warning': '30-100' },
  );
  scenario(
    'is silent while GetProducts fails',
    one(60, { [RECORDS]: 0, 'license_poll_success{endpoint="GetProducts"}': 0 }),
    {
      'LicensePollPartial endpoint=GetProducts severity=warning': '10-60',
    },
  );
});

describe.runIf(peer('promtool'))('alerts about sources', () => {
  const READINGS = 'license_source_failed_readings{source="s1",manager="flexnet"}';
  /** It is there as long as the source is configured. */
  const CONFIGURED = 'license_source_contradictions_total{source="s1",manager="flexnet"}';
  const VENDOR_LICENSE = 'license_source_vendor_license_info{source="s1",manager="flexnet",vendor_license="v;d"}';
  const member = (server: string) => `license_source_member_up{source="s1",manager="flexnet",server="${server}"}`;
  const ofSource = 'license_source=s1 manager=flexnet';
  const down = `LicenseSourceDown ${ofSource} severity=critical vendor_license=v;d`;
  const silent = 'LicenseHistoryNotRecorded severity=warning';
  const lost = `LicenseRedundancyLost ${ofSource} severity=warning`;
  /** Failed readings in succession, one in 5 minutes, from the first minute to the last one. */
  const failures =
    (from: number, to: number): ValueOf =>
    (minute) =>
      during(from, to)(minute) ? Math.floor((minute - from) / 5) + 1 : 0;

  scenario(
    'LicenseSourceDown fires at the second failed reading, and ends with a good one',
    one(
      60,
      { [READINGS]: failures(10, 39), [VENDOR_LICENSE]: 1, [VENDOR_LICENSE.replace('v;d', 'w;d')]: 1 },
      { texts: [['LicenseSourceDown', 20]] },
    ),
    { [down]: '15-39', [down.replace('v;d', 'w;d')]: '15-39' },
    {
      [down]: {
        summary: 's1 cannot be read: v;d.',
        description: expect.stringContaining('The last 3 readings of this source (flexnet) failed'),
      },
    },
  );
  const history = (interval: number, last: ValueOf): SeriesOf => ({
    license_exporter_time_seconds: (minute) => 60 * minute,
    license_history_recording_start_timestamp_seconds: 0,
    license_history_last_sample_timestamp_seconds: last,
    license_history_sample_interval_seconds: interval,
  });
  scenario(
    'LicenseHistoryNotRecorded fires after 30 minutes, and ends with a sample',
    one(
      60,
      history(60, (minute) => (minute < 50 ? 600 : 60 * minute)),
      { texts: [['LicenseHistoryNotRecorded', 45]] },
    ),
    { [silent]: '41-49' },
    { [silent]: { summary: expect.stringContaining('has not been recorded for 35m 0s.') } },
  );
  scenario('LicenseHistoryNotRecorded waits for three collections', one(70, history(1200, 0)), { [silent]: '61-70' });
  scenario(
    'LicenseHistoryNotRecorded is kept over a restart, until something is recorded',
    one(60, {
      ...history(
        60,
        only(
          (minute) => minute < 40 || minute > 45,
          (minute) => (minute < 50 ? 0 : 60 * minute),
        ),
      ),
      license_history_recording_start_timestamp_seconds: (minute) => (minute < 40 ? 0 : 2400),
    }),
    { [silent]: '31-49' },
  );
  scenario(
    'LicenseSourceDown is silent after one failed reading',
    one(60, { [READINGS]: failures(10, 14), [VENDOR_LICENSE]: 1 }),
    {},
  );
  scenario(
    'LicenseSourceDown fires for a source whose vendor licenses are not known',
    one(30, { [READINGS]: failures(10, 39) }, { texts: [['LicenseSourceDown', 15]] }),
    { [`LicenseSourceDown ${ofSource} severity=critical`]: '15-30' },
    { [`LicenseSourceDown ${ofSource} severity=critical`]: { summary: 's1 cannot be read.' } },
  );
  scenario(
    'LicenseSourceDown is kept over a quick restart, until a reading is good',
    one(80, {
      license_exporter_config_last_reload_success_timestamp_seconds: (minute) => (minute < 30 ? 0 : 1800),
      [READINGS]: (minute) => valueAt(minute < 34 ? only(during(0, 29), failures(10, 33)) : failures(34, 59), minute),
      [CONFIGURED]: 0,
      [VENDOR_LICENSE]: only((minute) => !during(30, 33)(minute), 1),
    }),
    { [down]: '15-59' },
  );
  scenario(
    'LicenseSourceDown is kept while the exporter is gone',
    {
      minutes: 80,
      exporters: [
        {
          isScraped: (minute) => !during(30, 49)(minute),
          series: {
            ...vendorLicense('v;d'),
            license_exporter_config_last_reload_success_timestamp_seconds: (minute) => (minute < 50 ? 0 : 3000),
            [READINGS]: only((minute) => minute !== 50 && minute !== 51, failures(10, 49)),
            [CONFIGURED]: 0,
            [VENDOR_LICENSE]: 1,
          },
        },
      ],
    },
    { [down]: '15-51', 'LicenseExporterDown instance=e1 severity=critical': '35-49' },
  );
  scenario(
    'LicenseSourceDown ends when the source is removed from the configuration',
    one(80, {
      license_exporter_config_last_reload_success_timestamp_seconds: (minute) => (minute < 30 ? 0 : 1800),
      [READINGS]: only(during(0, 29), failures(10, 39)),
      [CONFIGURED]: only(during(0, 29), 0),
      [VENDOR_LICENSE]: only(during(0, 29), 1),
    }),
    { [down]: '15-29' },
  );
  scenario(
    'LicenseRedundancyLost fires for a source that is good but for one of its servers',
    one(
      60,
      { [READINGS]: 0, [VENDOR_LICENSE]: 1, [member('a')]: 1, [member('b')]: 1, [member('c')]: exceptDuring(10, 39) },
      { texts: [['LicenseRedundancyLost', 20]] },
    ),
    { [lost]: '15-44' },
    {
      [lost]: {
        summary: '2 of 3 servers of s1 answer.',
        description: expect.stringContaining('If one more of its redundant servers fails'),
      },
    },
  );
  scenario(
    'LicenseRedundancyLost is silent for a single server, and ends when LicenseSourceDown explains it',
    {
      minutes: 80,
      exporters: [
        {
          series: {
            ...vendorLicense('v;d'),
            [READINGS]: failures(40, 99),
            [VENDOR_LICENSE]: 1,
            [member('a')]: exceptDuring(40, 99),
            [member('b')]: exceptDuring(10, 99),
          },
        },
        {
          instance: 'e2',
          analyzer: 'a2',
          series: { ...vendorLicense('v;d'), [READINGS]: 0, [VENDOR_LICENSE]: 1, [member('a')]: 1 },
        },
      ],
    },
    { [lost]: '15-49', [down]: '45-80' },
  );
  scenario(
    'LicenseRedundancyLost is kept over one failed reading',
    one(80, {
      [READINGS]: failures(30, 34),
      [VENDOR_LICENSE]: 1,
      [member('a')]: only((minute) => !during(30, 34)(minute), 1),
      [member('b')]: only((minute) => !during(30, 34)(minute), exceptDuring(10, 60)),
    }),
    { [lost]: '15-65' },
  );
});

describe.runIf(peer('promtool'))('a feature whose server is down', () => {
  scenario(
    'has alerts, which LicenseServerDown hides in Alertmanager',
    one(60, {
      'license_server_up{vendor_license="v;d"}': exceptDuring(10, 60),
      ...feature(featureLabels('a'), { inUse: 10 }),
      [known('usage')]: exceptDuring(15, 60),
    }),
    {
      'LicenseServerDown severity=critical vendor_license=v;d': '10-60',
      'LicenseFeatureSaturated feature=a severity=warning vendor_license=v;d version=1': '5-60',
    },
  );
});
