import { setImmediate } from 'node:timers';

/** Duration of one slice, milliseconds. */
export const SLICE_MS = 4;

/** Work that waits for its next slice, in order. */
const waiting: (() => void)[] = [];
/** Milliseconds of slices in this turn of the event loop. */
let used = 0;
let isTurnScheduled = false;

function scheduleTurn(): void {
  if (isTurnScheduled) return;
  isTurnScheduled = true;
  setImmediate(startTurn);
}

function startTurn(): void {
  isTurnScheduled = false;
  used = 0;
  waiting.shift()?.();
  if (waiting.length > 0) scheduleTurn();
}

function nextSlice(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.push(resolve);
  scheduleTurn();
  return promise;
}

/**
 * Runs short work in a turn of the event loop in which no slice was used up: what many requests need at once does not add up.
 *
 * @throws what the work throws
 */
export async function inTurn<T>(work: () => T, milliseconds = SLICE_MS): Promise<T> {
  while (used >= milliseconds) await nextSlice();
  const started = performance.now() - used;
  try {
    return work();
  } finally {
    used = performance.now() - started;
    scheduleTurn();
  }
}

/**
 * Runs a generator to its end in slices. Other work on the thread, such as a scrape, waits for one slice at most: all sliced
 * work shares one slice in each turn of the event loop.
 */
export async function runSliced<T>(work: Generator<void, T>, milliseconds = SLICE_MS): Promise<T> {
  const slice = (): IteratorResult<void, T> => {
    const end = performance.now() + milliseconds - used;
    let step = work.next();
    while (step.done !== true && performance.now() < end) step = work.next();
    return step;
  };
  for (;;) {
    const step = await inTurn(slice, milliseconds);
    if (step.done === true) return step.value;
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

/** Items between two looks at the clock. */
const STEP = 128;

function* visiting<T>(items: Iterable<T>, visit: (item: T, index: number) => void): Generator<void, void> {
  let index = 0;
  for (const item of items) {
    if (index % STEP === 0) yield;
    visit(item, index);
    index += 1;
  }
}

/** Visits a long list in slices: a site has 100,000 features. */
export const forEachSliced = <T>(items: Iterable<T>, visit: (item: T, index: number) => void): Promise<void> =>
  runSliced(visiting(items, visit));
