/** The first items by a rank, of a list that can be long. */
export interface Ranking<T> {
  add(item: T): void;
  /** How many were added. */
  count(): number;
  /** The first ones, in order. */
  first(): readonly T[];
}

/** It never keeps more than twice the limit, so that no long list is sorted at once. */
export function createRanking<T>(limit: number, compare: (a: T, b: T) => number): Ranking<T> {
  let kept: T[] = [];
  let count = 0;
  const cut = (): void => {
    kept = kept.sort(compare).slice(0, limit);
  };
  return {
    add: (item) => {
      count += 1;
      kept.push(item);
      if (kept.length >= 2 * limit) cut();
    },
    count: () => count,
    first: () => {
      cut();
      return kept;
    },
  };
}
