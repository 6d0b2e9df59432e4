import { DatabaseSync } from 'node:sqlite';
import { OperatorError } from '../../../base/model/operator-error.ts';
import { createPrivateFile, fileLimitProblem } from '../../../base/storage/files.ts';
import { isDamage } from '../../../base/storage/set-aside.ts';

/** The SQLite file of the results, how it is opened, and its possible problems. */

/** The file cannot be used. The message names the file, the reason and the remedy. */
export class KeptFileError extends OperatorError {
  override readonly name = 'KeptFileError';
}

/** The content of the file cannot be used. */
export class DamagedKeptFile extends KeptFileError {}

/** Which program wrote a file, in its header. */
const APPLICATION = 0x4c_52_53_5a;
const VERSION = 2;
/** Pages of 4 KiB. */
const CHECKPOINT_PAGES = 128;
/** How long to wait for a backup that just opens the file, milliseconds. */
const BUSY_MS = 1_000;

/**
 * The rows of a pass are one generation. They become valid with the row of their pass, so that they can be written in small
 * transactions. The past advice of a series stays when the series has none any more.
 */
const SCHEMA = `
  CREATE TABLE pass (analyzer TEXT PRIMARY KEY, generation INTEGER NOT NULL, summary TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE series (
    id INTEGER PRIMARY KEY, analyzer TEXT NOT NULL, vendor_license TEXT NOT NULL, feature TEXT NOT NULL,
    package TEXT NOT NULL, feature_type TEXT NOT NULL,
    UNIQUE (analyzer, vendor_license, feature, package, feature_type)
  );
  CREATE TABLE advice (
    generation INTEGER NOT NULL, series INTEGER NOT NULL, advice TEXT NOT NULL, hours BLOB NOT NULL,
    streak TEXT NOT NULL, PRIMARY KEY (generation, series)
  ) WITHOUT ROWID;
  CREATE TABLE past (
    series INTEGER NOT NULL, month INTEGER NOT NULL, advice TEXT NOT NULL, PRIMARY KEY (series, month)
  ) WITHOUT ROWID;
  PRAGMA application_id = ${APPLICATION};
`;

/**
 * Past advice is that of one day of its month, by one version of the method, and known to be complete when its month is. Before, it
 * was that of the last pass of the month.
 */
const SECOND_SCHEMA = `
  ALTER TABLE past ADD COLUMN day INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE past ADD COLUMN method INTEGER NOT NULL DEFAULT 0;
  CREATE TABLE month (
    analyzer TEXT NOT NULL, month INTEGER NOT NULL, method INTEGER NOT NULL, PRIMARY KEY (analyzer, month)
  ) WITHOUT ROWID;
  PRAGMA user_version = ${VERSION};
`;

const problems = {
  denied: 'no permission to use it; give it to the user that runs license-exporter',
  busy: 'another process uses it; give each its own storage.path',
  readonly: 'it or its directory cannot be written to; make both writable',
  ioError: 'reading or writing it failed; check the disk',
  damaged: 'it is damaged; remove it, and the advice is computed again',
  full: 'the disk is full; free some space',
  cannotOpen: 'it cannot be opened; its directory must exist and be writable',
  foreign: 'it is not a file of right-sizing; move it away',
  newer: 'it was written by a newer version of license-exporter; use that version, or move the file away',
} as const;

/** SQLite's primary result codes. */
const byResultCode: Readonly<Record<number, string>> = {
  3: problems.denied,
  5: problems.busy,
  6: problems.busy,
  8: problems.readonly,
  10: problems.ioError,
  11: problems.damaged,
  13: problems.full,
  14: problems.cannotOpen,
};

/** Errors of the file system before SQLite opens the file. */
const byFileError: Readonly<Record<string, string>> = {
  EACCES: problems.readonly,
  EROFS: problems.readonly,
  ENOSPC: problems.full,
};

/** The problem as an error for the operator; any other error is returned as it is. */
export function explainKept(path: string | undefined, error: unknown): unknown {
  if (error instanceof KeptFileError) return error;
  const { errcode, syscall, code, message } = error as NodeJS.ErrnoException & { errcode?: number };
  if (errcode === undefined && syscall === undefined) return error;
  if (path !== undefined && isDamage(path, error)) return damagedKept(path, error);
  const limit = fileLimitProblem(error);
  const known =
    errcode === undefined
      ? (byFileError[String(code)] ?? problems.cannotOpen)
      : (byResultCode[errcode & 0xff] ?? message);
  const why = limit === undefined ? known : `it ${limit}`;
  return new KeptFileError(`the advice file ${path ?? '(in memory)'} cannot be used: ${why}`, { cause: error });
}

function prepare(database: DatabaseSync, path: string | undefined): void {
  // only the process that has locked the directory writes to it; a backup reads it meanwhile
  database.exec('PRAGMA trusted_schema = OFF;');
  // a power loss can lose the last pass, which is then computed again
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 0;');
  // what is copied from the log to the file at once holds up the thread
  database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};`);
  const read = (pragma: string): number => Number(Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0]);
  const isNew = database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
  const problem = (why: string): KeptFileError =>
    new KeptFileError(`the advice file ${path ?? '(in memory)'} cannot be used: ${why}`);
  if (!isNew && read('application_id') !== APPLICATION) throw problem(problems.foreign);
  const version = read('user_version');
  if (version > VERSION) throw problem(problems.newer);
  // begins in any case: a file that cannot be written is found out now
  database.exec(`BEGIN IMMEDIATE; ${isNew ? SCHEMA : ''} ${version < VERSION ? SECOND_SCHEMA : ''} COMMIT`);
}

/** Content that cannot be read. */
export const damagedKept = (path: string | undefined, cause: unknown): KeptFileError =>
  new DamagedKeptFile(`the advice file ${path ?? '(in memory)'} cannot be used: ${problems.damaged}`, { cause });

/** Opens the file, or creates a new one; in memory without a path. @throws KeptFileError */
export function openKeptFile(path: string | undefined): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    if (path !== undefined) createPrivateFile(path);
    database = new DatabaseSync(path ?? ':memory:', { timeout: BUSY_MS });
    prepare(database, path);
    return database;
  } catch (error) {
    database?.close();
    throw explainKept(path, error);
  }
}
