import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { RecordingHealth } from '../model/observation/recording.ts';

const read = (action: () => number): number | undefined => {
  try {
    return action();
  } catch {
    return undefined;
  }
};

/** The size of a file and the free space of its file system, bytes; `undefined` in memory, and if they cannot be read. */
export function storeSpace(path: string | undefined): Pick<RecordingHealth, 'size' | 'free'> {
  if (path === undefined) return { size: undefined, free: undefined };
  const free = (): number => {
    // what is left for users other than root
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize;
  };
  return { size: read(() => statSync(path).size), free: read(free) };
}
