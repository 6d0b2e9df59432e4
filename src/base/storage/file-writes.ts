import type { Log } from '../model/log.ts';

/** How writing one state file goes, over all reloads. */
export interface FileWrites {
  /** Its name, without its directory. */
  readonly file: string;
  /** Failed attempts since the start. */
  errors(): number;
  /** Why the newest state is not in the file; `undefined` if it is, and before the first attempt. */
  problem(): string | undefined;
  /** @param problem the cause and the remedy */
  failed(problem: string): void;
  succeeded(): void;
}

/** The log has one line when writing begins to fail, and one when it works again: a disk can be full for days. */
export function createFileWrites(file: string, log: Log): FileWrites {
  let errors = 0;
  let failures = 0;
  let problem: string | undefined;
  return {
    file,
    errors: () => errors,
    problem: () => problem,
    failed: (why) => {
      if (problem === undefined) log.error({ file, problem: why }, 'state cannot be saved');
      errors += 1;
      failures += 1;
      problem = why;
    },
    succeeded: () => {
      if (problem !== undefined) log.info({ file, failures }, 'state is saved again');
      problem = undefined;
      failures = 0;
    },
  };
}

/** All files of a daemon that are written again and again. */
export interface StateWrites {
  /** The file of this name. A reload gets the same one. */
  of(file: string): FileWrites;
  all(): readonly FileWrites[];
}

/** How writing each file goes, for the log and for metrics. */
export function createStateWrites(log: Log): StateWrites {
  const byName = new Map<string, FileWrites>();
  return {
    of: (file) => {
      const writes = byName.get(file) ?? createFileWrites(file, log);
      byName.set(file, writes);
      return writes;
    },
    all: () => [...byName.values()],
  };
}
