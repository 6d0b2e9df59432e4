import type { Places } from '../../../base/scheduling/places.ts';

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

/** Work on files, which can hang without end on a dead NFS server, and holds a thread of Node while it does. */
export class SharedWork {
  readonly #places: Places;
  readonly #running = new Map<string, Promise<unknown>>();

  /** @param places how much of it may hang at once */
  constructor(places: Places) {
    this.#places = places;
  }

  /**
   * Runs work, or waits for that of the same key which already runs: what hangs is never started a second time.
   *
   * @throws OutOfTime
   * @throws the reason of the signal
   * @throws what the work throws
   */
  async run<T>(key: string, work: () => Promise<T>, limits: WorkLimits): Promise<T> {
    const joined = this.#running.get(key) as Promise<T> | undefined;
    if (joined !== undefined) return withinTime(joined, limits);
    const release = await this.#places.take(limits.signal);
    // another caller may have begun it while this one waited
    const other = this.#running.get(key) as Promise<T> | undefined;
    if (other !== undefined) release();
    return withinTime(other ?? this.#begin(key, work, release), limits);
  }

  #begin<T>(key: string, work: () => Promise<T>, release: () => void): Promise<T> {
    const begun = work().finally(() => {
      this.#running.delete(key);
      release();
    });
    this.#running.set(key, begun);
    // no caller may be left when it fails
    begun.catch(() => undefined);
    return begun;
  }
}
