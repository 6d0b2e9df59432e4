import { closeSync, existsSync, lchownSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Gives a file or directory that root has created to the owner of its directory, because the daemon runs as that user. */
export function giveToOwnerOf(directory: string, path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(directory);
  // not through a link, which the user could have put there
  lchownSync(path, uid, gid);
}

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
