import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../model/operator-error.ts';
import { giveToOwnerOf } from './files.ts';
import { MANIFEST, readManifest, syncPath } from './manifest.ts';
import { savedNames } from './saved-files.ts';

/** A directory with this name contains all files of a restore. The rest of the name is the time of the restore. */
export const READY = 'restore-ready-';
/** Contains the files that a restore has replaced. The rest of the name is the same. */
const BEFORE = 'before-restore-';

/** Files that SQLite keeps beside a database. */
const COMPANIONS = ['', '-wal', '-shm', '-journal'];

/** Moves a file and those beside it to the folder of replaced files. */
function moveAside(storage: string, name: string, before: string): void {
  for (const one of COMPANIONS.map((companion) => `${name}${companion}`)) {
    if (!existsSync(join(storage, one))) continue;
    if (!existsSync(before)) {
      mkdirSync(before, { mode: 0o700 });
      giveToOwnerOf(storage, before);
    }
    renameSync(join(storage, one), join(before, one));
  }
}

/** Every step can be repeated: a process that is killed in between leaves the rest to the next one. */
function replaceFiles(storage: string, ready: string, before: string): void {
  // the manifest goes last, so without it every file is in its place
  if (existsSync(join(ready, MANIFEST))) {
    const restored = new Set(readManifest(ready, savedNames).files.map(({ name }) => name));
    for (const name of savedNames) {
      const isStaged = existsSync(join(ready, name));
      // a file that is no longer staged is in its place already
      if (isStaged || !restored.has(name)) moveAside(storage, name, before);
      if (isStaged) renameSync(join(ready, name), join(storage, name));
    }
    syncPath(storage);
  }
  rmSync(ready, { recursive: true });
}

/**
 * Puts the files of a restore in their places, also those of a restore that was killed. The directory must be locked, and none
 * of its files open.
 *
 * @returns the folder of the files that were replaced; `undefined` if nothing was
 * @throws OperatorError if files cannot be moved
 */
export function finishRestore(storage: string): string | undefined {
  let replaced: string | undefined;
  for (const name of readdirSync(storage).filter((one) => one.startsWith(READY))) {
    const before = join(storage, `${BEFORE}${name.slice(READY.length)}`);
    try {
      replaceFiles(storage, join(storage, name), before);
    } catch (error) {
      if (error instanceof OperatorError) throw error;
      const { code, message } = error as NodeJS.ErrnoException;
      throw new OperatorError(
        `the restore in ${join(storage, name)} cannot be completed (${code ?? message}); check the owner and mode of storage.path`,
        { cause: error },
      );
    }
    if (existsSync(before)) replaced = before;
  }
  return replaced;
}
