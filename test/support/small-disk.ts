import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from './harness.ts';

export interface SmallDisk {
  readonly path: string;
  /** Takes all space that is left. */
  fill(): void;
  empty(): void;
}

/** A file system of its own of 4 MiB, which only root can make. */
export function createSmallDisk(cleanup: Cleanup): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'license-exporter-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', path]);
  cleanup.add(() => {
    execFileSync('umount', ['-l', path]);
    rmSync(path, { recursive: true });
  });
  const filler = join(path, 'filler');
  return {
    path,
    fill: () => {
      const file = openSync(filler, 'a');
      const block = Buffer.alloc(4096);
      try {
        // others may write too
        for (;;) writeSync(file, block);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        closeSync(file);
      }
    },
    empty: () => rmSync(filler),
  };
}
