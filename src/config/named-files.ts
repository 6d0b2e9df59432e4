import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Files and directories that are named in a configuration. */

/** The text of a file, or why it cannot be read. */
export function readText(path: string): { readonly text: string } | { readonly why: string } {
  try {
    return { text: readFileSync(path, 'utf8') };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { why: 'does not exist' };
    if (code === 'EISDIR') return { why: 'is a directory' };
    if (code === 'EACCES')
      return { why: 'cannot be read by the user that runs license-exporter; change its owner or mode' };
    return { why: `cannot be read (${code})` };
  }
}

export const isReadableByAll = (file: string): boolean => (statSync(file).mode & 0o004) !== 0;

type Found = 'directory' | 'file' | 'nothing' | 'unreachable';

function find(path: string): Found {
  try {
    return statSync(path).isDirectory() ? 'directory' : 'file';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'nothing' : 'unreachable';
  }
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

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
