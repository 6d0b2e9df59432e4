import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { account, createCleanup, createClient, createConfig, eventually, startApp } from '../support/harness.ts';
import { peer } from '../support/peers.ts';
import { startApache } from '../support/start-apache.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const never = new AbortController().signal;

describe.runIf(peer('apache2', 'curl'))('Apache with gss-ntlmssp', () => {
  it('accepts the exporter, which polls through it', async () => {
    const apache = await startApache(cleanup);
    const app = await startApp(createConfig(apache.url));
    cleanup.add(() => app.stop());
    await eventually('a good poll', async () => (await app.sample('license_up')) === 1);
    expect(await app.sample('license_poll_records{endpoint="GetFeatures"}')).toBe(48);
    expect(await app.sample('license_upstream_authenticated')).toBe(1);
  });

  it('reports our user name, with one logon per connection', async () => {
    const apache = await startApache(cleanup);
    const { client, dispatcher } = createClient(apache.url);
    cleanup.add(() => client.close());
    for (let i = 0; i < 3; i += 1) expect(await client.getHttpUserName({}, never)).toBe('CORP\\svc-lic');
    expect(await client.getConcurrentUsers({}, never)).toBeGreaterThan(0);
    expect(dispatcher.stats).toMatchObject({ sockets: 1, handshakes: 1, roundTrips: 6 });
    expect(apache.logons()).toBe(1);
  });

  it('accepts a password that is not ASCII', async () => {
    const apache = await startApache(cleanup);
    const { client } = createClient(apache.url, { credentials: { ...account, username: 'u2', password: 'p@ss wörd' } });
    cleanup.add(() => client.close());
    expect(await client.getHttpUserName({}, never)).toBe('CORP\\u2');
  });

  it('gets one logon with a wrong password; the daemon keeps running, reports it, and uses the corrected password', async () => {
    const apache = await startApache(cleanup);
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
    await eventually('the log names the rejection', () =>
      app.log.entries.some(({ level, fields }) => level === 'warn' && fields.code === 'NTLM_CREDENTIALS_REJECTED'),
    );
    expect(JSON.stringify(app.log.entries)).not.toContain('wrong\\n');

    writeFileSync(passwordFile, `${account.password}\n`);
    await eventually('recovery', async () => (await app.sample('license_up')) === 1);
    expect(await app.sample('license_upstream_authenticated')).toBe(1);
  });
});
