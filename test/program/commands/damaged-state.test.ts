import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { createFakeSite, fakeLmutil } from '../../support/fake-license-tools/fake-site.ts';
import { createCleanup, eventually } from '../../support/harness.ts';
import { createLargeSite } from '../../support/license-site/large-site.ts';
import { renderLmstat } from '../../support/license-site/render-lmstat.ts';
import { createRunner } from '../../support/run.ts';

/** A daemon whose state files cannot be used: it does not end, and serves everything that does not need them. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());
const { run, temporaryFolder } = createRunner(cleanup);

const databases = ['history.db', 'rightsizing.db'] as const;
const texts = ['alert-state.json', 'listed.json', 'messages.json', 'pseudonym.key'] as const;
const files = [...databases, ...texts].sort();

type Daemon = ReturnType<typeof run>;

/** A daemon on one license server that uses every state file. */
function createPlace(): { readonly state: string; start(): Daemon } {
  const folder = temporaryFolder();
  const site = createFakeSite(join(folder, 'site'));
  const now = Math.floor(Date.now() / 1000);
  const large = createLargeSite({ features: 40, users: 3, now, host: 'lic1', daemon: 'flexd' });
  site.print('27000@lic1', renderLmstat(large, createLocalTime('UTC')));
  const config = join(folder, 'c.yml');
  writeFileSync(
    config,
    `storage: {path: ${folder}/state}
alerting: {webhook: {url: "http://127.0.0.1:9/"}}
poll: {products: "* * * * * *", features: "* * * * * *", server_down: "* * * * * *", concurrent_users: "* * * * * *"}
embedded_analyzer:
  listen_address: 127.0.0.1:0
  time_zone: UTC
  sources:
    - ${JSON.stringify({ name: 'cad', manager: 'flexnet', servers: ['27000@lic1'], via: { command: fakeLmutil }, env: site.env, users: { names: 'pseudonym' } })}
`,
  );
  const args = [`--config.file=${config}`, '--web.listen-address=127.0.0.1:0', '--log.format=json'];
  return { state: join(folder, 'state'), start: () => run(args) };
}

/** Resolves when the daemon shows data, and returns its address. */
async function showsData(daemon: Daemon): Promise<string> {
  const { address } = await daemon.line('listening');
  const url = String(address);
  await eventually('data', async () => /^license_feature_in_use\{/m.test(await (await fetch(`${url}/metrics`)).text()));
  return url;
}

async function stop(daemon: Daemon): Promise<void> {
  daemon.stop();
  expect(await daemon.exit).toBe(0);
}

/** Runs a daemon until each of its files is there. */
async function fill({ state, start }: ReturnType<typeof createPlace>): Promise<void> {
  const daemon = start();
  await showsData(daemon);
  await eventually('the files', () =>
    [...databases, 'listed.json', 'messages.json'].every((name) => readdirSync(state).includes(name)),
  );
  await stop(daemon);
  // without an alert, none is saved
  writeFileSync(join(state, 'alert-state.json'), '{"v":1,"analyzer":"a","savedAt":"2026-11-23T12:00:00Z","alerts":[]}');
  expect(readdirSync(state)).toEqual(expect.arrayContaining(files));
}

const isAside = (name: string): boolean => /\.damaged-\d{8}T\d{6}Z$/.test(name);

describe('state that cannot be used', () => {
  const kinds: readonly (readonly [string, (path: string) => void])[] = [
    ['garbage', (path) => writeFileSync(path, 'garbage '.repeat(2000))],
    [
      'cut off',
      (path) => {
        const { length } = readFileSync(path);
        truncateSync(path, path.endsWith('.db') ? Math.floor(length / 2 / 4096) * 4096 + 100 : length - 20);
      },
    ],
    [
      'a directory',
      (path) => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
  ];

  it.each(kinds)('is set aside if it is %s, and everything goes on', async (_, damage) => {
    const place = createPlace();
    await fill(place);
    for (const name of files) {
      for (const end of ['-wal', '-shm']) rmSync(join(place.state, name + end), { force: true });
      damage(join(place.state, name));
    }
    const daemon = place.start();
    const url = await showsData(daemon);
    const statuses = await Promise.all(
      ['/', '/alerts', '/sources', '/metrics', '/api/v1/alerts', '/-/healthy'].map(
        async (path) => (await fetch(url + path)).status,
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    await eventually('history is recorded', async () =>
      /^license_history_last_sample_timestamp_seconds \d/m.test(await (await fetch(`${url}/metrics`)).text()),
    );
    await stop(daemon);
    expect(readdirSync(place.state)).toEqual(
      expect.arrayContaining(files.filter((name) => name !== 'alert-state.json')),
    );
    const aside = readdirSync(place.state).filter(isAside);
    expect(aside.map((name) => name.replace(/\.damaged-.*/, '')).sort()).toEqual(files);
    const reported = daemon.lines.filter(({ msg }) => msg === 'damaged file set aside, a new one takes its place');
    expect(reported.map(({ renamed }) => renamed).sort()).toEqual(aside.sort());
    for (const { lost } of reported) expect(String(lost)).not.toBe('');
  });

  it('of a newer version stays as it is, and everything goes on', async () => {
    const place = createPlace();
    await fill(place);
    for (const name of databases) {
      const database = new DatabaseSync(join(place.state, name));
      database.exec('PRAGMA user_version = 1000');
      database.close();
    }
    for (const name of ['alert-state.json', 'messages.json']) writeFileSync(join(place.state, name), '{"v":1000}');
    const daemon = place.start();
    const url = await showsData(daemon);
    expect((await fetch(`${url}/alerts`)).status).toBe(200);
    await stop(daemon);
    expect(readdirSync(place.state).filter(isAside)).toEqual([]);
    for (const name of ['alert-state.json', 'messages.json']) {
      expect(readFileSync(join(place.state, name), 'utf8')).toBe('{"v":1000}');
    }
    const text = daemon.output();
    for (const name of ['alert-state.json', 'messages.json', ...databases]) {
      expect(text).toMatch(new RegExp(`${name}.{0,60}written by a newer version of license-exporter`));
    }
  });
});
