/** Counts who uses each of several things. */
export class Uses<T> {
  readonly #counts = new Map<T, number>();
  readonly #onUnused: (item: T) => void;

  /** @param onUnused called when the last user of a thing has ended */
  constructor(onUnused: (item: T) => void = () => undefined) {
    this.#onUnused = onUnused;
  }

  /** Everything that is used. */
  get items(): Iterable<T> {
    return this.#counts.keys();
  }

  begin(item: T): void {
    this.#counts.set(item, (this.#counts.get(item) ?? 0) + 1);
  }

  /** Ends one use of a thing that `begin` was called with. */
  end(item: T): void {
    const left = (this.#counts.get(item) ?? 1) - 1;
    if (left > 0) {
      this.#counts.set(item, left);
      return;
    }
    this.#counts.delete(item);
    this.#onUnused(item);
  }
}
