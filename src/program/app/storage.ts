import type { Log } from '../../base/model/log.ts';
import { OperatorError } from '../../base/model/operator-error.ts';
import { lockStorage, type StorageLock } from '../../base/storage/directory-lock.ts';
import { createStateWrites, type StateWrites } from '../../base/storage/file-writes.ts';
import type { Config } from '../config/config.ts';

/** The storage directory of this process. A reload can change it. */
export interface Storage {
  /** Locks a directory, and releases the previous one. @throws OperatorError if another process has locked it */
  take(path: string | undefined): void;
  release(): void;
  /** How writing its files goes. */
  readonly writes: StateWrites;
}

/** The storage directory of this process, locked while it runs. */
export function createStorage(log: Log): Storage {
  let lock: StorageLock | undefined;
  return {
    writes: createStateWrites(log),
    take: (path) => {
      if (lock?.path === path) return;
      const before = lock;
      lock = path === undefined ? undefined : lockStorage(path, log);
      before?.release();
    },
    release: () => lock?.release(),
  };
}

/** The storage directory of a command that needs one. @throws OperatorError without one */
export function storagePathOf({ storage }: Config): string {
  if (storage.path !== undefined) return storage.path;
  throw new OperatorError(
    'storage.path is not set; set it in the configuration, or pass --storage.path with the directory of the daemon',
  );
}
