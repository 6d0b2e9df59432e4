import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { afterEach, describe, expect, it } from 'vitest';
import { catalogue } from '../../../src/exporter/metrics/catalogue.ts';
import { externalUrl } from '../../../src/program/config/listeners.ts';
import { createCertificate } from '../../support/certificate.ts';
import { quickPolls, startSite } from '../../support/end-to-end.ts';
import { startFakeAlertmanager } from '../../support/fake-alertmanager.ts';
import { createCleanup, createConfig, eventually, startApp } from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';

/** Alerts over HTTP, and Alertmanagers that need authentication. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const DAY = 86_400;

async function start(settings: Parameters<typeof createConfig>[1]) {
  const site = await startSite(cleanup);
  await site.setExpiry(3 * DAY);
  await site.setDown(true);
  const app = await startApp(createConfig(site.url, { ...quickPolls, ...settings }));
  cleanup.add(() => app.stop());
  // 401 where only users may ask
  await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).status !== 503);
  const get = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${app.url}${path}`, init);
    const text = await response.text();
    return { status: response.status, text, json: () => JSON.parse(text) };
  };
  return { site, app, get };
}

describe('/api/v1', () => {
  it('speaks the JSON of Prometheus', async () => {
    const fake = await startFakeAlertmanager(cleanup);
    const { site, app, get } = await start({
      'alerting.alertmanagers': [fake.url],
      'alerting.evaluation_interval': '500ms',
      'alerting.external_labels': { site: 'muc' },
      'alerting.rules': {
        LicenseRequestsQueued: { for: '90s', keep_firing_for: '45s' },
        LicenseFeatureSaturated: { raise: 0.8, clear: 0.7 },
      },
    });
    await eventually('both alerts', async () => (await get('/api/v1/alerts')).json().data.alerts.length === 2);
    const { status, data } = (await get('/api/v1/alerts')).json();
    expect(status).toBe('success');
    const common = { source: 'license-exporter', analyzer: new URL(site.url).host, site: 'muc' };
    const byName = Object.fromEntries(
      data.alerts.map((alert: { labels: { alertname: string } }) => [alert.labels.alertname, alert]),
    );
    expect(byName.LicenseServerDown).toEqual({
      labels: { alertname: 'LicenseServerDown', severity: 'critical', vendor_license: site.vendorLicense, ...common },
      annotations: {
        summary: `License server ${site.vendorLicense} is down.`,
        description: expect.any(String),
        impact: expect.any(String),
        step: expect.any(String),
        runbook_url: expect.stringMatching(/\/runbooks#licenseserverdown$/),
      },
      state: 'firing',
      activeAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      // seconds since the last collection
      value: expect.stringMatching(/^[1-9][.\d]*e[-+]\d\d$/),
    });
    expect(data.alerts.map(({ labels }: { labels: { alertname: string } }) => labels.alertname)).toEqual([
      'LicenseServerDown',
      'LicenseExpiringSoon',
    ]);
    expect(byName.LicenseExpiringSoon).toMatchObject({
      state: 'pending',
      value: expect.stringMatching(/^2\.59\d*e\+05$/),
    });

    const { data: rules } = (await get('/api/v1/rules')).json();
    expect(rules.groups.map(({ name, interval }: { name: string; interval: number }) => [name, interval])).toEqual([
      ['license-exporter', 0.5],
    ]);
    const states = rules.groups[0].rules.map(({ name, state, type, health }: Record<string, string>) => [
      name,
      state,
      type,
      health,
    ]);
    expect(states).toContainEqual(['LicenseServerDown', 'firing', 'alerting', 'ok']);
    expect(states).toContainEqual(['LicenseExpiringSoon', 'pending', 'alerting', 'ok']);
    // no feature of the site says how many requests wait
    expect(states).toContainEqual(['LicenseRequestsQueued', 'inactive', 'alerting', 'unknown']);
    expect(states.map(([name]: string[]) => name)).not.toContain('LicenseSourceDown');
    const saturated = rules.groups[0].rules.find(({ name }: { name: string }) => name === 'LicenseFeatureSaturated');
    expect(saturated.query).toBe('LicenseFeatureSaturated(raise=0.8, clear=0.7, window=600, minLicenses=2)');
    const queued = rules.groups[0].rules.find(({ name }: { name: string }) => name === 'LicenseRequestsQueued');
    expect([queued.duration, queued.keepFiringFor, queued.labels]).toEqual([90, 45, { severity: 'warning' }]);
    expect((await get('/api/v1/rules?type=alert')).json().data.groups).toHaveLength(1);
    expect((await get('/api/v1/rules?type=record')).json()).toEqual({ status: 'success', data: { groups: [] } });
    const bad = await get('/api/v1/rules?type=x');
    expect([bad.status, bad.json()]).toEqual([
      400,
      { status: 'error', errorType: 'bad_data', error: 'not supported value "x" of type; valid are alert and record' },
    ]);
    expect((await get('/api/v1/alerts', { method: 'POST' })).status).toBe(405);

    // what people see
    const page = await get('/alerts');
    expect(page.text).toContain(`License server ${site.vendorLicense} is down.`);
    expect(page.text).toContain(fake.url);
    expect((await get('/')).text).toContain('href="alerts"');
    // and where the links in alerts lead
    const { generatorURL = '' } = fake.requests.find(({ alerts }) => alerts.length > 0)?.alerts[0] ?? {};
    expect(new URL(generatorURL).pathname).toBe('/alerts');

    const metrics = await app.metrics();
    for (const line of [
      `license_alerts_delivered{alertname="LicenseServerDown",analyzer="${new URL(site.url).host}"} 1`,
      `license_alerts_delivered{alertname="LicenseDenials",analyzer="${new URL(site.url).host}"} 0`,
      `license_alert_firing{analyzer="${new URL(site.url).host}",alertname="LicenseServerDown",severity="critical",vendor_license="${site.vendorLicense}"} 1`,
      'license_exporter_alerts{state="firing"} 1',
      'license_exporter_alerts{state="pending"} 1',
      `license_exporter_notifications_errors_total{alertmanager="${fake.url}"} 0`,
      'license_exporter_notifications_queue_capacity 10000',
    ]) {
      expect(metrics.split('\n')).toContain(line);
    }
    const promised = Object.entries(catalogue).filter(
      // those of mail and webhook have samples only with such a receiver
      ([name, { group }]) => group === 'alerting' && !name.startsWith('license_exporter_messages_'),
    );
    expect(promised).toHaveLength(8);
    for (const [name] of promised) expect(metrics).toMatch(new RegExp(`^${name}[{ ]`, 'm'));
  });

  it('is for users of the web config, where there are any', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'license-exporter-web-'));
    cleanup.add(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'web.yml');
    writeFileSync(file, `basic_auth_users: {prom: ${hashSync('geheim', 4)}}\n`);
    const { get } = await start({ 'web.config_file': file });
    const api = await get('/api/v1/alerts');
    expect([api.status, api.json()]).toMatchObject([401, { status: 'error', errorType: 'unauthorized' }]);
    const page = await get('/alerts');
    expect([page.status, page.text]).toEqual([401, 'Name and password of a user in the web config are required.\n']);
    const headers = { authorization: `Basic ${Buffer.from('prom:geheim').toString('base64')}` };
    expect((await get('/api/v1/alerts', { headers })).status).toBe(200);
    expect((await get('/alerts', { headers })).status).toBe(200);
  });

  it('shows alerts that are not sent, and leaves them to Prometheus', async () => {
    const { get, app, site } = await start({});
    await eventually('both alerts', async () => (await get('/api/v1/alerts')).json().data.alerts.length === 2);
    expect((await get('/api/v1/rules')).json().data.groups).toHaveLength(1);
    const page = await get('/alerts');
    expect(page.text).toContain(`License server ${site.vendorLicense} is down.`);
    expect(page.text).toContain('Nobody is notified: these alerts are only shown here.');
    const metrics = await app.metrics();
    expect(metrics).toMatch(/^license_alert_firing\{.*alertname="LicenseServerDown".* 1$/m);
    expect(metrics).not.toContain('license_alerts_delivered');
    expect(metrics).not.toMatch(/license_exporter_notifications_[a-z_]*\{/);
  });
});

describe('links in alerts', () => {
  it.each([
    [':10319', `http://${hostname()}:10319`],
    ['0.0.0.0:10319', `http://${hostname()}:10319`],
    ['[::]:10319', `http://${hostname()}:10319`],
    ['[::1]:10319', 'http://[::1]:10319'],
    ['exporter.lan:1', 'http://exporter.lan:1'],
  ])('lead where %s listens', (listen, expected) => {
    expect(externalUrl(createConfig('http://h/a', { 'web.listen_address': listen }).web)).toBe(expected);
    const settings = { 'web.listen_address': listen, 'web.external_url': 'https://lic.example.com/x/' };
    expect(externalUrl(createConfig('http://h/a', settings).web)).toBe('https://lic.example.com/x');
  });
});

describe('a reload', () => {
  it('keeps alerts and counters, and starts and ends their delivery', async () => {
    const fake = await startFakeAlertmanager(cleanup);
    const { site, app } = await start({ 'alerting.alertmanagers': [fake.url], 'alerting.resend_delay': '200ms' });
    const sent = `license_exporter_notifications_sent_total{alertmanager="${fake.url}"}`;
    await eventually('sent', async () => ((await app.sample(sent)) ?? 0) > 5);
    const before = (await app.sample(sent)) ?? 0;
    const startsAt = fake.requests.find(({ alerts }) => alerts.length > 0)?.alerts[0]?.startsAt;
    const on = { ...quickPolls, 'alerting.alertmanagers': [fake.url], 'alerting.resend_delay': '1s' };
    await app.reload(createConfig(site.url, on));
    expect(await app.sample(sent)).toBeGreaterThanOrEqual(before);
    await eventually('sent again', async () => ((await app.sample(sent)) ?? 0) > before);
    expect(fake.requests.at(-1)?.alerts[0]?.startsAt).toBe(startsAt);
    await app.reload(createConfig(site.url, quickPolls));
    expect(await app.metrics()).not.toContain('license_exporter_notifications_sent_total{');
    const requests = fake.requests.length;
    // longer than the resend delay was
    const polled = async () =>
      (await app.sample('license_poll_last_attempt_timestamp_seconds{endpoint="GetProducts"}')) ?? 0;
    const polledBefore = await polled();
    await eventually('more polls', async () => (await polled()) > polledBefore + 1.5);
    expect(fake.requests.length).toBe(requests);
  });
});

describe('a guarded Alertmanager', () => {
  const secretFile = (secret: string): string => {
    const folder = mkdtempSync(join(tmpdir(), 'license-exporter-secret-'));
    cleanup.add(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'secret');
    writeFileSync(path, `${secret}\n`, { mode: 0o600 });
    return path;
  };

  it.each([
    [
      'basic auth',
      (file: string) => ({ basic_auth: { username: 'prom', password_file: file } }),
      `Basic ${Buffer.from('prom:one').toString('base64')}`,
      `Basic ${Buffer.from('prom:two').toString('base64')}`,
    ],
    ['a bearer token', (file: string) => ({ authorization: { credentials_file: file } }), 'Bearer one', 'Bearer two'],
    [
      'another scheme',
      (file: string) => ({ authorization: { type: 'Token', credentials_file: file } }),
      'Token one',
      'Token two',
    ],
  ])('is given %s, read again when it changes, and never shown', async (_, access, first, second) => {
    const fake = await startFakeAlertmanager(cleanup);
    const file = secretFile('one');
    const { app, get } = await start({
      'alerting.alertmanagers': [
        { path_prefix: '/am/', static_configs: [{ targets: [new URL(fake.url).host] }], ...access(file) },
      ],
      'alerting.resend_delay': '300ms',
    });
    await eventually('a request', () => fake.requests.some(({ method }) => method === 'POST'));
    expect(fake.requests.at(-1)?.headers.authorization).toBe(first);
    expect(fake.requests.at(-1)?.url).toBe('/am/api/v2/alerts');
    writeFileSync(file, 'two\n');
    await eventually('the new one', () => fake.requests.at(-1)?.headers.authorization === second);
    rmSync(file);
    const requests = fake.requests.length;
    await eventually('the last one stays', () => fake.requests.length > requests + 2);
    expect(fake.requests.at(-1)?.headers.authorization).toBe(second);
    const shown = [JSON.stringify(app.log.entries), await app.metrics(), (await get('/alerts')).text].join('\n');
    expect(shown).not.toContain(second.split(' ')[1]);
  });

  it.runIf(peer('openssl'))('is reached over TLS with a client certificate', async () => {
    const certificate = createCertificate(cleanup);
    const clients: boolean[] = [];
    const options = {
      cert: certificate.cert,
      key: certificate.key,
      ca: certificate.cert,
      requestCert: true,
      rejectUnauthorized: true,
    };
    const server = createTlsServer(options, (request, response) => {
      clients.push((request.socket as { authorized?: boolean }).authorized === true);
      request.resume();
      response.end('[]');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanup.add(() => {
      server.closeAllConnections();
      server.close();
    });
    const target = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const entry = (tls: object) => ({
      'alerting.alertmanagers': [{ scheme: 'https', static_configs: [{ targets: [target] }], tls_config: tls }],
    });
    const { certFile, keyFile } = certificate;
    const { app } = await start(
      entry({ ca_file: certFile, cert_file: certFile, key_file: keyFile, server_name: 'localhost' }),
    );
    await eventually(
      'delivered',
      async () =>
        ((await app.sample(`license_exporter_notifications_sent_total{alertmanager="https://${target}"}`)) ?? 0) > 0,
    );
    expect(clients.every((authorized) => authorized)).toBe(true);
    const unknown = await start(entry({ cert_file: certFile, key_file: keyFile }));
    await eventually('refused', () =>
      unknown.app.log.entries.some(({ fields }) => fields.reason === 'DEPTH_ZERO_SELF_SIGNED_CERT'),
    );
  });
});
