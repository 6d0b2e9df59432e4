import { describe, expect } from 'vitest';
import { evaluations, firing, quickEngine, quickPolls, startDoor, startSite } from '../../support/end-to-end.ts';
import { type Cleanup, createConfig, eventually, startApp } from '../../support/harness.ts';
import { createHostClock, MOVED } from '../../support/host-clock.ts';
import { peer } from '../../support/peers.ts';
import { it } from '../../support/side-by-side.ts';
import { startAlertmanager, startSink } from '../../support/start-alertmanager.ts';

/** The clock of the host of the exporter is set; those of the analyzer and of Alertmanager are right. */

const down = { alertname: 'LicenseServerDown' };

async function start(cleanup: Cleanup) {
  const site = await startSite(cleanup);
  const sink = await startSink(cleanup);
  const alertmanager = await startAlertmanager(cleanup, sink);
  const door = await startDoor(cleanup, alertmanager.url);
  const host = createHostClock();
  const settings = { ...quickPolls, ...quickEngine([door.url]), 'poll.expirations': '0 0 1 1 *' };
  const app = await startApp(createConfig(site.url, settings), { clock: host.clock });
  cleanup.add(() => app.stop());
  await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
  const lines = () => app.log.entries.filter(({ message }) => message === MOVED).map(({ fields }) => fields.seconds);
  /** Sets the clock, and resolves when the application has followed it. */
  const set = async (by: number): Promise<void> => {
    host.set(by);
    await eventually('it follows', () => lines().length === 1);
    expect(Math.abs(Number(lines()[0]) - by)).toBeLessThan(5);
  };
  const polledAt = (endpoint: string) =>
    app.sample(`license_poll_last_success_timestamp_seconds{endpoint="${endpoint}"}`);
  return { site, sink, alertmanager, app, host, set, polledAt };
}

describe.runIf(peer('prometheus-alertmanager')).each([10_800, -7200])('a clock that is set by %d s', (by) => {
  it.concurrent('neither begins nor ends an alert, and everything is polled again', async ({ cleanup }) => {
    const { site, sink, alertmanager, app, host, set, polledAt } = await start(cleanup);
    await site.setDown(true);
    await eventually('notified', () => sink.of(down).includes('firing'));
    await set(by);
    // this one is polled once a year
    await eventually(
      'polled again',
      async () => Math.abs(((await polledAt('GetExpirationFeatures')) ?? 0) - host.now()) < 60,
    );
    await evaluations(8, { app });
    expect(await firing(alertmanager, down)).toHaveLength(1);
    await site.setDown(false);
    await eventually('resolved', () => sink.of(down).includes('resolved'));
    expect(sink.notified.map(({ status, labels }) => [labels.alertname, status])).toEqual([
      ['LicenseServerDown', 'firing'],
      ['LicenseServerDown', 'resolved'],
    ]);
  });

  it.concurrent('does not hide an alert that begins afterwards', async ({ cleanup }) => {
    const { site, sink, alertmanager, app, set } = await start(cleanup);
    await set(by);
    await site.setDown(true);
    await eventually('notified', () => sink.of(down).includes('firing'));
    await evaluations(8, { app });
    expect([sink.of(down), (await firing(alertmanager, down)).length]).toEqual([['firing'], 1]);
  });

  it.concurrent('makes no data younger, and no alert older', async ({ cleanup }) => {
    const { site, app, host, set } = await start(cleanup);
    await site.setDown(true);
    const fires = async () => /^license_alert_firing\{.*"LicenseServerDown".* -?1$/m.test(await app.metrics());
    await eventually('it fires', fires);
    await site.stop();
    const failing = 'license_poll_success{endpoint="GetProducts"}';
    await eventually('the analyzer is lost', async () => (await app.sample(failing)) === 0);
    await set(by);
    const isKnown = async () => /^license_(server_up|feature_in_use)\{/m.test(await app.metrics());
    await eventually('nothing is known', async () => !(await isKnown()));
    expect(await fires()).toBe(true);
    const alerts = (await (await fetch(`${app.url}/api/v1/alerts`)).json()) as {
      data: { alerts: { activeAt: string }[] };
    };
    const ages = alerts.data.alerts.map(({ activeAt }) => host.now() - Date.parse(activeAt) / 1000);
    for (const age of ages) expect(age >= 0 && age < 100).toBe(true);
    expect(ages).not.toEqual([]);
  });
});
