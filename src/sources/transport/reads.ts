/** The running reads of a transport, which can be canceled together. */
export interface Reads {
  /** @param work gets a signal that is aborted with the caller's signal, and by `close` */
  run<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Cancels all of them, and waits for their ends. Later ones are canceled from the beginning. */
  close(): Promise<void>;
}

/** The reads that are under way, so that a stop waits for them. */
export function createReads(): Reads {
  const running = new Map<AbortController, Promise<unknown>>();
  let isClosed = false;
  return {
    run: async (signal, work) => {
      // `AbortSignal.any` would stay in memory as long as the caller's signal
      const controller = new AbortController();
      const cancel = (): void => controller.abort(signal.reason);
      if (signal.aborted) cancel();
      if (isClosed) controller.abort();
      signal.addEventListener('abort', cancel, { once: true });
      const read = work(controller.signal);
      running.set(controller, read);
      try {
        return await read;
      } finally {
        running.delete(controller);
        signal.removeEventListener('abort', cancel);
      }
    },
    close: async () => {
      isClosed = true;
      for (const controller of running.keys()) controller.abort();
      await Promise.allSettled(running.values());
    },
  };
}
