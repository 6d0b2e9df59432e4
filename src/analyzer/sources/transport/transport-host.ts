import { lstat, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { createPlaces, type Places } from '../../../base/scheduling/places.ts';
import type { AnalyzerSettings } from '../source-settings.ts';
import { type SendSignal, sendSignal } from './processes.ts';
import { createReaper, type Reaper } from './reaper.ts';
import { SharedWork } from './shared-work.ts';
import type { Transport, TransportSettings } from './transport.ts';

const PREFIX = 'run-';
/** Seconds. No run lasts as long. */
const OUTDATED = 24 * 3600;

/** The beginning of the paths of all directories of a process. */
const runPrefix = (folder: string, token: string): string => join(folder, `${PREFIX}${token}-`);

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
class WorkFolder {
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

/** Tools of all sources that run at once. */
const TOOLS = 4;
/** Of each kind of work on files, how much may hang at once: Node has four threads for all files. */
const FILES = 2;

/** What the transports of all sources share. */
export interface TransportHost {
  readonly places: Places;
  readonly toolChecks: SharedWork;
  readonly files: SharedWork;
  readonly workFolder: WorkFolder;
  readonly reaper: Reaper;
  readonly sendSignal: SendSignal;
  /** Epoch seconds. */
  readonly now: () => number;
  /** Seconds, for ages: it goes on while the clock is set. */
  readonly elapsed: () => number;
  /** Asks another analyzer: the arguments of a read are an endpoint and its parameters, `name=value`. */
  readonly analyzer: (settings: AnalyzerSettings & TransportSettings) => Transport;
  /** To be called when all transports are closed. */
  close(): void;
}

/** What reading files needs of it. */
export type FileHost = Pick<TransportHost, 'files' | 'now' | 'elapsed'>;

/** For one reading of files. */
export const createFileHost = (now: () => number): FileHost => ({
  files: new SharedWork(createPlaces(FILES)),
  now,
  elapsed: uptime,
});

/** Where tools run, and who is told of problems. */
export interface TransportHostOptions {
  /** Where the working directories of tools are created. It is created if its parent exists. */
  readonly workFolder: string;
  readonly now: () => number;
  readonly analyzer?: TransportHost['analyzer'];
  /** A sentence for the log: the sources work, but less safely. */
  readonly onProblem: (message: string) => void;
  /** For tests: how time passes, the shell of the reaper, and how signals are sent. */
  readonly elapsed?: () => number;
  readonly shell?: string;
  readonly sendSignal?: SendSignal;
}

/** Runs the tools and requests of all sources, a few at a time. */
export function createTransportHost(options: TransportHostOptions): TransportHost {
  const { workFolder, now, onProblem, shell } = options;
  const reaper = createReaper({
    folderPrefix: (token) => runPrefix(workFolder, token),
    onProblem,
    ...(shell !== undefined && { shell }),
  });
  return {
    places: createPlaces(TOOLS),
    toolChecks: new SharedWork(createPlaces(FILES)),
    files: new SharedWork(createPlaces(FILES)),
    workFolder: new WorkFolder(workFolder, reaper.token),
    reaper,
    sendSignal: options.sendSignal ?? sendSignal,
    now,
    elapsed: options.elapsed ?? uptime,
    analyzer:
      options.analyzer ??
      (() => {
        throw new Error('no client of analyzers was given');
      }),
    close: () => reaper.close(),
  };
}
