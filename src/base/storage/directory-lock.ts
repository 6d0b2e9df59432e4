import { chmodSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Log } from '../model/log.ts';
import { OperatorError } from '../model/operator-error.ts';
import { fileLimitProblem, giveToOwnerOf } from './files.ts';
import { finishRestore } from './finish-restore.ts';
import { removeLeftovers } from './leftovers.ts';

/** The file in a storage directory that SQLite locks. */
const LOCK_FILE = 'lock.db';
const SQLITE_BUSY = 5;

export interface StorageLock {
  readonly path: string;
  release(): void;
}

/** Another process has locked the directory. */
export class StorageInUse extends OperatorError {}

/**
 * Locks a directory until the connection is closed. SQLite holds the lock, so the system releases it even if the process is
 * killed.
 *
 * @param remedy what to do if another process has locked it
 * @throws OperatorError if the directory is locked or cannot be
 */
export function lockDirectory(path: string, remedy: string): DatabaseSync {
  const file = join(path, LOCK_FILE);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 0 });
    chmodSync(file, 0o600);
    giveToOwnerOf(path, file);
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database?.close();
    const { errcode, message } = error as { errcode?: number; message: string };
    if (errcode === SQLITE_BUSY) throw new StorageInUse(`storage.path ${path} is used by another process; ${remedy}`);
    const limit = fileLimitProblem(error);
    if (limit !== undefined) throw new OperatorError(`storage.path ${path} cannot be locked: its lock ${limit}`);
    throw new OperatorError(`storage.path ${path} cannot be locked (${message}); check its owner and mode`, {
      cause: error,
    });
  }
}

/**
 * Locks a storage directory for this process, because two daemons would overwrite each other's state, and completes a restore
 * that was killed. What killed processes left is removed. An unusable directory is not locked; the rooms that use it report the error.
 *
 * @throws OperatorError with the directory and the remedy when another process holds the lock, or a restore cannot be completed
 */
export function lockStorage(path: string, log: Log): StorageLock {
  let database: DatabaseSync | undefined;
  try {
    // `recursive` never returns if a parent cannot be created, for example in /proc
    if (!existsSync(path) && existsSync(dirname(path))) mkdirSync(path, { mode: 0o700 });
    database = lockDirectory(path, 'stop it, or set a different storage.path for each process');
  } catch (error) {
    if (error instanceof StorageInUse) throw error;
    const { cause = error } = error as Error;
    log.warn({ path, reason: (cause as Error).message }, 'storage.path not locked');
  }
  if (database !== undefined) {
    completeRestore(path, database, log);
    removeLeftovers(path, log);
  }
  return { path, release: () => database?.close() };
}

function completeRestore(path: string, lock: DatabaseSync, log: Log): void {
  try {
    const before = finishRestore(path);
    if (before !== undefined) log.info({ path, before }, 'interrupted restore completed');
  } catch (error) {
    lock.close();
    throw error;
  }
}

const LOCKS = '/proc/locks';

/** The last byte that SQLite locks for a writer: fixed in its file format. The system joins it with the bytes before. */
const LAST_BYTE = 1_073_742_335;

/**
 * The process that has locked a storage directory, without taking the lock: a daemon that starts meanwhile must get it.
 * `undefined` if none has, or if the system does not list locks.
 */
export function findLockHolder(path: string): { readonly pid: number } | undefined {
  const file = join(path, LOCK_FILE);
  if (!existsSync(file) || !existsSync(LOCKS)) return undefined;
  const { ino } = statSync(file);
  const lock = new RegExp(` WRITE +(\\d+) \\S+:${ino} \\d+ ${LAST_BYTE}$`, 'm');
  const pid = lock.exec(readFileSync(LOCKS, 'utf8'))?.[1];
  return pid === undefined ? undefined : { pid: Number(pid) };
}
