/**
 * A long list whose items are made when the answer is written. The answer to one panel can have millions of points: as
 * arrays they would take hundreds of megabytes, and the collection of their garbage would block.
 */
export class LazyList<T> implements Iterable<T> {
  readonly #items: () => Iterator<T>;

  /** @param items begins a new iteration, each time with the same items */
  constructor(items: () => Iterator<T>) {
    this.#items = items;
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#items();
  }

  /** The items, for `JSON.stringify`. */
  toJSON(): T[] {
    return [...this];
  }
}
