/** The reads of a transport that are under way, which can be canceled together, so that a stop waits for them. */
export class Reads {
  readonly #running = new Map<AbortController, Promise<unknown>>();
  #isClosed = false;

  /** @param work gets a signal that is aborted with the caller's signal, and by `close` */
  async run<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    // `AbortSignal.any` would stay in memory as long as the caller's signal
    const controller = new AbortController();
    const cancel = (): void => controller.abort(signal.reason);
    if (signal.aborted) cancel();
    if (this.#isClosed) controller.abort();
    signal.addEventListener('abort', cancel, { once: true });
    const read = work(controller.signal);
    this.#running.set(controller, read);
    try {
      return await read;
    } finally {
      this.#running.delete(controller);
      signal.removeEventListener('abort', cancel);
    }
  }

  /** Cancels all of them, and waits for their ends. Later ones are canceled from the beginning. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const controller of this.#running.keys()) controller.abort();
    await Promise.allSettled(this.#running.values());
  }
}
