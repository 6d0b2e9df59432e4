import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The clock of the host, as a process sees it that a test sets it for. */
export interface ProcessClock {
  /** The environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  /** @param seconds what is added to the real clock */
  set(seconds: number): void;
}

const setClock = join(import.meta.dirname, 'set-clock.ts');

/** @param folder where the file is kept that the process reads the clock from */
export function createProcessClock(folder: string): ProcessClock {
  const file = join(folder, 'clock');
  const set = (seconds: number): void => {
    // replaced as a whole: the process can read it at any time
    writeFileSync(`${file}.new`, String(seconds * 1000));
    renameSync(`${file}.new`, file);
  };
  set(0);
  return { env: { NODE_OPTIONS: `--import=${setClock}`, CLOCK_FILE: file }, set };
}
