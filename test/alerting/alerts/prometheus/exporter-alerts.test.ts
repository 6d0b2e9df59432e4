import { describe, expect, it } from 'vitest';
import { during, type SeriesOf } from '../../../support/exporter-series.ts';
import { peer } from '../../../support/peers.ts';
import { createScenarios, one } from '../../../support/rule-scenarios.ts';
import { type Exporter, outcome } from '../../../support/rule-timeline.ts';

/** Alerts about the exporter and about Prometheus. */

const scenario = createScenarios();

const exporterDown = (instance = 'e1') => `LicenseExporterDown instance=${instance} severity=critical`;

describe.runIf(peer('promtool'))('LicenseExporterDown', () => {
  scenario(
    'fires after 5 minutes, ends at once, and ignores other jobs',
    {
      minutes: 60,
      exporters: [
        { isScraped: (minute) => !during(2, 21)(minute), series: {} },
        { instance: 'e2', job: 'other', isScraped: () => false, series: {} },
      ],
      texts: [['LicenseExporterDown', 10]],
    },
    { [exporterDown()]: '7-21' },
    {
      [exporterDown()]: {
        summary: 'License exporter e1 cannot be scraped.',
        description:
          'Users are not affected. Prometheus has no new license data, and no new alert begins there. Alerts that fire are kept, for a day at most. First step: Check whether the process runs, and read its log.',
      },
    },
  );
  scenario(
    'is silent about an exporter that can be scraped every fourth minute',
    { minutes: 60, exporters: [{ isScraped: (minute) => minute % 4 === 0, series: {} }] },
    {},
  );
});

describe.runIf(peer('promtool'))('LicenseExporterAbsent', () => {
  const absent = 'LicenseExporterAbsent severity=critical';
  const other: Exporter = { instance: 'e2', analyzer: 'a2', series: {} };

  scenario(
    'case 2: fires when the last exporter leaves the service discovery',
    {
      minutes: 120,
      exporters: [{ isTarget: (minute) => minute < 20, series: {} }],
      texts: [['LicenseExporterAbsent', 40]],
      isAlone: true,
    },
    { [absent]: '30-120' },
    {
      [absent]: {
        summary: 'There is no license exporter of analyzer a1.',
        description: expect.stringContaining('Check the service discovery and the scrape configuration.'),
      },
    },
  );
  scenario(
    'case 2: fires when one of several exporters leaves the service discovery',
    {
      minutes: 120,
      exporters: [{ isTarget: (minute) => minute < 20, series: {} }, other],
    },
    { [absent]: '30-120' },
  );
  scenario(
    'fires when the exporter is back in the service discovery, but cannot be scraped: LicenseExporterDown is the alert then',
    {
      minutes: 90,
      exporters: [
        { isTarget: (minute) => !during(20, 49)(minute), isScraped: (minute) => minute < 20, series: {} },
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
        { isTarget: (minute) => minute < 20, series: {} },
        { instance: 'e2', isTarget: (minute) => minute > 22, series: {} },
      ],
    },
    {},
  );
  scenario(
    'is silent when the exporter gets another analyzer, and when it cannot be scraped',
    {
      minutes: 60,
      exporters: [
        { series: {}, isScraped: (minute) => minute < 20 },
        { instance: 'e2', analyzer: 'a2', isTarget: (minute) => minute < 20, series: {} },
        { instance: 'e2', analyzer: 'a3', isTarget: (minute) => minute >= 20, series: {} },
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

describe.runIf(peer('promtool'))('LicenseExporterSilent', () => {
  const silent = 'LicenseExporterSilent instance=e1 severity=critical';
  const EVALUATED = 'license_alerts_evaluated_timestamp_seconds';

  scenario(
    'fires about an exporter that says nothing, also over lost scrapes: an earlier version, or one without the collector',
    {
      minutes: 50,
      exporters: [
        {
          isScraped: (minute) => minute % 4 !== 3,
          series: { [EVALUATED]: (minute) => (minute < 30 ? undefined : minute * 60) },
        },
      ],
      texts: [['LicenseExporterSilent', 20]],
    },
    { [silent]: '10-29' },
    {
      [silent]: {
        summary: 'License exporter e1 gives Prometheus no current state of alerts.',
        description: expect.stringContaining('Update the exporter if it is older than these rules.'),
      },
    },
  );
  scenario(
    'fires about an exporter that has stopped to evaluate, by its own clock',
    {
      minutes: 60,
      exporters: [
        {
          series: {
            license_exporter_time_seconds: (minute) => 9000 + minute * 60,
            [EVALUATED]: (minute) => 9000 + (during(10, 39)(minute) ? 600 : minute * 60),
          },
        },
      ],
    },
    // 10 minutes after the last evaluation is more than 5 minutes ago
    { [silent]: '26-39' },
  );
  scenario(
    'is silent if one of several exporters is well and the others cannot be scraped',
    {
      minutes: 40,
      exporters: [{ series: {} }, { instance: 'e2', isScraped: () => false, series: { [EVALUATED]: () => undefined } }],
    },
    { [exporterDown('e2')]: '5-40' },
  );
});

describe.runIf(peer('promtool'))('LicensePollStale', () => {
  const NOW = 1_700_000_000;
  const clock = (minute: number): number => NOW + minute * 60;
  const POLLED = 'license_poll_last_success_timestamp_seconds{endpoint="GetProducts"}';
  const stale = 'LicensePollStale endpoint=GetProducts severity=warning';
  const polling: SeriesOf = {
    license_exporter_time_seconds: clock,
    license_alerts_evaluated_timestamp_seconds: clock,
    'license_poll_interval_seconds{endpoint="GetProducts"}': 60,
  };

  scenario(
    'fires when polls do not end, and is kept over one failed scrape',
    {
      minutes: 60,
      exporters: [
        {
          isScraped: (minute) => minute !== 20,
          series: { ...polling, [POLLED]: (minute) => clock(minute < 2 || minute > 30 ? minute : 2) },
        },
      ],
      texts: [['LicensePollStale', 15]],
    },
    { [stale]: '11-35' },
    {
      [stale]: {
        summary: 'Endpoint GetProducts of analyzer a1 was last polled successfully 13m 0s ago.',
        description: expect.stringContaining('check whether its polls take longer than their interval.'),
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
            ...polling,
            license_exporter_time_seconds: (minute) => minute * 60 - 240,
            license_alerts_evaluated_timestamp_seconds: (minute) => minute * 60 - 240,
            [POLLED]: (minute) => minute * 60 - 240,
          },
        },
        {
          instance: 'e2',
          analyzer: 'a2',
          series: {
            ...polling,
            license_exporter_time_seconds: (minute) => minute * 60 + 240,
            license_alerts_evaluated_timestamp_seconds: (minute) => minute * 60 + 240,
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
          series: { [errors]: (minute) => Math.max(0, Math.min(minute, 29) - 1) },
        },
      ],
      texts: [['LicenseAlertDeliveryFailing', 20]],
    },
    { [failing]: '12-38' },
    {
      [failing]: {
        summary: 'License exporter e1 fails to deliver some or all alerts to http://am:9093.',
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

describe.runIf(peer('promtool'))('LicenseExporterShardMismatch', () => {
  const mismatch = 'LicenseExporterShardMismatch severity=warning';
  const shard = (index: number, total: number, more: Partial<Exporter> = {}): Exporter => ({
    instance: `e${index}`,
    shard: String(index),
    series: { license_exporter_shards: total },
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
        summary: 'Not all 3 shards of the analyzer a1 are found, or they disagree on their number.',
        description: expect.stringContaining('Compare shard.index and shard.total of all shards: one is missing'),
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
        { instance: 'e3', analyzer: 'a2', series: {} },
        { instance: 'e4', analyzer: null, series: {} },
      ],
    },
    {},
  );
});

describe.runIf(peer('promtool'))('LicenseWatchdog', () => {
  it('always fires, also without an exporter', async () => {
    const { texts } = await outcome({
      minutes: 5,
      isAlone: true,
      exporters: [{ isTarget: (minute) => minute < 2, series: {} }],
      texts: [
        ['LicenseWatchdog', 0],
        ['LicenseWatchdog', 5],
      ],
    });
    expect(texts).toMatchObject({
      'LicenseWatchdog severity=none': {
        summary: 'Prometheus evaluates the license rules and reaches Alertmanager.',
        description: expect.stringContaining("dead man's switch"),
      },
    });
  });
});
