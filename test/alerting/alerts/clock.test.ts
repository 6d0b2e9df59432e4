import { describe, expect } from 'vitest';
import { evaluations, firing, startSite, writeServerDownConfig } from '../../support/end-to-end.ts';
import { eventually } from '../../support/harness.ts';
import { MOVED } from '../../support/host-clock.ts';
import { peer } from '../../support/peers.ts';
import { createProcessClock } from '../../support/process-clock.ts';
import { createRunner } from '../../support/run.ts';
import { it } from '../../support/side-by-side.ts';
import { startAlertmanager, startSink } from '../../support/start-alertmanager.ts';

/** A whole daemon whose clock is set while it runs and while it is stopped, and which is paused. */

/** Longer than polls may be apart, and than data may be old. */
const PAUSE_MS = 7000;

describe.runIf(peer('prometheus-alertmanager'))('the clock of a daemon', () => {
  it.concurrent('neither ends an alert nor sends it twice, and changes no age', async ({ cleanup }) => {
    const { startProcess, temporaryFolder } = createRunner(cleanup);
    const site = await startSite(cleanup);
    const sink = await startSink(cleanup);
    const alertmanager = await startAlertmanager(cleanup, sink);
    const folder = temporaryFolder();
    const file = writeServerDownConfig(folder, {
      analyzer: site.url,
      alertmanager: alertmanager.url,
      resend: 20,
    });
    const clock = createProcessClock(folder);
    let ahead = 0;
    const set = (seconds: number): void => {
      ahead = seconds;
      clock.set(seconds);
    };
    const { env } = clock;
    const start = async () => {
      const daemon = startProcess([`--config.file=${file}`, '--log.format=json'], { env });
      const { address } = await daemon.line('listening');
      return { ...daemon, url: String(address) };
    };
    const down = { alertname: 'LicenseServerDown', vendor_license: site.vendorLicense };
    let daemon = await start();
    const begun = Date.now() / 1000;
    const staysActive = async () => {
      await evaluations(8, { app: daemon });
      expect([(await firing(alertmanager, down)).length, sink.of(down)]).toEqual([1, ['firing']]);
      const { data } = (await (await fetch(`${daemon.url}/api/v1/alerts`)).json()) as {
        data: { alerts: { labels: Record<string, string>; activeAt: string }[] };
      };
      const alert = data.alerts.find(({ labels }) => labels.alertname === down.alertname);
      const age = Date.now() / 1000 + ahead - Date.parse(alert?.activeAt ?? '') / 1000;
      expect(age >= 0 && age <= Date.now() / 1000 - begun).toBe(true);
    };
    await site.setDown(true);
    await eventually('notified', () => sink.of(down).length > 0);
    await staysActive();

    set(-7200);
    expect(Math.round(Number((await daemon.line(MOVED)).seconds) / 100)).toBe(-72);
    await staysActive();

    daemon.child.kill('SIGSTOP');
    // what happens meanwhile is that nothing happens
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    daemon.child.kill('SIGCONT');
    await staysActive();
    expect(daemon.lines.filter(({ msg }) => msg === MOVED)).toHaveLength(1);

    daemon.child.kill('SIGKILL');
    await daemon.exit;
    // less than the hour after which the file would not be used
    set(-5400);
    daemon = await start();
    await eventually('restored', async () => (await firing(alertmanager, down)).length === 1);
    await staysActive();
    await site.setDown(false);
    await eventually('resolved', () => sink.of(down).length > 1);
    expect(sink.of(down)).toEqual(['firing', 'resolved']);
  });
});
