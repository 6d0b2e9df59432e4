import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startFakeAlertmanager, status } from '../../support/fake-alertmanager.ts';
import { createCleanup, eventually } from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';
import { createRunner } from '../../support/run.ts';
import { startAlertmanager, startSink } from '../../support/start-alertmanager.ts';
import { startSmtpServer } from '../../support/start-smtp-server.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());
const { run, temporaryFolder } = createRunner(cleanup);

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
          `^${alertmanager.url}  accepted \\(\\d+ ms\\)\nThe alert was \\{site="muc", source="license-exporter", analyzer="embedded@[^"]+", alertname="LicenseExporterTestAlert", severity="info"\\}; it resolves within 5 minutes\\.\n$`,
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
    const test = run([
      'test-alert',
      ...[good.url, bad.url, 'http://127.0.0.1:1'].map((url) => `--alerting.alertmanagers=${url}`),
    ]);
    expect(await test.exit).toBe(1);
    const output = test.output();
    expect(output).toContain(`${good.url}  accepted`);
    expect(output).toContain(`${bad.url}  rejected: status 400: start time must be before end time`);
    expect(output).toContain('http://127.0.0.1:1  failed: ECONNREFUSED');
  });

  it('sends a test mail to each list of addresses and a test to the webhook, and prints each answer', async () => {
    const sink = await startSmtpServer(cleanup);
    sink.refuseAddress((address) => (address.startsWith('gone') ? { code: 550, text: 'no such user' } : undefined));
    const hook = await startFakeAlertmanager(cleanup);
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
        `email 127.0.0.1:${sink.port} (alerting.email.owners.cad)  refused: alerting.email.owners.cad[1]: 550 no such user (N ms)`,
        `email 127.0.0.1:${sink.port} (alerting.email.to)  accepted (N ms)`,
        `webhook ${hook.url}  accepted (N ms)`,
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

  it('reports that no receiver is configured', async () => {
    const test = run(['test-alert']);
    expect(await test.exit).toBe(1);
    expect(test.output()).toBe(
      'No receiver of alerts is configured: alerting.alertmanagers, alerting.email.smarthost and alerting.webhook.url are empty.\n',
    );
  });
});
