/** A limited number of places. One that is taken stays taken until it is released. */
export interface Places {
  /**
   * Waits for a place, in order of arrival.
   *
   * @returns the function that releases it; further calls have no effect
   * @throws the reason of the signal if it is aborted first; no place is taken then
   */
  take(signal: AbortSignal): Promise<() => void>;
}

/** Unlike `createLimit`, a place can outlast the call that took it, and waiting can be canceled. */
export function createPlaces(count: number): Places {
  let free = count;
  const waiting = new Set<() => void>();

  const release = (): void => {
    const [next] = waiting;
    // the place passes directly to the next one, so that no new call can take it first
    if (next === undefined) free += 1;
    else next();
  };
  const taken = (): (() => void) => {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      release();
    };
  };

  return {
    take: async (signal) => {
      signal.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return taken();
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const pass = (): void => {
        waiting.delete(pass);
        resolve();
      };
      const cancel = (): void => {
        waiting.delete(pass);
        reject(signal.reason);
      };
      waiting.add(pass);
      signal.addEventListener('abort', cancel, { once: true });
      try {
        await promise;
      } finally {
        signal.removeEventListener('abort', cancel);
      }
      return taken();
    },
  };
}
