import { describe, expect, it } from 'vitest';
import {
  during,
  exceptDuring,
  feature,
  featureLabels,
  only,
  onlyWhile,
  type SeriesOf,
  vendorLicense,
} from '../support/exporter-series.ts';
import { peer } from '../support/peers.ts';
import { createScenarios, one } from '../support/rule-scenarios.ts';
import { createTimelines, type Exporter } from '../support/rule-timeline.ts';

/** Several exporters on one analyzer are one source of alerts; each alert has its owner, and none is lost for it. */

const add = createTimelines();
const scenario = createScenarios(add);

const UP = 'license_server_up{vendor_license="v;d"}';
const KNOWN = 'license_data_known{data="vendor_licenses"}';
const A = featureLabels('a');
const down = 'LicenseServerDown severity=critical vendor_license=v;d';
const DAY = 86_400;
const polled = (endpoint: string) => `license_poll_success{endpoint="${endpoint}"}`;

/** Two exporters of the same analyzer. */
const replicas = (first: SeriesOf, second: SeriesOf, more: Partial<Exporter> = {}): Exporter[] => [
  { series: { ...vendorLicense('v;d'), ...first } },
  { instance: 'e2', series: { ...vendorLicense('v;d'), ...second }, ...more },
];

describe.runIf(peer('promtool'))('two replicas', () => {
  const site = {
    [UP]: exceptDuring(10, 40),
    ...feature(A, { inUse: 10, queued: 2, expires: -DAY }),
    ...feature(featureLabels('b'), { expires: 3 * DAY }),
  };

  scenario(
    'case 4: raise each alert once',
    { minutes: 60, exporters: replicas(site, site) },
    {
      [down]: '10-45',
      'LicenseExpired feature=a severity=critical vendor_license=v;d version=1': '10-60',
      'LicenseExpiringSoon feature=b severity=critical vendor_license=v;d version=1': '15-60',
      'LicenseFeatureSaturated feature=a severity=warning vendor_license=v;d version=1': '5-60',
      'LicenseRequestsQueued feature=a severity=warning vendor_license=v;d version=1': '10-60',
    },
  );
  scenario(
    'case 4: continue an alert when one of them is gone, and when it starts again',
    {
      minutes: 60,
      exporters: replicas(
        { [UP]: exceptDuring(5, 60) },
        onlyWhile((minute) => minute < 20 || minute > 42, { ...vendorLicense('v;d'), [UP]: exceptDuring(5, 60) }),
        { isScraped: (minute) => !during(20, 39)(minute) },
      ).map((exporter, i) => ({
        ...exporter,
        series: {
          ...exporter.series,
          ...(i === 1 && { [KNOWN]: exceptDuring(40, 42), [polled('GetServerDown')]: exceptDuring(40, 42) }),
        },
      })),
    },
    { [down]: '5-60', 'LicenseExporterDown instance=e2 severity=critical': '25-39' },
  );
  scenario(
    'case 4: a replica with a failing poll and stale data does not count',
    {
      minutes: 60,
      exporters: replicas(
        { [UP]: exceptDuring(30, 60) },
        { [UP]: (minute) => Number(minute >= 20), [polled('GetServerDown')]: 0 },
      ),
    },
    { [down]: '30-60', 'LicensePollPartial endpoint=GetServerDown severity=warning': '10-60' },
  );
  scenario(
    'case 4: the data of both counts while the polls of both fail',
    {
      minutes: 60,
      exporters: replicas(
        { [UP]: 1, [polled('GetServerDown')]: exceptDuring(20, 60) },
        { [UP]: exceptDuring(10, 60), [polled('GetServerDown')]: exceptDuring(20, 60) },
      ),
    },
    { [down]: '10-60', 'LicensePollPartial endpoint=GetServerDown severity=warning': '30-60' },
  );
  scenario(
    'case 4: the engine of one silences the rule of the other',
    {
      minutes: 40,
      exporters: replicas(
        { [UP]: 0, 'license_exporter_alerting_active{alertname="LicenseServerDown"}': exceptDuring(20, 40) },
        { [UP]: 0 },
      ),
    },
    { [down]: '20-40' },
  );
  scenario(
    'case 4: an alert continues when the pod is replaced, with a runbook of the new one',
    {
      minutes: 60,
      exporters: [
        {
          isTarget: (minute) => minute < 20,
          series: { ...vendorLicense('v;d'), [UP]: 0, ...feature(A, { expires: -DAY }) },
        },
        {
          instance: 'e2',
          isTarget: (minute) => minute >= 22,
          series: {
            ...onlyWhile((minute) => minute > 24, {
              ...vendorLicense('v;d'),
              [UP]: exceptDuring(0, 49),
              ...feature(A, { expires: -DAY }),
              [polled('GetServerDown')]: 1,
              [polled('GetFeatures')]: 1,
            }),
            [KNOWN]: exceptDuring(0, 24),
          },
        },
      ],
      texts: [['LicenseServerDown', 40]],
    },
    { [down]: '0-54', 'LicenseExpired feature=a severity=critical vendor_license=v;d version=1': '10-60' },
    { [down]: { runbook_url: 'http://e2/runbooks#licenseserverdown' } },
  );
  scenario(
    'are unreachable only together',
    {
      minutes: 60,
      exporters: replicas({ license_up: exceptDuring(20, 60) }, { license_up: 0 }),
    },
    { 'LicenseAnalyzerUnreachable severity=critical': '30-60' },
  );
  scenario(
    'case 4: a capacity is that of one replica, not the sum',
    {
      minutes: 60,
      exporters: replicas(feature(A, { inUse: 19, available: 20 }), feature(A, { inUse: 19, available: 20 })),
      texts: [['LicenseFeatureSaturated', 30]],
    },
    { 'LicenseFeatureSaturated feature=a severity=warning vendor_license=v;d version=1': '5-60' },
    {
      'LicenseFeatureSaturated feature=a severity=warning vendor_license=v;d version=1': {
        summary: '95% of a 1 of v;d is in use.',
        description: expect.stringContaining('19 of 20 licenses are in use.'),
      },
    },
  );
});

describe.runIf(peer('promtool'))('owners', () => {
  const INFO = 'license_vendor_license_info{vendor_license="v;d",server="s",daemon="d"';
  const expiring = (owner: string, name = 'a') =>
    `LicenseExpiringSoon feature=${name}${owner} severity=critical vendor_license=v;d version=1`;
  /** The vendor license without an info metric. */
  const withoutInfo = { [`${INFO},owner=""}`]: only(() => false, 1) };

  scenario(
    'are on the alerts of their vendor license and feature',
    one(60, {
      ...withoutInfo,
      [`${INFO},owner="vendor-manager",team="cad",site="north"}`]: 1,
      [UP]: 0,
      ...feature(A, { expires: 3 * DAY, owner: 'ann' }),
      ...feature(featureLabels('b'), { expires: 3 * DAY }),
    }),
    {
      'LicenseServerDown owner=vendor-manager severity=critical site=north team=cad vendor_license=v;d': '0-60',
      [expiring(' owner=ann')]: '15-60',
      // the mapping of the exporter says that nobody owns it
      [expiring('', 'b')]: '15-60',
    },
  );
  scenario(
    'of a feature without an info metric are those of its vendor license',
    one(60, {
      ...withoutInfo,
      [`${INFO},owner="ann"}`]: 1,
      [`license_feature_expiration_timestamp_seconds{${A}}`]: 3 * DAY,
    }),
    { [expiring(' owner=ann')]: '15-60' },
  );
  /** GetFeatures works for 50 minutes. */
  const isReported = (minute: number): boolean => minute < 50;
  const withoutFeatures: SeriesOf = Object.fromEntries(
    ['features', 'usage'].map((data) => [
      `license_vendor_license_data_known{vendor_license="v;d",data="${data}"}`,
      (minute: number) => Number(isReported(minute)),
    ]),
  );
  /** A feature that GetExpirationFeatures always reports. */
  const onlyExpiry = (labels: string, owner: string, expires: number): SeriesOf => ({
    ...feature(labels, { owner, info: only(isReported, 1) }),
    [`license_feature_expiration_info{${labels},owner="${owner}"}`]: only((minute) => !isReported(minute), 1),
    [`license_feature_expiration_timestamp_seconds{${labels}}`]: expires,
  });
  scenario(
    'are the same for hours without GetFeatures, also on an alert that begins meanwhile',
    one(300, {
      ...withoutInfo,
      [`${INFO},owner="ann"}`]: 1,
      ...withoutFeatures,
      ...onlyExpiry(A, 'bob', 3 * DAY),
      // a license that does not end in the next days
      ...onlyExpiry(featureLabels('b'), 'carl', 60 * DAY + 200 * 60),
    }),
    {
      [expiring(' owner=bob')]: '15-300',
      'LicenseExpiringSoon feature=b owner=carl severity=info vendor_license=v;d version=1': '216-300',
    },
  );
  scenario(
    'of a vendor license are the same for hours without GetProducts, also on an alert that begins meanwhile',
    one(300, {
      ...withoutInfo,
      [`${INFO},owner="ann"}`]: only((minute) => minute < 50, 1),
      [polled('GetProducts')]: (minute) => Number(minute < 50),
      [UP]: exceptDuring(200, 230),
    }),
    {
      'LicenseServerDown owner=ann severity=critical vendor_license=v;d': '200-235',
      'LicensePollPartial endpoint=GetProducts severity=warning': '60-300',
    },
  );
  scenario(
    'are remembered as long as there is a condition',
    one(300, {
      ...withoutInfo,
      [`${INFO},owner="ann"}`]: 1,
      ...withoutFeatures,
      ...feature(A, { owner: 'bob', info: only(isReported, 1) }),
      [`license_feature_expiration_timestamp_seconds{${A}}`]: 3 * DAY,
    }),
    { [expiring(' owner=bob')]: '15-300' },
  );
  scenario(
    'no alert is lost without an info metric',
    one(60, {
      ...withoutInfo,
      [UP]: 0,
      [`license_feature_expiration_timestamp_seconds{${A}}`]: 3 * DAY,
    }),
    { [down]: '0-60', [expiring('')]: '15-60' },
  );
  const twice = add(
    one(60, {
      ...withoutInfo,
      [`${INFO},owner="ann"}`]: 1,
      [`${INFO},owner="bob"}`]: 1,
      [UP]: 0,
      ...feature(A, { expires: 3 * DAY, owner: 'ann' }),
      [`license_feature_info{${featureLabels('a', '2')},owner="bob"}`]: 1,
      ...feature(featureLabels('c'), { expires: 3 * DAY }),
      [`license_feature_info{${featureLabels('c')}}`]: 1,
    }),
  );
  it('no alert is lost or doubled by two info metrics, or by one without a label', { timeout: 300_000 }, async () => {
    const { firing } = await twice();
    // either of the two
    const named = Object.entries(firing).map(([name, minutes]) => [
      name.replace(/owner=(ann|bob)/, 'owner=one'),
      minutes,
    ]);
    expect(named).toEqual([
      [expiring(' owner=one'), '15-60'],
      [expiring('', 'c'), '15-60'],
      ['LicenseServerDown owner=one severity=critical vendor_license=v;d', '0-60'],
    ]);
  });
  scenario(
    'case 4: replicas with different mappings raise one alert, with the owner of the newest configuration',
    {
      minutes: 60,
      exporters: replicas(
        {
          ...feature(A, { expires: 3 * DAY, owner: 'ann' }),
          license_exporter_config_last_reload_success_timestamp_seconds: 100,
        },
        {
          ...feature(A, { expires: 3 * DAY, owner: 'bob' }),
          license_exporter_config_last_reload_success_timestamp_seconds: 200,
        },
      ),
    },
    { [expiring(' owner=bob')]: '15-60' },
  );
  scenario(
    'that change end the old alert and start a new one; the vendor license did not vanish',
    one(90, {
      ...feature(A, { expires: 3 * DAY, owner: 'ann' }),
      [`license_feature_info{${A},owner="ann"}`]: only((minute) => minute < 30, 1),
      [`license_feature_info{${A},owner="bob"}`]: only((minute) => minute >= 30, 1),
    }),
    { [expiring(' owner=ann')]: '15-39', [expiring(' owner=bob')]: '45-90' },
  );
});

describe.runIf(peer('promtool'))('shards', () => {
  const shard = (index: number, series: SeriesOf): Exporter => ({
    instance: `e${index}`,
    shard: String(index),
    series: { license_exporter_shards: 2, ...series },
  });

  scenario(
    'have alerts of their own, with the shard as a label',
    {
      minutes: 60,
      exporters: [
        shard(0, {
          ...onlyWhile((minute) => minute < 20, { ...vendorLicense('v;d'), [UP]: 0 }),
          // nothing is known here, which is no matter of the other shard
          [KNOWN]: exceptDuring(20, 60),
        }),
        shard(1, { ...vendorLicense('w;d'), 'license_server_up{vendor_license="w;d"}': exceptDuring(5, 29) }),
      ],
    },
    {
      'LicenseServerDown severity=critical shard=0 vendor_license=v;d': '0-60',
      'LicenseServerDown severity=critical shard=1 vendor_license=w;d': '5-34',
    },
  );
  scenario(
    'are silenced by the engine of their own shard only',
    {
      minutes: 30,
      exporters: [
        shard(0, {
          ...vendorLicense('v;d'),
          [UP]: 0,
          'license_exporter_alerting_active{alertname="LicenseServerDown"}': 1,
        }),
        shard(1, { ...vendorLicense('w;d'), 'license_server_up{vendor_license="w;d"}': 0 }),
      ],
    },
    { 'LicenseServerDown severity=critical shard=1 vendor_license=w;d': '0-30' },
  );
});

describe.runIf(peer('promtool'))('an exporter without the info metric', () => {
  const without = Object.fromEntries(
    [KNOWN, ...Object.keys(vendorLicense('v;d')).filter((selector) => selector.includes('data_known'))].map(
      (selector) => [selector, only(() => false, 1)],
    ),
  );

  scenario(
    'is not silent',
    {
      minutes: 40,
      // nothing in its alerts would say which timeline they are from
      isAlone: true,
      exporters: [
        {
          analyzer: null,
          series: { ...vendorLicense('v;d'), ...without, [UP]: exceptDuring(10, 40), ...feature(A, { expires: -DAY }) },
        },
      ],
      texts: [['LicenseServerDown', 20]],
    },
    {
      'LicenseServerDown severity=critical vendor_license=v;d': '10-40',
      'LicenseExpired feature=a severity=critical vendor_license=v;d version=1': '10-40',
    },
    {
      'LicenseServerDown severity=critical vendor_license=v;d': { summary: 'License server v;d is down.' },
    },
  );
});
