import { setImmediate } from 'node:timers/promises';

interface Timer {
  readonly run: () => void;
  /** Milliseconds of the simulated time. */
  readonly at: number;
}

/** What `setTimeout` returns. */
class SimulatedTimeout {
  readonly id: number;
  constructor(id: number) {
    this.id = id;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return true;
  }
}

/**
 * A clock that stands still while anything works, and jumps to the next timer when nothing does: work takes no simulated
 * time, so that a busy machine makes nothing late. `setTimeout` is replaced while it is installed.
 */
export class SimulatedClock {
  #nowMs: number;
  #busy = 0;
  #ids = 0;
  readonly #timers = new Map<number, Timer>();

  /** @param start epoch seconds */
  constructor(start: number) {
    this.#nowMs = start * 1000;
  }

  /** Epoch seconds. */
  readonly now = (): number => this.#nowMs / 1000;

  /** Returns a function that brings the timers of Node back. */
  install(): () => void {
    const { setTimeout, clearTimeout } = globalThis;
    const start = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): SimulatedTimeout => {
      this.#ids += 1;
      this.#timers.set(this.#ids, { run: () => run(...args), at: this.#nowMs + Math.max(1, ms) });
      return new SimulatedTimeout(this.#ids);
    };
    globalThis.setTimeout = start as unknown as typeof setTimeout;
    globalThis.clearTimeout = ((timer: unknown): void => {
      if (timer instanceof SimulatedTimeout) this.#timers.delete(timer.id);
      else clearTimeout(timer as NodeJS.Timeout | undefined);
    }) as typeof clearTimeout;
    return () => {
      Object.assign(globalThis, { setTimeout, clearTimeout });
    };
  }

  /** The clock stands still until the work ends. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#busy += 1;
    try {
      return await work();
    } finally {
      this.#busy -= 1;
    }
  }

  /** Waits within work. The clock goes on meanwhile. @throws the reason of the signal */
  async sleep(seconds: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, seconds * 1000);
    const cancel = (): void => reject(signal.reason);
    signal.addEventListener('abort', cancel, { once: true });
    this.#busy -= 1;
    try {
      await promise;
    } finally {
      this.#busy += 1;
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
    }
  }

  /** @param end epoch seconds */
  async runUntil(end: number): Promise<void> {
    await this.#untilIdle();
    for (let next = this.#next(); next !== undefined && next[1].at <= end * 1000; next = this.#next()) {
      const [id, { at, run }] = next;
      this.#timers.delete(id);
      this.#nowMs = Math.max(this.#nowMs, at);
      run();
      await this.#untilIdle();
    }
    this.#nowMs = end * 1000;
  }

  #next(): [number, Timer] | undefined {
    let next: [number, Timer] | undefined;
    for (const entry of this.#timers) if (next === undefined || entry[1].at < next[1].at) next = entry;
    return next;
  }

  /** What follows work without waiting has happened after a turn of the event loop. */
  async #untilIdle(): Promise<void> {
    do await setImmediate();
    while (this.#busy > 0);
  }
}
