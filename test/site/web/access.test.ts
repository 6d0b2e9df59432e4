import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { afterEach, describe, expect, it } from 'vitest';
import { problemText } from '../../../src/program/config/problems.ts';
import type { SettingKey } from '../../../src/program/config/settings.ts';
import { type Certificate, createCertificate } from '../../support/certificate.ts';
import { get, post } from '../../support/datasource-daemon.ts';
import { createCleanup, createConfig, eventually, startAnalyzer, startApp } from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';
import { startPrometheus } from '../../support/start-prometheus.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const NAME = 'grafana';
const PASSWORD = 'pass:wörd';
const users = (password = PASSWORD, cost = 4): string => `basic_auth_users: {${NAME}: '${hashSync(password, cost)}'}\n`;
const basic = (name: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
});

function writeConfig(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-access-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'web.yml');
  writeFileSync(path, text);
  return path;
}

async function start(settings: Partial<Record<SettingKey, unknown>> = {}) {
  const analyzer = await startAnalyzer();
  cleanup.add(() => analyzer.stop());
  const app = await startApp(createConfig(analyzer.url, settings));
  cleanup.add(() => app.stop());
  return app;
}

describe('users of the web config', () => {
  it('are asked for at every path, in the form of the path', async () => {
    const { url } = await start({ 'web.config_file': writeConfig(users()) });
    for (const path of ['/', '/metrics', '/-/reload', '/nothing']) {
      const response = await fetch(`${url}${path}`);
      expect([path, response.status, response.headers.get('www-authenticate')]).toEqual([
        path,
        401,
        'Basic realm="license-exporter"',
      ]);
      expect(await response.text()).toBe('Name and password of a user in the web config are required.\n');
    }
    for (const path of ['/grafana', '/grafana/', '/grafana/query', '/grafana?x', '/grafana/rows/users']) {
      const response = await fetch(`${url}${path}`);
      const message = 'Name and password of a user in the web config are required.';
      expect([path, response.status, response.headers.get('www-authenticate')]).toEqual([
        path,
        401,
        'Basic realm="license-exporter"',
      ]);
      expect(await response.json()).toEqual({ message, error: { code: 'unauthorized', message } });
    }
    for (const path of ['/', '/metrics', '/-/healthy', '/grafana/rows/server_down?filters=x']) {
      await eventually(
        `${path} is served`,
        async () => (await fetch(`${url}${path}`, { headers: basic(NAME, PASSWORD) })).status === 200,
      );
    }
  });

  it('are not asked for at the health paths, unless these are protected', async () => {
    const path = writeConfig(users());
    const open = await start({ 'web.config_file': path });
    const closed = await start({ 'web.config_file': path, 'web.protect_health': true });
    await eventually('the first poll', async () => (await fetch(`${open.url}/-/ready`)).status === 200);
    for (const health of ['/-/healthy', '/-/ready']) {
      expect([health, (await fetch(`${open.url}${health}`, { method: 'HEAD' })).status]).toEqual([health, 200]);
      expect([health, (await fetch(`${closed.url}${health}`)).status]).toEqual([health, 401]);
    }
    // the path, and not what begins with it
    for (const other of ['/-/healthy/', '/-/healthy/../metrics', '/-/ready%2f']) {
      expect([other, (await fetch(`${open.url}${other}`)).status]).toEqual([other, 401]);
    }
  });

  it('are not let in without their name and password, again and again', async () => {
    const { url } = await start({ 'web.config_file': writeConfig(users()) });
    const refused: readonly (readonly [what: string, headers: Readonly<Record<string, string>>])[] = [
      ['a wrong password', basic(NAME, 'password')],
      ['an unknown name', basic('nobody', PASSWORD)],
      ['an inherited name', basic('constructor', PASSWORD)],
      ['no colon', { authorization: `Basic ${Buffer.from(NAME).toString('base64')}` }],
      ['another scheme', { authorization: 'Bearer x' }],
      ['nonsense', { authorization: 'Basic %%%' }],
      ['nothing', {}],
    ];
    for (const [what, headers] of refused) {
      const statuses: number[] = [];
      for (let i = 0; i < 3; i += 1) statuses.push((await fetch(`${url}/metrics`, { headers })).status);
      expect([what, statuses]).toEqual([what, [401, 401, 401]]);
      expect((await fetch(`${url}/metrics`, { headers: basic(NAME, PASSWORD) })).status).toBe(200);
    }
  });

  it('that are proven are served while others guess, and the metrics show the guesses', async () => {
    // as costly as hash-password makes it
    const { url, metrics } = await start({ 'web.config_file': writeConfig(users(PASSWORD, 10)) });
    const headers = basic(NAME, PASSWORD);
    expect((await fetch(`${url}/metrics`, { headers })).status).toBe(200);
    // connections are there already, so that all ask at once
    await Promise.all(Array.from({ length: 40 }, async () => (await fetch(`${url}/-/healthy`, { headers })).text()));
    const guesses = Array.from({ length: 25 }, (_, i) =>
      fetch(`${url}/metrics`, { headers: basic(NAME, `guess ${i}`) }),
    );
    const scrapes = Array.from({ length: 10 }, () => fetch(`${url}/metrics`, { headers }));
    expect((await Promise.all(scrapes)).map(({ status }) => status)).toEqual(Array(10).fill(200));
    const refused = (await Promise.all(guesses)).filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(0);
    // they are sampled once a second
    const sample = `license_exporter_http_requests_refused_total{reason="logons"} ${refused.length}\n`;
    await eventually('the sample', async () => (await metrics(headers)).includes(sample));
  });

  it('change with the file, and stay when it is broken', async () => {
    const path = writeConfig(users('old'));
    const { url, log } = await start({ 'web.config_file': path });
    const status = async (password: string) =>
      (await fetch(`${url}/metrics`, { headers: basic(NAME, password) })).status;
    expect([await status('old'), await status('new')]).toEqual([200, 401]);
    writeFileSync(path, users('new'));
    await eventually('the new password', async () => (await status('new')) === 200);
    expect(await status('old')).toBe(401);
    writeFileSync(path, 'basic_auth_users: {grafana: new}\n');
    await eventually('a log line', () =>
      log.entries.some(({ message }) => message === 'web config not reloaded, the old one is kept'),
    );
    expect(await status('new')).toBe(200);
    expect(JSON.stringify(log.entries)).toContain('is not bcrypt');
    // as an editor leaves it for a moment
    writeFileSync(path, '');
    await eventually('another log line', () => JSON.stringify(log.entries).includes('has no users any more'));
    expect([await status('new'), await status('old')]).toEqual([200, 401]);
  });

  it('come with the headers that are asked for', async () => {
    const headers = 'http_server_config: {headers: {X-Frame-Options: deny}}\n';
    const { url } = await start({ 'web.config_file': writeConfig(users() + headers) });
    expect((await fetch(`${url}/metrics`)).headers.get('x-frame-options')).toBe('deny');
  });
});

describe.runIf(peer('openssl'))('TLS of the web config', () => {
  const tls = ({ certFile, keyFile }: Certificate, more = ''): string =>
    `tls_server_config: {cert_file: ${certFile}, key_file: ${keyFile}${more}}\n`;

  /** The status, or the failure. */
  const ask = (url: string, ca: Certificate, client?: Certificate): Promise<number | string> =>
    new Promise((resolve) => {
      const options = {
        ca: ca.cert,
        agent: false as const,
        ...(client !== undefined && { cert: client.cert, key: client.key }),
      };
      const request = httpsRequest(`${url.replace('127.0.0.1', 'localhost')}/-/healthy`, options, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      request.on('error', () => resolve('refused'));
      request.end();
    });

  it('serves https, and takes a renewed certificate over', async () => {
    const [first, second] = [createCertificate(cleanup), createCertificate(cleanup)];
    const path = writeConfig(tls(first));
    const { url } = await start({ 'web.config_file': path, 'web.listen_address': 'localhost:0' });
    expect(url).toMatch(/^https:/);
    expect([await ask(url, first), await ask(url, second)]).toEqual([200, 'refused']);
    writeFileSync(path, tls(second));
    await eventually('the renewed certificate', async () => (await ask(url, second)) === 200);
    expect(await ask(url, first)).toBe('refused');
  });

  it.each([
    ['NoClientCert', [200, 200, 200]],
    ['RequestClientCert', [200, 200, 200]],
    ['RequireAnyClientCert', ['refused', 200, 200]],
    ['VerifyClientCertIfGiven', [200, 'refused', 200]],
    ['RequireAndVerifyClientCert', ['refused', 'refused', 200]],
  ])('%s decides about clients without, with a strange and with a known certificate', async (type, expected) => {
    const [server, strange, known] = [
      createCertificate(cleanup),
      createCertificate(cleanup),
      createCertificate(cleanup),
    ];
    const ca = type === 'NoClientCert' ? '' : `, client_ca_file: ${known.certFile}`;
    const config = writeConfig(tls(server, `, client_auth_type: ${type}${ca}`));
    const { url } = await start({ 'web.config_file': config, 'web.listen_address': 'localhost:0' });
    expect([await ask(url, server), await ask(url, server, strange), await ask(url, server, known)]).toEqual(expected);
  });

  it('refuses all clients when it has become stricter than the listener, and logs that this needs a restart', async () => {
    const [server, client] = [createCertificate(cleanup), createCertificate(cleanup)];
    const path = writeConfig(tls(server));
    const { url, log } = await start({ 'web.config_file': path, 'web.listen_address': 'localhost:0' });
    expect(await ask(url, server)).toBe(200);
    const strict = `, client_auth_type: RequireAndVerifyClientCert, client_ca_file: ${client.certFile}`;
    writeFileSync(path, tls(server, strict));
    await eventually('the new web config', () => log.entries.some(({ message }) => message === 'web config reloaded'));
    expect(await ask(url, server)).toBe('refused');
    expect(log.entries.map(({ message }) => message)).toContain(
      'web config: TLS on or off, client_auth_type and the TLS versions cannot change without a restart',
    );
  });

  it.runIf(peer('prometheus'))('lets a real Prometheus in with certificate and password', async () => {
    const [server, client] = [createCertificate(cleanup), createCertificate(cleanup)];
    const config = writeConfig(
      users() + tls(server, `, client_auth_type: RequireAndVerifyClientCert, client_ca_file: ${client.certFile}`),
    );
    const { url } = await start({ 'web.config_file': config });
    const scrape = `scheme: https
    basic_auth: {username: ${NAME}, password: '${PASSWORD}'}
    tls_config: {ca_file: ${server.certFile}, cert_file: ${client.certFile}, key_file: ${client.keyFile}}`;
    const { query } = await startPrometheus(cleanup, url, { scrape });
    await eventually('up', async () => (await query('up == 1')).length === 1);
  });
});

describe('names of users', () => {
  const whose = { product: 'sim-lic01;sim_cadd', feature: 'sim-mesh-2' };
  // an address for all interfaces is asked on loopback
  const routeOf = (url: string, path: string): string => `${url.replace('[::]', '127.0.0.1')}/grafana${path}`;
  const parameters = new URLSearchParams(whose);

  it('are served to users of the web config, to those that are listed, or to every client', async () => {
    const config = writeConfig(users());
    for (const [settings, headers] of [
      [{ 'web.listen_address': ':0', 'web.config_file': config }, basic(NAME, PASSWORD)],
      [{ 'web.config_file': config, 'access.names': NAME }, basic(NAME, PASSWORD)],
      [{ 'web.listen_address': ':0', 'access.names': '*' }, {}],
    ] as const) {
      const { url } = await start(settings);
      const { status, body } = await get(routeOf(url, `/rows/users?${parameters}`), headers);
      expect([status, body.rows.length > 0, body.rows[0]?.user]).toEqual([
        200,
        true,
        expect.stringMatching(/^sim-user/),
      ]);
    }
  });

  it.each([
    [{ 'web.listen_address': ':0' }, /^names of users are personal.*basic_auth_users.*access\.names/],
    // a reverse proxy on the same host would make every client local
    [{}, /^names of users are personal/],
    [{ 'access.names': [] }, /access\.names does not list the user/],
    [{ 'access.names': ['grafana'] }, /access\.names does not list the user/],
  ])('are served to nobody else: %o', async (settings, message) => {
    const { url } = await start(settings);
    const refused = [
      await get(routeOf(url, `/rows/users?${parameters}`)),
      await get(routeOf(url, '/rows/features?product=%25&user=sim-user023')),
      await post(routeOf(url, '/variable'), { payload: { target: 'users' } }),
      await post(routeOf(url, '/query'), { targets: [{ refId: 'A', target: 'users', payload: whose }] }),
    ];
    for (const { status, body } of refused) {
      expect([status, body.error.code]).toEqual([403, 'users_not_served']);
      expect(body.message).toMatch(message);
    }
    const { body } = await post(routeOf(url, '/metrics'), {});
    expect(body.map(({ value }: { value: string }) => value)).not.toContain('users');
    expect(JSON.stringify(body)).not.toContain('"user"');
  });

  it('are refused to a user that is not listed, whose name is in no log and no answer', async () => {
    const config = writeConfig(`basic_auth_users:
  ${NAME}: '${hashSync(PASSWORD, 4)}'
  purchasing: '${hashSync('other', 4)}'\n`);
    const settings = { 'web.config_file': config, 'access.names': 'purchasing,nobody' };
    const app = await start(settings);
    const path = `/rows/users?${parameters}`;
    const { status, body } = await get(routeOf(app.url, path), basic(NAME, PASSWORD));
    expect([status, body.error.code]).toEqual([403, 'users_not_served']);
    expect(JSON.stringify([app.log.entries, body])).not.toMatch(/purchasing|nobody/);
    expect((await get(routeOf(app.url, path), basic('purchasing', 'other'))).status).toBe(200);
    expect(app.log.entries.flatMap(({ fields }) => fields.user ?? [])).toEqual(['purchasing']);
    const { withoutEffect } = createConfig('http://127.0.0.1:1/analyzer', settings);
    expect(withoutEffect.map(problemText)).toEqual([
      '--access.names: access.names[1]: is no user of the web config, and is shown nothing: add it to basic_auth_users',
    ]);
  });

  it('follow a reload of the list, but not one of the address, which takes a restart', async () => {
    const app = await start({ 'access.names': '*' });
    const next = createConfig('http://127.0.0.1:1/analyzer', { 'web.listen_address': '127.0.0.2:0' });
    await app.reload(next);
    expect((await get(routeOf(app.url, `/rows/users?${parameters}`))).status).toBe(403);
    expect(app.log.entries).toContainEqual(
      expect.objectContaining({
        message: 'changed settings are used after a restart, the old values until then',
        fields: { settings: ['web.listen_address'] },
      }),
    );
  });

  it('are replaced by a keyed hash, which stays the same with the same key', async () => {
    const key = writeConfig('a key that nobody guesses\n');
    const settings = { 'access.names': '*', 'datasource.pseudonymise': true, 'datasource.pseudonym_key_file': key };
    const names: unknown[] = [];
    for (const more of [
      settings,
      settings,
      { ...settings, 'datasource.pseudonym_key_file': writeConfig('another key, just as long') },
    ]) {
      const { url } = await start(more);
      const { rows } = (await get(routeOf(url, `/rows/users?${parameters}`))).body;
      expect(rows.length).toBeGreaterThan(5);
      expect(JSON.stringify(rows)).not.toMatch(/sim-user|sim-ws/);
      expect(rows[0]).toMatchObject({
        user: expect.stringMatching(/^[0-9a-f]{12}$/),
        host: expect.stringMatching(/^[0-9a-f]{12}$/),
      });
      names.push(rows[0].user);
      // who is who cannot be found out by asking for a name
      expect((await get(routeOf(url, `/rows/users?${parameters}&user=sim-user023`))).body.rows).toEqual([]);
      expect((await get(routeOf(url, `/rows/users?${parameters}&user=${rows[0].user}`))).body.rows[0]).toEqual(rows[0]);
      expect((await get(routeOf(url, '/rows/features?product=%25&user=sim-user023'))).status).toBe(403);
    }
    expect(names[0]).toBe(names[1]);
    expect(names[0]).not.toBe(names[2]);
  });
});
