import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from '../../support/harness.ts';

/** A state file on a disk that hangs: its temporary file is a named pipe, which blocks every write. */
export function createHangingFile(cleanup: Cleanup): { readonly path: string; release(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-hanging-'));
  const path = join(folder, 'alert-state.json');
  const pipe = `${path}.${process.pid}.tmp`;
  execFileSync('mkfifo', [pipe]);
  let reader: number | undefined;
  const release = (): void => {
    // a pipe with a reader can be written, but not synced: the write fails
    reader ??= openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    rmSync(pipe, { force: true });
  };
  cleanup.add(() => {
    release();
    if (reader !== undefined) closeSync(reader);
    rmSync(folder, { recursive: true });
  });
  return { path, release };
}
