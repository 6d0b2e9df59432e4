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
