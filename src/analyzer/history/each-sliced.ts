import { runSliced, untilAborted } from '../../base/scheduling/slices.ts';

function* steps<T>(items: Iterable<T>, visit: (item: T) => void): Generator<void, void> {
  for (const item of items) {
    visit(item);
    yield;
  }
}

/**
 * Calls back for each row of a table, in slices: other work on the thread waits for one slice at most.
 *
 * @param signal cancels it at the next row, with its reason
 * @param sliceMilliseconds a longer slice, where the answer itself is waited for
 */
export const eachSliced = <T>(
  items: Iterable<T>,
  visit: (item: T) => void,
  signal?: AbortSignal,
  sliceMilliseconds?: number,
): Promise<void> => runSliced(untilAborted(steps(items, visit), signal), sliceMilliseconds);
