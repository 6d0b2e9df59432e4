/** The first entries of a long list, in order, without sorting all of it. */
export class Leaders<T> {
  readonly #most: number;
  readonly #entries: { readonly rank: number; readonly value: T }[] = [];
  #count = 0;

  /** @param most how many are kept */
  constructor(most: number) {
    this.#most = most;
  }

  /** Adds an entry, which is made only if it is kept. Lower ranks come first; of equal ones, the earlier one does. */
  add(rank: number, value: () => T): void {
    this.#count += 1;
    const last = this.#entries.at(-1);
    if (this.#entries.length === this.#most && last !== undefined && last.rank <= rank) return;
    const at = this.#entries.findLastIndex((entry) => entry.rank <= rank) + 1;
    this.#entries.splice(at, 0, { rank, value: value() });
    if (this.#entries.length > this.#most) this.#entries.pop();
  }

  /** How many were added, those that are not kept included. */
  get count(): number {
    return this.#count;
  }

  values(): readonly T[] {
    return this.#entries.map(({ value }) => value);
  }
}
