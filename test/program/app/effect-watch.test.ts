import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, it } from 'vitest';
import { createCleanup, eventually } from '../../support/harness.ts';
import { createRunner } from '../../support/run.ts';

/** What a daemon says of settings that can be about the past. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());
const { run, temporaryFolder } = createRunner(cleanup);

const vendorLicense = (server: string, daemon: string, feature: string) => ({
  server,
  daemon,
  features: [{ feature, count: 10, in_use: 2, expires: 'permanent' }],
});
const kept = vendorLicense('lic01', 'cadd', 'Solver');
const removed = vendorLicense('lic02', 'flowd', 'mesh');

const base = `web: {listen_address: 127.0.0.1:0}
storage: {path: data}
embedded_analyzer:
  time_zone: UTC
  sources:
    - {name: own, manager: json, via: {file: site.json}}
`;

/** A folder in which a daemon has seen both vendor licenses, of which one is removed now. */
async function createPlace() {
  const folder = temporaryFolder();
  const start = (site: readonly object[], settings: string) => {
    writeFileSync(join(folder, 'site.json'), JSON.stringify({ version: 1, vendor_licenses: site }));
    writeFileSync(join(folder, 'c.yml'), `${base}${settings}`);
    return run(['serve', '--config.file', join(folder, 'c.yml')]);
  };
  const earlier = start([kept, removed], 'select: {include: [lic01, lic02, lic77]}\n');
  await eventually('both are listed', () => earlier.output().includes('lic77'));
  const { address } = await earlier.line('listening');
  const polledAt = Date.now() / 1000;
  // what is listed is remembered when the alerts are evaluated over it
  await eventually('an evaluation', async () => {
    const page = await (await fetch(`${address}/metrics`)).text();
    return Number(/^license_alerts_evaluated_timestamp_seconds\{.*\} (\S+)$/m.exec(page)?.[1]) > polledAt;
  });
  earlier.stop();
  await earlier.exit;
  expect(existsSync(join(folder, 'data/listed.json'))).toBe(true);
  return { folder, start: (settings: string) => start([kept], settings) };
}

it('an entry about what has vanished is not called useless after a restart', async () => {
  const { folder, start } = await createPlace();
  // the history has it too
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(folder, `data/history.db${suffix}`), { force: true });
  const daemon = start(`alerting:
  ignore:
    - alertname="LicenseVendorLicenseVanished", vendor_license="lic02;flowd"
    - vendor_license="lic03;flowd"
`);
  await eventually('the other one is named', () => daemon.output().includes('ignore[1]'));
  expect(daemon.output()).toContain('lic03;flowd\\" matches no vendor license that the analyzer lists');
  expect(daemon.output()).not.toContain('ignore[0]');
});

it('a history that cannot be read leaves out what depends on it', async () => {
  const { folder, start } = await createPlace();
  const database = new DatabaseSync(join(folder, 'data/history.db'));
  database.exec('PRAGMA user_version = 1000');
  database.close();
  const daemon = start(`rightsizing: {without_reservations: [{vendor_license: lic01;%, feature: gone}]}
owners: [{vendor_license: lic99;*, owner: cad}]
`);
  await eventually('the owner is named', () => daemon.output().includes('owners[0]'));
  expect(daemon.output()).toContain('lic99;*');
  expect(daemon.output()).not.toMatch(/without_reservations\[0\]|the inventory could not be used/);
});
