import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startFakeAlertmanager, status } from '../../support/fake-alertmanager.ts';
import { createCleanup, eventually } from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';
import { createRunner } from '../../support/run.ts';
import { startAlertmanager, startSink } from '../../support/start-alertmanager.ts';
import { startForwardProxy } from '../../support/start-forward-proxy.ts';
import { startSmtpServer } from '../../support/start-smtp-server.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());
const { run, temporaryFolder } = createRunner(cleanup);

/** A configuration with these Alertmanagers. @param timeout a busy host answers late */
function configured(urls: readonly string[], timeout = '1m'): string {
  const file = join(temporaryFolder(), 'config.yml');
  const targets = urls.map((url) => new URL(url).host);
  const entry = { timeout, static_configs: [{ targets }] };
  writeFileSync(file, JSON.stringify({ alerting: { alertmanagers: [entry] } }));
  return `--config.file=${file}`;
}

describe('test-alert', () => {
  it.runIf(peer('prometheus-alertmanager'))(
    'reaches the receiver behind an Alertmanager, marked as what it is',
    async () => {
      const sink = await startSink(cleanup);
      const alertmanager = await startAlertmanager(cleanup, sink);
      const file = join(temporaryFolder(), 'config.yml');
      writeFileSync(
        file,
        `alerting:\n  alertmanagers: [${alertmanager.url}]\n  external_labels: {site: muc}\nweb: {external_url: https://licenses.example.com/}\n`,
      );
      const test = run(['test-alert', `--config.file=${file}`]);
      expect(await test.exit).toBe(0);
      expect(test.output()).toMatch(
        new RegExp(
          `^${alertmanager.url}  accepted: 200 OK \\(\\d+ ms\\)\nThe alert was \\{site="muc", source="license-exporter", analyzer="embedded@[^"]+", alertname="LicenseExporterTestAlert", severity="info"\\}; it resolves within 5 minutes\\.\n$`,
        ),
      );
      const [known] = await alertmanager.alerts();
      expect(known?.annotations.summary).toBe('This is a test of license-exporter: nothing is wrong.');
      expect(known).toMatchObject({ generatorURL: 'https://licenses.example.com/alerts' });
      await eventually('notified', () => sink.of({ alertname: 'LicenseExporterTestAlert' }).length === 1);
    },
  );

  it('prints the answer of each, and fails when one does not accept it', async () => {
    const good = await startFakeAlertmanager(cleanup);
    const bad = await startFakeAlertmanager(cleanup);
    bad.answer(status(400, '"start time must be before end time"'));
    const test = run(['test-alert', configured([good.url, bad.url, 'http://127.0.0.1:1'])]);
    expect(await test.exit).toBe(1);
    const output = test.output();
    expect(output).toContain(`${good.url}  accepted: 200 OK (`);
    expect(output).toContain(
      `${bad.url}  rejected: status 400: start time must be before end time; check its log; a receiver that is no Alertmanager belongs in alerting.webhook, not in alerting.alertmanagers (`,
    );
    expect(output).toContain(
      'http://127.0.0.1:1  failed: it cannot be reached: nothing listens on 127.0.0.1:1 (ECONNREFUSED); start the Alertmanager http://127.0.0.1:1 there, or correct host and port in alerting.alertmanagers (',
    );
  });

  it.each([
    [401, '', 'it requires a logon, or does not accept the one that is configured (status 401); set basic_auth or'],
    [
      404,
      'no_service',
      'it is no Alertmanager, or its API has another path (status 404: no_service); write its base URL',
    ],
    [503, '', 'it does not answer as it should: status 503; check its log'],
  ])('says what to do about an Alertmanager that answers %i', async (code, body, words) => {
    const alertmanager = await startFakeAlertmanager(cleanup);
    alertmanager.answer(status(code, body));
    const test = run(['test-alert', configured([alertmanager.url])]);
    expect(await test.exit).toBe(1);
    expect(test.output()).toContain(`${alertmanager.url}  failed: ${words}`);
  });

  it('says that an Alertmanager does not answer in time', async () => {
    const alertmanager = await startFakeAlertmanager(cleanup);
    alertmanager.answer(() => undefined);
    const test = run(['test-alert', configured([alertmanager.url], '100ms')]);
    expect(await test.exit).toBe(1);
    expect(test.output()).toContain(
      `${alertmanager.url}  failed: it cannot be reached: no answer within 0.1 s; check alerting.alertmanagers, whether it is running, and its load`,
    );
  });

  it('says that the receiver of the webhook does not answer in time', async () => {
    const hook = await startFakeAlertmanager(cleanup);
    hook.answer(() => undefined);
    const file = join(temporaryFolder(), 'config.yml');
    writeFileSync(file, JSON.stringify({ alerting: { webhook: { url: `${hook.url}/hook`, timeout: '100ms' } } }));
    const test = run(['test-alert', `--config.file=${file}`]);
    expect(await test.exit).toBe(1);
    expect(test.output()).toContain(`webhook ${hook.url}  unknown: no answer of ${hook.url}: no answer within 0.1 s (`);
  });

  it('sends a test mail to each list of addresses and a test to the webhook, and prints each answer', async () => {
    const sink = await startSmtpServer(cleanup);
    sink.refuseAddress((address) => (address.startsWith('gone') ? { code: 550, text: 'no such user' } : undefined));
    const hook = await startFakeAlertmanager(cleanup);
    hook.answer(status(200, 'queued\n'));
    const file = join(temporaryFolder(), 'config.yml');
    writeFileSync(
      file,
      `alerting:
  email:
    smarthost: 127.0.0.1:${sink.port}
    from: licenses@example.com
    to: [team@example.com]
    owners: {cad: [cad@example.com, gone@example.com]}
    require_tls: false
  webhook: {url: "${hook.url}/secret-hook"}
`,
    );
    const test = run(['test-alert', `--config.file=${file}`]);
    expect(await test.exit).toBe(1);
    const lines = test
      .output()
      .replace(/\(\d+ ms\)/g, '(N ms)')
      .split('\n');
    expect(lines.slice(0, 3).sort()).toEqual(
      [
        `email 127.0.0.1:${sink.port} (alerting.email.owners.cad)  refused: alerting.email.owners.cad[1]: 550 no such user; for the other addresses, accepted: 250 OK: message queued (N ms)`,
        `email 127.0.0.1:${sink.port} (alerting.email.to)  accepted: 250 OK: message queued (N ms)`,
        `webhook ${hook.url}  accepted: 200 OK, "queued" (N ms)`,
      ].sort(),
    );
    expect(lines[3]).toMatch(/^The alert was \{.*alertname="LicenseExporterTestAlert", severity="info"\}\.$/);
    expect(sink.mails.map(({ recipients }) => recipients.join()).sort()).toEqual([
      'cad@example.com',
      'team@example.com',
    ]);
    for (const { subject, text } of sink.mails) {
      expect(subject).toMatch(/^\[license-exporter\] embedded@.*: exporter test alert$/);
      expect(text).toContain('* This is a test of license-exporter: nothing is wrong. (info)');
    }
  });

  it('goes through a proxy, and says what a chat answers to the format of Alertmanager, without its secrets', async () => {
    const hook = await startFakeAlertmanager(cleanup);
    hook.answer(status(400, 'invalid_payload for T0P-SECRET'));
    const alertmanager = await startFakeAlertmanager(cleanup);
    const portOf = (url: string) => Number(new URL(url).port);
    const proxy = await startForwardProxy(cleanup, {
      hosts: { 'hooks.example.com:80': portOf(hook.url), 'am.example.com:9093': portOf(alertmanager.url) },
      logon: 'me:pr0xy-pass',
    });
    const folder = temporaryFolder();
    const write = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text, { mode: 0o600 });
      return join(folder, name);
    };
    write('hook-url', 'http://hooks.example.com/services/T0P-SECRET');
    write('proxy-url', `http://me:pr0xy-pass@${proxy.place}`);
    const file = write(
      'config.yml',
      `alerting:
  alertmanagers:
    - {proxy_url_file: proxy-url, static_configs: [{targets: ['am.example.com:9093']}]}
  webhook: {url_file: hook-url, proxy_url_file: proxy-url, no_proxy: 10.0.0.0/8}
`,
    );
    const test = run(['test-alert', `--config.file=${file}`]);
    expect(await test.exit).toBe(1);
    expect(test.output()).toContain('http://am.example.com:9093  accepted: 200 OK (');
    expect(test.output()).toContain(
      'webhook http://hooks.example.com  refused: 400 Bad Request, "invalid_payload for <secret>"; a receiver that does not take the format of Alertmanager needs an Alertmanager, or a relay for it, in between (',
    );
    expect(proxy.asked.toSorted()).toEqual([
      'GET http://am.example.com:9093/api/v2/status',
      'POST http://am.example.com:9093/api/v2/alerts',
      'POST http://hooks.example.com/services/T0P-SECRET',
    ]);

    write('proxy-url', `http://me:wr0ng-pass@${proxy.place}`);
    const rejected = run(['test-alert', `--config.file=${file}`]);
    expect(await rejected.exit).toBe(1);
    const why = `the proxy ${proxy.place} rejected the logon (407)`;
    expect(rejected.output()).toContain(
      `http://am.example.com:9093  failed: it cannot be reached: ${why}; correct user`,
    );
    expect(rejected.output()).toContain(
      `webhook http://hooks.example.com  refused: no answer of http://hooks.example.com: ${why}`,
    );
    expect(rejected.output()).not.toMatch(/wr0ng-pass|T0P-SECRET/);
  });

  it('reports that no receiver is configured', async () => {
    const test = run(['test-alert']);
    expect(await test.exit).toBe(1);
    expect(test.output()).toBe(
      'No receiver of alerts is configured: alerting.alertmanagers, alerting.email.smarthost and alerting.webhook.url are empty.\n',
    );
  });
});
