import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startCollectingApp } from '../../support/collecting-app.ts';
import { createFakeSite, fakeLmutil } from '../../support/fake-license-tools/fake-site.ts';
import { createCleanup, eventually } from '../../support/harness.ts';
import { createHostClock, MOVED } from '../../support/host-clock.ts';

/** The clock of a host is set on which license managers are read, exporter and analyzer in one process. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

/** The output of the tool at a time, in UTC. */
const lmstat = (at: number): string => {
  const time = new Date(at * 1000);
  const day = time.toLocaleDateString('en', { weekday: 'short', timeZone: 'UTC' });
  const clock = `${time.getUTCHours()}:${String(time.getUTCMinutes()).padStart(2, '0')}`;
  return `lmstat - Copyright (c) 1989-2022 Flexera.
Flexible License Manager status on ${day} ${time.getUTCMonth() + 1}/${time.getUTCDate()}/${time.getUTCFullYear()} ${clock}

License server status: 27000@lic1
lic1: license server UP v11.19

Vendor daemon status (on lic1):
   cad: UP v11.19
Feature usage info:

Users of draw:  (Total of 7 licenses issued;  Total of 2 licenses in use)
`;
};

async function start() {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-clock-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  const host = createHostClock();
  const site = createFakeSite(join(folder, 'site'));
  const print = (text: string): void => site.print('27000@lic1', text);
  print(lmstat(host.now()));
  const via = { command: fakeLmutil };
  const source = { name: 'cad', manager: 'flexnet', servers: ['27000@lic1'], via, env: site.env };
  const app = await startCollectingApp(cleanup, [source], {}, host.clock);
  const isUp = async () => /^license_server_up\{.*\} 1$/m.test(await app.metrics());
  await eventually('the server is up', isUp);
  const set = async (by: number): Promise<void> => {
    host.set(by);
    await eventually('it follows', () => app.log.entries.some(({ message }) => message === MOVED));
  };
  return { app, host, print, set, isUp };
}

describe.each([10_800, -7200])('a clock that is set by %d s', (by) => {
  it('takes no server down, although its source cannot be read', async () => {
    const { app, host, print, set, isUp } = await start();
    print('');
    await app.collect();
    const [before] = app.health();
    await set(by);
    await eventually('polled again', isUp);
    // it is collected at once too
    await eventually('read again', () => (app.health()[0]?.failedReadings ?? 0) > (before?.failedReadings ?? 0));
    const readAt = host.now();
    await eventually('polled after that', async () => {
      const polledAt = await app.sample('license_poll_last_success_timestamp_seconds{endpoint="GetServerDown"}');
      // a poll of before has a time that has not come yet, where the clock was set back
      return polledAt !== undefined && polledAt >= readAt && polledAt <= host.now();
    });
    const page = await app.metrics();
    expect(page).toMatch(/^license_server_up\{.*\} 1$/m);
    const collectedAt = /^license_vendor_license_last_collection_timestamp_seconds\{.*\} (\S+)$/m.exec(page)?.[1];
    const age = host.now() - Number(collectedAt);
    expect(age >= 0 && age < 100).toBe(true);
    const alerts = await (await fetch(`${app.url}/api/v1/alerts`)).text();
    expect(alerts).not.toContain('LicenseServerDown');
  });

  it('does not interrupt what is recorded', async () => {
    const { app, host, print, set } = await start();
    const newest = async () => app.sample('license_history_last_sample_timestamp_seconds');
    await eventually('recorded', async () => (await newest()) !== undefined);
    print(lmstat(host.now() + by));
    await set(by);
    const isRecent = (at: number | undefined): boolean => at !== undefined && Math.abs(host.now() - at) < 1000;
    await eventually('recorded again', async () => isRecent(await newest()));
    await eventually('read again', () => isRecent(app.health()[0]?.lastSuccessAt));
    const { lastReadAt = Number.NaN } = app.health()[0] ?? {};
    expect(lastReadAt <= host.now()).toBe(true);
    expect(app.log.entries.filter(({ level }) => level === 'error')).toEqual([]);
    const sources = await (await fetch(`${app.url}/sources`)).text();
    expect(sources).not.toContain('not recorded');
  });
});
