import { isUtf8 } from 'node:buffer';
import { accessSync, constants, readFileSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { OperatorError, openFilesProblem } from '../model/operator-error.ts';
import { Secret } from '../settings/secret.ts';

/** Files and directories that are named in a configuration. */

/** The replacement of bytes that are not UTF-8. */
const REPLACED = '\uFFFD';

/** The text of a file, or why it cannot be read. */
export function readText(path: string): { readonly text: string } | { readonly why: string } {
  try {
    const bytes = readFileSync(path);
    const text = bytes.toString('utf8');
    if (isUtf8(bytes)) return { text };
    const line = text.slice(0, text.indexOf(REPLACED)).split('\n').length;
    return { why: `is not UTF-8 from line ${line} on; save it in UTF-8` };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { why: 'does not exist' };
    if (code === 'EISDIR') return { why: 'is a directory' };
    if (code === 'EACCES') {
      const closed = closedDirectory(path);
      const what = closed === undefined ? 'its owner or mode' : `the owner or mode of the directory ${closed}`;
      return { why: `cannot be read by the user that runs license-exporter; change ${what}` };
    }
    return { why: openFilesProblem(error) ?? `cannot be read (${code})` };
  }
}

/** The first directory above a file in which this user can open nothing. */
function closedDirectory(path: string): string | undefined {
  const above = dirname(resolve(path));
  const closed = above === dirname(above) ? undefined : closedDirectory(above);
  return closed ?? (isAccessible(above, constants.X_OK) ? undefined : above);
}

function isAccessible(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** Whether users of other groups can create and delete files in a directory. Windows has no such mode. */
export const isWritableByAll = (directory: string): boolean =>
  process.platform !== 'win32' && isDirectory(directory) && (statSync(directory).mode & 0o002) !== 0;

/** Whether every user of the machine can read a file. @throws Error if it does not exist */
export const isReadableByAll = (file: string): boolean => (statSync(file).mode & 0o004) !== 0;

type Found = 'directory' | 'file' | 'nothing' | 'unreachable';

function find(path: string): Found {
  try {
    return statSync(path).isDirectory() ? 'directory' : 'file';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'nothing' : 'unreachable';
  }
}

/** Whether a path names a directory; false also if there is nothing. */
export const isDirectory = (path: string): boolean => find(path) === 'directory';

const isWritable = (directory: string): boolean => isAccessible(directory, constants.W_OK | constants.X_OK);

/** Why a directory cannot be used for storage, with the remedy. A missing directory is created if its parent exists. */
export function directoryProblem(path: string): string | undefined {
  const found = find(path);
  if (found === 'file') return `${path} is not a directory`;
  if (found !== 'nothing') {
    return found === 'directory' && isWritable(path)
      ? undefined
      : `${path} is not writable for the user that runs license-exporter; change its owner or mode`;
  }
  const above = dirname(path);
  if (find(above) === 'nothing') {
    return `${path} does not exist, nor does ${above}; create the directory, writable for the user that runs license-exporter`;
  }
  return isWritable(above)
    ? undefined
    : `${path} does not exist and cannot be created in ${above}; create it, writable for the user that runs license-exporter`;
}

/** Differs if a file was written again or replaced. */
export const fileStamp = ({ mtimeMs, size, ino }: Pick<Stats, 'mtimeMs' | 'size' | 'ino'>): string =>
  `${mtimeMs} ${size} ${ino}`;

/** A password from a file, without the line break at its end. @throws OperatorError that names the problem of the file */
export function readPasswordFile(path: string): Secret {
  const read = readText(path);
  if ('why' in read) throw new OperatorError(`${path} ${read.why}`);
  const password = read.text.replace(/\r?\n$/, '');
  if (password === '') throw new OperatorError(`${path} is empty`);
  return new Secret(password);
}
