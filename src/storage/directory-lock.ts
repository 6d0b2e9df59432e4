import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Log } from '../model/log.ts';
import { OperatorError } from '../model/operator-error.ts';

const LOCK_FILE = 'lock.db';
const SQLITE_BUSY = 5;

/** A storage directory that is this process's alone. */
export interface StorageLock {
  readonly path: string;
  release(): void;
}

/**
 * Takes a storage directory for this process: two daemons on one would overwrite each other's state. SQLite holds the
 * lock, so that the system releases it however the process ends. A directory that cannot be used is reported where it is
 * used, and not locked.
 *
 * @throws OperatorError that names the directory and the remedy, when another process has it
 */
export function lockStorage(path: string, log: Log): StorageLock {
  let database: DatabaseSync | undefined;
  try {
    // `recursive` never returns where a parent cannot be made, in /proc for one
    if (!existsSync(path) && existsSync(dirname(path))) mkdirSync(path, { mode: 0o700 });
    database = new DatabaseSync(join(path, LOCK_FILE), { timeout: 0 });
    chmodSync(join(path, LOCK_FILE), 0o600);
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    database = undefined;
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) {
      throw new OperatorError(`storage.path ${path} is used by another process; give each one a directory of its own`);
    }
    log.warn({ path, reason: (error as Error).message }, 'storage.path not locked');
  }
  return { path, release: () => database?.close() };
}
