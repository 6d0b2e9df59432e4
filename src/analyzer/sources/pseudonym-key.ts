import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Log } from '../../base/model/log.ts';
import { giveToOwnerOf } from '../../base/storage/private-file.ts';
import { PSEUDONYM_KEY } from '../../base/storage/saved-files.ts';
import { setAside } from '../../base/storage/set-aside.ts';

/** What this program writes: base64url. */
const IS_KEY = /^[\w-]+\s*$/;
const LOST = 'users have other pseudonyms from now on; restore a backup to have the former ones';

/**
 * The key of the pseudonyms of license users. It is kept in the storage directory, so that a user has the same pseudonym
 * after a restart. A damaged file is set aside and gets a new key. Without a directory, and while the file cannot be used,
 * a key is made for this run: no name of a user is shown without one.
 */
export function pseudonymKeyIn(storagePath: string | undefined, log: Log): string {
  const fresh = randomBytes(32).toString('base64url');
  if (storagePath === undefined) return fresh;
  const path = join(storagePath, PSEUDONYM_KEY);
  try {
    return keptKey(path, fresh.length, log) ?? create(path, fresh);
  } catch (error) {
    const reason = (error as Error).message;
    const remedy = 'check the disk, and the owner and mode of storage.path';
    log.error({ file: path, reason, remedy }, 'users have other pseudonyms until the next start');
    return fresh;
  }
}

/** The key in the file; `undefined` without one. @throws NodeJS.ErrnoException if it cannot be read */
function keptKey(path: string, length: number, log: Log): string | undefined {
  try {
    const key = readFileSync(path, 'utf8');
    if (key.length >= length && IS_KEY.test(key)) return key;
    setAside({ path, reason: 'it is not a key', lost: LOST }, log);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EISDIR') setAside({ path, reason: 'it is a directory', lost: LOST }, log);
    else if (code !== 'ENOENT') throw error;
  }
  return undefined;
}

function create(path: string, key: string): string {
  const directory = dirname(path);
  // `recursive` never returns if a parent cannot be created, for example in /proc
  if (!existsSync(directory)) mkdirSync(directory, { mode: 0o750 });
  // never over a file that could not be set aside
  writeFileSync(path, key, { mode: 0o600, flag: 'wx' });
  giveToOwnerOf(directory, path);
  return key;
}
