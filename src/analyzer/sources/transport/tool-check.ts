import { constants } from 'node:fs';
import { access, open, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';
import { openFilesFailure, SourceFailure } from '../../../base/model/observation/source-failure.ts';
import { type Executable, examineExecutable } from './executable.ts';
import { formatProblem } from './start-failure.ts';

/** Whether a tool may be run, before it is. */

const OTHERS_WRITE = 0o002;
const GROUP_WRITES = 0o020;
const STICKY = 0o1000;

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown error';

/** Directories that a hardened unit of systemd hides, by ProtectHome= and PrivateTmp=. */
const HIDDEN = /^(\/home|\/root|\/run\/user|\/tmp|\/var\/tmp)\//;

function hiddenHint(path: string): string {
  const [, directory] = HIDDEN.exec(path) ?? [];
  return directory === undefined ? '' : `. A unit of systemd may hide ${directory}: move the tool, or see sources.conf`;
}

function unreachablePath(path: string, error: unknown): SourceFailure {
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new SourceFailure(
      'missing_tool',
      `${path} does not exist; install the tool, or correct the path in \`command\`${hiddenHint(path)}`,
    );
  if (code === 'EACCES')
    return new SourceFailure(
      'not_executable',
      `${path} cannot be reached; allow the user of this process to search its directories (chmod +x)${hiddenHint(path)}`,
    );
  return (
    openFilesFailure(path, error) ??
    new SourceFailure('not_executable', `${path} cannot be examined: ${code}; correct the path in \`command\``)
  );
}

/** The directories from a path up to the root. */
function directoriesOf(path: string): readonly string[] {
  const directory = dirname(path);
  return directory === dirname(directory) ? [directory] : [directory, ...directoriesOf(directory)];
}

/** What others may write of a tool: its file, its directory, or a directory above, in which they could replace the next. */
async function writableByOthers(path: string, real: string): Promise<string | undefined> {
  const { mode, gid } = await stat(real);
  // the group of root can do anything already
  const byGroup = (groupId: number): number => (groupId === 0 ? 0 : GROUP_WRITES);
  if ((mode & (OTHERS_WRITE | byGroup(gid))) !== 0) return real;
  const nearest = new Set([dirname(real), dirname(path)]);
  for (const directory of new Set([...directoriesOf(real), ...directoriesOf(path)])) {
    const { mode: bits, gid: group } = await stat(directory);
    // of its own directory, any group counts; above, only everyone, because groups of administrators are common there
    const refused = OTHERS_WRITE | (nearest.has(directory) ? byGroup(group) : 0);
    if ((bits & refused) !== 0 && (bits & STICKY) === 0) return directory;
  }
  return undefined;
}

async function headOf(path: string): Promise<Executable | undefined> {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    // it may be executable without being readable
    return undefined;
  }
  try {
    return await examineExecutable(file);
  } finally {
    await file.close();
  }
}

/**
 * Checks that a tool exists, is a program of this system, can be executed and can be changed by its owner only.
 *
 * @returns what kind of program it is, undefined if the file cannot be read
 * @throws SourceFailure `missing_tool` or `not_executable`
 */
export async function checkTool(path: string): Promise<Executable | undefined> {
  const refuse = (message: string): never => {
    throw new SourceFailure('not_executable', message);
  };
  if (!isAbsolute(path)) refuse(`${path} is not an absolute path; write the whole path in \`command\``);
  const unreachable = (error: unknown): never => {
    throw unreachablePath(path, error);
  };
  const real = await realpath(path).catch(unreachable);
  const stats = await stat(real).catch(unreachable);
  if (stats.isDirectory()) refuse(`${path} is a directory; name the tool in it in \`command\``);
  if (!stats.isFile()) refuse(`${path} is not a regular file; name a tool in \`command\``);
  const writable = await writableByOthers(path, real).catch(unreachable);
  if (writable !== undefined)
    refuse(
      `${path} is not run, because other users may write ${writable} and so replace the tool; forbid it (chmod go-w ${writable})`,
    );
  try {
    await access(real, constants.X_OK);
  } catch {
    refuse(
      `${path} may not be executed by the user of this process; allow it (chmod a+rx ${path}), and check that its file system is not mounted with noexec`,
    );
  }
  const executable = await headOf(real);
  const problem = formatProblem(path, executable);
  if (problem !== undefined) throw problem;
  return executable;
}

/** A warning for the log when tools would run as root, undefined when not. */
export function rootWarning(userId: number | undefined): string | undefined {
  if (userId !== 0) return undefined;
  return 'the tools of sources run as root, because this process does; run it as a user without rights of its own';
}
