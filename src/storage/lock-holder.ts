import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LOCK_FILE } from './directory-lock.ts';

const LOCKS = '/proc/locks';

/** The byte range that SQLite locks for a writer: fixed in its file format. */
const RANGE = '1073741826 1073742335';

/**
 * The process that has locked a storage directory, without taking the lock: a daemon that starts meanwhile must get it.
 * `undefined` if none has, or if the system does not list locks.
 */
export function findLockHolder(path: string): { readonly pid: number } | undefined {
  const file = join(path, LOCK_FILE);
  if (!existsSync(file) || !existsSync(LOCKS)) return undefined;
  const { ino } = statSync(file);
  const line = readFileSync(LOCKS, 'utf8')
    .split('\n')
    .find((candidate) => candidate.includes(' WRITE ') && candidate.includes(`:${ino} ${RANGE}`));
  const pid = / WRITE +(\d+) /.exec(line ?? '')?.[1];
  return pid === undefined ? undefined : { pid: Number(pid) };
}
