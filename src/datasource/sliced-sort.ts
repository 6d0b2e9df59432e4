import { sorted } from '../scheduling/sliced-sort.ts';
import type { Cell } from './panel-data.ts';

/** Sorting and cutting long lists in slices. */

/** Items read between two yields. */
const SLICE = 128;

type Compare = (a: Cell, b: Cell) => number;

const collator = new Intl.Collator('en', { numeric: true });

/** Numbers in texts count as numbers: `sim-2` comes before `sim-10`. */
const compareValues = (a: Exclude<Cell, null>, b: Exclude<Cell, null>): number =>
  typeof a === 'string' && typeof b === 'string' ? collator.compare(a, b) : Number(a) - Number(b);

/** Unknown values are last in both directions. */
export const comparing =
  (direction: 1 | -1): Compare =>
  (a, b) => {
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
    return direction * compareValues(a, b);
  };

export interface Sorting<T> {
  readonly keyOf: (item: T) => Cell;
  readonly compare: Compare;
}

interface Entry<T> {
  readonly key: Cell;
  readonly item: T;
}

const inOrder =
  <T>(compare: Compare) =>
  (a: Entry<T>, b: Entry<T>): number =>
    compare(a.key, b.key);

export interface Selected<T> {
  readonly items: readonly T[];
  /** Number of items before the cut. */
  readonly total: number;
}

/**
 * The first items in order. It never keeps many more than it returns.
 *
 * @param items `undefined` is no item
 * @param sorting without it, the items are in order
 */
export function* firstOf<T>(
  items: Iterable<T | undefined>,
  limit: number,
  sorting: Sorting<T> | undefined,
): Generator<void, Selected<T>> {
  let kept: Entry<T>[] = [];
  /** An item that is not before it is not shown. */
  let last: Entry<T> | undefined;
  let [read, total] = [0, 0];
  for (const item of items) {
    read += 1;
    if (read % SLICE === 0) yield;
    if (item === undefined) continue;
    total += 1;
    if (sorting === undefined) {
      if (kept.length < limit) kept.push({ key: null, item });
      continue;
    }
    const key = sorting.keyOf(item);
    if (last !== undefined && sorting.compare(key, last.key) >= 0) continue;
    kept.push({ key, item });
    if (kept.length < 2 * limit + SLICE) continue;
    kept = (yield* sorted(kept, inOrder(sorting.compare))).slice(0, limit);
    last = kept.at(-1);
  }
  if (sorting !== undefined) kept = (yield* sorted(kept, inOrder(sorting.compare))).slice(0, limit);
  return { items: kept.map(({ item }) => item), total };
}
