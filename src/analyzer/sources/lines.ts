import type { Diagnostics } from '../../base/model/observation/source.ts';

/** Lines of the output of tools. */

/** Characters of a mask. */
const MAX_MASK = 80;
const MAX_MASKS = 3;
/** No tool prints longer lines. Longer ones are not understood, so that no pattern runs over them. */
export const MAX_LINE = 4096;

/** Control characters that stand for nothing; tabs are kept. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
const CONTROL = /[\u0000-\u0008\u000e-\u001f\u007f]/g;

/** A line without control characters, which no name can have. */
export const withoutControls = (text: string): string => text.replace(CONTROL, '');

/** The lines of a text, without control characters and white space at their ends. */
export function* linesOf(text: string): Generator<string, void> {
  let from = 0;
  while (from < text.length) {
    let to = text.indexOf('\n', from);
    if (to === -1) to = text.length;
    yield withoutControls(text.slice(from, to)).trimEnd();
    from = to + 1;
  }
}

/** A whole number as a tool writes it. Undefined for another word. */
export const wholeNumber = (written: string | undefined, digits = 9): number | undefined =>
  written !== undefined && written.length <= digits && /^\d+$/.test(written) ? Number(written) : undefined;

/**
 * The shape of a line and nothing of its content, so that it can be logged: letters become `a`, digits `9`, and runs of
 * one kind are one character.
 */
export function maskOf(line: string): string {
  return line
    .slice(0, MAX_LINE)
    .replace(/\p{L}+/gu, 'a')
    .replace(/\p{N}+/gu, '9')
    .replace(/\s+/g, ' ')
    .replace(/[^\p{ASCII}]+/gu, '?')
    .slice(0, MAX_MASK);
}

/** A part of a text that a parser does not understand, for the one who wrote the text: it can hold names of users. */
export interface UnreadPart {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** False if only this end of the line is not understood. */
  readonly isWhole: boolean;
}

/** Gets each part of a text that was not understood. */
export type OnUnread = (part: UnreadPart) => void;

/** Counts what a parser does not understand. */
export class DiagnosticsCount implements Diagnostics {
  unparsed = 0;
  contradictions = 0;
  readonly #masks = new Set<string>();
  readonly #onUnread: OnUnread | undefined;
  #line = 0;
  #first: { readonly line: number; readonly mask: string } | undefined;

  constructor(onUnread?: OnUnread) {
    this.#onUnread = onUnread;
  }

  get masks(): readonly string[] {
    return [...this.#masks];
  }

  /** The first line that was not understood, with its shape. */
  get first(): { readonly line: number; readonly mask: string } | undefined {
    return this.#first;
  }

  /** What follows is about another line: the next one, or the one with this number. It is the place of what is not understood. */
  startLine(number = this.#line + 1): void {
    this.#line = number;
  }

  addUnparsed(line: string): void {
    this.unparsed += 1;
    if (this.#masks.size < MAX_MASKS) this.#masks.add(maskOf(line));
    if (this.#first === undefined || this.#line < this.#first.line) {
      this.#first = { line: this.#line, mask: maskOf(line) };
    }
    this.#onUnread?.({ line: this.#line, text: line, isWhole: true });
  }

  /** The rest of the line is understood. */
  addUnreadEnd(end: string): void {
    this.#onUnread?.({ line: this.#line, text: end, isWhole: false });
  }

  addContradiction(): void {
    this.contradictions += 1;
  }
}

/** What was not understood of several texts. */
export const joined = (all: readonly Diagnostics[]): Diagnostics => ({
  unparsed: all.reduce((sum, { unparsed }) => sum + unparsed, 0),
  masks: [...new Set(all.flatMap(({ masks }) => masks))].slice(0, MAX_MASKS),
  contradictions: all.reduce((sum, { contradictions }) => sum + contradictions, 0),
});
