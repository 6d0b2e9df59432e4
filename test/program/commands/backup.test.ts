import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { createCleanup, eventually } from '../../support/harness.ts';
import { createRunner } from '../../support/run.ts';
import { begin, INTERVAL, timeZone } from '../../support/store-samples.ts';

/** `backup` and `restore`, as an operator runs them. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());
const { run, startProcess, temporaryFolder } = createRunner(cleanup);

const storeWriter = join(import.meta.dirname, '../../analyzer/history/store-writer.ts');
const oldHistory = join(import.meta.dirname, '../../analyzer/history/fixtures/history-of-simulated-site-0.2.0.db.gz');

function createPlace(zone = 'Europe/Berlin'): { folder: string; storage: string; config: string } {
  const folder = temporaryFolder();
  const storage = join(folder, 'state');
  mkdirSync(storage);
  const config = join(folder, 'c.yml');
  writeFileSync(
    config,
    `storage: {path: ${storage}}
web: {listen_address: 127.0.0.1:0}
log: {format: json}
embedded_analyzer: {listen_address: 127.0.0.1:0, time_zone: ${zone}, site: {seed: 1, vendor_licenses: 2, features: 6}}
`,
  );
  return { folder, storage, config };
}

/** A process that records collections at full speed; the number of the last committed one. */
function startWriter(path: string): { last: () => number } {
  const child = spawn(process.execPath, [storeWriter, path, '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = new Promise((resolve) => child.once('close', resolve));
  cleanup.add(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  let last = -1;
  child.stdout.on('data', (chunk) => {
    last = Number(String(chunk).trimEnd().split('\n').at(-1));
  });
  return { last: () => last };
}

function inspect(path: string): { version: unknown; problems: unknown } {
  const database = new DatabaseSync(path, { readOnly: true });
  const one = (pragma: string): unknown => Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0];
  const found = { version: one('user_version'), problems: one('integrity_check') };
  database.close();
  return found;
}

const outcome = async (args: readonly string[]): Promise<{ code: number; output: string }> => {
  const running = run(args);
  return { code: await running.exit, output: running.output() };
};

describe('backup', () => {
  it('is whole while another process writes, which goes on; killed, it leaves no backup', async () => {
    const { folder, storage, config } = createPlace();
    const writer = startWriter(join(storage, 'history.db'));
    await eventually('collections', () => writer.last() >= 30);

    const destination = join(folder, 'backup');
    const before = writer.last();
    const done = await outcome(['backup', destination, `--config.file=${config}`]);
    expect(done).toMatchObject({ code: 0 });
    expect(done.output).toMatch(/history\.db: \d+ bytes\nThe backup .* is complete\.\n$/);
    expect(inspect(join(destination, 'history.db')).problems).toBe('ok');
    const copy = new DatabaseSync(join(destination, 'history.db'), { readOnly: true });
    const newest = copy.prepare('SELECT max(at) AS open, (SELECT max(day) FROM day) AS day FROM open_collection').get();
    copy.close();
    // when a day was just sealed, no collection is open
    const sealed = createLocalTime(timeZone).startOf(Number(newest?.day ?? 0) + 1) - INTERVAL;
    expect(Math.max(Number(newest?.open), sealed)).toBeGreaterThanOrEqual(begin + before * INTERVAL);

    const isCopied = (): boolean => readdirSync(folder).some((name) => name.startsWith('killed.partial-'));
    // a copy is short: when this process is not woken up in it, the next one is killed
    for (let isKilled = false; !isKilled; ) {
      rmSync(join(folder, 'killed'), { recursive: true, force: true });
      const killed = startProcess(['backup', join(folder, 'killed'), `--config.file=${config}`]);
      let hasEnded = false;
      void killed.exit.then(() => {
        hasEnded = true;
      });
      await eventually('the copy', () => isCopied() || hasEnded, { every: 5 });
      killed.child.kill('SIGKILL');
      await killed.exit;
      isKilled = isCopied();
    }
    expect(existsSync(join(folder, 'killed'))).toBe(false);
    const now = writer.last();
    await eventually('further collections', () => writer.last() > now);
  });

  it('of the running demo restores when it has ended, and not before', async () => {
    const { folder, storage, config } = createPlace();
    const demo = run(['demo', `--config.file=${config}`, '--log.format=json']);
    await demo.line('listening');
    await eventually('history', () => existsSync(join(storage, 'history.db')));
    const destination = join(folder, 'backup');
    expect(await outcome(['backup', destination, `--config.file=${config}`])).toMatchObject({ code: 0 });
    const restore = ['restore', destination, `--config.file=${config}`];
    expect(await outcome(restore)).toEqual({
      code: 1,
      output: `storage.path ${storage} is used by another process; stop license-exporter first: a running one would go on with the old data\n`,
    });
    // what is wrong with the directory comes first: nobody stops a daemon for it
    const notFrom = async (directory: string): Promise<unknown> =>
      (await outcome(['restore', directory, `--config.file=${config}`])).output;
    const remedy = 'name a directory that "license-exporter backup" has written\n';
    const nowhere = join(folder, 'nowhere');
    expect(await notFrom(nowhere)).toBe(`${nowhere} cannot be restored: it does not exist; ${remedy}`);
    expect(await notFrom(config)).toBe(`${config} cannot be restored: it is not a directory; ${remedy}`);
    expect(await notFrom(folder)).toBe(`${folder} cannot be restored: it has no backup.json; ${remedy}`);
    demo.stop();
    await demo.exit;
    const restored = await outcome(restore);
    expect(restored).toMatchObject({ code: 0 });
    expect(restored.output).toMatch(/^Restored from .*: history\.db.*\nWhat was there before is in .*before-restore-/);
    const again = run(['demo', `--config.file=${config}`, '--log.format=json']);
    await again.line('listening');
    expect(again.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('without storage.path is refused', async () => {
    expect(await outcome(['backup', join(temporaryFolder(), 'x')])).toEqual({
      code: 1,
      output:
        'storage.path is not set; set it in the configuration, or pass --storage.path with the directory of the daemon\n',
    });
  });
});

describe('a history of version 0.2.0', () => {
  it('is saved as it is, and converted when it is restored', async () => {
    const { folder, storage, config } = createPlace();
    writeFileSync(join(storage, 'history.db'), gunzipSync(readFileSync(oldHistory)));
    const destination = join(folder, 'backup');
    expect(await outcome(['backup', destination, `--config.file=${config}`])).toMatchObject({ code: 0 });
    expect(inspect(join(destination, 'history.db'))).toEqual({ version: 3, problems: 'ok' });
    expect(await outcome(['restore', destination, `--config.file=${config}`])).toMatchObject({ code: 0 });
    expect(inspect(join(storage, 'history.db'))).toEqual({ version: 6, problems: 'ok' });
    expect(inspect(join(destination, 'history.db'))).toEqual({ version: 3, problems: 'ok' });
  });

  it('of another time zone is refused', async () => {
    const { folder, storage, config } = createPlace('Asia/Tokyo');
    writeFileSync(join(storage, 'history.db'), gunzipSync(readFileSync(oldHistory)));
    const destination = join(folder, 'backup');
    expect(await outcome(['backup', destination, `--config.file=${config}`])).toMatchObject({ code: 0 });
    const { code, output } = await outcome(['restore', destination, `--config.file=${config}`]);
    expect(code).toBe(1);
    expect(output).toContain(`${destination} cannot be restored: the history store (${destination}/history.db)`);
    expect(output).toContain('its days are in the time zone Europe/Berlin, not Asia/Tokyo');
    expect(readdirSync(storage).filter((name) => name.includes('restore'))).toEqual([]);
  });
});
