import type { TextBlock } from './text-block.ts';

/** V8 copies shorter parts of a string. A longer part refers to the whole string. */
const COPIED = 13;
/** A power of 2. */
const SLOTS = 65_536;

/**
 * Parts of a large text that are kept longer than the text. Longer parts are copies, so that one name does not keep 80 MB
 * in memory. Parts that are equal are mostly one string: each slot remembers the last part of its hash, so a part that was
 * seen before costs no new string, and the memory is limited.
 */
export class KeptText {
  readonly #slots = new Array<string>(SLOTS).fill('');

  /** The part of a text between two positions. */
  keep(block: TextBlock, from: number, to: number): string {
    if (to <= from) return '';
    const { codes } = block;
    let hash = 0;
    for (let at = from; at < to; at += 1) hash = (Math.imul(hash, 31) + (codes[at] ?? 0)) | 0;
    const slot = (hash ^ (hash >>> 16)) & (SLOTS - 1);
    const known = this.#slots[slot] ?? '';
    if (isAt(known, block, from, to)) return known;
    const part = copyOf(block, from, to);
    this.#slots[slot] = part;
    return part;
  }
}

function isAt(part: string, block: TextBlock, from: number, to: number): boolean {
  return part.length === to - from && block.has(part, from);
}

/** A part of a text that does not refer to the text. */
export function copyOf(block: TextBlock, from: number, to: number): string {
  const part = block.text.slice(from, to);
  // joining makes a string of its own, and the cut then refers to this short one
  return part.length < COPIED ? part : ` ${part}`.slice(1);
}
