import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
} from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { databaseOf } from '../../analyzer/archive/archiving.ts';
import { connectArchive } from '../../analyzer/archive/connection.ts';
import { directoryProblem } from '../../base/files/named-files.ts';
import { type Explanation, OperatorError } from '../../base/model/operator-error.ts';
import { findLockHolder } from '../../base/storage/directory-lock.ts';
import { logonFileOf } from '../../exporter/client/account.ts';
import type { Site } from './site.ts';
import { bad, explained, good, type Outcome, type Step, warning } from './step.ts';
import { mayBeRunning } from './web-step.ts';

/** Whether the database of the archive accepts the logon. A daemon works without it, so this is no failure. */
export const archiveStep: Step = {
  name: 'archive',
  exit: 'local',
  needs: [],
  applies: ({ kind, config }) => kind === 'own' && config.storage.archive !== undefined,
  check: async ({
    config: {
      storage: { archive },
    },
    log,
  }) => {
    if (archive === undefined) return good('none');
    try {
      const connection = await connectArchive(databaseOf(archive, log));
      connection.close();
      return good(`${archive.host}:${archive.port} accepts the logon of ${archive.user}`);
    } catch (error) {
      if (error instanceof OperatorError) return warning(error.message);
      throw error;
    }
  },
};

/** Less free space is a warning, bytes. */
const SCARCE = 100 * 2 ** 20;

/** What to do about a damaged file. */
const SET_ASIDE = 'start the daemon: it renames the file, says what is lost, and creates a new one';

const SQLITE = 'SQLite format 3\0';

/** Why a file of an earlier run cannot be used. */
function fileProblem(file: string): Explanation | undefined {
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
  } catch {
    return {
      finding: `${file} cannot be read and written by this user`,
      remedy: 'run doctor as the user of the daemon; if it is, give the file to that user',
    };
  }
  const { size } = statSync(file);
  if (size === 0) return undefined;
  if (file.endsWith('.db')) {
    const head = Buffer.alloc(SQLITE.length);
    const opened = openSync(file, 'r');
    readSync(opened, head);
    closeSync(opened);
    if (head.toString('latin1') === SQLITE) return undefined;
    return { finding: `${file} is no database`, remedy: SET_ASIDE };
  }
  try {
    JSON.parse(readFileSync(file, 'utf8'));
    return undefined;
  } catch {
    return { finding: `${file} is damaged: it is not JSON`, remedy: SET_ASIDE };
  }
}

function filesProblem(path: string): Explanation | undefined {
  return readdirSync(path)
    .filter((name) => name.endsWith('.db') || name.endsWith('.json'))
    .map((name) => fileProblem(join(path, name)))
    .find((problem) => problem !== undefined);
}

const freeText = (bytes: number): string =>
  bytes < 2 ** 30 ? `${Math.floor(bytes / 2 ** 20)} MiB free` : `${Math.floor(bytes / 2 ** 30)} GiB free`;

async function checkSpace(path: string, found: string): Promise<Outcome> {
  const { bavail, bsize } = await statfs(path);
  const free = bavail * bsize;
  if (free === 0) return bad(`the file system of ${path} is full`, 'free some space');
  if (free < SCARCE) return warning(`${found}, but only ${freeText(free)}`, 'free some space');
  return good(`${found}, ${freeText(free)}`);
}

async function checkDirectory(path: string, { config }: Site): Promise<Outcome> {
  const problem = directoryProblem(path);
  if (problem !== undefined) return bad(problem);
  if (!existsSync(path)) return checkSpace(dirname(path), `${path} does not exist yet, the daemon creates it`);
  const files = filesProblem(path);
  if (files !== undefined) return explained(files);
  const holder = findLockHolder(path);
  if (holder === undefined) return checkSpace(path, `${path} is writable, no daemon uses it`);
  if (await mayBeRunning(config)) {
    return checkSpace(path, `${path} is writable, the running daemon (process ${holder.pid}) uses it`);
  }
  return bad(
    `${path} is used by another process (${holder.pid}), which does not listen where this configuration says`,
    'set a different storage.path for each process, or stop that process',
  );
}

/** Whether the storage directory can be used, and who uses it. */
export const storageStep: Step = {
  name: 'storage',
  exit: 'local',
  needs: [],
  applies: ({ kind }) => kind !== 'demo',
  check: async (site) => {
    const { config } = site;
    if (config.storage.path !== undefined) return checkDirectory(config.storage.path, site);
    const lost = site.kind === 'own' ? 'the history' : 'the state of alerts';
    const counts =
      site.kind === 'remote' && logonFileOf(site.analyzer, undefined) === undefined
        ? ', and logons of other processes are not counted'
        : '';
    return warning(
      `storage.path is not set: ${lost} is lost when the daemon ends${counts}`,
      'set storage.path to a directory that the user of the daemon can write to',
    );
  },
};
