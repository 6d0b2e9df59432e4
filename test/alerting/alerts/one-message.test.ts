import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { stringify } from 'yaml';
import { evaluations, quickEngine, quickPolls, quickRules, type Site, startSite } from '../../support/end-to-end.ts';
import { account, type Cleanup, createConfig, eventually, sampleOf, startApp } from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';
import { createRunner } from '../../support/run.ts';
import { it } from '../../support/side-by-side.ts';
import { type Sink, startAlertmanager, startSink } from '../../support/start-alertmanager.ts';
import { startPrometheus } from '../../support/start-prometheus.ts';

/** One cause is one message, by the rules, by the engine and by both; with the inhibitions that we recommend. */

type Path = 'rules' | 'engine' | 'both';

const inhibitRules = /^inhibit_rules:[\s\S]*?(?=^receivers:)/m.exec(
  readFileSync(join(import.meta.dirname, '../../../deploy/alertmanager/alertmanager.yml'), 'utf8'),
)?.[0];

/** What was notified, without the alert that always fires. */
const notified = ({ notified: all }: Sink): readonly string[] =>
  all
    .filter(({ labels }) => labels.alertname !== 'LicenseWatchdog')
    .map(({ status, labels }) => `${status} ${labels.alertname}`);

async function startReceivers(cleanup: Cleanup) {
  const sink = await startSink(cleanup);
  const alertmanager = await startAlertmanager(cleanup, sink, inhibitRules === undefined ? {} : { inhibitRules });
  return { sink, alertmanager };
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

/** A daemon in a process of its own, which can be killed and started again at the same address. */
async function startDaemon(cleanup: Cleanup, site: Site, settings: Readonly<Record<string, unknown>>) {
  const { startProcess, temporaryFolder } = createRunner(cleanup);
  const folder = temporaryFolder();
  const port = await freePort();
  writeFileSync(join(folder, 'password'), account.password, { mode: 0o600 });
  const file = join(folder, 'config.yml');
  const nested: Record<string, Record<string, unknown>> = {
    analyzer: { url: site.url, username: 'CORP\\svc-lic', password_file: 'password' },
    web: { listen_address: `127.0.0.1:${port}` },
    storage: { path: join(folder, 'state') },
  };
  for (const [key, value] of Object.entries({ ...quickPolls, ...settings })) {
    const [section = '', name = ''] = key.split('.');
    nested[section] = { ...nested[section], [name]: value };
  }
  writeFileSync(file, stringify(nested));
  const start = async () => {
    const daemon = startProcess([`--config.file=${file}`, '--log.format=json']);
    await daemon.line('listening');
    return daemon;
  };
  let daemon = await start();
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    sample: async (name: string) => sampleOf(await (await fetch(`${url}/metrics`)).text(), name),
    kill: async () => {
      daemon.child.kill('SIGKILL');
      await daemon.exit;
    },
    start: async () => {
      daemon = await start();
    },
  };
}

describe.runIf(peer('prometheus', 'prometheus-alertmanager'))('one cause is one message', () => {
  it.concurrent.for<Path>(['rules', 'both'])(
    'the exporter is killed for 20 minutes while a server is down: %s',
    async (path, { cleanup }) => {
      const site = await startSite(cleanup);
      const { sink, alertmanager } = await startReceivers(cleanup);
      const daemon = await startDaemon(cleanup, site, quickEngine(path === 'rules' ? [] : [alertmanager.url]));
      const prometheus = await startPrometheus(cleanup, daemon.url, {
        rules: quickRules(cleanup),
        alertmanagers: [alertmanager.url],
      });
      const gate = path === 'both' ? ' and on (analyzer) license:alert_delivered{alertname="LicenseServerDown"}' : '';
      const isScraped = async () =>
        (await prometheus.query(`license_exporter_analyzer_info and on (instance) license_up == 1${gate}`)).length ===
        1;
      await eventually('the first scrape', isScraped);
      const down = { alertname: 'LicenseServerDown', vendor_license: site.vendorLicense };
      await site.setDown(true);
      await eventually('firing', () => sink.of(down).includes('firing'));
      await daemon.kill();
      // each is a minute
      const before = await prometheus.evaluations();
      await eventually('20 minutes', async () => (await prometheus.evaluations()) >= before + 20);
      expect(sink.of(down)).toEqual(['firing']);
      await daemon.start();
      await eventually('scraped again', isScraped);
      await evaluations(16, { prometheus });
      expect(sink.of(down)).toEqual(['firing']);
      await site.setDown(false);
      await eventually('resolved', () => sink.of(down).includes('resolved'));
      await evaluations(16, { prometheus });
      // what Prometheus has begun to send, it goes on to send until its next scrape after the end
      if (path === 'rules') expect(sink.of(down)).toEqual(['firing', 'resolved']);
      else expect(sink.of(down).at(-1)).toBe('resolved');
    },
  );

  it.concurrent.for<Path>(['rules', 'engine', 'both'])('a rejected password: %s', async (path, { cleanup }) => {
    const site = await startSite(cleanup);
    const { sink, alertmanager } = await startReceivers(cleanup);
    const engine = quickEngine(path === 'rules' ? [] : [alertmanager.url]);
    const app = await startApp(createConfig(site.url, { ...quickPolls, ...engine, 'analyzer.password': 'wrong' }));
    cleanup.add(() => app.stop());
    const prometheus =
      path === 'engine'
        ? undefined
        : await startPrometheus(cleanup, app.url, {
            rules: quickRules(cleanup),
            alertmanagers: [alertmanager.url],
          });
    await eventually('notified', () => notified(sink).length > 0);
    // longer than each alert that follows from it would be pending
    await evaluations(40, { app: path === 'rules' ? undefined : app, prometheus });
    expect(notified(sink)).toEqual(['firing LicenseAnalyzerAuthFailing']);
  });

  it.concurrent('two exporters with both paths', async ({ cleanup }) => {
    const site = await startSite(cleanup);
    const { sink, alertmanager } = await startReceivers(cleanup);
    const settings = { ...quickPolls, ...quickEngine([alertmanager.url]), 'alerting.resolve': 'expire' };
    const apps = await Promise.all([1, 2].map(() => startApp(createConfig(site.url, settings))));
    for (const app of apps) cleanup.add(() => app.stop());
    const prometheus = await startPrometheus(
      cleanup,
      apps.map(({ url }) => url),
      { rules: quickRules(cleanup), alertmanagers: [alertmanager.url] },
    );
    const active = 'license_alerts_delivered{alertname="LicenseServerDown"} == 1';
    await eventually('both deliver', async () => (await prometheus.query(active)).length === 2);
    const down = { alertname: 'LicenseServerDown', vendor_license: site.vendorLicense };
    await site.setDown(true);
    await eventually('firing', () => sink.of(down).includes('firing'));
    await evaluations(16, { app: apps[0], prometheus });
    expect(sink.of(down)).toEqual(['firing']);
    await site.setDown(false);
    await eventually('resolved', () => sink.of(down).includes('resolved'));
    await evaluations(16, { app: apps[0], prometheus });
    expect(sink.of(down)).toEqual(['firing', 'resolved']);
  });
});
