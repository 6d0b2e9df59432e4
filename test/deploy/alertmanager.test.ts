import { execFileSync } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { allAlerts } from '../../src/alerting/alerts/rules.ts';
import {
  example,
  exampleFile,
  type PostedAlert,
  type Route,
  startExample,
  withIntegrations,
  writeExample,
} from '../support/example-alertmanager.ts';
import { createCleanup, eventually } from '../support/harness.ts';
import { findProgram, peer } from '../support/peers.ts';

/** The example for Alertmanager does what its comments say. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const amtool = (...args: readonly string[]): string =>
  execFileSync(findProgram('amtool') ?? 'amtool', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

const digest = 'license-digest';
const atOnceToo = `${digest},${digest}`;

/** Who gets alerts about what, by severity. */
const bySubject = {
  analyzer: { critical: 'monitoring-team', warning: 'monitoring-team' },
  vendor_license: { critical: 'on-call', warning: 'license-team' },
  feature: { critical: 'on-call', warning: 'license-team', info: 'nobody' },
};

/** Those that go elsewhere. */
const exceptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  LicenseExpired: { critical: atOnceToo, warning: digest },
  LicenseExpiringSoon: { critical: atOnceToo, warning: digest, info: digest },
  // users cannot work, or soon cannot
  LicenseSourceDown: { critical: 'on-call' },
  LicenseRedundancyLost: { warning: 'license-team' },
  LicenseWatchdog: { none: 'watchdog', info: 'watchdog' },
  LicenseExporterTestAlert: { info: 'license-team' },
  AnotherAlert: { critical: 'on-call', warning: 'license-team', info: 'nobody' },
};

const usual = Object.entries(allAlerts).filter(([alertname]) => !(alertname in exceptions));
const cases = [
  ...usual.map(([alertname, { subject }]) => [alertname, bySubject[subject]] as const),
  ...Object.entries(exceptions),
].flatMap(([alertname, receivers]) =>
  Object.entries(receivers).map(([severity, receiver]) => [alertname, severity, receiver] as const),
);

describe.runIf(peer('amtool'))('the example for Alertmanager', () => {
  it('is accepted by amtool, also with its integrations', () => {
    expect(amtool('check-config', exampleFile)).toContain('SUCCESS');
    expect(example.receivers.filter((receiver) => Object.keys(receiver).length < 2)).toEqual([{ name: 'nobody' }]);
    expect(amtool('check-config', writeExample(cleanup, withIntegrations))).toContain('SUCCESS');
  });

  it.each(cases)('sends %s, %s to %s', (alertname, severity, receiver) => {
    const labels = [`alertname=${alertname}`, `severity=${severity}`, 'vendor_license=a;b', 'analyzer=lic:80'];
    expect(amtool('config', 'routes', 'test', `--config.file=${exampleFile}`, ...labels).trim()).toBe(receiver);
  });

  it('sends warnings about licenses to their owner', () => {
    const routed = (...labels: readonly string[]): string =>
      amtool('config', 'routes', 'test', `--config.file=${exampleFile}`, ...labels).trim();
    const saturated = ['alertname=LicenseFeatureSaturated', 'severity=warning'];
    expect(routed(...saturated, 'owner=cad-team')).toBe('cad-team');
    expect(routed(...saturated, 'owner=another')).toBe('license-team');
    expect(routed('alertname=LicenseFeatureSaturated', 'severity=info', 'owner=cad-team')).toBe('nobody');
    expect(routed('alertname=LicenseRunsOut', 'severity=warning', 'owner=cad-team')).toBe('cad-team');
    expect(routed('alertname=LicenseServerDown', 'severity=critical', 'owner=cad-team')).toBe('on-call');
  });

  it('has hours for the digest only, because Alertmanager drops the end of an alert outside of them', () => {
    const all = (route: Route): readonly Route[] => [route, ...(route.routes ?? []).flatMap(all)];
    const limited = all(example.route).filter(
      (route) => 'active_time_intervals' in route || 'mute_time_intervals' in route,
    );
    expect(limited.map(({ receiver, active_time_intervals: times }) => [receiver, times])).toEqual([
      ['license-digest', ['digest-hour']],
    ]);
    expect(example.time_intervals.map(({ name }) => name)).toEqual(['digest-hour']);
  });

  it('groups and inhibits by labels that alerts have', () => {
    const named = [
      ...example.inhibit_rules.flatMap(({ equal = [] }) => equal),
      ...[example.route, ...(example.route.routes ?? [])].flatMap(({ group_by: labels = [] }) => labels),
    ];
    const known = ['analyzer', 'shard', 'vendor_license', 'license_source', 'owner', 'job', 'instance'];
    expect(named.filter((label) => !known.includes(label))).toEqual([]);
  });
});

const alert = (alertname: string, severity: string, more: PostedAlert['labels'] = {}): PostedAlert => ({
  labels: { alertname, severity, analyzer: 'lic:80', ...more },
});
const ofServer = { vendor_license: 'lic01;cdslmd' };
const ofShard = { shard: '1' };
const authFailing = alert('LicenseAnalyzerAuthFailing', 'critical', ofShard);
const unreachable = alert('LicenseAnalyzerUnreachable', 'critical', ofShard);
const sourceDown = alert('LicenseSourceDown', 'critical', { ...ofServer, license_source: 'cad', manager: 'flexnet' });
const serverDown = alert('LicenseServerDown', 'critical', ofServer);
const expiring = (severity: string, expires: string) =>
  alert('LicenseExpiringSoon', severity, { ...ofServer, expires });
const stale = alert('LicensePollStale', 'warning', { ...ofShard, endpoint: 'GetFeatures' });

/** What is sent when all alerts of a cause fire. */
const causes: readonly (readonly [name: string, sent: readonly PostedAlert[], inhibited: readonly PostedAlert[]])[] = [
  [
    'a rejected logon',
    [authFailing],
    [
      unreachable,
      stale,
      alert('LicensePollPartial', 'warning', { ...ofShard, endpoint: 'GetFeatures' }),
      alert('LicenseCollectionStale', 'warning', ofServer),
    ],
  ],
  [
    'an unreachable analyzer',
    [unreachable, { labels: { ...stale.labels, shard: '2' } }],
    [stale, alert('LicenseCollectionStale', 'warning', ofServer)],
  ],
  [
    'a server that is down',
    [serverDown, alert('LicenseFeatureSaturated', 'warning', { ...ofServer, vendor_license: 'lic02;cdslmd' })],
    [
      alert('LicenseFeatureSaturated', 'warning', ofServer),
      alert('LicenseRequestsQueued', 'warning', ofServer),
      alert('LicenseFeatureVanished', 'warning', ofServer),
      alert('LicenseCapacityDropped', 'warning', ofServer),
      alert('LicenseCollectionStale', 'warning', ofServer),
    ],
  ],
  [
    'a license manager that cannot be read',
    [sourceDown, { labels: { ...serverDown.labels, analyzer: 'another:80' } }],
    [
      serverDown,
      alert('LicenseCollectionStale', 'warning', ofServer),
      alert('LicenseRequestsQueued', 'warning', ofServer),
    ],
  ],
  [
    'a license manager without known vendor licenses',
    [alert('LicenseSourceDown', 'critical', { license_source: 'cad', manager: 'flexnet' }), serverDown],
    [],
  ],
  [
    'a vendor license that is missing',
    [alert('LicenseVendorLicenseVanished', 'warning', ofServer)],
    [alert('LicenseFeatureVanished', 'warning', ofServer), alert('LicenseCapacityDropped', 'warning', ofServer)],
  ],
  [
    'an empty list of vendor licenses',
    [alert('LicenseProductsEmpty', 'critical')],
    [alert('LicenseVendorLicenseVanished', 'warning', ofServer), alert('LicenseCapacityDropped', 'warning', ofServer)],
  ],
  [
    'an exporter that is down',
    [
      alert('LicenseExporterDown', 'critical', { analyzer: '', job: 'license-exporter', instance: 'a:10319' }),
      alert('LicenseAlertDeliveryFailing', 'critical', { job: 'license-exporter', instance: 'b:10319' }),
    ],
    [
      alert('LicenseExporterShardMismatch', 'warning'),
      alert('LicenseAlertDeliveryFailing', 'critical', { job: 'license-exporter', instance: 'a:10319' }),
    ],
  ],
  [
    'an exporter that is gone',
    [alert('LicenseExporterAbsent', 'critical', ofShard)],
    [alert('LicenseExporterShardMismatch', 'warning')],
  ],
  [
    'each day on which licenses expire, also if another one is more urgent',
    [expiring('critical', '2026-12-01'), expiring('warning', '2026-12-20'), expiring('info', '2027-01-20')],
    [],
  ],
  ['a server that is down, not its expiries', [serverDown, expiring('warning', '2026-12-20')], []],
];

describe.runIf(peer('prometheus-alertmanager'))('an Alertmanager with the example', () => {
  const names = (alerts: readonly PostedAlert[]): string[] => alerts.map(({ labels }) => JSON.stringify(labels)).sort();
  const sortedKeys = (labels: PostedAlert['labels']): PostedAlert['labels'] =>
    Object.fromEntries(
      Object.entries(labels)
        .filter(([, value]) => value !== '')
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );

  it.each(causes)('sends one message about %s', async (_, sent, inhibited) => {
    const { post, active } = await startExample(cleanup, 'never');
    const wanted = names(sent.map(({ labels }) => ({ labels: sortedKeys(labels) })));
    await post([...sent, ...inhibited]);
    let found: string[] = [];
    await eventually('the inhibition', async () => {
      found = names((await active()).map((labels) => ({ labels: sortedKeys(labels) })));
      return found.length <= wanted.length;
    });
    expect(found).toEqual(wanted);
  });

  it('has one alert of what both the engine and Prometheus send', async () => {
    const { post, active } = await startExample(cleanup, 'never');
    const labels = { ...serverDown.labels, source: 'license-exporter' };
    await post([{ labels, annotations: { summary: 'of Prometheus' } }]);
    await post([{ labels, annotations: { summary: 'of the engine' } }]);
    await post([{ labels: { ...labels, analyzer: 'another:80' } }]);
    await eventually('both analyzers', async () => (await active()).length >= 2);
    expect(await active()).toHaveLength(2);
  });

  it('sends one message about a vendor license, and one about a license manager', async () => {
    const { post, mails } = await startExample(cleanup, 'never');
    const features = ['', 'cfd'].flatMap((owner) =>
      ['LicenseCapacityDropped', 'LicenseRequestsQueued', 'LicenseDenials'].map((name) =>
        alert(name, 'warning', { vendor_license: 'lic02;mgcld', owner }),
      ),
    );
    const sources = ['lic03;x', 'lic03;y', 'lic03;z'].map((name) =>
      alert('LicenseSourceDown', 'critical', { vendor_license: name, license_source: 'cad', manager: 'flexnet' }),
    );
    await post([...features, ...sources]);
    await eventually('both messages', () => mails.length >= 2);
    expect(mails.map(({ to, subject }) => `${to} ${subject}`).sort()).toEqual([
      expect.stringMatching(/^license-team@example.com \[FIRING:6\] /),
      expect.stringMatching(/^on-call@example.com \[FIRING:3\] /),
    ]);
  });

  it('sends each warning and its end once to those who got it, also if the end is sent again', async () => {
    const { post, end, mails } = await startExample(cleanup, 'never');
    const owned = { ...ofServer, owner: 'cad-team' };
    const warnings = [
      // no mail: its receiver is nobody
      alert('LicenseFeatureSaturated', 'info', { vendor_license: 'lic03;x' }),
      alert('LicenseFeatureSaturated', 'warning', ofServer),
      alert('LicenseFeatureSaturated', 'warning', { ...owned, vendor_license: 'lic02;x' }),
      alert('LicensePollPartial', 'warning', { endpoint: 'GetFeatures' }),
    ];
    await post(warnings);
    await eventually('the warnings', () => mails.length >= 3);
    await end(warnings);
    await eventually('their ends', () => mails.length >= 6);
    // an end that is sent again is not a new one
    await end(warnings);
    await post([alert('LicenseServerDown', 'critical', { vendor_license: 'lic09;x' })]);
    await eventually('a message after that', () => mails.some(({ to }) => to === 'on-call@example.com'));
    const sent = mails.map(({ to, subject }) => `${to} ${/^\[(\w+)/.exec(subject)?.[1]}`);
    expect(sent.sort()).toEqual([
      'cad-team@example.com FIRING',
      'cad-team@example.com RESOLVED',
      'license-team@example.com FIRING',
      'license-team@example.com RESOLVED',
      'monitoring-team@example.com FIRING',
      'monitoring-team@example.com RESOLVED',
      'on-call@example.com FIRING',
    ]);
  });
});
