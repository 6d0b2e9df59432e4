import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { writeBackup } from '../../../src/base/storage/backup.ts';
import { lockStorage } from '../../../src/base/storage/directory-lock.ts';
import { MANIFEST } from '../../../src/base/storage/manifest.ts';
import { restoreBackup } from '../../../src/base/storage/restore.ts';
import { createCleanup, createTestLog } from '../../support/harness.ts';

/** Steps until the process "is killed": the changing calls of the file system that succeed before one that throws. */
const kill = vi.hoisted(() => ({ after: Number.POSITIVE_INFINITY, steps: 0 }));

vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs')>();
  const counted = <T extends unknown[], R>(action: (...args: T) => R) => {
    return (...args: T): R => {
      if (kill.steps >= kill.after) throw new Error('killed');
      kill.steps += 1;
      return action(...args);
    };
  };
  return {
    ...fs,
    mkdirSync: counted(fs.mkdirSync),
    renameSync: counted(fs.renameSync),
    rmSync: counted(fs.rmSync),
    copyFileSync: counted(fs.copyFileSync),
  };
});

const cleanup = createCleanup();
afterEach(async () => {
  kill.after = Number.POSITIVE_INFINITY;
  await cleanup.run();
});

const NAMES = ['history.db', 'rightsizing.db', 'pseudonym.key'];
const stop = new AbortController().signal;
const check = (): void => {};

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-restore-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function writeDatabase(path: string, value: string): void {
  const database = new DatabaseSync(path);
  database.exec('CREATE TABLE content (value TEXT)');
  database.prepare('INSERT INTO content VALUES (?)').run(value);
  database.close();
}

function readDatabase(path: string): unknown {
  const database = new DatabaseSync(path, { readOnly: true });
  const value = database.prepare('SELECT value FROM content').get()?.value;
  database.close();
  return value;
}

const contentOf = (folder: string): readonly unknown[] =>
  NAMES.map((name) => {
    const path = join(folder, name);
    if (!existsSync(path)) return undefined;
    return name.endsWith('.db') ? readDatabase(path) : readFileSync(path, 'utf8');
  });

const only = (folder: string, start: string): readonly string[] =>
  readdirSync(folder).filter((n) => n.startsWith(start));

/** A storage directory with new data, and a backup with old data and without advice. */
async function createPlace(): Promise<{ folder: string; storage: string; source: string }> {
  const folder = temporaryFolder();
  const storage = join(folder, 'state');
  const source = join(folder, 'backup');
  mkdirSync(storage);
  writeDatabase(join(storage, 'history.db'), 'old');
  writeFileSync(join(storage, 'pseudonym.key'), 'old');
  await writeBackup({ storage, destination: source, version: '1', stop });
  for (const name of ['history.db', 'pseudonym.key']) rmSync(join(storage, name));
  writeDatabase(join(storage, 'history.db'), 'new');
  writeDatabase(join(storage, 'rightsizing.db'), 'new');
  writeFileSync(join(storage, 'pseudonym.key'), 'new');
  // of a killed daemon: it must never stand beside another database
  writeFileSync(join(storage, 'history.db-wal'), '');
  writeFileSync(join(storage, 'alert-state.json'), 'present');
  return { folder, storage, source };
}

const OLD = ['old', undefined, 'old'];
const NEW = ['new', 'new', 'new'];

describe('a restore', () => {
  it('replaces what is saved, keeps what was there, and leaves the rest', async () => {
    const { storage, source } = await createPlace();
    const { before } = await restoreBackup({ storage, source, check, stop });
    expect(contentOf(storage)).toEqual(OLD);
    expect(contentOf(before ?? '')).toEqual(NEW);
    expect(readFileSync(join(storage, 'alert-state.json'), 'utf8')).toBe('present');
    expect(only(storage, 'restore-')).toEqual([]);
    expect(statSync(join(storage, 'history.db')).mode & 0o777).toBe(0o600);
  });

  it('gives the files to the owner of the directory', async () => {
    const { storage, source } = await createPlace();
    const { chownSync } = await import('node:fs');
    if (process.getuid?.() === 0) chownSync(storage, 1234, 2345);
    const { uid, gid } = statSync(storage);
    const { before } = await restoreBackup({ storage, source, check, stop });
    const owners = [...NAMES.flatMap((name) => (existsSync(join(storage, name)) ? [name] : [])), 'lock.db'].map(
      (name) => statSync(join(storage, name)),
    );
    for (const found of [...owners, statSync(before ?? '')]) expect(found).toMatchObject({ uid, gid });
  });

  it('that is killed at any step is, after the next start, the old state or the new one', async () => {
    const seen = new Set<string>();
    let isComplete = false;
    for (let step = 0; !isComplete; step += 1) {
      const { storage, source } = await createPlace();
      kill.steps = 0;
      kill.after = step;
      isComplete = await restoreBackup({ storage, source, check, stop }).then(
        () => true,
        (error: Error) => {
          expect(error.message).toContain('killed');
          return false;
        },
      );
      kill.after = Number.POSITIVE_INFINITY;
      lockStorage(storage, createTestLog()).release();
      const found = contentOf(storage);
      const [before] = only(storage, 'before-restore-');
      expect(only(storage, 'restore-ready-')).toEqual([]);
      if (before === undefined) expect({ step, found }).toEqual({ step, found: NEW });
      else expect({ step, found, before: contentOf(join(storage, before)) }).toEqual({ step, found: OLD, before: NEW });
      if (before !== undefined) expect(existsSync(join(storage, 'history.db-wal'))).toBe(false);
      seen.add(JSON.stringify(found));
    }
    expect(seen.size).toBe(2);
  });

  it('is refused while a daemon uses the directory', async () => {
    const { storage, source } = await createPlace();
    const lock = lockStorage(storage, createTestLog());
    cleanup.add(() => lock.release());
    await expect(restoreBackup({ storage, source, check, stop })).rejects.toThrow(
      `storage.path ${storage} is used by another process; stop license-exporter first`,
    );
    expect(contentOf(storage)).toEqual(NEW);
  });

  it.each([
    ['a changed file', 'pseudonym.key', 'odd', 'pseudonym.key is damaged, its checksum differs from backup.json'],
    ['a missing file', 'history.db', undefined, 'history.db is missing; use another backup'],
    ['no manifest', MANIFEST, undefined, 'it has no backup.json'],
    ['half a manifest', MANIFEST, '{"version":1', 'backup.json is damaged'],
    ['a manifest of a later version', MANIFEST, '{"version":2}', 'a newer version of license-exporter wrote it'],
    [
      'a file of another place',
      MANIFEST,
      '{"version":1,"files":[{"name":"../x","size":1,"sha256":""}]}',
      'backup.json lists a file that no backup has',
    ],
  ])('of a backup with %s is refused and changes nothing', async (_, name, content, message) => {
    const { storage, source } = await createPlace();
    if (content === undefined) rmSync(join(source, name));
    else writeFileSync(join(source, name), content);
    await expect(restoreBackup({ storage, source, check, stop })).rejects.toThrow(
      `${source} cannot be restored: ${message}`,
    );
    expect(contentOf(storage)).toEqual(NEW);
    expect(only(storage, 'restore-')).toEqual([]);
  });
});

describe('a backup', () => {
  it('is for its owner only, and replaces nothing', async () => {
    const { storage, source } = await createPlace();
    expect(statSync(source).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(source)) expect(statSync(join(source, name)).mode & 0o077).toBe(0);
    await expect(writeBackup({ storage, destination: source, version: '1', stop })).rejects.toThrow(
      `${source} exists already; name a new directory`,
    );
  });

  it.each([['is no database', Buffer.from('no database '.repeat(1000)), 'it is not a database; move the file away']])(
    'of a file that %s is refused, and leaves nothing behind',
    async (_, content, message) => {
      const { folder, storage } = await createPlace();
      writeFileSync(join(storage, 'rightsizing.db'), content);
      const destination = join(folder, 'second');
      await expect(writeBackup({ storage, destination, version: '1', stop })).rejects.toThrow(
        `no backup was written: ${join(storage, 'rightsizing.db')}: ${message}`,
      );
      expect(only(folder, 'second')).toEqual([]);
    },
  );

  it('of a damaged database is refused', async () => {
    const { folder, storage } = await createPlace();
    const path = join(storage, 'rightsizing.db');
    const database = new DatabaseSync(path);
    database.exec('CREATE INDEX by_value ON content (value)');
    const { root } = database.prepare("SELECT rootpage AS root FROM sqlite_schema WHERE name = 'by_value'").get() ?? {};
    database.close();
    const bytes = readFileSync(path);
    bytes.fill(0xff, (Number(root) - 1) * 4096, Number(root) * 4096);
    writeFileSync(path, bytes);
    await expect(writeBackup({ storage, destination: join(folder, 'second'), version: '1', stop })).rejects.toThrow(
      /rightsizing\.db.* is damaged/,
    );
    expect(only(folder, 'second')).toEqual([]);
  });

  it('of a directory without data, or to a place that does not exist, is refused', async () => {
    const { folder, storage } = await createPlace();
    const empty = temporaryFolder();
    const to = (from: string, destination: string) => writeBackup({ storage: from, destination, version: '1', stop });
    await expect(to(empty, join(folder, 'x'))).rejects.toThrow('contains nothing to back up');
    await expect(to(join(empty, 'none'), join(folder, 'x'))).rejects.toThrow('does not exist; check the configuration');
    await expect(to(storage, join(folder, 'none/x'))).rejects.toThrow('does not exist; create it');
  });
});
