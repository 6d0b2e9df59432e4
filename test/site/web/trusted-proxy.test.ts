import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { afterEach, describe, expect, it } from 'vitest';
import type { SettingKey } from '../../../src/program/config/settings.ts';
import { createCertificate } from '../../support/certificate.ts';
import { createCleanup, createConfig, eventually, startAnalyzer, startApp } from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';
import { startAuthProxy } from '../../support/start-proxy.ts';

/** Who asks, by the headers of a proxy. Names of license users show whom the daemon takes a request for. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

type Settings = Partial<Record<SettingKey, unknown>>;

const NAMES = '/grafana/rows/users?product=sim-lic01%3Bsim_cadd&feature=sim-mesh-2';
const headers = { 'web.trusted_proxy.user_header': 'X-Forwarded-User' };
const groups = { 'web.trusted_proxy.groups_header': 'X-Forwarded-Groups' };
const loopback = { ...headers, 'web.trusted_proxy.from': '127.0.0.1' };
const ada = { 'x-forwarded-user': 'ada' };

function writeConfig(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-proxy-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'web.yml');
  writeFileSync(path, text);
  return path;
}

const withUsers = () => ({ 'web.config_file': writeConfig(`basic_auth_users: {ops: '${hashSync('right', 4)}'}\n`) });
const basic = { authorization: `Basic ${Buffer.from('ops:right').toString('base64')}` };

async function start(settings: Settings) {
  const analyzer = await startAnalyzer();
  cleanup.add(() => analyzer.stop());
  const app = await startApp(createConfig(analyzer.url, settings));
  cleanup.add(() => app.stop());
  return { ...app, analyzer: analyzer.url };
}

type App = Awaited<ReturnType<typeof start>>;

interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly localAddress?: string;
  /** Of TLS. */
  readonly options?: RequestOptions;
}

/** Sends headers as they are given, also twice. @returns the status */
function ask(
  { url }: Pick<App, 'url'>,
  sent: OutgoingHttpHeaders | readonly string[],
  asked: Asked = {},
): Promise<number> {
  const { path = NAMES, method = 'GET', localAddress, options } = asked;
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const to = new URL(path, url.replace('[::]', '127.0.0.1'));
  const all = { method, headers: sent, agent: false as const, ...(localAddress !== undefined && { localAddress }) };
  const request = options === undefined ? httpRequest(to, all) : httpsRequest(to, { ...all, ...options });
  request.on('response', (response) => {
    response.resume();
    response.once('end', () => resolve(response.statusCode ?? 0));
  });
  request.on('error', reject);
  request.end();
  return promise;
}

describe('a proxy that names users', () => {
  it('is accepted if it is listed, and no other client is', async () => {
    const app = await start(loopback);
    expect([await ask(app, ada), await ask(app, {})]).toEqual([200, 403]);
    const other = await start({ ...headers, 'web.trusted_proxy.from': '127.0.0.2,10.0.0.0/8,::/1' });
    expect(await ask(other, ada)).toBe(403);
    // what another proxy says of the address does not count
    expect(await ask(other, { ...ada, 'x-forwarded-for': '127.0.0.2', forwarded: 'for=127.0.0.2' })).toBe(403);
    expect(await ask(other, ada, { localAddress: '127.0.0.2' })).toBe(200);
  });

  it.each([
    ['127.0.0.1', 200],
    ['127.0.0.0/28', 200],
    // with bits of a host
    ['127.0.0.9/28', 200],
    ['127.0.0.16/28', 403],
    // the listener sees ::ffff:127.0.0.1
    ['::/1', 403],
    ['::1', 403],
  ])('from %s is the same on a listener for IPv6', async (from, status) => {
    const app = await start({ ...headers, 'web.trusted_proxy.from': from, 'web.listen_address': '[::]:0' });
    expect(await ask(app, ada)).toBe(status);
  });

  it('replaces the password of its users, and of no other request', async () => {
    const app = await start({ ...loopback, ...withUsers() });
    const path = '/metrics';
    expect(await ask(app, ada, { path })).toBe(200);
    expect(await ask(app, {}, { path })).toBe(401);
    expect(await ask(app, basic, { path })).toBe(200);
    expect(await ask(app, ada, { path, localAddress: '127.0.0.2' })).toBe(401);
    expect(await ask(app, basic, { path, localAddress: '127.0.0.2' })).toBe(200);
  });

  it.each<[string, OutgoingHttpHeaders | readonly string[]]>([
    ['twice', ['X-Forwarded-User', 'ada', 'X-Forwarded-User', 'ada']],
    ['twice, once empty', ['X-Forwarded-User', '', 'X-Forwarded-User', 'ada']],
    ['as two that were joined on the way', { 'x-forwarded-user': 'eve, ada' }],
    ['empty', { 'x-forwarded-user': ' ' }],
    ['with a control character', { 'x-forwarded-user': 'a\tda' }],
    ['with a mark that turns the text around', { 'x-forwarded-user': Buffer.from('a\u202eda').toString('latin1') }],
    ['in an encoding that is not UTF-8', { 'x-forwarded-user': 'ad\u00e1' }],
    ['with a name that is too long', { 'x-forwarded-user': 'a'.repeat(257) }],
    ['under another name', { x_forwarded_user: 'ada', 'x-forwarded-email': 'ada' }],
  ])('is ignored where it sends the header %s', async (_, sent) => {
    const app = await start(loopback);
    const host = ['Host', new URL(app.url).host];
    expect(await ask(app, Array.isArray(sent) ? [...host, ...sent] : sent)).toBe(403);
  });

  it('names groups, which the lists distinguish from users', async () => {
    const lists = { 'access.names': 'group:license admins,group:/größe,bob' };
    const app = await start({ ...loopback, ...groups, ...lists });
    const of = (user: string, sent?: string | string[]) =>
      ask(app, { 'x-forwarded-user': user, ...(sent !== undefined && { 'x-forwarded-groups': sent }) });
    expect(await of('ada')).toBe(403);
    expect(await of('bob')).toBe(200);
    expect(await of('ada', 'staff,license admins')).toBe(200);
    expect(await of('ada', 'staff , license admins ')).toBe(200);
    expect(await of('ada', Buffer.from('/größe').toString('latin1'))).toBe(200);
    expect(await of('ada', 'bob')).toBe(403);
    expect(await of('license admins', 'group:license admins')).toBe(403);
    expect(await of('group:license admins', 'staff')).toBe(403);
    // twice: one can be that of the client
    expect(await of('ada', ['license admins', 'staff'])).toBe(403);
    expect(await ask(app, { 'x-forwarded-groups': 'license admins' })).toBe(403);
  });

  it('names no groups without a header for them', async () => {
    const app = await start({ ...loopback, 'access.names': 'group:admins' });
    expect(await ask(app, { ...ada, 'x-forwarded-groups': 'admins' })).toBe(403);
  });

  it('can be changed by a reload', async () => {
    const app = await start(loopback);
    expect(await ask(app, ada)).toBe(200);
    await app.reload(createConfig(app.analyzer, {}));
    expect(await ask(app, ada)).toBe(403);
    await app.reload(createConfig(app.analyzer, { ...loopback, 'web.trusted_proxy.user_header': 'Remote-User' }));
    expect([await ask(app, ada), await ask(app, { 'remote-user': 'ada' })]).toEqual([403, 200]);
  });

  it('does not let its users reload the configuration, from loopback neither', async () => {
    const analyzer = await startAnalyzer();
    cleanup.add(() => analyzer.stop());
    const config = createConfig(analyzer.url, { ...loopback, 'web.enable_lifecycle': true });
    let reloads = 0;
    const app = await startApp(config, {
      reload: async () => {
        reloads += 1;
        return undefined;
      },
    });
    cleanup.add(() => app.stop());
    const asked = { path: '/-/reload', method: 'POST' };
    expect([await ask(app, ada, asked), reloads]).toEqual([403, 0]);
    expect([await ask(app, {}, asked), reloads]).toEqual([200, 1]);
  });
});

/** A page of another site can give its name the address of this host, and then sends what it likes from here. */
describe('a proxy on the same host', () => {
  const external = { 'web.external_url': 'https://licenses.example.com/flex' };
  const to = (host: string) => ({ ...ada, host });

  it.each([
    'localhost',
    'LOCALHOST:10319',
    '127.0.0.1:10319',
    '[::1]:10319',
    '10.0.0.7',
    'licenses.example.com',
    'Licenses.Example.com:8443',
    'ops-host:10319',
  ])('names users of a request for %s', async (host) => {
    const app = await start({ ...loopback, ...external, 'web.listen_address': '127.0.0.1:0' });
    expect(await ask(app, to(host === 'ops-host:10319' ? `${hostname()}:10319` : host))).toBe(200);
  });

  it.each([
    'attacker.example',
    'localhost.attacker.example',
    'licenses.example.com.attacker.example',
    'a b',
    'localhost.',
  ])('names nobody in a request for %s', async (host) => {
    const app = await start({ ...loopback, ...external });
    for (const path of [NAMES, '/', '/metrics', '/api/v1/alerts']) {
      expect([path, await ask(app, to(host), { path })]).toEqual([path, 403]);
    }
    const asked = { path: '/grafana/query', method: 'POST' };
    expect(await ask(app, to(host), asked)).toBe(403);
  });

  it('is refused by an address of the host too, and says what to set', async () => {
    const app = await start({ ...headers, 'web.trusted_proxy.from': '127.0.0.0/8' });
    const { promise, resolve } = Promise.withResolvers<string>();
    const request = httpRequest(new URL(NAMES, app.url), {
      headers: to('exporter.example'),
      localAddress: '127.0.0.3',
    });
    request.on('response', async (response) => resolve(Buffer.concat(await response.toArray()).toString()));
    request.end();
    expect(JSON.parse(await promise)).toMatchObject({
      error: { code: 'wrong_host', message: expect.stringContaining('web.external_url') },
    });
  });

  it('changes nothing for requests that name no user, by any name', async () => {
    const app = await start({ ...loopback, ...external });
    expect(await ask(app, { host: 'exporter.example' }, { path: '/metrics' })).toBe(200);
    expect(await ask(app, { host: 'exporter.example' })).toBe(403);
    const closed = await start({ ...loopback, ...withUsers() });
    expect(await ask(closed, { ...basic, host: 'exporter.example' })).toBe(200);
  });

  it('uses a changed address after a reload', async () => {
    const app = await start({ ...loopback });
    expect(await ask(app, to('licenses.example.com'), { path: '/metrics' })).toBe(403);
    await app.reload(createConfig(app.analyzer, { ...loopback, ...external }));
    expect(await ask(app, to('licenses.example.com'), { path: '/metrics' })).toBe(200);
  });
});

describe.runIf(peer('openssl'))('a proxy with a client certificate', () => {
  const tlsOf = (more: string): string => {
    const server = createCertificate(cleanup);
    return writeConfig(`tls_server_config: {cert_file: ${server.certFile}, key_file: ${server.keyFile}${more}}\n`);
  };
  const trusting = { ...headers, 'web.trusted_proxy.from': 'client_certificate' };

  it('is accepted while the web config has its CA, and a client without one is not', async () => {
    const [client, strange] = [createCertificate(cleanup), createCertificate(cleanup)];
    const more = `, client_auth_type: RequestClientCert, client_ca_file: ${client.certFile}`;
    const file = tlsOf(more);
    const app = await start({ ...trusting, 'web.config_file': file });
    const open = { rejectUnauthorized: false };
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    cleanup.add(() => agent.destroy());
    const known = { options: { ...open, cert: client.cert, key: client.key, agent } };
    expect(await ask(app, ada, known)).toBe(200);
    expect(await ask(app, ada, { options: { ...open, cert: strange.cert, key: strange.key } })).toBe(403);
    expect(await ask(app, ada, { options: open })).toBe(403);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/, client_ca_file: [^}]*/, ''));
    await eventually('the new web config', () =>
      app.log.entries.some(({ message }) => message === 'web config reloaded'),
    );
    expect(await ask(app, ada, known)).toBe(403);
  });

  it('needs the CA of the web config', () => {
    const load = (more: string) =>
      createConfig('http://127.0.0.1:1/analyzer', { ...trusting, 'web.config_file': tlsOf(more) });
    expect(() => load(', client_auth_type: RequireAnyClientCert')).toThrow(
      'web.trusted_proxy.from[0]: client_certificate needs client_ca_file and client_auth_type in the file of web.config_file',
    );
  });
});

describe('the log', () => {
  const views = ({ log }: App) => log.entries.filter(({ message }) => message.endsWith(' served'));

  it('has each view of names, with user, page and number, and no name', async () => {
    const app = await start({ ...loopback, ...withUsers() });
    await eventually('first poll', async () => (await ask(app, {}, { path: '/-/ready' })) === 200);
    const rows = async (sent: Record<string, string>) =>
      (await (await fetch(`${app.url}${NAMES}`, { headers: sent })).json()) as {
        rows: readonly { user: string; host: string }[];
      };
    const { rows: shown } = await rows(ada);
    const people = new Set(shown.map(({ user }) => user)).size;
    expect(people).toBeGreaterThan(1);
    await rows(basic);
    await ask(app, ada, { path: '/feature?vendor_license=sim-lic01%3Bsim_cadd&feature=sim-mesh-2' });
    const body = { target: 'users', payload: { product: 'sim-lic01;sim_cadd', feature: 'sim-mesh-2' } };
    await fetch(`${app.url}/grafana/query`, {
      method: 'POST',
      headers: ada,
      body: JSON.stringify({ targets: [body] }),
    });
    const variable = { payload: { ...body.payload, target: 'users' } };
    await fetch(`${app.url}/grafana/variable`, { method: 'POST', headers: ada, body: JSON.stringify(variable) });
    await ask(app, ada, { path: `/grafana/rows/features?product=%25&user=${shown[0]?.user}` });
    const line = (user: string, page: string, names = people) => ({
      level: 'info',
      message: 'names of license users served',
      fields: { user, page, names },
    });
    expect(views(app)).toEqual([
      line('ada', '/grafana/rows/:target'),
      line('ops', '/grafana/rows/:target'),
      line('ada', '/feature'),
      line('ada', '/grafana/query'),
      line('ada', '/grafana/variable'),
      line('ada', '/grafana/rows/:target', 1),
    ]);
    const log = JSON.stringify(app.log.entries);
    for (const { user, host } of shown) expect([log.includes(user), log.includes(host)]).toEqual([false, false]);
  });

  it('has no line where no name is served', async () => {
    const app = await start({ ...loopback, 'access.names': 'bob' });
    await eventually('first poll', async () => (await ask(app, {}, { path: '/-/ready' })) === 200);
    expect(await ask(app, ada)).toBe(403);
    const bob = { 'x-forwarded-user': 'bob' };
    expect(await ask(app, bob, { path: `${NAMES}&user=nobody` })).toBe(200);
    expect(await ask(app, bob, { path: `${NAMES}&columns=Licenses` })).toBe(200);
    expect(await ask(app, bob, { path: '/grafana/rows/features?product=%25&user=nobody' })).toBe(200);
    expect(await ask(app, bob, { path: '/' })).toBe(200);
    expect(views(app)).toEqual([]);
    expect(await ask(app, bob)).toBe(200);
    expect(views(app)).toHaveLength(1);
  });

  it('says no user for a client that has none', async () => {
    const app = await start({ 'access.names': '*' });
    expect(await ask(app, ada)).toBe(200);
    expect(views(app).map(({ fields }) => fields)).toEqual([
      { page: '/grafana/rows/:target', names: expect.any(Number) },
    ]);
  });
});

describe.runIf(peer('nginx'))('nginx with auth_request', () => {
  it('hands over user and groups of oauth2-proxy, and not what a client sends', async () => {
    const app = await start({ ...loopback, ...groups, 'access.names': 'group:license-admins' });
    const sessions = {
      ada: { 'x-auth-request-user': 'ada', 'x-auth-request-groups': 'staff,license-admins' },
      bob: { 'x-auth-request-user': 'bob', 'x-auth-request-groups': 'staff' },
      eve: { 'x-auth-request-user': 'eve' },
    };
    const url = await startAuthProxy(cleanup, app.url, sessions);
    const forged = { 'x-forwarded-user': 'ada', 'x-forwarded-groups': 'license-admins' };
    const as = (session: string) => ({ cookie: `session=${session}` });
    expect(await ask({ url }, as('ada'))).toBe(200);
    expect(await ask({ url }, as('bob'))).toBe(403);
    expect(await ask({ url }, { ...as('bob'), ...forged })).toBe(403);
    expect(await ask({ url }, { ...as('eve'), ...forged })).toBe(403);
    expect(await ask({ url }, forged)).toBe(401);
    expect(app.log.entries.flatMap(({ fields }) => fields.user ?? [])).toEqual(['ada']);
  });
});
