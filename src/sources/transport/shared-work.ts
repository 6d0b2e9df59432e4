import type { Places } from '../../scheduling/places.ts';

/** The work did not end in time. It goes on, because nothing can cancel it. */
export class OutOfTime extends Error {
  override readonly name = 'OutOfTime';
}

/** How long work may take and wait. */
export interface WorkLimits {
  /** Milliseconds, counted from when the work begins. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Work on files, which can hang without end on a dead NFS server, and holds a thread of Node while it does. */
export interface SharedWork {
  /**
   * Runs work, or waits for that of the same key which already runs: what hangs is never started a second time.
   *
   * @throws OutOfTime
   * @throws the reason of the signal
   * @throws what the work throws
   */
  run<T>(key: string, work: () => Promise<T>, limits: WorkLimits): Promise<T>;
}

async function withinTime<T>(work: Promise<T>, { timeoutMs, signal }: WorkLimits): Promise<T> {
  signal.throwIfAborted();
  const { promise: end, reject } = Promise.withResolvers<never>();
  const cancel = (): void => reject(signal.reason);
  const timer = setTimeout(() => reject(new OutOfTime(`not within ${timeoutMs} ms`)), timeoutMs);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
}

/** @param places how much of it may hang at once */
export function createSharedWork(places: Places): SharedWork {
  const running = new Map<string, Promise<unknown>>();

  const begin = <T>(key: string, work: () => Promise<T>, release: () => void): Promise<T> => {
    const begun = work().finally(() => {
      running.delete(key);
      release();
    });
    running.set(key, begun);
    // no caller may be left when it fails
    begun.catch(() => undefined);
    return begun;
  };

  return {
    run: async <T>(key: string, work: () => Promise<T>, limits: WorkLimits) => {
      const joined = running.get(key) as Promise<T> | undefined;
      if (joined !== undefined) return withinTime(joined, limits);
      const release = await places.take(limits.signal);
      // another caller may have begun it while this one waited
      const other = running.get(key) as Promise<T> | undefined;
      if (other !== undefined) release();
      return withinTime(other ?? begin(key, work, release), limits);
    },
  };
}
