/** Things that are no longer needed, by the last generation that can show them. */
export class Retired<T> {
  #open: T[] = [];
  #closed: { readonly generation: number; readonly items: readonly T[] }[] = [];

  add(item: T): void {
    this.#open.push(item);
  }

  /** The items added since the last call can be seen in this generation, and in older ones. */
  close(generation: number): void {
    if (this.#open.length === 0) return;
    this.#closed.push({ generation, items: this.#open });
    this.#open = [];
  }

  /** Removes and returns the items that no generation from `oldest` on can show. */
  before(oldest: number): readonly T[] {
    const free = this.#closed.filter(({ generation }) => generation < oldest);
    this.#closed = this.#closed.filter(({ generation }) => generation >= oldest);
    return free.flatMap(({ items }) => items);
  }
}
