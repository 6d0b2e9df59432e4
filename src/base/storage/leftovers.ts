import { type Dirent, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../model/log.ts';
import { PARTIAL_RESTORE, stateFiles } from './saved-files.ts';

/** What a killed process has left behind: parts of files and directories, which get their names when they are whole. */

/** The name under which this process writes a file before it replaces the old one. */
export const temporaryOf = (path: string): string => `${path}.${process.pid}.tmp`;
const TEMPORARY = /^(.+)\.\d+\.tmp$/;

const isTemporary = (name: string): boolean =>
  (Object.values(stateFiles) as readonly string[]).includes(TEMPORARY.exec(name)?.[1] ?? '');

/** When this process began, epoch milliseconds. */
const BEGAN = Date.now() - process.uptime() * 1000;

/** Whether a process of this host has the id. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** When anything in a directory was changed last, epoch milliseconds. */
function changedAt(folder: string): number {
  const within = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  return Math.max(...[folder, ...within].map((path) => lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0));
}

/**
 * Removes what a killed process has left in a storage directory. It must be locked: then no other process that writes there is alive,
 * and ids say nothing. What cannot be removed is logged.
 */
export function removeLeftovers(storage: string, log: Log): void {
  try {
    const found = readdirSync(storage, { withFileTypes: true }).filter(
      (entry) => (entry.isFile() && isTemporary(entry.name)) || (entry.isDirectory() && entry.name === PARTIAL_RESTORE),
    );
    for (const { name } of found) rmSync(join(storage, name), { recursive: true, force: true });
    if (found.length > 0)
      log.info({ path: storage, files: found.map(({ name }) => name) }, 'removed what a killed process left');
  } catch (error) {
    log.warn({ path: storage, reason: (error as Error).message }, 'what a killed process left cannot be removed');
  }
}

/** Directories that a program makes for the time in which they are not whole. */
export interface Abandoned {
  /** Their names. The group `pid` of its match is the process, if the name has one. */
  readonly name: RegExp;
  /** Whether they can have an entry of this name. */
  readonly holds: (entry: string) => boolean;
  /** How long nothing in one was changed, seconds: the id of a process says nothing about those of another container. */
  readonly untouched: number;
}

/** Removes directories of killed processes from a folder where several processes can write. What cannot be removed stays. */
export function removeAbandoned(folder: string, { name, holds, untouched }: Abandoned): void {
  const isAbandoned = (entry: Dirent): boolean => {
    const match = entry.isDirectory() ? name.exec(entry.name) : null;
    if (match === null) return false;
    const path = join(folder, entry.name);
    const pid = Number(match.groups?.pid);
    const changed = changedAt(path);
    // an earlier process of another container can have had the id of this one
    const isAlive = !Number.isNaN(pid) && (pid === process.pid ? changed >= BEGAN : isRunning(pid));
    return !isAlive && readdirSync(path).every(holds) && Date.now() - changed >= untouched * 1000;
  };
  for (const entry of entriesOf(folder)) {
    try {
      if (isAbandoned(entry)) rmSync(join(folder, entry.name), { recursive: true, force: true });
    } catch {
      // it belongs to another user, or is gone
    }
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // who writes there reports it
    return [];
  }
}
