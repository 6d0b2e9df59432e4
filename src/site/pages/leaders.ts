/** The first entries of a long list, in order, without sorting all of it. */
export class Leaders<T> {
  readonly #most: number;
  readonly #entries: { readonly rank: number; readonly value: T }[] = [];
  #count = 0;

  /** @param most how many are kept */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Counts an entry, and returns whether it belongs to the first ones: then it must be added. Lower ranks come first; of equal
   * ones, the earlier one does.
   */
  counts(rank: number): boolean {
    this.#count += 1;
    const last = this.#entries.at(-1);
    return this.#entries.length < this.#most || last === undefined || rank < last.rank;
  }

  /** Adds an entry that was counted. */
  add(rank: number, value: T): void {
    const at = this.#entries.findLastIndex((entry) => entry.rank <= rank) + 1;
    this.#entries.splice(at, 0, { rank, value });
    if (this.#entries.length > this.#most) this.#entries.pop();
  }

  /** How many were counted. */
  get count(): number {
    return this.#count;
  }

  values(): readonly T[] {
    return this.#entries.map(({ value }) => value);
  }
}
