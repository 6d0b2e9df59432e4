import { lstat, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const PREFIX = 'run-';
/** Seconds. No run lasts as long. */
const OUTDATED = 24 * 3600;

/** The beginning of the paths of all directories of a process. */
export const runPrefix = (folder: string, token: string): string => join(folder, `${PREFIX}${token}-`);

/** Only its owner may write the folder: others could replace the directories in it. */
async function prepare(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const found = await lstat(folder);
  if (!found.isDirectory()) throw new Error(`${folder} is not a directory; remove it`);
  const { mode, uid } = found;
  const own = process.getuid?.();
  if (own !== undefined && uid !== own) throw new Error(`${folder} belongs to another user; remove it`);
  if ((mode & 0o022) !== 0) throw new Error(`${folder} may be written by other users; forbid it (chmod 700 ${folder})`);
}

/** Deletes what a killed process has left. */
async function clear(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(folder, name);
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > OUTDATED * 1000) await rm(path, { recursive: true, force: true });
  }
}

/** Where the private working directories of tools are. */
export class WorkFolder {
  readonly #folder: string;
  readonly #token: string;
  #isCleared = false;

  /**
   * @param folder it is created if its parent exists
   * @param token part of the names of the directories, see `runPrefix`
   */
  constructor(folder: string, token: string) {
    this.#folder = folder;
    this.#token = token;
  }

  /** A new, empty directory that only this user can read. @throws Error with the remedy */
  async create(): Promise<string> {
    await prepare(this.#folder);
    if (!this.#isCleared) {
      this.#isCleared = true;
      // what cannot be deleted is no reason not to run a tool
      await clear(this.#folder).catch(() => undefined);
    }
    return mkdtemp(runPrefix(this.#folder, this.#token));
  }

  /** Deletes one. A tool that cannot be stopped may keep it. */
  remove(path: string): Promise<void> {
    return rm(path, { recursive: true, force: true, maxRetries: 2 }).catch(() => undefined);
  }
}
