/**
 * What a log says twice: each line is a checkout or a checkin, and some also say how many licenses are in use after it. The lines
 * before must come to the same.
 */
export class SaidInUse {
  /** By pool, since a line has said it. */
  readonly #inUse = new Map<string, number>();
  readonly #onContradiction: () => void;

  /** @param onContradiction called for each line that says something else than the lines before */
  constructor(onContradiction: () => void) {
    this.#onContradiction = onContradiction;
  }

  get isEmpty(): boolean {
    return this.#inUse.size === 0;
  }

  /** So many are in use now. */
  set(pool: string, inUse: number): void {
    this.#inUse.set(pool, inUse);
  }

  /** @param said the number after the change, if the line has it */
  change(pool: string, by: number, said: number | undefined): void {
    const before = this.#inUse.get(pool);
    const expected = before === undefined ? said : before + by;
    const inUse = said ?? expected;
    if (inUse === undefined) return;
    if (inUse !== expected) this.#onContradiction();
    this.#inUse.set(pool, inUse);
  }

  /** Nothing is known any more. */
  clear(): void {
    this.#inUse.clear();
  }
}
