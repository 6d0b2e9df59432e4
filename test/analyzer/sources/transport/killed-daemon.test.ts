import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, it } from 'vitest';
import { random } from '../../../../src/analyzer/simulated/simulated-random.ts';
import { createLocalTime } from '../../../../src/base/model/local-time.ts';
import { isLong } from '../../../support/extent.ts';
import {
  createFakeSite,
  type FakeSite,
  fakeLmutil,
  fakeRlmutil,
} from '../../../support/fake-license-tools/fake-site.ts';
import { createCleanup, eventually } from '../../../support/harness.ts';
import { renderLmstat } from '../../../support/license-site/render-lmstat.ts';
import { renderObservations } from '../../../support/license-site/render-observations.ts';
import { renderRlmstat } from '../../../support/license-site/render-rlmstat.ts';
import type { Site } from '../../../support/license-site/site.ts';
import { createRunner } from '../../../support/run.ts';
import { seed } from '../../../support/seed.ts';
import { createFolder, processesWith, writeTool } from './tools.ts';

/** The daemon is killed while it collects from three license managers. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());
const { startProcess } = createRunner(cleanup);

const utc = createLocalTime('UTC');
/** So many that a collection is recorded in several steps. */
const FEATURES = 900;
const servers = ['27000@flexnet.example.com', '5053@rlm.example.com', '4084@json.example.com'] as const;
const [flexnet, rlm, json] = servers;

/** In use are as many licenses of each feature as the number of the output says. */
function siteOf(server: string, output: number): Site {
  const now = Math.floor(Date.now() / 1000);
  const [port = '', host = ''] = server.split('@');
  const features = Array.from({ length: FEATURES }, (_, at) => {
    const checkout = { user: 'ada', host: 'ws1', display: ':0', since: now - 3600, licenses: output, handle: '101' };
    const pool = { version: '1.0', count: 1000, expires: 'permanent', reservations: [], queued: [] } as const;
    return { name: `feature_${at}`, pools: [{ ...pool, checkouts: [checkout] }] };
  });
  return {
    servers: [{ host, port: Number(port), isUp: true, isMaster: true }],
    now,
    daemons: [{ name: 'vendord', isUp: true, features }],
  };
}

function printOutput(site: FakeSite, output: number): void {
  site.print(flexnet, renderLmstat(siteOf(flexnet, output), utc));
  site.print(rlm, renderRlmstat(siteOf(rlm, output), utc));
  site.print(json, renderObservations(siteOf(json, output)));
}

/** A day that is not over soon: its samples stay in one table. */
const timeZone = (): string => ([22, 23, 0].includes(new Date().getUTCHours()) ? 'Asia/Tokyo' : 'UTC');

function writeConfig(folder: string, site: FakeSite): string {
  const script = writeTool(folder, 'observe', '#!/bin/sh\nsleep 0.2; cat "$FAKE_LICENSE_SITE/$1.txt"\n');
  const commands = { flexnet: [fakeLmutil], rlm: [fakeRlmutil], json: [script, json] };
  const sources = (['flexnet', 'rlm', 'json'] as const).map((manager, at) => ({
    name: manager,
    manager,
    servers: [servers[at]],
    via: { command: commands[manager] },
    env: site.env,
    interval: '60s',
  }));
  const path = join(folder, 'config.yml');
  // YAML has JSON
  const config = {
    web: { listen_address: '127.0.0.1:0' },
    embedded_analyzer: { listen_address: '127.0.0.1:0', time_zone: timeZone(), sources },
    storage: { path: join(folder, 'state') },
    log: { format: 'json' },
  };
  writeFileSync(path, JSON.stringify(config));
  return path;
}

/** The number of the output of each committed collection, by vendor license and slot. */
type Committed = ReadonlyMap<string, number>;

/** Reads a copy, so that the daemon itself recovers what it was writing. */
function readCommitted(state: string, copy: string): Committed {
  mkdirSync(copy);
  for (const name of ['history.db', 'history.db-wal'])
    if (existsSync(join(state, name))) copyFileSync(join(state, name), join(copy, name));
  const database = new DatabaseSync(join(copy, 'history.db'));
  try {
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'open_sample'").get() === undefined)
      return new Map();
    const rows = database
      .prepare(`SELECT vendor_license, at, count(*) AS features, min(in_use) AS least, max(in_use) AS most
        FROM open_sample JOIN series ON series.id = series GROUP BY vendor_license, at`)
      .all();
    return new Map(
      rows.map(({ vendor_license: name, at, features, least, most }) => {
        // it is whole: all features, of one output
        expect({ name, at, features, most }).toEqual({ name, at, features: FEATURES, most: least });
        return [`${name} ${at}`, Number(most)];
      }),
    );
  } finally {
    database.close();
  }
}

/** Each source has been collected since the start. */
async function untilCollected(daemon: ReturnType<typeof startProcess>): Promise<void> {
  const { address } = await daemon.line('listening');
  await eventually('all are collected', async () => {
    const health = (await (await fetch(`${address}/sources/status.json`)).json()) as { lastSuccessAt?: number }[];
    return health.length === servers.length && health.every(({ lastSuccessAt }) => lastSuccessAt !== undefined);
  });
}

const times = isLong ? 50 : 5;

it(`killed at any of ${times} moments while it collects from three sources, the daemon loses no committed collection and leaves no process`, async () => {
  const folder = createFolder(cleanup);
  const state = join(folder, 'state');
  const site = createFakeSite(join(folder, 'site'));
  const config = writeConfig(folder, site);
  site.delay(flexnet, 0.1);
  let committed: Committed = new Map();
  let killedWithTools = 0;
  for (let output = 1; output <= times; output += 1) {
    printOutput(site, output);
    // one in five has collected from all; of the others, one in three has a tool that would not end by itself
    const isCollected = output % 5 === 0;
    site.delay(rlm, !isCollected && output % 3 === 1 ? 300 : 0.3);
    const before = site.callsOf(rlm).length;
    const daemon = startProcess(['serve', `--config.file=${config}`]);
    await eventually('the tools run', () => site.callsOf(rlm).length > before);
    if (isCollected) await untilCollected(daemon);
    // a moment of its own each time: that is what is tested
    else await new Promise((resolve) => setTimeout(resolve, random(seed, 'kill', output) * 1200));
    killedWithTools += processesWith(site.folder).length > 0 ? 1 : 0;
    daemon.child.kill('SIGKILL');
    await daemon.exit;
    await eventually(`no process is left after kill ${output}`, () => processesWith(folder).length === 0);

    const found = readCommitted(state, join(folder, `copy-${output}`));
    for (const [key, written] of committed) {
      // in the same slot, a later collection replaces an earlier one
      expect({ key, output: found.get(key) ?? 0 }).toEqual({ key, output: expect.toSatisfy((now) => now >= written) });
    }
    committed = found;
  }
  expect(killedWithTools).toBeGreaterThan(0);
  expect(committed.size).toBeGreaterThanOrEqual(1);

  // what it finds does not keep it from collecting, and it leaves nothing behind when it stops
  printOutput(site, times + 1);
  site.delay(rlm, 0.3);
  const last = startProcess(['serve', `--config.file=${config}`]);
  await untilCollected(last);
  last.child.kill('SIGTERM');
  expect(await last.exit).toBe(0);
  await eventually('no process is left', () => processesWith(folder).length === 0);
  const found = readCommitted(state, join(folder, 'copy-last'));
  for (const server of servers) expect([...found]).toContainEqual([expect.stringContaining(server), times + 1]);
});
