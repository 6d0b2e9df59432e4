import { existsSync } from 'node:fs';
import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { OperatorError } from '../../base/model/operator-error.ts';
import { createPrivateFile, fileLimitProblem } from '../../base/storage/files.ts';
import { isDamage } from '../../base/storage/set-aside.ts';
import { DamagedRecord } from './day-codec.ts';

/** The SQLite file of the history: its tables, how a file of an earlier version gets them, how it is opened and written to. */

/** Version 0.2.0 made 3, without imports. 4 lost samples of old imports. 5 had no people who wait. */
const SCHEMA_VERSION = 6;

/** The oldest that is converted: that of the release before. */
const OLDEST_SCHEMA_VERSION = 3;

/**
 * A figure that is not known is null. Open samples stand in order of time: a collection then is written to a few pages, not
 * to a page for each series. Those of one series are found by the times of the collections.
 */
const tables = {
  note: 'CREATE TABLE note (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID',
  observation: `CREATE TABLE observation (
    vendor_license TEXT PRIMARY KEY, collected_at INTEGER NOT NULL, observation BLOB NOT NULL,
    source TEXT NOT NULL DEFAULT ''
  ) WITHOUT ROWID`,
  series: `CREATE TABLE series (
    id INTEGER PRIMARY KEY, vendor_license TEXT NOT NULL, feature TEXT NOT NULL, package TEXT NOT NULL,
    feature_type TEXT NOT NULL, UNIQUE (vendor_license, feature, package, feature_type)
  )`,
  openSample: `CREATE TABLE open_sample (
    series INTEGER NOT NULL, at INTEGER NOT NULL, seconds INTEGER NOT NULL, available INTEGER, in_use INTEGER,
    reserved INTEGER, users INTEGER, denials INTEGER, PRIMARY KEY (at, series)
  ) WITHOUT ROWID`,
  openCollection: 'CREATE TABLE open_collection (at INTEGER PRIMARY KEY)',
  daySamples: `CREATE TABLE day_samples (
    series INTEGER NOT NULL, day INTEGER NOT NULL, samples BLOB NOT NULL, PRIMARY KEY (series, day)
  ) WITHOUT ROWID`,
  day: `CREATE TABLE day (
    series INTEGER NOT NULL, day INTEGER NOT NULL, available INTEGER, in_use INTEGER, reserved INTEGER,
    users INTEGER, denials INTEGER, license_seconds INTEGER, hours BLOB NOT NULL, PRIMARY KEY (series, day)
  ) WITHOUT ROWID`,
} as const;

/**
 * What other programs recorded. Its samples stand apart from our own, so that it can be imported again; a day without origins
 * is our own.
 */
const importTables = {
  imported: `CREATE TABLE imported (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, form TEXT NOT NULL, name TEXT NOT NULL, at INTEGER NOT NULL,
    seconds INTEGER NOT NULL, as_of_now INTEGER NOT NULL
  )`,
  importedSamples: `CREATE TABLE imported_samples (
    series INTEGER NOT NULL, day INTEGER NOT NULL, samples BLOB NOT NULL, PRIMARY KEY (series, day)
  ) WITHOUT ROWID`,
  origin: `CREATE TABLE origin (
    series INTEGER NOT NULL, day INTEGER NOT NULL, imported INTEGER NOT NULL, PRIMARY KEY (series, day, imported)
  ) WITHOUT ROWID`,
} as const;

/** Our own part of days whose samples are not kept any more, if something was imported for the day too. */
const ownHours = `CREATE TABLE own_hours (
    series INTEGER NOT NULL, day INTEGER NOT NULL, license_seconds INTEGER, hours BLOB NOT NULL, PRIMARY KEY (series, day)
  ) WITHOUT ROWID`;

/** The number of licenses that counts for the days of an import, where no import knows it. */
const nowBought = `CREATE TABLE now_bought (
    series INTEGER NOT NULL, imported INTEGER NOT NULL, available INTEGER NOT NULL, is_final INTEGER NOT NULL,
    PRIMARY KEY (series, imported)
  ) WITHOUT ROWID`;

/** People who waited on a day, as counts. A row without a cause says that they are known, and its ending whether from an import. */
const blockedDay = `CREATE TABLE blocked_day (
    series INTEGER NOT NULL, day INTEGER NOT NULL, cause TEXT NOT NULL, ended TEXT NOT NULL, episodes INTEGER NOT NULL,
    people INTEGER NOT NULL, seconds INTEGER NOT NULL, PRIMARY KEY (series, day, cause, ended)
  ) WITHOUT ROWID`;

const addedTables = [...Object.values(importTables), ownHours, nowBought, blockedDay];

/** Makes the tables of a new file. Within a transaction. */
function createTables(database: DatabaseSync): void {
  for (const definition of [...Object.values(tables), ...addedTables]) database.exec(definition);
  database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
}

/**
 * Adds the tables that a file of an earlier version does not have. No row is rewritten, so a file of any size is ready at once. One
 * transaction: a crash leaves the one version or the other.
 */
export function migrateTables(database: DatabaseSync, transact: (action: () => void) => void): void {
  transact(() => {
    for (const definition of addedTables)
      database.exec(definition.replace('CREATE TABLE', 'CREATE TABLE IF NOT EXISTS'));
    database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}

/** Why history cannot be written or read, as a message for the operator. */
export class StoreError extends OperatorError {
  override readonly name = 'StoreError';
}

/** The file is damaged, or is no database. */
export class DamagedStore extends StoreError {}

/** The file contains history of another origin. */
class OriginError extends StoreError {}

/** Where history is, and what happens to a file that cannot be read. */
export interface HistoryFileOptions {
  /** The file; in memory without one. */
  readonly path: string | undefined;
  /** The time zone of its days. It cannot be changed later. */
  readonly timeZone: string;
  /** The source of the samples. History of two origins is never mixed. */
  readonly origin: string;
  /** Maximum size of the file, bytes. */
  readonly maxSize: number;
  /** Whether its content can be made again: then it is written faster, and not compressed. */
  readonly isTemporary?: boolean | undefined;
  /** Whether it is only read: another process may write to it. */
  readonly isReadOnly?: boolean | undefined;
}

/** The SQLite database of the history, opened by one process. */
export interface HistoryFile {
  /** A prepared statement. */
  sql(source: string): StatementSync;
  /** Runs an action. An error of SQLite becomes a StoreError with a remedy. */
  guard<T>(action: () => T): T;
  /** One transaction. Throws as SQLite does. */
  transact<T>(action: () => T): T;
  /**
   * One transaction with breaks, in which nothing else may be written. When it fails or is aborted, it is rolled
   * back and `undo` is called.
   *
   * @throws StoreError
   */
  transactInSteps(steps: () => Generator<void, void>, undo: () => void): Generator<void, void>;
  close(): void;
}

const PAGE_SIZE = 4096;
/** How long to wait for a backup that just opens the file, milliseconds. */
const BUSY_MS = 1_000;

/** All problems of the store, as they are logged. Words in capitals are replaced. */
export const storeProblems = {
  denied: 'no permission to use the file; give it to the user that runs license-exporter',
  busy: 'another process uses it; give each its own storage.path',
  readonly: 'the file or its directory cannot be written to; make both writable',
  ioError: 'reading or writing it failed; check the disk',
  damaged: 'it is damaged; restore a backup, or move the file away to start a new one',
  full: 'the disk, or embedded_analyzer.store_max_size, is full; make room, or raise the limit',
  cannotOpen: 'it cannot be opened; the directory must exist and be writable',
  noDirectory: 'its directory cannot be created (CODE); create it, or set another storage.path',
  older: 'it was written by an older version of license-exporter; start this version on it once',
  tooOld: 'it was written by version 0.1.0 of license-exporter; start version 0.2.0 on it once, which converts it',
  newer: 'it was written by a newer version of license-exporter; use that version, or move the file away',
  timeZone:
    'its days are in the time zone FOUND, not WANTED; change embedded_analyzer.time_zone back, or move the file away',
  origin: 'it contains history of FOUND, not of WANTED; move the file away, or set another storage.path',
} as const;

/** SQLite's primary result codes. */
const byResultCode: Readonly<Record<number, string>> = {
  3: storeProblems.denied,
  5: storeProblems.busy,
  6: storeProblems.busy,
  8: storeProblems.readonly,
  10: storeProblems.ioError,
  11: storeProblems.damaged,
  13: storeProblems.full,
  14: storeProblems.cannotOpen,
};

/** Errors of the file system before SQLite opens the file. */
const byFileError: Readonly<Record<string, string>> = {
  EACCES: storeProblems.readonly,
  EROFS: storeProblems.readonly,
  ENOSPC: storeProblems.full,
};

/** The problem reported by SQLite or the file system; `undefined` for a bug. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof DamagedRecord) return storeProblems.damaged;
  const { errcode, syscall, code, message } = error as NodeJS.ErrnoException & { errcode?: number };
  const limit = fileLimitProblem(error);
  if (limit !== undefined) return `it ${limit}`;
  if (errcode !== undefined) return byResultCode[errcode & 0xff] ?? message;
  if (syscall === 'mkdir') return storeProblems.noDirectory.replace('CODE', String(code));
  return syscall === undefined ? undefined : (byFileError[String(code)] ?? storeProblems.cannotOpen);
}

/** A row as SQLite returns it, by name of the column. */
export type Row = Record<string, SQLOutputValue>;
/** A number that is never null. 64 bits are not needed: times are epoch seconds. */
export const integer = (row: Row, column: string): number => Number(row[column]);
/** A figure, `undefined` for null: it is not known. */
export const figure = (row: Row, column: string): number | undefined =>
  row[column] === null ? undefined : integer(row, column);
/** A text that is never null. */
export const text = (row: Row, column: string): string => String(row[column]);
/** Bytes that are never null. */
export const blob = (row: Row, column: string): Uint8Array => row[column] as Uint8Array;

/** Opens the file, or creates a new one. @throws StoreError with the problem and the remedy */
export function openHistoryFile({
  path,
  timeZone,
  origin,
  maxSize,
  isTemporary,
  isReadOnly = false,
}: HistoryFileOptions): HistoryFile {
  const where = path ?? 'in memory';

  const problem = (why: string, cause?: unknown, Kind = StoreError): StoreError =>
    new Kind(`the history store (${where}): ${why}`, { cause });

  const fail = (error: unknown): never => {
    if (error instanceof StoreError) throw error;
    if (path !== undefined && (error instanceof DamagedRecord || isDamage(path, error))) {
      throw problem(storeProblems.damaged, error, DamagedStore);
    }
    const why = reasonOf(error);
    throw why === undefined ? error : problem(why, error);
  };
  const guard = <T>(action: () => T): T => {
    try {
      return action();
    } catch (error) {
      return fail(error);
    }
  };

  const database = guard(() => {
    // it contains names of users, and SQLite would create it readable by all users
    if (path !== undefined && !isReadOnly) createPrivateFile(path);
    return new DatabaseSync(path ?? ':memory:', { timeout: BUSY_MS, readOnly: isReadOnly });
  });

  const rollBack = (): void => {
    // a full disk has rolled back already
    if (database.isTransaction) database.exec('ROLLBACK');
  };

  const transact = <T>(action: () => T): T => {
    database.exec('BEGIN IMMEDIATE');
    try {
      const result = action();
      database.exec('COMMIT');
      return result;
    } catch (error) {
      rollBack();
      throw error;
    }
  };

  const versionOf = (): number => integer(database.prepare('PRAGMA user_version').get() ?? {}, 'user_version');

  const prepareFile = (): void => {
    if (isReadOnly) {
      if (versionOf() > SCHEMA_VERSION) throw problem(storeProblems.newer);
      // 0 has no tables yet
      if (versionOf() > 0 && versionOf() < OLDEST_SCHEMA_VERSION) throw problem(storeProblems.tooOld);
      if (versionOf() < SCHEMA_VERSION) throw problem(storeProblems.older);
      checkNote('time zone', timeZone, storeProblems.timeZone);
      checkNote('origin', origin, storeProblems.origin, OriginError);
      return;
    }
    // only the process that has locked the directory writes to it; a backup reads it meanwhile
    database.exec('PRAGMA trusted_schema = OFF;');
    // overwrites deleted content in the file and its log, because it may contain names of users
    database.exec('PRAGMA secure_delete = ON; PRAGMA journal_size_limit = 0;');
    database.exec(`PRAGMA page_size = ${PAGE_SIZE}; PRAGMA journal_mode = WAL;`);
    database.exec(`PRAGMA synchronous = ${isTemporary === true ? 'OFF' : 'FULL'};`);
    database.exec(`PRAGMA max_page_count = ${Math.max(1, Math.floor(maxSize / PAGE_SIZE))};`);
    const version = versionOf();
    if (version > SCHEMA_VERSION) throw problem(storeProblems.newer);
    if (version > 0 && version < OLDEST_SCHEMA_VERSION) throw problem(storeProblems.tooOld);
    // detects a file that cannot be written, even if there is nothing to write
    transact(() => {
      if (version > 0) return;
      createTables(database);
      const insert = database.prepare('INSERT INTO note VALUES (?, ?)');
      insert.run('time zone', timeZone);
      insert.run('origin', origin);
    });
    checkNote('time zone', timeZone, storeProblems.timeZone);
    checkNote('origin', origin, storeProblems.origin, OriginError);
    if (version > 0 && version < SCHEMA_VERSION) migrateTables(database, transact);
  };

  const checkNote = (key: string, wanted: string, problemText: string, Kind = StoreError): void => {
    const found = text(database.prepare('SELECT value FROM note WHERE key = ?').get(key) ?? {}, 'value');
    if (found !== wanted) throw problem(problemText.replace('FOUND', found).replace('WANTED', wanted), undefined, Kind);
  };

  try {
    guard(prepareFile);
  } catch (error) {
    database.close();
    throw error;
  }

  const statements = new Map<string, StatementSync>();
  const sql = (source: string): StatementSync => {
    const known = statements.get(source) ?? database.prepare(source);
    statements.set(source, known);
    return known;
  };

  const transactInSteps = function* (steps: () => Generator<void, void>, undo: () => void): Generator<void, void> {
    let isDone = false;
    try {
      database.exec('BEGIN IMMEDIATE');
      yield* steps();
      database.exec('COMMIT');
      isDone = true;
    } catch (error) {
      fail(error);
    } finally {
      if (!isDone) {
        undo();
        rollBack();
      }
    }
  };

  return { sql, guard, transact, transactInSteps, close: () => guard(() => database.close()) };
}

/** @throws StoreError if the file contains history of another origin. Other problems of it are not looked for. */
export function checkOrigin(options: HistoryFileOptions): void {
  if (options.path === undefined || !existsSync(options.path)) return;
  try {
    openHistoryFile(options).close();
  } catch (error) {
    if (error instanceof OriginError) throw error;
  }
}
