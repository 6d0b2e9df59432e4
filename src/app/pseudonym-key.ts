import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../model/operator-error.ts';
import { giveToOwnerOf } from '../storage/ownership.ts';
import { PSEUDONYM_KEY } from '../storage/saved-files.ts';

/**
 * The key of the pseudonyms of license users. It is kept in the storage directory, so that a user has the same pseudonym
 * after a restart; without a directory, it is made for this run.
 *
 * @throws OperatorError if the file cannot be used
 */
export function pseudonymKeyIn(storagePath: string | undefined): string {
  const fresh = randomBytes(32).toString('base64url');
  if (storagePath === undefined) return fresh;
  const path = join(storagePath, PSEUDONYM_KEY);
  try {
    mkdirSync(storagePath, { mode: 0o750, recursive: true });
    writeFileSync(path, fresh, { mode: 0o600, flag: 'wx' });
    giveToOwnerOf(storagePath, path);
    return fresh;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unusable(path, error);
  }
  try {
    const key = readFileSync(path, 'utf8');
    if (key.length >= fresh.length) return key;
  } catch (error) {
    throw unusable(path, error);
  }
  throw new OperatorError(`${path} is damaged; remove it, and users get other pseudonyms`);
}

const unusable = (path: string, error: unknown): OperatorError =>
  new OperatorError(`${path} cannot be used: ${(error as Error).message}; check the owner and mode of storage.path`, {
    cause: error,
  });
