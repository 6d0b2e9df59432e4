import type { TextBlock } from './text-block.ts';

/** V8 copies shorter parts of a string. A longer part refers to the whole string. */
const COPIED = 13;
const MIN_SLOTS = 256;
const MAX_SLOTS = 65_536;
/** A line has few parts that other lines do not have. */
const CHARACTERS_A_SLOT = 64;

/**
 * Parts of a large text that are kept longer than the text. Longer parts are copies, so that one name does not keep 80 MB
 * in memory. Parts that are equal are mostly one string: each slot remembers the last part of its hash, so a part that was
 * seen before costs no new string, and the memory is limited.
 */
export class KeptText {
  readonly #slots: string[];

  /** @param length of the text */
  constructor(length: number) {
    // a power of 2
    let slots = MIN_SLOTS;
    while (slots < MAX_SLOTS && slots * CHARACTERS_A_SLOT < length) slots *= 2;
    this.#slots = new Array<string>(slots).fill('');
  }

  /** The part of a text between two positions. */
  keep(block: TextBlock, from: number, to: number): string {
    if (to <= from) return '';
    const slot = block.hash(from, to) & (this.#slots.length - 1);
    const known = this.#slots[slot] ?? '';
    if (known.length === to - from && block.has(known, from)) return known;
    const part = block.text.slice(from, to);
    // characters of a flat string are compared faster
    const kept = part.length < COPIED ? part : part.split('').join('');
    this.#slots[slot] = kept;
    return kept;
  }
}

/** A part of a text that does not refer to the text. */
export const copyOf = (block: TextBlock, from: number, to: number): string => detached(block.text.slice(from, to));

/** A part of a text, as a string that does not refer to the text. */
export function detached(part: string): string {
  // joining makes a string of its own, and the cut then refers to this short one
  return part.length < COPIED ? part : ` ${part}`.slice(1);
}
