import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import {
  evaluations,
  firing,
  quickEngine,
  quickPolls,
  quickRules,
  startDoor,
  startSite,
  watch,
} from '../../support/end-to-end.ts';
import { isMatrix } from '../../support/extent.ts';
import { type Cleanup, createConfig, eventually, startApp } from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';
import { it } from '../../support/side-by-side.ts';
import { startAlertmanager, startSink } from '../../support/start-alertmanager.ts';
import { startPrometheus } from '../../support/start-prometheus.ts';

/** The whole way with real parts: site, analyzer, exporter, Prometheus, Alertmanager, and a receiver of notifications. */

const DAY = 86_400;
/** The inhibitions that we recommend. */
const inhibitRules = /^inhibit_rules:[\s\S]*?(?=^receivers:)/m.exec(
  readFileSync(join(import.meta.dirname, '../../../deploy/alertmanager/alertmanager.yml'), 'utf8'),
)?.[0];

type Path = 'rules' | 'engine' | 'both';

const every: readonly Path[] = isMatrix ? ['rules', 'engine', 'both'] : ['both'];
/** Where the paths together show no more. */
const apart: readonly Path[] = isMatrix ? ['rules', 'engine'] : ['engine'];

/** Everything from the site to the receiver; alerts go by the Prometheus rules, by the engine, or by both. */
async function start(cleanup: Cleanup, path: Path, settings: Parameters<typeof createConfig>[1] = {}) {
  const site = await startSite(cleanup);
  const sink = await startSink(cleanup);
  const alertmanager = await startAlertmanager(
    cleanup,
    sink,
    path === 'both' && inhibitRules !== undefined ? { inhibitRules } : {},
  );
  const door = await startDoor(cleanup, alertmanager.url);
  const engine = quickEngine(path === 'rules' ? [] : [door.url]);
  const app = await startApp(createConfig(site.url, { ...quickPolls, ...engine, ...settings }));
  cleanup.add(() => app.stop());
  await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
  const prometheus =
    path === 'engine'
      ? undefined
      : await startPrometheus(cleanup, app.url, { rules: quickRules(cleanup), alertmanagers: [alertmanager.url] });
  if (prometheus !== undefined) {
    const gate =
      path === 'both' ? ' and on (instance) license_alerts_delivered{alertname="LicenseServerDown"} == 1' : '';
    const isScraped = async () => (await prometheus.query(`license_up == 1${gate}`)).length === 1;
    await eventually('the first scrape', isScraped);
  }
  return { site, sink, alertmanager, door, app, prometheus };
}

describe.runIf(peer('prometheus', 'prometheus-alertmanager'))('alerts reach the receiver', () => {
  it.concurrent.for(every)('a server goes down and comes back: %s', async (path, { cleanup }) => {
    const { site, sink, app, prometheus } = await start(cleanup, path);
    const evaluating = { app: path === 'rules' ? undefined : app, prometheus };
    const about = { alertname: 'LicenseServerDown', vendor_license: site.vendorLicense };
    await site.setDown(true);
    await eventually('firing', () => sink.of(about).includes('firing'));
    // enough time for a second notification from another sender
    await evaluations(16, evaluating);
    expect(sink.of(about)).toEqual(['firing']);
    // Alertmanager has the same alert from both senders
    expect(sink.of({ ...about, source: 'license-exporter' })).toEqual(['firing']);
    await site.setDown(false);
    await eventually('resolved', () => sink.of(about).includes('resolved'));
    await evaluations(8, evaluating);
    expect(sink.of(about)).toEqual(['firing', 'resolved']);
  });

  it.concurrent('the rules take over when the delivery of the engine breaks, and it is one alert all the time', async ({
    cleanup,
  }) => {
    const { site, sink, alertmanager, door, app, prometheus } = await start(cleanup, 'both', {
      'alerting.unknown_hold': '8s',
    });
    const about = { alertname: 'LicenseServerDown', vendor_license: site.vendorLicense };
    const finds = async (expression: string): Promise<boolean> =>
      (await prometheus?.query(expression.replace('}', 'alertname="LicenseServerDown"}')))?.length === 1;
    await site.setDown(true);
    await eventually('firing', () => sink.of(about).includes('firing'));
    const ended = watch(async () => (await firing(alertmanager, about)).length > 0);
    door.answer((_, response) => response.writeHead(500).end());
    await eventually('the gate opens', () => finds('license_alerts_delivered{} == 0'));
    await eventually('Prometheus sends it', () => finds('ALERTS{alertstate="firing",}'));
    // longer than Alertmanager keeps what the engine sent
    await evaluations(40, { app, prometheus });

    // and back: Prometheus does not send its end
    door.answer(undefined);
    await eventually('the gate closes', () => finds('license_alerts_delivered{} == 1'));
    await evaluations(40, { app, prometheus });
    expect(await ended()).toBe(0);
    expect(sink.of(about)).toEqual(['firing']);
    await site.setDown(false);
    await eventually('resolved', () => sink.of(about).includes('resolved'));
    await eventually('resolved everywhere', async () => (await firing(alertmanager, about)).length === 0);
  });

  it.concurrent.for(apart)('an expiry crosses 60, 30, 7 and 0 days without repeat: %s', async (path, { cleanup }) => {
    const { site, sink } = await start(cleanup, path);
    const expiries = () => sink.notified.filter(({ labels }) => /^LicenseExpir/.test(labels.alertname ?? ''));
    const notified = () => expiries().map(({ status, labels }) => `${status} ${labels.alertname} ${labels.severity}`);
    const isNotified = (text: string) => eventually(text, () => notified().includes(text));
    const crossing = Date.now() + 4000;
    await site.setExpiry(60 * DAY + 4);
    await isNotified('firing LicenseExpiringSoon info');
    expect(expiries()[0]?.at).toBeGreaterThan(crossing);
    await site.setExpiry(30 * DAY + 3);
    await isNotified('firing LicenseExpiringSoon warning');
    await isNotified('resolved LicenseExpiringSoon info');
    await site.setExpiry(7 * DAY + 3);
    await isNotified('firing LicenseExpiringSoon critical');
    await isNotified('resolved LicenseExpiringSoon warning');
    await site.setExpiry(3);
    await isNotified('firing LicenseExpired critical');
    await isNotified('resolved LicenseExpiringSoon critical');
    await site.setExpiry(400 * DAY);
    await isNotified('resolved LicenseExpired critical');
    expect(notified()).toEqual([...new Set(notified())]);
    expect(notified()).toHaveLength(8);
  });

  it.concurrent.for(apart)(
    'the analyzer is lost: nothing is resolved, and a notification says so: %s',
    async (path, { cleanup }) => {
      const { site, sink, alertmanager, app, prometheus } = await start(cleanup, path);
      const down = { alertname: 'LicenseServerDown', vendor_license: site.vendorLicense };
      const expiring = { alertname: 'LicenseExpiringSoon', vendor_license: site.vendorLicense };
      await site.setExpiry(3 * DAY);
      await site.setDown(true);
      await eventually('both firing', () => sink.of(down).length === 1 && sink.of(expiring).length === 1);
      await site.stop();
      const up = `license_server_up{vendor_license="${site.vendorLicense}"}`;
      await eventually('the data aged out', async () => (await app.sample(up)) === undefined);
      await eventually(
        'LicenseAnalyzerUnreachable',
        () => sink.of({ alertname: 'LicenseAnalyzerUnreachable' }).length === 1,
      );
      // many times longer than keep_firing_for
      await evaluations(32, { app: path === 'rules' ? undefined : app, prometheus });
      expect([sink.of(down), sink.of(expiring)]).toEqual([['firing'], ['firing']]);
      expect(await firing(alertmanager, down)).toHaveLength(1);

      await site.setDown(false).catch(() => undefined);
      await site.restart();
      await eventually('resolved', () => sink.of(down).includes('resolved'));
      await eventually('reachable', () => sink.of({ alertname: 'LicenseAnalyzerUnreachable' }).includes('resolved'));
      expect(sink.of(down)).toEqual(['firing', 'resolved']);
      expect(sink.of(expiring)).toEqual(['firing']);
    },
  );

  it.concurrent.for(every)('a wrong password: %s', async (path, { cleanup }) => {
    const site = await startSite(cleanup);
    const sink = await startSink(cleanup);
    const alertmanager = await startAlertmanager(cleanup, sink);
    const engine = quickEngine(path === 'rules' ? [] : [alertmanager.url]);
    const app = await startApp(createConfig(site.url, { ...quickPolls, ...engine, 'analyzer.password': 'wrong' }));
    cleanup.add(() => app.stop());
    const alertmanagers = [alertmanager.url];
    const prometheus =
      path === 'engine'
        ? undefined
        : await startPrometheus(cleanup, app.url, { rules: quickRules(cleanup), alertmanagers });
    const about = { alertname: 'LicenseAnalyzerAuthFailing' };
    await eventually('LicenseAnalyzerAuthFailing', () => sink.of(about).length > 0);
    if (path === 'both') await evaluations(32, { app, prometheus });
    expect(sink.of(about)).toEqual(['firing']);
  });
});
