import { isAscii } from 'node:buffer';

/** Bytes of a line: of a longer one there is only the beginning, at once, which no pattern understands. */
const MAX_LINE_BYTES = 16_384;
const LINE_BREAK = 10;
const CARRIAGE_RETURN = 13;

const plainLine = (bytes: Buffer, from: number, end: number): string =>
  bytes.toString('latin1', from, bytes[end - 1] === CARRIAGE_RETURN && end > from ? end - 1 : end);

/** The lines of a text that arrives in pieces. Each line is decoded alone, so that a bad one does not change the others. */
export class LineDecoder {
  #encoding: string | undefined;
  #decode: (bytes: Buffer) => string;
  /** Bytes of a character of the encoding that are looked at together: 2 for UTF-16. */
  #unit: 1 | 2 = 1;
  /** Where the line break is in its unit. */
  #breakAt: 0 | 1 = 0;
  #isFirst = true;
  #rest = Buffer.alloc(0);
  /** Whether the present line is longer than that. Its beginning was given out, and its rest is not kept. */
  #isTooLong = false;

  /**
   * @param encoding label of the WHATWG encoding standard; without one, that of a byte order mark, else UTF-8, else Latin-1
   * @throws RangeError for an unknown label
   */
  constructor(encoding: string | undefined) {
    this.#encoding = encoding;
    this.#decode = this.#decoderOf(encoding);
  }

  #decoderOf(encoding: string | undefined): (bytes: Buffer) => string {
    const decoder = new TextDecoder(encoding ?? 'utf-8', { fatal: encoding === undefined });
    this.#encoding = encoding;
    this.#unit = decoder.encoding.startsWith('utf-16') ? 2 : 1;
    this.#breakAt = decoder.encoding === 'utf-16be' ? 1 : 0;
    return (bytes) => {
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
    copy.#isFirst = this.#isFirst;
    copy.#rest = this.#rest;
    copy.#isTooLong = this.#isTooLong;
    return copy;
  }

  /** The lines that end in these bytes, without their ends. */
  push(bytes: Buffer): string[] {
    if (this.#isFirst && this.#rest.length + bytes.length >= 2) this.#readMark(Buffer.concat([this.#rest, bytes], 2));
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const lines: string[] = [];
    let from = 0;
    const isPlain = this.#isPlain(all);
    for (let end = this.#endOf(all, from); end !== -1; end = this.#endOf(all, from)) {
      if (isPlain && !this.#isTooLong && end - from <= MAX_LINE_BYTES) lines.push(plainLine(all, from, end));
      else this.#add(all.subarray(from, end), lines);
      from = end + this.#unit;
    }
    this.#keep(all.subarray(from), lines);
    return lines;
  }

  /** A text can say by its first character that it is UTF-16. */
  #readMark(first: Buffer): void {
    this.#isFirst = false;
    if (this.#encoding !== undefined) return;
    const mark = first.readUInt16BE();
    if (mark === 0xfffe) this.#decode = this.#decoderOf('utf-16le');
    else if (mark === 0xfeff) this.#decode = this.#decoderOf('utf-16be');
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

  /** Whether each byte is the character that ASCII has for it. */
  #isPlain(bytes: Buffer): boolean {
    return this.#encoding === undefined && this.#unit === 1 && isAscii(bytes) && !bytes.includes(0);
  }

  #add(bytes: Buffer, lines: string[]): void {
    if (!this.#isTooLong) lines.push(this.#lineOf(this.#withoutNul(bytes)));
    this.#isTooLong = false;
  }

  #lineOf(bytes: Buffer): string {
    return this.#decode(bytes.subarray(0, MAX_LINE_BYTES)).replace(/\r$/, '');
  }

  /** Keeps the beginning of a line. One that is too long may never end: it is a line now. */
  #keep(bytes: Buffer, lines: string[]): void {
    const rest = this.#withoutNul(bytes);
    if (!this.#isTooLong && rest.length > MAX_LINE_BYTES) {
      this.#isTooLong = true;
      lines.push(this.#lineOf(rest));
    }
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
