import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Log } from '../model/log.ts';
import { explainOpenFiles } from '../model/operator-error.ts';
import { createLatestOnly } from '../scheduling/limit.ts';
import type { FileWrites } from './file-writes.ts';
import { giveToOwnerOf } from './files.ts';
import { temporaryOf } from './leftovers.ts';
import { setAside } from './set-aside.ts';
import { movedSince, type Stamp } from './stamp.ts';

/** Whether a promise resolves within `seconds`. @throws what the promise rejects with in that time */
async function endsWithin(promise: Promise<void>, seconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), seconds * 1000);
  });
  try {
    return await Promise.race([promise.then(() => true), limit]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Writes a value as a JSON file with mode 0600. The file is replaced atomically: even after a crash it has the old content
 * or the new content. Two writes of one file must not run at once, because they share a temporary file.
 *
 * @throws NodeJS.ErrnoException when the file or its directory cannot be written
 */
export async function writeJsonFile(path: string, content: unknown): Promise<void> {
  // `recursive` never returns if a parent cannot be created, for example in /proc
  const directory = dirname(path);
  if (!existsSync(directory)) mkdirSync(directory, { mode: 0o700 });
  const temporary = temporaryOf(path);
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(content)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  giveToOwnerOf(directory, temporary);
  await rename(temporary, path);
}

/** A state file: its shape, and what it means if it cannot be used. */
export interface JsonStateOptions<T> {
  readonly path: string;
  /** What follows if the file is not saved or not read, as a clause. */
  readonly consequence: string;
  /** What is saved, beside the version. Called when the file is written. */
  readonly content: () => object;
  /**
   * The state in the file.
   *
   * @param by seconds to add to its times, because the clock was set since it was written
   * @throws Error if it is not such a state
   */
  readonly read: (content: Readonly<Record<string, unknown>>, by: number) => T;
  /** Now, by the clock of its times. */
  readonly stamp: () => Stamp;
  readonly writes: FileWrites;
  readonly log: Log;
}

/** State that outlives the process, in a JSON file that is replaced as a whole. */
export interface JsonState<T> {
  /** What was saved; `undefined` without a file that can be used. A damaged one is set aside. Never throws. */
  load(): T | undefined;
  /** Resolves when the newest state is written, when that fails, or after `MAX_WAIT`. Never rejects. */
  save(): Promise<void>;
}

/** Maximum time that alerts and messages wait for the file, seconds. */
const MAX_WAIT = 5;
const VERSION = 1;

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The content of the file. @throws NodeJS.ErrnoException, or Error if it is not that of a state */
function contentOf(path: string): Readonly<Record<string, unknown>> {
  const text = readFileSync(path, 'utf8');
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    // the message of the parser shows some of the content
    throw new Error('it is not complete JSON');
  }
  if (!isMap(content) || typeof content.v !== 'number') throw new Error('it has no version');
  return content;
}

/** Whether the file is of a newer version, which could not read what this one writes. */
function isNewer(path: string): boolean {
  try {
    return Number(contentOf(path).v) > VERSION;
  } catch {
    return false;
  }
}

/** A state that is written as a whole, one write at a time, and set aside if it is damaged. */
export function createJsonState<T>(options: JsonStateOptions<T>): JsonState<T> {
  const { path, consequence, content, read, stamp, writes, log } = options;
  let isHanging = false;
  let mayBeNewer = false;
  /** Whether the file was there and could not be opened: what it has must not be replaced. */
  let isUnread = false;

  const fail = (why: string, remedy: string): void => writes.failed(`${path} ${why}; ${consequence}; ${remedy}`);
  const refuse = (): void =>
    fail('was written by a newer version of license-exporter', 'use that version, or move the file away');

  const write = createLatestOnly(async () => {
    mayBeNewer &&= isNewer(path);
    if (isUnread) setAside({ path, reason: 'it could not be opened at the start', lost: consequence }, log);
    isUnread = false;
    try {
      if (mayBeNewer) refuse();
      else {
        await writeJsonFile(path, { v: VERSION, written: stamp(), ...content() });
        writes.succeeded();
      }
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const limit = explainOpenFiles(error);
      if (limit !== undefined) fail(`cannot be written: ${limit.finding} (${limit.code})`, limit.remedy);
      else fail(`cannot be written (${code ?? message})`, 'check the disk and the owner of storage.path');
    }
    isHanging = false;
  });

  return {
    load: () => {
      try {
        const found = contentOf(path);
        mayBeNewer = Number(found.v) > VERSION;
        if (found.v === VERSION) return read(found, movedSince(found.written, stamp()));
        if (!mayBeNewer) throw new Error('it has no version that there ever was');
        refuse();
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        // without its directory there is nothing to read; saving reports it
        if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
        const limit = explainOpenFiles(error);
        if (limit !== undefined) {
          isUnread = true;
          fail(`cannot be read: ${limit.finding} (${limit.code})`, limit.remedy);
          return undefined;
        }
        const reason = code === undefined ? message : `it cannot be read (${code})`;
        setAside({ path, reason, lost: consequence }, log);
      }
      return undefined;
    },
    save: async () => {
      const written = write();
      // waits once for a write that hangs, not once for each save
      if (isHanging || (await endsWithin(written, MAX_WAIT)) || isHanging) return;
      isHanging = true;
      fail(`is not written after ${MAX_WAIT} s`, 'check the disk of storage.path');
    },
  };
}
