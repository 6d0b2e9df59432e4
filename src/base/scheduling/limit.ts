/**
 * Runs work one at a time. Any number of calls during a run cause one more run afterwards. A call resolves when a run that
 * began after it has ended, and rejects if an earlier run fails.
 */
export function createLatestOnly(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let isRequested = false;
  const run = async (): Promise<void> => {
    try {
      while (isRequested) {
        isRequested = false;
        await work();
      }
    } finally {
      running = undefined;
    }
  };
  return () => {
    isRequested = true;
    if (running !== undefined) return running;
    // set before the work begins, which may request another run at once
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    running = promise;
    run().then(resolve, reject);
    return promise;
  };
}

/** Waits for something that cannot be canceled. @throws the reason of the signal, or what it rejects with */
export async function untilReady(ready: Promise<unknown>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([ready, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Runs tasks with limited concurrency. Waiting tasks are started in order of arrival. */
export type Limit = <T>(task: () => Promise<T>) => Promise<T>;

/** Runs work when fewer than `concurrency` runs are under way. The others wait in the order of their calls. */
export function createLimit(concurrency: number): Limit {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (task) => {
    if (running >= concurrency) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      // the slot passes directly to the next task, so that no new task can take it first
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
