import { setImmediate } from 'node:timers/promises';

/** Duration of one slice, milliseconds. */
const SLICE_MS = 4;

/**
 * Runs a generator to its end in slices. Other work on the thread, such as a scrape, waits for one slice at most.
 */
export async function runSliced<T>(work: Generator<void, T>, sliceMilliseconds = SLICE_MS): Promise<T> {
  let started = performance.now();
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (performance.now() - started < sliceMilliseconds) continue;
    await setImmediate();
    started = performance.now();
  }
}

/** The same work, canceled at its next step when the signal is aborted. */
export function* untilAborted<T>(work: Generator<void, T>, signal: AbortSignal | undefined): Generator<void, T> {
  try {
    for (;;) {
      signal?.throwIfAborted();
      const step = work.next();
      if (step.done) return step.value;
      yield;
    }
  } finally {
    // runs the `finally` blocks of canceled work
    work.return(undefined as T);
  }
}

/** Runs a generator to its end without pauses. */
export function runAtOnce<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
