import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Log } from '../../../src/base/model/log.ts';
import { isDamage, renameDamaged, setAside } from '../../../src/base/storage/set-aside.ts';

const AT = Date.UTC(2026, 10, 23, 15, 50, 7);
let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'set-aside-'));
  path = join(directory, 'x.db');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('the file and what SQLite keeps beside it get the name of the date', () => {
  for (const end of ['', '-wal', '-shm', '-journal']) writeFileSync(path + end, end);
  const renamed = renameDamaged(path, AT);
  expect(renamed).toBe(`${path}.damaged-20261123T155007Z`);
  expect(readdirSync(directory).sort()).toEqual(
    ['', '-journal', '-shm', '-wal'].map((end) => `x.db.damaged-20261123T155007Z${end}`),
  );
  expect(readFileSync(`${renamed}-wal`, 'utf8')).toBe('-wal');
});

test('a file that is set aside never replaces another one, nor its companions', () => {
  const names = [0, 1, 2].map((content) => {
    writeFileSync(path, String(content));
    return renameDamaged(path, AT);
  });
  expect(names.map((name) => readFileSync(name, 'utf8'))).toEqual(['0', '1', '2']);
  writeFileSync(`${path}.damaged-20261123T155007Z-4-wal`, 'kept');
  writeFileSync(path, '3');
  expect(renameDamaged(path, AT)).toBe(`${path}.damaged-20261123T155007Z-5`);
  expect(readFileSync(`${path}.damaged-20261123T155007Z-4-wal`, 'utf8')).toBe('kept');
});

test('a directory in its place is set aside with what it has', () => {
  mkdirSync(path);
  writeFileSync(join(path, 'inner'), 'kept');
  expect(readFileSync(join(renameDamaged(path, AT), 'inner'), 'utf8')).toBe('kept');
  expect(existsSync(path)).toBe(false);
});

test('the log names both files and what is lost; a file that cannot be renamed is reported too', () => {
  const lines: object[] = [];
  const error: Log['error'] = (fields) => void lines.push(fields);
  const log: Log = { debug: error, info: error, warn: error, error };
  writeFileSync(path, 'x');
  const renamed = setAside({ path, reason: 'not JSON', lost: 'counts begin again' }, log);
  expect(renamed).toMatch(/^x\.db\.damaged-\d{8}T\d{6}Z$/);
  expect(setAside({ path, reason: 'not JSON', lost: 'counts begin again' }, log)).toBeUndefined();
  expect(lines).toEqual([
    { file: path, renamed, reason: 'not JSON', lost: 'counts begin again' },
    expect.objectContaining({ file: path, remedy: 'it cannot be renamed (ENOENT); move it away' }),
  ]);
});

/** What SQLite says when it opens the file and writes to it. */
function failureOf(): unknown {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS b (c); INSERT INTO a VALUES (1)');
    return undefined;
  } catch (error) {
    return error;
  } finally {
    database?.close();
  }
}

const make = (): void => {
  const database = new DatabaseSync(path);
  database.exec('CREATE TABLE a (b); CREATE TABLE d (e)');
  database.close();
};

test.each([
  ['garbage', () => writeFileSync(path, 'garbage '.repeat(1000))],
  [
    'a database cut in two',
    () => {
      make();
      truncateSync(path, 6000);
    },
  ],
  ['a directory', () => mkdirSync(path)],
])('%s is damage', (_, damage) => {
  damage();
  const error = failureOf();
  expect(error).toBeDefined();
  expect(isDamage(path, error)).toBe(true);
});

test('a full or locked file is not damage', () => {
  make();
  const database = new DatabaseSync(path);
  database.exec('PRAGMA max_page_count = 1');
  let full: unknown;
  try {
    database.exec('INSERT INTO a SELECT randomblob(100000)');
  } catch (error) {
    full = error;
  }
  expect(full).toMatchObject({ errcode: 13 });
  expect(isDamage(path, full)).toBe(false);
  database.exec('BEGIN EXCLUSIVE');
  const locked = failureOf();
  database.close();
  expect(locked).toMatchObject({ errcode: 5 });
  expect(isDamage(path, locked)).toBe(false);
});
