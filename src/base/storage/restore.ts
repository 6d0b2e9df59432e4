import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { explainOpenFiles, OperatorError } from '../model/operator-error.ts';
import { lockDirectory } from './directory-lock.ts';
import { giveToOwnerOf } from './files.ts';
import { finishRestore, READY } from './finish-restore.ts';
import { describeFile, MANIFEST, type Manifest, type ManifestFile, readManifest, syncPath } from './manifest.ts';
import { PARTIAL_RESTORE, savedNames } from './saved-files.ts';

export interface RestoreOptions {
  /** The storage directory. No daemon may use it. */
  readonly storage: string;
  /** The directory of the backup. */
  readonly source: string;
  /** Refuses a file that the daemon would refuse, by throwing an OperatorError. It may convert an older file. */
  readonly check: (name: string, path: string) => void;
  readonly stop: AbortSignal;
}

/** What was restored, and where the files are that it replaced. */
export interface Restored {
  readonly manifest: Manifest;
  /** The folder of the files that were replaced; `undefined` without any. */
  readonly before: string | undefined;
}

const refuse = (source: string, why: string, cause?: unknown): OperatorError =>
  new OperatorError(`${source} cannot be restored: ${why}`, { cause });

function explain(source: string, storage: string, error: unknown): unknown {
  if (error instanceof OperatorError) return error;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  const limit = explainOpenFiles(error);
  if (limit !== undefined) return refuse(source, `${limit.finding} (${limit.code}); ${limit.remedy}`, error);
  if (code === 'ENOSPC') return refuse(source, `the disk of ${storage} is full; free some space`, error);
  return refuse(source, `${code} on ${syscall}; check owner and mode of the backup and of ${storage}`, error);
}

function copyChecked(source: string, partial: string, { name, size, sha256 }: ManifestFile): string {
  const from = join(source, name);
  if (!existsSync(from)) throw refuse(source, `${name} is missing; use another backup`);
  const copy = join(partial, name);
  copyFileSync(from, copy);
  const found = describeFile(copy);
  if (found.size === size && found.sha256 === sha256) return copy;
  throw refuse(source, `${name} is damaged, its checksum differs from ${MANIFEST}; use another backup`);
}

/** Copies all files beside the present ones, checks them, and gives them to the owner of the directory. */
async function stage(
  { storage, check, stop }: RestoreOptions,
  { files }: Manifest,
  source: string,
  partial: string,
): Promise<void> {
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { mode: 0o700 });
  for (const file of files) {
    const copy = copyChecked(source, partial, file);
    try {
      check(file.name, copy);
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      throw refuse(source, error.message.replaceAll(partial, source), error);
    }
    await setImmediate();
    if (stop.aborted) throw refuse(source, 'the command was stopped; nothing has changed');
  }
  copyFileSync(join(source, MANIFEST), join(partial, MANIFEST));
  for (const name of [...files.map((file) => file.name), MANIFEST]) {
    chmodSync(join(partial, name), 0o600);
    giveToOwnerOf(storage, join(partial, name));
    syncPath(join(partial, name));
  }
  giveToOwnerOf(storage, partial);
  syncPath(partial);
}

/**
 * Replaces the saved files of a storage directory by those of a backup. What was there is moved to a folder. One rename decides:
 * a process that is killed before it has changed nothing, and after it the next start completes the restore.
 *
 * @throws OperatorError with the problem and the remedy; then nothing has changed
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { storage } = options;
  const source = resolve(options.source);
  if (!existsSync(storage)) {
    throw new OperatorError(
      `storage.path ${storage} does not exist; create it, and give it to the user that runs license-exporter`,
    );
  }
  // before anybody stops a daemon for it
  const manifest = readManifest(source, savedNames);
  const lock = lockDirectory(storage, 'stop license-exporter first: a running one would go on with the old data');
  const partial = join(storage, PARTIAL_RESTORE);
  try {
    finishRestore(storage);
    await stage(options, manifest, source, partial).catch((error: unknown) => {
      rmSync(partial, { recursive: true, force: true });
      throw error;
    });
    renameSync(partial, join(storage, `${READY}${new Date().toISOString().replace(/[-:]/g, '')}`));
    syncPath(storage);
    return { manifest, before: finishRestore(storage) };
  } catch (error) {
    throw explain(source, storage, error);
  } finally {
    lock.close();
  }
}
