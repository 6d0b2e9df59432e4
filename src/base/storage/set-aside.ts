import { lstatSync, renameSync } from 'node:fs';
import { basename } from 'node:path';
import type { Log } from '../model/log.ts';

/** Damaged files are kept under another name, so that they can be repaired, and a new file takes their place. */

/** What SQLite keeps beside a database. It belongs to it under its new name too. */
const COMPANIONS = ['-wal', '-shm', '-journal'] as const;

const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** A name that neither a file nor a companion of one has. */
function freeName(path: string, nowMs: number): string {
  const stamp = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const isTaken = (wanted: string): boolean => ['', ...COMPANIONS].some((end) => exists(wanted + end));
  const name = `${path}.damaged-${stamp}`;
  if (!isTaken(name)) return name;
  let count = 2;
  while (isTaken(`${name}-${count}`)) count += 1;
  return `${name}-${count}`;
}

/**
 * Renames a file, or what is in its place, and what SQLite keeps beside it to `NAME.damaged-YYYYMMDDTHHMMSSZ`. It never
 * replaces a file. The database must be closed.
 *
 * @returns the new path of the file
 * @throws NodeJS.ErrnoException when the directory cannot be written
 */
export function renameDamaged(path: string, nowMs: number = Date.now()): string {
  const to = freeName(path, nowMs);
  // the file itself last: until then it is found again, and what is beside a new one is its own
  for (const end of COMPANIONS) if (exists(path + end)) renameSync(path + end, to + end);
  renameSync(path, to);
  return to;
}

/** A file that cannot be used. */
export interface DamagedFile {
  readonly path: string;
  /** What is wrong with it, without its path. */
  readonly reason: string;
  /** What is not known any more, and what follows from it, as a clause. */
  readonly lost: string;
}

/**
 * Sets a damaged file aside and logs both names and what is lost, or that it could not be renamed. Never throws.
 *
 * @returns its new path; `undefined` if it is still in its place
 */
export function setAside({ path, reason, lost }: DamagedFile, log: Log): string | undefined {
  try {
    const renamed = basename(renameDamaged(path));
    log.error({ file: path, renamed, reason, lost }, 'damaged file set aside, a new one takes its place');
    return renamed;
  } catch (error) {
    const remedy = `it cannot be renamed (${(error as NodeJS.ErrnoException).code}); move it away`;
    log.error({ file: path, reason, remedy, lost }, 'damaged file cannot be set aside');
    return undefined;
  }
}

/** Primary result codes of SQLite: the content is not consistent, or is not that of a database. */
const DAMAGE: ReadonlySet<number> = new Set([11, 26]);

/** Whether an error of SQLite or the file system means that the file is damaged. One that is full or locked is not. */
export function isDamage(path: string, error: unknown): boolean {
  const { errcode } = error as { errcode?: number };
  if (errcode !== undefined && DAMAGE.has(errcode & 0xff)) return true;
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // it cannot be reached, which is another problem
    return false;
  }
}
