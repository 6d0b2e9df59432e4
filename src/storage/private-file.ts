import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { giveToOwnerOf } from './ownership.ts';

/**
 * Creates an empty file that only its owner can read, and its directory. The file belongs to the owner of the directory. A
 * file that exists stays as it is.
 *
 * @throws NodeJS.ErrnoException when the file or its directory cannot be created or opened
 */
export function createPrivateFile(path: string): void {
  const directory = dirname(path);
  // not with its parents: `recursive` never returns if a parent cannot be created, for example in /proc
  if (!existsSync(directory)) mkdirSync(directory, { mode: 0o750 });
  const isNew = !existsSync(path);
  closeSync(openSync(path, 'a', 0o600));
  if (isNew) giveToOwnerOf(directory, path);
}
