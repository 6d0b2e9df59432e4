import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { startCollectingApp } from '../../support/collecting-app.ts';
import { createFakeSite, fakeLmutil } from '../../support/fake-license-tools/fake-site.ts';
import { createCleanup, eventually } from '../../support/harness.ts';
import { createLargeSite } from '../../support/license-site/large-site.ts';
import { renderLmstat } from '../../support/license-site/render-lmstat.ts';
import { textOf } from '../../support/served-page.ts';
import { createSmallDisk } from '../../support/small-disk.ts';

/** What is said while the disk of storage.path is full, and that recording goes on by itself when it is not. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const SAMPLE = 'license_history_last_sample_timestamp_seconds';
const ERRORS = 'license_history_write_errors_total';

describe.runIf(process.getuid?.() === 0)('a full disk', () => {
  it('is in metrics and on pages, is logged once, and recording goes on when there is room', async () => {
    const disk = createSmallDisk(cleanup);
    const tools = mkdtempSync(join(tmpdir(), 'license-exporter-site-'));
    cleanup.add(() => rmSync(tools, { recursive: true }));
    const site = createFakeSite(join(tools, 'site'));
    const now = Math.floor(Date.now() / 1000);
    const large = createLargeSite({ features: 200, users: 2, now, host: 'lic1', daemon: 'flexd' });
    site.print('27000@lic1', renderLmstat(large, createLocalTime('UTC')));
    const app = await startCollectingApp(
      cleanup,
      [{ name: 'cad', manager: 'flexnet', servers: ['27000@lic1'], via: { command: fakeLmutil }, env: site.env }],
      { 'storage.path': join(disk.path, 'state') },
    );
    const pages = async (): Promise<readonly string[]> =>
      Promise.all(['/', '/sources'].map(async (path) => textOf(await (await fetch(app.url + path)).text())));
    const isSaid = async (): Promise<readonly boolean[]> =>
      (await pages()).map((page) => page.includes('History is not recorded.'));
    await eventually('a sample', async () => (await app.sample(SAMPLE)) !== undefined);
    expect([await app.sample(ERRORS), await isSaid()]).toEqual([0, [false, false]]);

    disk.fill();
    // what is in the files already has some room
    await eventually('a failed attempt', async () => {
      await app.collect();
      return Number(await app.sample(ERRORS)) > 2;
    });
    expect(await isSaid()).toEqual([true, true]);
    expect((await pages())[1]).toContain('the disk, or embedded_analyzer.store_max_size, is full');
    expect(await app.sample('license_history_free_bytes')).toBe(0);
    // data and alerts go on, also where the first poll of an endpoint is late
    await eventually('a good poll', async () => (await app.sample('license_up')) === 1);

    disk.empty();
    await app.collect();
    expect(await isSaid()).toEqual([false, false]);
    const count = (text: string): number => app.log.entries.filter(({ message }) => message === text).length;
    expect({
      lost: count('the embedded analyzer cannot use its history, only the live endpoints work'),
      again: count('the embedded analyzer records history again'),
    }).toEqual({ lost: 1, again: 1 });
  });
});
