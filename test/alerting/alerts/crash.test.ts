import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { random } from '../../../src/analyzer/simulated/simulated-random.ts';
import { evaluations, firing, startSite, writeServerDownConfig } from '../../support/end-to-end.ts';
import { isLong } from '../../support/extent.ts';
import { eventually } from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';
import { createRunner } from '../../support/run.ts';
import { seed } from '../../support/seed.ts';
import { it } from '../../support/side-by-side.ts';
import { startAlertmanager, startSink } from '../../support/start-alertmanager.ts';

/** The daemon is killed at random moments while alerts begin and end. */

const KILLS = isLong ? 30 : 5;
/**
 * Seconds. Alertmanager resolves an alert after four times as long: enough for a restart that waits for 30 seconds, because the
 * daemon was killed in a logon.
 */
const RESEND = 20;

// time until a kill: every moment is tested
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe.runIf(peer('prometheus-alertmanager'))('kill -9', () => {
  it.concurrent('a restart with storage.path loses no alert, repeats no notification and resolves nothing', async ({
    cleanup,
  }) => {
    const { startProcess, temporaryFolder } = createRunner(cleanup);
    const site = await startSite(cleanup);
    const sink = await startSink(cleanup);
    const alertmanager = await startAlertmanager(cleanup, sink);
    const folder = temporaryFolder();
    const file = writeServerDownConfig(folder, {
      analyzer: site.url,
      alertmanager: alertmanager.url,
      resend: RESEND,
    });
    const start = async () => {
      const daemon = startProcess([`--config.file=${file}`, '--log.format=json']);
      await daemon.line('listening');
      return daemon;
    };
    const down = { alertname: 'LicenseServerDown', vendor_license: site.vendorLicense };
    const sent: string[] = [];
    let daemon = await start();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const isDown = kill % 2 === 0;
      await site.setDown(isDown);
      sent.push(isDown ? 'firing' : 'resolved');
      await pause(random(seed, 'kill', kill) * 3500);
      daemon.child.kill('SIGKILL');
      await daemon.exit;
      daemon = await start();
      const isKnown = async () => ((await firing(alertmanager, down)).length === 1) === isDown;
      await eventually(`known after kill ${kill}`, isKnown);
      await eventually(`notified after kill ${kill}`, () => sink.of(down).length >= sent.length);
      expect(sink.of(down)).toEqual(sent);
    }
    // no further notification follows for a resend delay
    const { address } = await daemon.line('listening');
    await evaluations(RESEND * 4, { app: { url: String(address) } });
    expect(sink.of(down)).toEqual(sent);
    expect(sent).toHaveLength(KILLS);
    expect(readFileSync(join(folder, 'state/alert-state.json'), 'utf8')).toContain('"v":1');
  });
});
