import { closeSync, existsSync, lchownSync, mkdirSync, openSync, statSync } from 'node:fs';
import { devNull } from 'node:os';
import { dirname } from 'node:path';
import { openFilesProblem } from '../model/operator-error.ts';

/** What SQLite says of any file that it cannot open. */
const SQLITE_CANTOPEN = 14;

/**
 * The limit and the remedy, if a file could not be opened because too many are open; `undefined` for any other error. SQLite does
 * not say why it cannot open a file: then another file is opened, to see.
 */
export function fileLimitProblem(error: unknown): string | undefined {
  const { errcode } = error as { errcode?: number };
  if (errcode === undefined || (errcode & 0xff) !== SQLITE_CANTOPEN) return openFilesProblem(error);
  try {
    closeSync(openSync(devNull, 'r'));
    return undefined;
  } catch (other) {
    return openFilesProblem(other);
  }
}

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
