import { chmodSync, closeSync, copyFileSync, existsSync, mkdtempSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { OperatorError } from '../model/operator-error.ts';
import { fileLimitProblem } from './files.ts';
import { type Abandoned, removeAbandoned } from './leftovers.ts';
import { describeFile, MANIFEST, type ManifestFile, syncPath, writeManifest } from './manifest.ts';
import { savedFiles, savedNames } from './saved-files.ts';

export interface BackupOptions {
  /** The storage directory. A daemon may use it. */
  readonly storage: string;
  /** The new directory of the backup. */
  readonly destination: string;
  /** Of the program, for the manifest. */
  readonly version: string;
  readonly stop: AbortSignal;
}

/** Pages that are copied in one step. Between two steps, the backup can be stopped. */
const PAGES = 1_000;
/** How long to wait for a daemon that opens or moves the end of the file, milliseconds. */
const BUSY_MS = 5_000;

/** Primary result codes of SQLite. */
const byResultCode: Readonly<Record<number, string>> = {
  3: 'no permission to read it; run the command as the user of the daemon, or as root',
  5: 'a process of an earlier version uses it alone; stop that process',
  8: 'its directory cannot be written to; run the command as the user of the daemon, or as root',
  10: 'reading or writing failed; check the disks',
  11: 'it is damaged; use an earlier backup, or move the file away',
  14: 'it cannot be opened; run the command as the user of the daemon, or as root',
  26: 'it is not a database; move the file away',
};

/** Errors of the file system. */
const bySystemCode: Readonly<Record<string, string>> = {
  EACCES: 'permission denied; run the command as a user that can read storage.path and write the backup',
  EDQUOT: 'the quota of the disk is used up; free some space',
  EISDIR: 'it is a directory; move it away',
  ENOENT: 'the directory that should contain it does not exist; create it',
  ENOSPC: 'the disk is full; free some space',
  ENOTDIR: 'part of its path is a file; name another directory',
  EROFS: 'the file system is read-only; name another directory',
};

const SQLITE_FULL = 13;

function explain(storage: string, destination: string, name: string | undefined, error: unknown): unknown {
  if (error instanceof OperatorError) return error;
  const { errcode, code, message } = error as NodeJS.ErrnoException & { errcode?: number };
  const limit = fileLimitProblem(error);
  if (limit !== undefined) {
    const what = name === undefined ? destination : join(storage, name);
    return new OperatorError(`no backup was written: ${what} ${limit}`, { cause: error });
  }
  if (errcode === undefined && bySystemCode[code ?? ''] === undefined) return error;
  const isFull = errcode !== undefined && (errcode & 0xff) === SQLITE_FULL;
  const why = isFull
    ? bySystemCode.ENOSPC
    : errcode === undefined
      ? bySystemCode[code ?? '']
      : (byResultCode[errcode & 0xff] ?? message);
  const what = name === undefined || isFull ? destination : join(storage, name);
  return new OperatorError(`no backup was written: ${what}: ${why}`, { cause: error });
}

/** Makes a copy one file without a log, and checks it. @throws OperatorError if it is damaged */
function checkCopy(path: string, source: string): void {
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA journal_mode = DELETE');
    const [row] = database.prepare('PRAGMA integrity_check(1)').all();
    const result = String(Object.values(row ?? {})[0]);
    if (result === 'ok') return;
    throw new OperatorError(
      `no backup was written: ${source} is damaged (${result}); use an earlier backup, or move the file away`,
    );
  } finally {
    database.close();
  }
}

/**
 * Copies a database that another process may write to. A read transaction holds the state at the beginning: without it, the
 * copy would start again at each change. It delays no writer; the log of the file grows until the copy is complete.
 */
async function copyDatabase(source: string, copy: string, stop: AbortSignal): Promise<void> {
  closeSync(openSync(copy, 'wx', 0o600));
  const database = new DatabaseSync(source, { readOnly: true, timeout: BUSY_MS });
  try {
    database.exec('BEGIN');
    database.prepare('SELECT 1 FROM sqlite_schema').get();
    await backup(database, copy, {
      rate: PAGES,
      progress: () => {
        if (stop.aborted) throw stopped();
      },
    });
  } finally {
    database.close();
  }
  checkCopy(copy, source);
}

/** A part of a backup whose command was killed. Each page that a living one copies changes a file. */
const abandoned: Abandoned = {
  name: /\.partial-[A-Za-z0-9]{6}$/,
  holds: (entry) => [...savedNames, MANIFEST].some((name) => entry === name || entry.startsWith(`${name}-`)),
  untouched: 86_400,
};

const stopped = (): OperatorError => new OperatorError('no backup was written: the command was stopped');

/** Moves a complete directory to its name. @throws OperatorError if the name is taken meanwhile */
function publish(partial: string, destination: string): void {
  syncPath(partial);
  refuseExisting(destination);
  renameSync(partial, destination);
  syncPath(dirname(destination));
}

function refuseExisting(destination: string): void {
  if (existsSync(destination)) throw new OperatorError(`${destination} exists already; name a new directory`);
}

/**
 * Writes a backup to a new directory with mode 0700. It gets its name when it is complete and checked, so a part of a backup
 * is never taken for a whole one. A daemon can go on writing; its lock is not needed.
 *
 * @returns the files of the backup
 * @throws OperatorError with the problem and the remedy; nothing is left behind. What a killed process has left is removed by a
 * backup to the same directory after a day
 */
export async function writeBackup(options: BackupOptions): Promise<readonly ManifestFile[]> {
  const { storage, version, stop } = options;
  const destination = resolve(options.destination);
  if (!existsSync(storage)) throw new OperatorError(`storage.path ${storage} does not exist; check the configuration`);
  refuseExisting(destination);
  const present = savedFiles.filter(({ name }) => existsSync(join(storage, name)));
  if (present.length === 0) {
    const names = savedNames.join(', ');
    throw new OperatorError(`storage.path ${storage} contains nothing to back up (${names}); check the configuration`);
  }
  removeAbandoned(dirname(destination), abandoned);
  let partial: string | undefined;
  let current: string | undefined;
  try {
    partial = mkdtempSync(`${destination}.partial-`);
    const saved: ManifestFile[] = [];
    for (const { name, kind } of present) {
      current = name;
      const copy = join(partial, name);
      if (kind === 'database') await copyDatabase(join(storage, name), copy, stop);
      else copyFileSync(join(storage, name), copy);
      chmodSync(copy, 0o600);
      syncPath(copy);
      saved.push(describeFile(copy));
      if (stop.aborted) throw stopped();
    }
    current = undefined;
    writeManifest(partial, version, saved);
    publish(partial, destination);
    return saved;
  } catch (error) {
    if (partial !== undefined) rmSync(partial, { recursive: true, force: true });
    throw explain(storage, destination, current, error);
  }
}
