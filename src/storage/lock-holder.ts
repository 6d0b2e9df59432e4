import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LOCK_FILE } from './directory-lock.ts';

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
