import { setImmediate } from 'node:timers/promises';

/** Work of one slice before others may run, milliseconds. */
const SLICE_MS = 4;

/**
 * Runs work that yields between its steps to its end, in slices: whatever else shares the thread, a scrape for one, waits
 * for a slice and not for the whole.
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

/** The same work, given up at its next step with the reason of the signal. */
export function* untilAborted<T>(work: Generator<void, T>, signal: AbortSignal | undefined): Generator<void, T> {
  try {
    for (;;) {
      signal?.throwIfAborted();
      const step = work.next();
      if (step.done) return step.value;
      yield;
    }
  } finally {
    // lets work that was given up clean up after itself
    work.return(undefined as T);
  }
}

/** Runs the same work to its end in one go. */
export function runAtOnce<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
