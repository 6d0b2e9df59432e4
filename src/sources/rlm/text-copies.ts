/** Shorter parts of a text are copies already. */
const SHORT = 13;

/**
 * Copies of parts of an output. A part itself would keep the whole output in memory for as long as the last good observation
 * is kept.
 */
export class TextCopies {
  readonly #known = new Map<string, string>();

  /** The same string for equal parts. */
  of(part: string): string {
    if (part.length < SHORT) return part;
    const known = this.#known.get(part);
    if (known !== undefined) return known;
    const copy = Buffer.from(part, 'utf16le').toString('utf16le');
    this.#known.set(copy, copy);
    return copy;
  }
}
