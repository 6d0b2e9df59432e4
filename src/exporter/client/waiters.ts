/** Lets several callers wait for the same event. */
export interface Waiters {
  /** Resolves when woken, when the signal is aborted, or after `ms` milliseconds. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  wake(): void;
}

/** Waiters of which none waits yet. */
export function createWaiters(): Waiters {
  const waiting = new Set<() => void>();
  return {
    wait: (ms, signal) =>
      new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          waiting.delete(done);
          signal.removeEventListener('abort', done);
          resolve();
        };
        const timer = setTimeout(done, ms);
        waiting.add(done);
        signal.addEventListener('abort', done, { once: true });
      }),
    wake: () => {
      for (const done of [...waiting]) done();
    },
  };
}
