/** Bytes of a longer line. It is left out. */
const MAX_LINE_BYTES = 16_384;
const LINE_BREAK = 10;

/** The lines of a text that arrives in pieces. Each line is decoded alone, so that a bad one does not change the others. */
export class LineDecoder {
  readonly #encoding: string | undefined;
  readonly #decode: (bytes: Buffer) => string;
  /** Bytes of a character of the encoding that are looked at together: 2 for UTF-16. */
  readonly #unit: 1 | 2;
  /** Where the line break is in its unit. */
  readonly #breakAt: 0 | 1;
  #rest = Buffer.alloc(0);
  #isTooLong = false;

  /**
   * @param encoding label of the WHATWG encoding standard; UTF-8, else Latin-1, without one
   * @throws RangeError for an unknown label
   */
  constructor(encoding: string | undefined) {
    this.#encoding = encoding;
    const decoder = new TextDecoder(encoding ?? 'utf-8', { fatal: encoding === undefined });
    this.#unit = decoder.encoding.startsWith('utf-16') ? 2 : 1;
    this.#breakAt = decoder.encoding === 'utf-16be' ? 1 : 0;
    this.#decode = (bytes) => {
      try {
        return decoder.decode(bytes);
      } catch {
        return bytes.toString('latin1');
      }
    };
  }

  /** One that has the same beginning of a line. */
  copy(): LineDecoder {
    const copy = new LineDecoder(this.#encoding);
    copy.#rest = this.#rest;
    copy.#isTooLong = this.#isTooLong;
    return copy;
  }

  /** The lines that end in these bytes, without their ends. */
  push(bytes: Buffer): string[] {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const lines: string[] = [];
    let from = 0;
    for (let end = this.#endOf(all, from); end !== -1; end = this.#endOf(all, from)) {
      this.#add(all.subarray(from, end), lines);
      from = end + this.#unit;
    }
    this.#keep(all.subarray(from));
    return lines;
  }

  /** The last line, if it has no end. */
  flush(): string[] {
    const lines: string[] = [];
    if (this.#rest.length > 0) this.#add(this.#rest, lines);
    this.drop();
    return lines;
  }

  /** Forgets a line without its end. */
  drop(): void {
    this.#rest = Buffer.alloc(0);
    this.#isTooLong = false;
  }

  #add(bytes: Buffer, lines: string[]): void {
    const line = this.#withoutNul(bytes);
    if (!this.#isTooLong && line.length <= MAX_LINE_BYTES) lines.push(this.#decode(line).replace(/\r$/, ''));
    this.#isTooLong = false;
  }

  /** Keeps the beginning of a line. */
  #keep(bytes: Buffer): void {
    const rest = this.#withoutNul(bytes);
    this.#isTooLong ||= rest.length > MAX_LINE_BYTES;
    // whole units are removed, so that the next ones are found
    const kept = this.#isTooLong ? rest.subarray(rest.length - (rest.length % this.#unit)) : rest;
    // a copy, because the buffer is used again
    this.#rest = Buffer.from(kept);
  }

  /** A file that was truncated while it was written begins with zeros. */
  #withoutNul(bytes: Buffer): Buffer {
    return this.#unit === 2 || !bytes.includes(0) ? bytes : (bytes.filter((byte) => byte !== 0) as Buffer);
  }

  /** Index of the first unit that is a line break, or -1. */
  #endOf(bytes: Buffer, from: number): number {
    if (this.#unit === 1) return bytes.indexOf(LINE_BREAK, from);
    for (let at = bytes.indexOf(LINE_BREAK, from); at !== -1; at = bytes.indexOf(LINE_BREAK, at + 1)) {
      const start = at - this.#breakAt;
      if (start % 2 === 0 && bytes[this.#breakAt === 0 ? start + 1 : start] === 0) return start;
    }
    return -1;
  }
}
