import { readFileSync, writeFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockStorage } from '../../../src/base/storage/directory-lock.ts';
import { createCertificate } from '../../support/certificate.ts';
import { account, createCleanup, createConfig, createTestLog, startApp } from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';
import { startScripted } from '../../support/scripted-server.ts';
import { startAlertmanager, startSink } from '../../support/start-alertmanager.ts';
import { startApache } from '../../support/start-apache.ts';
import { startForwardProxy } from '../../support/start-forward-proxy.ts';
import { freePort, startProxy } from '../../support/start-proxy.ts';
import { examine, startWrongSite, type Written, type WrongSite, writeSite } from './wrong-site.ts';

/** The first mistakes of a new user: the first line with a cross names each of them. */

const cleanup = createCleanup();
afterAll(() => cleanup.run());

type Mistake = readonly [
  what: string,
  step: string,
  exit: number,
  first: RegExp,
  /** In the finding or in the remedy. */
  remedy: RegExp,
  written: (servers: WrongSite) => Written,
];

const sources = (via: string, listen = '127.0.0.1:0'): string =>
  `embedded_analyzer: {listen_address: "${listen}", sources: [{name: ansys, manager: flexnet, servers: [1055@lic1], via: ${via}}]}\nweb: {listen_address: "127.0.0.1:0"}\nstorage: {path: state}\n`;

const mail = (smarthost: string, more = 'require_tls: true'): string =>
  `alerting: {email: {smarthost: "${smarthost}", from: a@example.com, to: b@example.com, ${more}}}`;

const ofConfiguration: readonly Mistake[] = [
  [
    'no analyzer',
    'configuration',
    2,
    /c\.yml: no analyzer is configured/,
    /"analyzer:" and below it "url: https/,
    () => ({ whole: 'log: {level: info}' }),
  ],
  [
    'unknown setting',
    'configuration',
    2,
    /c\.yml:4: analyser: unknown setting/,
    /did you mean analyzer/,
    () => ({ more: 'analyser: {}' }),
  ],
  [
    'a tab in YAML',
    'configuration',
    2,
    /c\.yml:\d+: .*tab/i,
    /spaces|tab/i,
    () => ({ more: 'poll:\n\tfeatures: off' }),
  ],
  [
    'wrong path of the password',
    'configuration',
    2,
    /password_file: .*nowhere does not exist/,
    /password_file/,
    () => ({ flags: ['--analyzer.password-file=/nowhere'] }),
  ],
  [
    'empty password file',
    'configuration',
    2,
    /password_file: .*password is empty/,
    /empty/,
    () => ({ password: '\n' }),
  ],
  [
    'no authority file',
    'configuration',
    2,
    /ca_file: .*ca\.pem does not exist/,
    /ca_file/,
    () => ({ flags: ['--analyzer.tls.ca-file=/nowhere/ca.pem'] }),
  ],
  [
    'storage that cannot be created',
    'logon',
    6,
    /the logon file \/nowhere\/at\/all\/logons\.db cannot be used: its directory does not exist/,
    /create/,
    () => ({ storage: '/nowhere/at/all' }),
  ],
  [
    'a plain password in the web config',
    'configuration',
    2,
    /web\.yml:1: basic_auth_users: the hash of this user is not bcrypt/,
    /license-exporter hash-password/,
    () => ({ web: 'config_file: web.yml', files: { 'web.yml': 'basic_auth_users: {grafana: Secret123}\n' } }),
  ],
  [
    'a key that does not belong to the certificate',
    'configuration',
    2,
    /key_file: .*key\.pem does not belong to the certificate/,
    /certificate/,
    (servers) => ({
      web: 'config_file: web.yml',
      files: {
        'web.yml': 'tls_server_config: {cert_file: cert.pem, key_file: key.pem}\n',
        'cert.pem': servers.certificate.cert,
        'key.pem': servers.otherName.key,
      },
    }),
  ],
];

const ofNetwork: readonly Mistake[] = [
  [
    'misspelled host',
    'name',
    3,
    /the host name lic\.example\.invalid does not exist|DNS has no answer for the host name lic\.example\.invalid/,
    /analyzer\.url/,
    () => ({ url: 'http://lic.example.invalid:8080/analyzer' }),
  ],
  [
    'wrong port',
    'TCP',
    3,
    /nothing listens on 127\.0\.0\.1:\d+ \(ECONNREFUSED\)/,
    /correct host and port in analyzer\.url/,
    (servers) => ({ url: `${servers.closed}/analyzer` }),
  ],
  [
    'a firewall',
    'TCP',
    3,
    /nothing answers attempts to connect to 127\.0\.0\.1:\d+ \(ETIMEDOUT\)/,
    /firewall/,
    (servers) => ({ url: `${servers.dropping}/analyzer` }),
  ],
  [
    'http for https',
    'TLS',
    4,
    /the analyzer speaks TLS on port \d+, but analyzer\.url begins with http:/,
    /set analyzer\.url to https:/,
    (servers) => ({ url: servers.secure.replace('https:', 'http:') }),
  ],
  [
    'https for http',
    'TLS',
    4,
    /does not speak TLS on this port, but analyzer\.url begins with https:/,
    /write http:/,
    (servers) => ({ url: servers.analyzer.replace('http:', 'https:') }),
  ],
  [
    'self-signed certificate',
    'TLS',
    4,
    /the certificate of the analyzer is self-signed/,
    /analyzer\.tls\.ca_file/,
    (servers) => ({ url: servers.secure }),
  ],
  [
    'unknown authority',
    'TLS',
    4,
    /no trusted authority has signed the certificate of the analyzer .*issued by localhost/,
    /analyzer\.tls\.ca_file/,
    (servers) => ({ url: servers.unknownAuthority.url }),
  ],
  [
    'certificate for another name',
    'TLS',
    4,
    /the certificate of the analyzer is for another name .*lic\.example\.com/,
    /analyzer\.tls\.server_name/,
    (servers) => ({ url: servers.otherName.url, flags: [servers.otherName.trust] }),
  ],
  [
    'expired certificate',
    'TLS',
    4,
    /the certificate of the analyzer has expired .*valid until 20\d\d-/,
    /renew it/,
    (servers) => ({ url: servers.expired.url, flags: [servers.expired.trust] }),
  ],
];

const ofHttp: readonly Mistake[] = [
  [
    'a connection that is closed after the handshake',
    'HTTP',
    3,
    /the connection was closed before the answer was complete \(ECONNRESET\)/,
    /proxy|analyzer/,
    (servers) => ({ url: servers.hangingUp, flags: [servers.trust] }),
  ],
  [
    'a selection that matches nothing',
    'endpoints',
    1,
    /select\.include and select\.exclude leave none of \d+ vendor licenses, such as \S+;/,
    /select/,
    () => ({ more: 'select: {include: ["lic*;ansyslmd"]}' }),
  ],
  [
    'client certificate required',
    'TLS',
    4,
    /requires a client certificate/,
    /analyzer\.tls\.cert_file/,
    (servers) => ({ url: servers.clientCertificate, flags: [servers.trust] }),
  ],
  [
    'URL without /analyzer',
    'HTTP',
    3,
    /there is no Query API at \/api\/GetProducts \(status 404\)/,
    /set analyzer\.url to http:\S+\/analyzer: the Query API answers there/,
    (servers) => ({ url: servers.apiElsewhere }),
  ],
  [
    'another server',
    'HTTP',
    3,
    /there is no Query API at \/x\/api/,
    /set analyzer\.url to the base URL of the Query API/,
    (servers) => ({ url: `${servers.nothing}/x` }),
  ],
  [
    'web pages instead of the Query API',
    'HTTP',
    3,
    /the answer is an HTML page, not JSON/,
    /set analyzer\.url/,
    (servers) => ({ url: servers.webUi }),
  ],
  [
    'logon portal',
    'HTTP',
    3,
    /answered 302 and redirects to https:\/\/portal\.example\.com; /,
    /allow this host through the portal/,
    (servers) => ({ url: servers.portal }),
  ],
  [
    'too many requests',
    'HTTP',
    3,
    /answered 429 and asks clients to wait until/,
    /limit of requests/,
    (servers) => ({ url: servers.throttling }),
  ],
  [
    'a proxy without an analyzer',
    'HTTP',
    3,
    /a reverse proxy \(nginx\) answered 502/,
    /behind it does not answer/,
    (servers) => ({ url: servers.badGateway }),
  ],
  [
    'basic auth of a proxy',
    'logon',
    5,
    /does not offer NTLM \(it offers Basic\)/,
    /reverse proxy in front of it/,
    (servers) => ({ url: servers.basic }),
  ],
  ['Kerberos only', 'logon', 5, /configured for Kerberos only/, /allow NTLM/, (servers) => ({ url: servers.kerberos })],
  [
    'misspelled user',
    'logon',
    5,
    /the analyzer rejected the logon: wrong password/,
    /check analyzer\.username/,
    ({ rejecting: url }) => ({ url, user: 'CORP\\svc-lik' }),
  ],
  [
    'wrong password',
    'logon',
    5,
    /the analyzer rejected the logon: wrong password/,
    /check analyzer\.username and the password/,
    ({ rejecting: url }) => ({ url, password: 'wrong' }),
  ],
  [
    'no domain',
    'logon',
    5,
    /rejected the logon, and no domain is set/,
    /the analyzer names the domain CORP/,
    ({ rejecting: url }) => ({ url, user: 'svc-lic', password: 'wrong' }),
  ],
  [
    'white space in the password file',
    'logon',
    5,
    /rejected the logon, and the password in \S+ begins or ends with white space/,
    /remove white space/,
    ({ rejecting: url }) => ({ url, password: `${account.password} \n\n` }),
  ],
  [
    'a password file of Windows',
    'logon',
    5,
    /rejected the logon, and \S+ begins with a byte order mark/,
    /UTF-8 without it/,
    ({ rejecting: url }) => ({ url, password: `\ufeff${account.password}\r\n` }),
  ],
  [
    'URL without /analyzer where each path needs a logon',
    'endpoints',
    3,
    /there is no Query API at \/api\/GetProducts \(status 404\)/,
    /usually https:\/\/HOST:PORT\/analyzer/,
    (servers) => ({ url: new URL(servers.analyzer).origin }),
  ],
  [
    'old analyzer',
    'endpoints',
    1,
    /the analyzer does not have GetServerDown \(status \(404\)/,
    /update the analyzer.* or set poll\.server_down: off/,
    (servers) => ({ url: servers.old }),
  ],
];

const ofHost: readonly Mistake[] = [
  [
    'clock',
    'clock',
    6,
    /the clock of the analyzer is 10 min ahead of the clock of this host/,
    /synchronize both clocks/,
    (servers) => ({ url: `${servers.fast}/analyzer` }),
  ],
  [
    'a damaged state file',
    'storage',
    6,
    /alert-state\.json is damaged/,
    /start the daemon: it renames the file/,
    () => ({ files: { 'state/alert-state.json': '{"ver' } }),
  ],
  [
    'port in use',
    'web',
    6,
    /web\.listen_address 127\.0\.0\.1:\d+ is in use by another program/,
    /another port/,
    (servers) => ({ web: `listen_address: "${new URL(servers.webUi).host}"` }),
  ],
  [
    'port of the analyzer in use',
    'web',
    6,
    /embedded_analyzer\.listen_address 127\.0\.0\.1:\d+ is in use by another program/,
    /another port/,
    (servers) => ({ whole: sources('{file: /opt/lmstat.txt}', new URL(servers.webUi).host) }),
  ],
  [
    'an address of another host',
    'web',
    6,
    /cannot listen on 192\.0\.2\.1:10319: this host does not have the address/,
    /web\.listen_address/,
    () => ({ web: 'listen_address: "192.0.2.1:10319"' }),
  ],
  [
    'wrong URL of Alertmanager',
    'Alertmanagers',
    7,
    /the Alertmanager http:\S+ is no Alertmanager, or its API has another path/,
    /base URL/,
    (servers) => ({ more: `alerting: {alertmanagers: ["${servers.nothing}"]}` }),
  ],
  [
    'Alertmanager that is down',
    'Alertmanagers',
    7,
    /the Alertmanager http:\S+ cannot be reached: nothing listens on/,
    /start the Alertmanager/,
    (servers) => ({ more: `alerting: {alertmanagers: ["${servers.closed}"]}` }),
  ],
  [
    'proxy of an Alertmanager that is down',
    'Alertmanagers',
    7,
    /the Alertmanager http:\/\/am:9093 cannot be reached: the proxy 127\.0\.0\.1:\d+ cannot be reached: nothing listens/,
    /correct host and port in proxy_url/,
    (servers) => ({
      more: `alerting: {alertmanagers: [{proxy_url: "${servers.closed}", static_configs: [{targets: ["am:9093"]}]}]}`,
    }),
  ],
  [
    'logon of Alertmanager',
    'Alertmanagers',
    7,
    /requires a logon, or does not accept the one/,
    /basic_auth/,
    (servers) => ({ more: `alerting: {alertmanagers: ["${servers.alertmanagerLogon}"]}` }),
  ],
  [
    'mail server without STARTTLS',
    'mail',
    7,
    /127\.0\.0\.1:\d+ offers no STARTTLS/,
    /require_tls to false/,
    (servers) => ({ more: mail(servers.mailPlain) }),
  ],
  [
    'wrong password of the mail server',
    'mail',
    7,
    /localhost:\d+ rejected the logon/,
    /auth_password_file/,
    (servers) => ({
      more: mail(
        servers.mailLogon,
        `auth_username: me, auth_password_file: password, tls_config: {ca_file: ${servers.certificate.certFile}}`,
      ),
    }),
  ],
  [
    'webhook that is down',
    'webhook',
    7,
    /nothing listens on 127\.0\.0\.1:\d+/,
    /alerting\.webhook\.url/,
    (servers) => ({ more: `alerting: {webhook: {url: "${servers.closed}/hooks/4711"}}` }),
  ],
  [
    'proxy of a webhook that is down',
    'webhook',
    7,
    /the proxy 127\.0\.0\.1:\d+ cannot be reached: nothing listens/,
    /correct host and port in proxy_url/,
    (servers) => ({
      more: `alerting: {webhook: {url: "https://hooks.example.com/4711", proxy_url: "${servers.closed}"}}`,
    }),
  ],
  [
    'no lmutil',
    'sources',
    8,
    /ansys: missing_tool: \/opt\/nowhere\/lmutil does not exist/,
    /correct the path in `command`/,
    () => ({ whole: sources('{command: /opt/nowhere/lmutil}') }),
  ],
];

describe.runIf(peer('openssl'))('the first cross of doctor', () => {
  let servers: WrongSite;
  beforeAll(async () => {
    servers = await startWrongSite(cleanup);
  });

  it.each([...ofConfiguration, ...ofNetwork, ...ofHttp, ...ofHost])(
    'names %s',
    async (_, step, exit, first, remedy, written) => {
      const mistake = written(servers);
      const found = await examine(writeSite(cleanup, servers.analyzer, mistake), mistake.flags, mistake.env);
      expect(found.first).toMatch(first);
      expect(found.first).toMatch(new RegExp(`^✗ ${step} `));
      expect(`${found.first}\n${found.remedy}`).toMatch(remedy);
      expect(found.exit).toBe(exit);
      for (const secret of [account.password, 'Secret123', '4711']) expect(found.output).not.toContain(secret);
    },
  );

  it('is not there for a site without mistakes', async () => {
    const found = await examine(writeSite(cleanup, servers.analyzer, {}));
    expect([found.exit, found.first]).toEqual([0, '']);
    expect(found.output).toMatch(/^✓ logon +accepted as CORP\\svc-lic$/m);
    const marks = found.output.split('\n').filter((line) => /^[✓!–]/.test(line));
    expect(marks.map((line) => line[0])).toEqual(marks.map(() => '✓'));
  });

  it('is not there for a listener that is open to everyone, which is named', async () => {
    const found = await examine(writeSite(cleanup, servers.analyzer, { web: 'listen_address: ":0"' }));
    expect([found.exit, found.first]).toEqual([0, '']);
    expect(found.output).toMatch(
      /^! web +:0 is free; every client that reaches port 0 can read .*\n +add users to web\.config_file/m,
    );
  });

  it('does not call a logon accepted on a path without the API, and leaves none without verdict', async () => {
    const site = writeSite(cleanup, servers.analyzer, { url: new URL(servers.analyzer).origin });
    const wrong = await examine(site);
    expect(wrong.output).toMatch(/^! logon +not rejected, but the path of analyzer\.url is not that of the API/m);
    // corrected, as the remedy says, and run again at once
    writeFileSync(site, readFileSync(site, 'utf8').replace(new URL(servers.analyzer).origin, servers.analyzer));
    const corrected = await examine(site);
    expect([corrected.exit, corrected.first]).toEqual([0, '']);
  });

  it('is not there for what works and should be looked at', async () => {
    const file = writeSite(cleanup, servers.soon.url, {
      flags: [servers.soon.trust],
      web: 'listen_address: "127.0.0.1:0", config_file: web.yml',
      files: {
        'web.yml': 'tls_server_config: {cert_file: cert.pem, key_file: key.pem}\n',
        'cert.pem': servers.soon.cert,
        'key.pem': servers.soon.key,
      },
    });
    const trusting = await examine(file, [servers.soon.trust]);
    expect(trusting.output).toMatch(
      /^! TLS +TLSv1.3, but the certificate of the analyzer expires on 20\S+, in [34] days$/m,
    );
    expect(trusting.output).toMatch(/^! web +the certificate of the web config expires on 20\S+, in [34] days$/m);
    const unverified = await examine(file, ['--analyzer.tls.insecure-skip-verify']);
    expect(unverified.output).toMatch(/^! TLS +TLSv1.3, but the certificate is not verified: /m);
    const late = await examine(writeSite(cleanup, `${servers.late}/analyzer`, { storage: '~' }));
    expect(late.output).toMatch(/^! clock +the clock of the analyzer is (59|60|61) s behind the clock of this host$/m);
    expect(late.output).toMatch(/^! logon +the analyzer requires no logon$/m);
    expect(late.output).toMatch(/^! storage +storage.path is not set: /m);
    expect([trusting, unverified, late].map(({ exit, first }) => [exit, first])).toEqual([
      [0, ''],
      [0, ''],
      [0, ''],
    ]);
  });

  it('is not there beside the daemon that uses the directory and the address', async () => {
    const port = await freePort();
    const file = writeSite(cleanup, servers.analyzer, { web: `listen_address: "127.0.0.1:${port}"` });
    const app = await startApp(
      createConfig(servers.analyzer, {
        'storage.path': join(dirname(file), 'state'),
        'web.listen_address': `127.0.0.1:${port}`,
      }),
    );
    cleanup.add(() => app.stop());
    const { output, exit } = await examine(file);
    expect(output).toMatch(new RegExp(`^✓ storage .*, the running daemon \\(process ${process.pid}\\) uses it, `, 'm'));
    expect(output).toMatch(/^✓ web +127\.0\.0\.1:\d+ is in use by a running license-exporter$/m);
    expect(exit).toBe(0);
  });

  it('names the hold after a rejected logon, without a second one', async () => {
    const file = writeSite(cleanup, servers.rejecting, { password: 'wrong' });
    const rejected = servers.rejected();
    await examine(file);
    const held = await examine(file);
    expect(held.first).toMatch(/^✗ logon +no logon is sent until 20\S+, or until the credentials change: /);
    expect([held.exit, servers.rejected() - rejected]).toEqual([5, 1]);
  });

  it('does not suspect the account after a logon without a verdict', async () => {
    const server = await startScripted(({ token, response, proceed }) => {
      if (token === 'NTLM3') response.writeHead(500).end();
      else proceed();
    });
    cleanup.add(() => server.stop());
    const file = writeSite(cleanup, `${server.url}/analyzer`, {});
    await examine(file);
    const { output, first } = await examine(file);
    expect(first).toMatch(/^✗ logon +no logon is sent: the last one got no verdict; the next one is sent after 20/);
    expect(output).toContain('wait until then and run it again');
    expect(output).not.toContain('account is locked');
  });

  it.runIf(peer('prometheus-alertmanager'))(
    'is not there for receivers that accept alerts, and none is sent',
    async () => {
      const alertmanager = await startAlertmanager(cleanup, await startSink(cleanup));
      const { certFile } = servers.certificate;
      const file = writeSite(cleanup, servers.analyzer, {
        more: `alerting:
  alertmanagers: ["${alertmanager.url}"]
  email: {smarthost: "${servers.mailLogon}", from: a@example.com, to: b@example.com, auth_username: me, auth_password_file: mail, tls_config: {ca_file: ${certFile}}}
  webhook: {url: "${servers.webUi}/hooks/1"}`,
        files: { mail: 'other' },
      });
      const { output, exit } = await examine(file);
      expect(output).toMatch(/^✓ Alertmanagers +1 of 1 answer$/m);
      expect(output).toMatch(/^✓ mail +localhost:\d+ accepts the logon$/m);
      expect(output).toMatch(/^✓ webhook +127\.0\.0\.1:\d+ accepts connections$/m);
      expect(exit).toBe(0);
      const alerts = await (await fetch(`${alertmanager.url}/api/v2/alerts`)).json();
      expect([alerts, servers.mails()]).toEqual([[], 0]);
    },
  );

  it('is not there for a webhook behind a proxy that leads to it', async () => {
    const { port } = new URL(servers.webUi);
    const certificate = createCertificate(cleanup, { names: 'DNS:hooks.example.com' });
    const hook = createTlsServer(certificate);
    await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
    cleanup.add(() => hook.close());
    const { port: tlsPort } = hook.address() as AddressInfo;
    const hosts = { 'hooks.example.com:443': tlsPort, 'hooks.example.com:80': Number(port) };
    const proxy = await startForwardProxy(cleanup, { hosts });
    const webhookTo = (url: string) =>
      `alerting: {webhook: {url: "${url}", proxy_url: "http://${proxy.place}", tls_config: {ca_file: "${certificate.certFile}"}}}`;
    const examineWebhook = async (url: string) =>
      (await examine(writeSite(cleanup, servers.analyzer, { more: webhookTo(url) }))).output;
    expect(await examineWebhook('https://hooks.example.com/1')).toMatch(
      /^✓ webhook +hooks\.example\.com accepts connections through the proxy 127\.0\.0\.1:\d+$/m,
    );
    expect(await examineWebhook('http://hooks.example.com/1')).toMatch(
      /^✓ webhook +the proxy 127\.0\.0\.1:\d+ accepts connections; whether it leads to hooks\.example\.com, test-alert shows$/m,
    );
    expect(proxy.asked).toEqual(['CONNECT hooks.example.com:443']);
  });

  it('is the first of several, and decides about the exit code', async () => {
    const web = `listen_address: "${new URL(servers.webUi).host}"`;
    const { output, exit } = await examine(writeSite(cleanup, `${servers.closed}/analyzer`, { web }));
    const crosses = [...output.matchAll(/^✗ (\S+)/gm)].map(([, step]) => step);
    expect([crosses, exit]).toEqual([['TCP', 'web'], 3]);
    expect(output).toContain('Correct TCP first, and run doctor again.');
  });

  it('names a daemon that uses the same directory', async () => {
    const file = writeSite(cleanup, servers.analyzer, { web: `listen_address: "${new URL(servers.closed).host}"` });
    const lock = lockStorage(join(dirname(file), 'state'), createTestLog());
    cleanup.add(() => lock.release());
    const { first, remedy, exit } = await examine(file);
    expect(first).toMatch(new RegExp(`^✗ storage +\\S+ is used by another process \\(${process.pid}\\)`));
    expect([remedy, exit]).toEqual([expect.stringContaining('set a different storage.path for each process'), 6]);
  });

  it.runIf(peer('nginx', 'apache2'))('names a reverse proxy through which each logon is rejected', async () => {
    const { url: behind } = await startApache(cleanup);
    const url = await startProxy(cleanup, 'nginx with its defaults', behind);
    const { output, first, remedy, exit } = await examine(writeSite(cleanup, url, {}));
    expect(output).toMatch(/^! HTTP +a reverse proxy \(nginx\) is in between$/m);
    expect(first).toMatch(/^✗ logon +the logon was rejected, and a reverse proxy \(nginx\) is in between/);
    expect([remedy, exit]).toEqual([expect.stringContaining('keep one connection to the analyzer for each client'), 5]);
  });

  it.runIf(peer('haproxy'))('names a reverse proxy that closes connections', async () => {
    const url = await startProxy(cleanup, 'haproxy with httpclose', servers.analyzer);
    const { first, remedy, exit } = await examine(writeSite(cleanup, url, {}));
    expect(first).toMatch(/^✗ logon .*; the usual cause is a reverse proxy in between/);
    expect([remedy, exit]).toEqual([expect.stringContaining('keep one connection to the analyzer for each client'), 5]);
  });

  it('says that a proxy of the environment is not used', async () => {
    const env = { HTTPS_PROXY: 'http://proxy.example.com:3128' };
    const good = await examine(writeSite(cleanup, servers.analyzer, {}), [], env);
    expect(good.output).toMatch(/^✓ HTTP .*HTTPS_PROXY in the environment is not used/m);
    const bad = await examine(writeSite(cleanup, `${servers.closed}/analyzer`, {}), [], env);
    expect(bad.remedy).toContain('HTTPS_PROXY in the environment is not used');
  });
});
