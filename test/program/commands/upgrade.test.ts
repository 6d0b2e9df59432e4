import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createCleanup } from '../../support/harness.ts';
import { createRunner } from '../../support/run.ts';

/** A start on the storage directory of an earlier version. That of the history has tests of its own. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());
const { run, temporaryFolder } = createRunner(cleanup);

const secondsAgo = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString();

/** alert-state.json as 0.2.0 wrote it, with other times. */
const alertsOf = (analyzer: string): string =>
  JSON.stringify({
    v: 1,
    analyzer,
    savedAt: secondsAgo(5),
    alerts: [
      {
        rule: 'LicenseExpiringSoon/critical',
        labels: {
          alertname: 'LicenseExpiringSoon',
          severity: 'critical',
          vendor_license: 'sim-lic01;sim_cadd',
          feature: 'sim-cad-1',
          feature_type: 'feature',
        },
        state: 'firing',
        activeAt: secondsAgo(600),
        firedAt: secondsAgo(590),
        knownAt: secondsAgo(5),
        value: 25833493.9,
        annotations: { summary: 'License sim-cad-1 of sim-lic01;sim_cadd expires in 299d 0h.' },
      },
    ],
  });

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('alerts that an earlier version saved', () => {
  it.each([
    ['0.2.0', `embedded@${hostname()}`, 'alerts restored', { alerts: 1 }],
    [
      'another analyzer',
      'other:443',
      'saved alerts are of another analyzer and are not used',
      { of: 'other:443', analyzer: `embedded@${hostname()}` },
    ],
  ])('of %s', async (_, analyzer, message, fields) => {
    const storage = join(temporaryFolder(), 'state');
    mkdirSync(storage);
    const port = await freePort();
    writeFileSync(join(storage, 'alert-state.json'), alertsOf(analyzer));
    const demo = run([
      'demo',
      `--storage.path=${storage}`,
      `--embedded-analyzer.listen-address=127.0.0.1:${port}`,
      '--embedded-analyzer.site.vendor-licenses=1',
      '--embedded-analyzer.site.features=5',
      '--web.listen-address=127.0.0.1:0',
      '--log.format=json',
    ]);
    expect(await demo.line(message)).toMatchObject(fields);
  });
});
