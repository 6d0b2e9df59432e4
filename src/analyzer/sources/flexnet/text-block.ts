const TAB = 9;
const CARRIAGE_RETURN = 13;
const BLANK = 32;
/** Characters of a block, except for a last line that is longer. */
const BLOCK = 32_768;

/** A part of a text, with its character codes: reading codes from an array is faster than from a part of a large string. */
export class TextBlock {
  readonly text: string;
  readonly codes: Uint16Array;

  /** @param memory used for the codes; its own without one */
  constructor(text: string, memory = Buffer.allocUnsafeSlow(2 * text.length)) {
    memory.write(text, 'utf16le');
    this.text = text;
    this.codes = new Uint16Array(memory.buffer, memory.byteOffset, text.length);
  }

  /** Whether the characters from a position are these. */
  has(part: string, at: number): boolean {
    const { codes } = this;
    if (at + part.length > codes.length) return false;
    for (let i = 0; i < part.length; i += 1) if (codes[at + i] !== part.charCodeAt(i)) return false;
    return true;
  }

  /** 32 bits of the characters of a part. */
  hash(from: number, to: number): number {
    const { codes } = this;
    let hash = to - from;
    let at = from;
    // two at a time, because each step waits for the one before
    for (; at + 1 < to; at += 2) hash = (Math.imul(hash, 961) + (codes[at] ?? 0) * 31 + (codes[at + 1] ?? 0)) | 0;
    if (at < to) hash = (Math.imul(hash, 31) + (codes[at] ?? 0)) | 0;
    return hash ^ (hash >>> 16);
  }

  /** End of the line that begins at `from`. */
  lineEnd(from: number): number {
    const end = this.text.indexOf('\n', from);
    return end === -1 ? this.text.length : end;
  }

  /** Whether a part has control characters other than white space. */
  hasControls(from: number, to: number): boolean {
    const { codes } = this;
    for (let at = from; at < to; at += 1) {
      const code = codes[at] ?? 0;
      if (code < BLANK && (code < TAB || code > CARRIAGE_RETURN)) return true;
    }
    return false;
  }
}

/** The text in blocks of whole lines. The codes of a block are gone with the next one, which uses the same memory. */
export function* blocksOf(text: string): Generator<TextBlock, void> {
  let memory = Buffer.allocUnsafeSlow(Math.min(2 * text.length, 4 * BLOCK));
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', Math.min(from + BLOCK, text.length));
    const to = end === -1 ? text.length : end + 1;
    if (memory.length < 2 * (to - from)) memory = Buffer.allocUnsafeSlow(2 * (to - from));
    yield new TextBlock(text.slice(from, to), memory);
    from = to;
  }
}
