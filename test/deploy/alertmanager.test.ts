import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { allAlerts } from '../../src/alerting/alerts/rules.ts';
import { tellingOf } from '../../src/alerting/alerts/telling.ts';
import {
  example,
  exampleFile,
  type PostedAlert,
  type Route,
  sendsResolved,
  startExample,
  withIntegrations,
  writeExample,
} from '../support/example-alertmanager.ts';
import { createCleanup, eventually } from '../support/harness.ts';
import { findProgram, peer } from '../support/peers.ts';
import { createRouter } from '../support/routed-messages.ts';

/** The example for Alertmanager does what its comments say. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const amtool = (...args: readonly string[]): string =>
  execFileSync(findProgram('amtool') ?? 'amtool', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

const allRoutes = (route: Route): readonly Route[] => [route, ...(route.routes ?? []).flatMap(allRoutes)];

const DAY = 86_400;
/** The longest that Alertmanager remembers what it has sent: what is said once ends before that. */
const LONGEST = 5 * DAY;

/** Who gets warnings and what is critical, by class and by what an alert is about. */
const receivers = {
  fault: { analyzer: ['monitoring-team', 'monitoring-team'], vendor_license: ['on-call', 'license-team'] },
  loss: { feature: ['on-call', 'license-team'] },
  expiry: { feature: ['license-owners', 'license-digest', 'license-digest'] },
  usage: { feature: ['on-call', 'license-digest', 'nobody'] },
  upkeep: { analyzer: ['on-call', 'monitoring-digest'] },
} as const;
const order = ['critical', 'warning', 'info'];

/** Those that go elsewhere. */
const exceptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // users cannot work, or soon cannot
  LicenseSourceDown: { critical: 'on-call' },
  LicenseRedundancyLost: { warning: 'license-team' },
};

/** Every alert that is sent, in each of its severities. */
const kinds = Object.entries(allAlerts).flatMap(([alertname, definition]) => {
  const severities: readonly string[] = 'severities' in definition ? definition.severities : [definition.severity];
  return definition.messages === 'watchdog'
    ? []
    : severities.map((severity) => ({ ...definition, alertname, severity }));
});

const cases = [
  ...kinds.map(({ alertname, severity, messages, subject }) => {
    const usual: Readonly<Record<string, readonly string[]>> = receivers[messages as keyof typeof receivers];
    const receiver = exceptions[alertname]?.[severity] ?? usual[subject]?.[order.indexOf(severity)];
    return [alertname, severity, receiver] as const;
  }),
  ['LicenseWatchdog', 'none', 'watchdog'],
  ['LicenseExporterTestAlert', 'info', 'license-team'],
  ['AnotherAlert', 'critical', 'on-call'],
  ['AnotherAlert', 'warning', 'license-team'],
  ['AnotherAlert', 'info', 'nobody'],
] as const;

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
    for (const name of ['LicenseFeatureVanished', 'LicenseCollectionStale']) {
      expect(routed(`alertname=${name}`, 'severity=warning', 'owner=cad-team')).toBe('cad-team');
      expect(routed(`alertname=${name}`, 'severity=warning', 'owner=another')).toBe('license-team');
    }
    expect(routed('alertname=LicenseFeatureSaturated', 'severity=info', 'owner=cad-team')).toBe('nobody');
    // by the owner in its address
    expect(routed('alertname=LicenseRunsOut', 'severity=warning', 'owner=cad-team')).toBe('license-digest');
    expect(routed('alertname=LicenseServerDown', 'severity=critical', 'owner=cad-team')).toBe('on-call');
  });

  const routed = createRouter(example.route);
  const again = (labels: PostedAlert['labels']) => routed(labels).map(({ repeat }) => repeat);

  it.each(kinds)('tells of $alertname, $severity as its class says', ({ alertname, severity }) => {
    const telling = tellingOf({ alertname, severity });
    const [route, ...more] = routed({ alertname, severity });
    expect(more).toEqual([]);
    const by = route?.receiver === 'nobody' ? 'pages' : route?.active.includes('digest-hour') ? 'digest' : 'message';
    expect(by).toBe(telling.by);
    if (by !== 'pages') expect(route?.repeat).toBe(telling.again ?? LONGEST);
  });

  it('has one message about license managers that fail together, and one digest for each owner', () => {
    const routeOf = (alertname: string, severity: string) => routed({ alertname, severity })[0];
    expect(routeOf('LicenseSourceDown', 'critical')).toMatchObject({ groupBy: ['analyzer'], wait: 60 });
    const digests = kinds.filter(({ messages, severity }) => /expiry|usage/.test(messages) && severity === 'warning');
    expect(digests.length).toBeGreaterThan(3);
    expect(new Set(digests.map(({ alertname }) => routeOf(alertname, 'warning'))).size).toBe(1);
    expect(routeOf('LicenseExpiringSoon', 'info')).toBe(routeOf('LicenseDenials', 'warning'));
    expect(again({ alertname: 'AnotherAlert', severity: 'critical' })).toEqual([DAY]);
  });

  it('sends queues and full pools at once where its two lines are used', () => {
    const used = withIntegrations.replace(/^( +)# (- \{matchers: )/gm, '$1$2');
    const both = createRouter(parse(used).route);
    const page = readFileSync(join(import.meta.dirname, '../../docs/alerts.md'), 'utf8');
    expect(page).toContain(/^ +# - \{matchers: .*\n.*\n/m.exec(withIntegrations)?.[0]);
    for (const alertname of ['LicenseRequestsQueued', 'LicenseFeatureSaturated']) {
      expect(both({ alertname, severity: 'warning' })).toMatchObject([{ receiver: 'license-team', active: [] }]);
      expect(both({ alertname, severity: 'info' })).toMatchObject([{ receiver: 'nobody' }]);
    }
    expect(both({ alertname: 'LicenseDenials', severity: 'warning' })).toMatchObject([{ receiver: 'license-digest' }]);
    expect(amtool('check-config', writeExample(cleanup, used))).toContain('SUCCESS');
  });

  it('has hours for the digests only, whose receivers get no ends: Alertmanager drops those outside of the hours', () => {
    const limited = allRoutes(example.route).filter(
      (route) => 'active_time_intervals' in route || 'mute_time_intervals' in route,
    );
    expect(limited.map(({ receiver = '', active_time_intervals: times }) => [receiver, times])).toEqual([
      ['license-digest', ['digest-hour']],
      ['monitoring-digest', ['digest-hour']],
    ]);
    expect(limited.map(({ receiver = '' }) => sendsResolved.get(receiver))).toEqual([false, false]);
    expect(example.time_intervals.map(({ name }) => name)).toEqual(['digest-hour']);
  });

  it('groups and inhibits by labels that alerts have', () => {
    const named = [
      ...example.inhibit_rules.flatMap(({ equal = [] }) => equal),
      ...allRoutes(example.route).flatMap(({ group_by: labels = [] }) => labels),
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

  it('sends one message about a vendor license, and one about license managers that fail together', async () => {
    const { post, mails } = await startExample(cleanup, 'never');
    const features = ['', 'cfd'].flatMap((owner) =>
      ['LicenseCapacityDropped', 'LicenseFeatureVanished', 'AnotherAlert'].map((name) =>
        alert(name, 'warning', { vendor_license: 'lic02;mgcld', owner }),
      ),
    );
    const sources = ['cad', 'cad', 'eda'].map((name, i) =>
      alert('LicenseSourceDown', 'critical', { vendor_license: `lic0${i};x`, license_source: name }),
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
      alert('LicenseFeatureVanished', 'warning', ofServer),
      alert('LicenseFeatureVanished', 'warning', { ...owned, vendor_license: 'lic02;x' }),
      alert('LicensePollStale', 'warning', { endpoint: 'GetFeatures' }),
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
