import { describe, expect, it } from 'vitest';
import { during, exceptDuring, type SeriesOf, vendorLicense } from '../support/exporter-series.ts';
import { peer } from '../support/peers.ts';
import { createScenarios, one } from '../support/rule-scenarios.ts';
import { type Exporter, outcome } from '../support/rule-timeline.ts';

/** Alerts about the exporter and about Prometheus. */

const scenario = createScenarios();

const UP = 'license_server_up{vendor_license="v;d"}';
const well: SeriesOf = vendorLicense('v;d');
const serverDown = 'LicenseServerDown severity=critical vendor_license=v;d';
const exporterDown = (instance = 'e1') => `LicenseExporterDown instance=${instance} severity=critical`;

describe.runIf(peer('promtool'))('LicenseExporterDown', () => {
  scenario(
    'fires after 5 minutes, ends at once, and ignores other jobs',
    {
      minutes: 60,
      exporters: [
        { isScraped: (minute) => !during(2, 21)(minute), series: well },
        { instance: 'e2', job: 'other', isScraped: () => false, series: {} },
      ],
      texts: [['LicenseExporterDown', 10]],
    },
    { [exporterDown()]: '7-21' },
    {
      [exporterDown()]: {
        summary: 'License exporter e1 cannot be scraped.',
        description:
          'There is no license data from it. Alerts that fire are kept for an hour. Check the process and its log.',
        // of an exporter that is running
        runbook_url: expect.stringMatching(/^http:\/\/\S+\/runbooks#licenseexporterdown$/),
      },
    },
  );
  scenario(
    'is silent about an exporter that can be scraped every fourth minute',
    { minutes: 60, exporters: [{ isScraped: (minute) => minute % 4 === 0, series: well }] },
    {},
  );
});

describe.runIf(peer('promtool'))('LicenseExporterAbsent', () => {
  const absent = 'LicenseExporterAbsent severity=critical';
  const other: Exporter = { instance: 'e2', analyzer: 'a2', series: well };

  scenario(
    'case 2: fires when the last exporter leaves the service discovery, and its alerts are kept for an hour',
    {
      minutes: 120,
      exporters: [{ isTarget: (minute) => minute < 20, series: { ...well, [UP]: exceptDuring(10, 120) } }],
      texts: [['LicenseExporterAbsent', 40]],
      isAlone: true,
    },
    { [absent]: '30-120', [serverDown]: '10-84' },
    {
      [absent]: {
        summary: 'There is no license exporter of analyzer a1.',
        description: expect.stringContaining('Check the service discovery and the scrape configuration.'),
        runbook_url: 'http://e1/runbooks#licenseexporterabsent',
      },
    },
  );
  scenario(
    'case 2: fires when one of several exporters leaves the service discovery',
    {
      minutes: 120,
      exporters: [{ isTarget: (minute) => minute < 20, series: { ...well, [UP]: exceptDuring(10, 120) } }, other],
    },
    { [absent]: '30-120', [serverDown]: '10-84' },
  );
  scenario(
    'fires when the exporter is back in the service discovery, but cannot be scraped: LicenseExporterDown is the alert then',
    {
      minutes: 90,
      exporters: [
        { isTarget: (minute) => !during(20, 49)(minute), isScraped: (minute) => minute < 20, series: well },
        other,
      ],
    },
    { [absent]: '30-49', [exporterDown()]: '55-90' },
  );
  scenario(
    'case 4: is silent when a pod is replaced',
    {
      minutes: 60,
      exporters: [
        { isTarget: (minute) => minute < 20, series: well },
        { instance: 'e2', isTarget: (minute) => minute > 22, series: well },
      ],
    },
    {},
  );
  scenario(
    'is silent when the exporter gets another analyzer, and when it cannot be scraped',
    {
      minutes: 60,
      exporters: [
        { series: well, isScraped: (minute) => minute < 20 },
        { instance: 'e2', analyzer: 'a2', isTarget: (minute) => minute < 20, series: well },
        { instance: 'e2', analyzer: 'a3', isTarget: (minute) => minute >= 20, series: well },
      ],
    },
    { [exporterDown()]: '25-60' },
  );
  scenario(
    'fires when Prometheus has never had a target',
    { minutes: 30, isAlone: true, exporters: [] },
    {
      'LicenseExporterAbsent job=license-exporter severity=critical': '10-30',
    },
  );
});

describe.runIf(peer('promtool'))('LicensePollStale', () => {
  const NOW = 1_700_000_000;
  const clock = (minute: number): number => NOW + minute * 60;
  const POLLED = 'license_poll_last_success_timestamp_seconds{endpoint="GetProducts"}';
  const stale = 'LicensePollStale endpoint=GetProducts severity=warning';
  const polling: SeriesOf = {
    license_exporter_time_seconds: clock,
    'license_poll_interval_seconds{endpoint="GetProducts"}': 60,
  };

  scenario(
    'fires when polls do not end, and is kept over one failed scrape',
    {
      minutes: 60,
      exporters: [
        {
          isScraped: (minute) => minute !== 20,
          series: { ...well, ...polling, [POLLED]: (minute) => clock(minute < 2 || minute > 30 ? minute : 2) },
        },
      ],
      texts: [['LicensePollStale', 15]],
    },
    { [stale]: '11-35' },
    {
      [stale]: {
        summary: 'Endpoint GetProducts of analyzer a1 was last polled successfully 13m 0s ago.',
        description: expect.stringContaining('Its polls do not start, or do not end.'),
      },
    },
  );
  scenario(
    'says that an endpoint has never been polled',
    one(20, { ...polling, [POLLED]: 0 }, { texts: [['LicensePollStale', 15]] }),
    { [stale]: '5-20' },
    { [stale]: { summary: 'Endpoint GetProducts of analyzer a1 has never been polled successfully.' } },
  );
  scenario(
    'case 8: is silent if the clock of the exporter is 4 minutes behind, or ahead',
    {
      minutes: 40,
      exporters: [
        {
          series: {
            ...well,
            ...polling,
            license_exporter_time_seconds: (minute) => minute * 60 - 240,
            [POLLED]: (minute) => minute * 60 - 240,
          },
        },
        {
          instance: 'e2',
          analyzer: 'a2',
          series: {
            ...well,
            ...polling,
            license_exporter_time_seconds: (minute) => minute * 60 + 240,
            [POLLED]: (minute) => minute * 60 + 240,
          },
        },
      ],
    },
    {},
  );
});

describe.runIf(peer('promtool'))('LicenseAlertDeliveryFailing', () => {
  const errors = 'license_exporter_notifications_errors_total{alertmanager="http://am:9093"}';
  const dropped = 'license_exporter_notifications_dropped_total{alertmanager="http://am:9093"}';
  const failing = 'LicenseAlertDeliveryFailing alertmanager=http://am:9093 instance=e1 severity=critical';

  scenario(
    'fires while errors increase, and is kept over one failed scrape',
    {
      minutes: 60,
      exporters: [
        {
          isScraped: (minute) => minute !== 24,
          series: { ...well, [errors]: (minute) => Math.max(0, Math.min(minute, 29) - 1) },
        },
      ],
      texts: [['LicenseAlertDeliveryFailing', 20]],
    },
    { [failing]: '12-38' },
    {
      [failing]: {
        summary: 'License exporter e1 cannot deliver alerts to http://am:9093.',
        description: expect.stringContaining('The rules of Prometheus take over'),
      },
    },
  );
  scenario(
    'fires while alerts are dropped without an error',
    one(30, { [errors]: 0, [dropped]: (minute) => Math.max(0, minute - 1) }),
    { [failing]: '12-30' },
  );
});

describe.runIf(peer('promtool'))('alerts about one exporter', () => {
  const limit = 'LicenseExporterSeriesLimit instance=e1 severity=warning';
  const reload = 'LicenseExporterConfigReloadFailed instance=e1 severity=warning';

  scenario(
    'are kept over one failed scrape',
    {
      minutes: 60,
      exporters: [
        {
          isScraped: (minute) => minute !== 24,
          series: {
            ...well,
            license_exporter_series_limit_exceeded: (minute) => Number(during(1, 29)(minute)),
            license_exporter_config_last_reload_successful: exceptDuring(1, 29),
          },
        },
      ],
      texts: [
        ['LicenseExporterSeriesLimit', 20],
        ['LicenseExporterConfigReloadFailed', 20],
      ],
    },
    { [limit]: '11-34', [reload]: '6-34' },
    {
      [limit]: {
        summary: 'License exporter e1 withholds series.',
        description: expect.stringContaining('Raise the limit'),
      },
      [reload]: {
        summary: 'License exporter e1 runs with an old configuration.',
        description: expect.stringContaining('Run "license-exporter check-config FILE"'),
      },
    },
  );
});

describe.runIf(peer('promtool'))('LicenseExporterShardMismatch', () => {
  const mismatch = 'LicenseExporterShardMismatch severity=warning';
  const shard = (index: number, total: number, more: Partial<Exporter> = {}): Exporter => ({
    instance: `e${index}`,
    shard: String(index),
    series: { ...well, license_exporter_shards: total },
    ...more,
  });

  scenario(
    'fires when a shard is missing, and ends when it is back',
    {
      minutes: 60,
      exporters: [shard(0, 3), shard(1, 3), shard(2, 3, { isTarget: (minute) => !during(6, 28)(minute) })],
      texts: [['LicenseExporterShardMismatch', 20]],
    },
    { [mismatch]: '16-33', 'LicenseExporterAbsent severity=critical shard=2': '16-28' },
    {
      [mismatch]: {
        summary: 'The analyzer a1 does not have the 3 shards that are configured.',
        description: expect.stringContaining('Compare shard.index and shard.total of all shards.'),
      },
    },
  );
  scenario(
    'fires when the numbers of shards differ, and is kept over a failed scrape of all',
    {
      minutes: 50,
      exporters: [
        shard(0, 2, { isScraped: (minute) => minute !== 25 }),
        shard(1, 3, { isScraped: (minute) => minute !== 25 }),
      ],
    },
    { [mismatch]: '10-50' },
  );
  scenario(
    'is silent for a complete set, two replicas of each shard, and a single exporter',
    {
      minutes: 40,
      exporters: [
        shard(0, 2),
        shard(1, 2),
        shard(1, 2, { instance: 'e1b' }),
        { instance: 'e3', analyzer: 'a2', series: well },
        { instance: 'e4', analyzer: null, series: well },
      ],
    },
    {},
  );
});

describe.runIf(peer('promtool'))('LicenseWatchdog', () => {
  it('always fires, also without an exporter', { timeout: 300_000 }, async () => {
    const { texts } = await outcome({
      minutes: 5,
      isAlone: true,
      exporters: [{ isTarget: (minute) => minute < 2, series: well }],
      texts: [
        ['LicenseWatchdog', 0],
        ['LicenseWatchdog', 5],
      ],
    });
    expect(texts).toMatchObject({
      'LicenseWatchdog severity=none': {
        summary: 'Prometheus evaluates the license rules and reaches Alertmanager.',
        description: expect.stringContaining("dead man's switch"),
        runbook_url: 'http://e1/runbooks#licensewatchdog',
      },
    });
  });
});
