import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Log } from '../model/log.ts';
import { OperatorError } from '../model/operator-error.ts';

/** The file in a storage directory that SQLite locks. */
export const LOCK_FILE = 'lock.db';
const SQLITE_BUSY = 5;

/** The lock of a storage directory. */
export interface StorageLock {
  readonly path: string;
  release(): void;
}

/**
 * Locks a storage directory for this process, because two daemons would overwrite each other's state. SQLite holds the
 * lock, so the system releases it even if the process is killed. An unusable directory is not locked; the rooms that use
 * it report the error.
 *
 * @throws OperatorError with the directory and the remedy when another process holds the lock
 */
export function lockStorage(path: string, log: Log): StorageLock {
  let database: DatabaseSync | undefined;
  try {
    // `recursive` never returns if a parent cannot be created, for example in /proc
    if (!existsSync(path) && existsSync(dirname(path))) mkdirSync(path, { mode: 0o700 });
    database = new DatabaseSync(join(path, LOCK_FILE), { timeout: 0 });
    chmodSync(join(path, LOCK_FILE), 0o600);
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    database = undefined;
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) {
      throw new OperatorError(
        `storage.path ${path} is used by another process; set a different storage.path for each process`,
      );
    }
    log.warn({ path, reason: (error as Error).message }, 'storage.path not locked');
  }
  return { path, release: () => database?.close() };
}
