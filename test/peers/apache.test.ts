import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { account, createCleanup, createClient, createConfig, eventually, startAnalyzer, startApp } from '../harness.ts';
import { peer } from './peers.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const script = join(import.meta.dirname, '../../deploy/ntlm-peer/ci-peers.sh');

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

interface Apache {
  /** Base URL of the analyzer behind it. */
  readonly url: string;
  /** AUTHENTICATE messages that reached it. */
  logons(): number;
  setPassword(password: string): void;
}

/** Apache with genuine NTLM in front of an analyzer without a gate of its own. */
async function startApache(): Promise<Apache> {
  const analyzer = await startAnalyzer({}, { gate: 'none' });
  cleanup.add(() => analyzer.stop());
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-apache-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  chmodSync(folder, 0o755);
  const users = join(folder, 'users.txt');
  const setPassword = (password: string): void =>
    writeFileSync(users, `CORP:${account.username}:${password}\nCORP:u2:p@ss wörd\n`, { mode: 0o644 });
  setPassword(account.password);
  const port = await freePort();
  execFileSync(script, ['start', folder, String(port), new URL(analyzer.url).port]);
  cleanup.add(() => execFileSync(script, ['stop', folder]));
  const tokens = (): string[] => readFileSync(join(folder, 'logs/access.log'), 'utf8').match(/auth=NTLM \S+/g) ?? [];
  return {
    url: `http://127.0.0.1:${port}/analyzer`,
    // the type of a message is its ninth byte
    logons: () => tokens().filter((token) => Buffer.from(token.slice(10), 'base64')[8] === 3).length,
    setPassword,
  };
}

const never = new AbortController().signal;

describe.runIf(peer('apache2', 'curl'))('Apache with gss-ntlmssp', () => {
  it('accepts the exporter, which polls through it', { timeout: 60_000 }, async () => {
    const apache = await startApache();
    const app = await startApp(createConfig(apache.url));
    cleanup.add(() => app.stop());
    await eventually('a good poll', async () => (await app.sample('license_up')) === 1);
    expect(await app.sample('license_poll_records{endpoint="GetFeatures"}')).toBe(48);
    expect(await app.sample('license_upstream_authenticated')).toBe(1);
  });

  it('knows who we are, on one logon per connection', async () => {
    const apache = await startApache();
    const { client, dispatcher } = createClient(apache.url);
    cleanup.add(() => client.close());
    for (let i = 0; i < 3; i += 1) expect(await client.getHttpUserName({}, never)).toBe('CORP\\svc-lic');
    expect(await client.getConcurrentUsers({}, never)).toBeGreaterThan(0);
    expect(dispatcher.stats).toMatchObject({ sockets: 1, handshakes: 1, roundTrips: 6 });
    expect(apache.logons()).toBe(1);
  });

  it('takes a password that is not ASCII', async () => {
    const apache = await startApache();
    const { client } = createClient(apache.url, { credentials: { ...account, username: 'u2', password: 'p@ss wörd' } });
    cleanup.add(() => client.close());
    expect(await client.getHttpUserName({}, never)).toBe('CORP\\u2');
  });

  it('sees one logon with a wrong password; the daemon stays, says so, and takes a corrected one', {
    timeout: 60_000,
  }, async () => {
    const apache = await startApache();
    const folder = mkdtempSync(join(tmpdir(), 'license-exporter-password-'));
    cleanup.add(() => rmSync(folder, { recursive: true }));
    const passwordFile = join(folder, 'password');
    writeFileSync(passwordFile, 'wrong\n', { mode: 0o600 });
    const config = createConfig(apache.url, {
      'analyzer.password': undefined,
      'analyzer.password_file': passwordFile,
      'poll.products': '* * * * * *',
    });
    const app = await startApp(config);
    cleanup.add(() => app.stop());
    const failures = 'license_exporter_upstream_request_failures_total{endpoint="GetProducts",reason="auth_suspended"}';
    await eventually('several polls', async () => ((await app.sample(failures)) ?? 0) >= 3);
    expect(apache.logons()).toBe(1);
    expect(await app.sample('license_up')).toBe(0);
    expect(await app.sample('license_upstream_authenticated')).toBe(0);
    expect(await app.sample('license_upstream_auth_retry_timestamp_seconds')).toBeGreaterThan(Date.now() / 1000 + 1700);
    expect(await app.sample('license_exporter_upstream_rejected_logons_total')).toBe(1);
    expect(
      app.log.entries.some(({ level, fields }) => level === 'warn' && fields.code === 'NTLM_CREDENTIALS_REJECTED'),
    ).toBe(true);
    expect(JSON.stringify(app.log.entries)).not.toContain('wrong\\n');

    writeFileSync(passwordFile, `${account.password}\n`);
    await eventually('recovery', async () => (await app.sample('license_up')) === 1);
    expect(await app.sample('license_upstream_authenticated')).toBe(1);
  });
});
