/**
 * Runs work one at a time: a call while it runs makes it run once more afterwards, however many calls there are. A call
 * resolves when a run that began after it has ended, and rejects when a run before that has failed.
 */
export function createLatestOnly(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let isAsked = false;
  const run = async (): Promise<void> => {
    try {
      while (isAsked) {
        isAsked = false;
        await work();
      }
    } finally {
      running = undefined;
    }
  };
  return () => {
    isAsked = true;
    if (running !== undefined) return running;
    // known before the work begins, which may ask for another run at once
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    running = promise;
    run().then(resolve, reject);
    return promise;
  };
}
