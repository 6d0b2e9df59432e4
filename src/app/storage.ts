import type { Log } from '../model/log.ts';
import { lockStorage, type StorageLock } from '../storage/directory-lock.ts';

/** The storage directory of this process. A reload can change it. */
export interface Storage {
  /** Locks a directory, and releases the previous one. @throws OperatorError if another process has locked it */
  take(path: string | undefined): void;
  release(): void;
}

export function createStorage(log: Log): Storage {
  let lock: StorageLock | undefined;
  return {
    take: (path) => {
      if (lock?.path === path) return;
      const before = lock;
      lock = path === undefined ? undefined : lockStorage(path, log);
      before?.release();
    },
    release: () => lock?.release(),
  };
}
