import { copyOf, type KeptText } from './kept-text.ts';
import type { LmstatCheckout } from './lmstat-report.ts';
import type { StartTimes } from './start-times.ts';
import { TextBlock } from './text-block.ts';
import { findParts, findPartsWithoutVersion, findPlainWords, UserLineParts } from './user-line.ts';
import { UserTail } from './user-tail.ts';
import { type Split, splitLeft, wordsOf } from './user-words.ts';

/** User, host and display. */
const PLAIN_WORDS = 3;
const VENDOR_STRING = 'vendor_string:';

type Draft = { -readonly [Key in keyof LmstatCheckout]: LmstatCheckout[Key] };

interface Ambiguous {
  readonly checkout: Draft;
  readonly words: readonly string[];
}

/** Reads user lines. Those with more words than user, host and display are completed last, when all hosts are known. */
export class UserLines {
  readonly #kept: KeptText;
  readonly #version: Repeated;
  readonly #server: Repeated;
  readonly #tail: UserTail;
  readonly #parts = new UserLineParts();
  readonly #ambiguous: Ambiguous[] = [];

  constructor(times: StartTimes, kept: KeptText) {
    this.#kept = kept;
    this.#version = new Repeated(kept);
    this.#server = new Repeated(kept);
    this.#tail = new UserTail(times);
  }

  /** The line between two positions. Undefined for a line of another kind. */
  read(block: TextBlock, from: number, to: number): LmstatCheckout | undefined {
    return findParts(block, from, to, this.#parts) ? this.#checkout(block, from, to) : undefined;
  }

  /** A rare form of the line. */
  readWithoutVersion(line: string): LmstatCheckout | undefined {
    if (!line.includes('), start ') && !line.includes(') queued for ')) return undefined;
    const block = new TextBlock(line);
    return findPartsWithoutVersion(block, 0, line.length, this.#parts)
      ? this.#checkout(block, 0, line.length)
      : undefined;
  }

  #checkout(block: TextBlock, from: number, to: number): LmstatCheckout | undefined {
    const parts = this.#parts;
    const kept = this.#kept;
    const tail = this.#tail;
    const isPlain = findPlainWords(block, from, parts);
    if (block.has(VENDOR_STRING, parts.userFrom)) return undefined;
    tail.read(block, parts.tailFrom, to);
    const checkout: Draft = {
      user: isPlain ? kept.keep(block, parts.userFrom, parts.userTo) : '',
      host: isPlain ? kept.keep(block, parts.hostFrom, parts.hostTo) : '',
      display: isPlain ? kept.keep(block, parts.displayFrom, parts.displayTo) : '',
      version: this.#version.keep(block, parts.versionFrom, parts.versionTo),
      server: this.#server.keep(block, parts.serverFrom, parts.serverTo),
      handle: copyOf(block, parts.handleFrom, parts.handleTo),
      since: tail.since,
      licenses: tail.licenses,
      linger: tail.linger,
      pid: tail.pid,
      unknownTail: tail.unknown,
      queued: tail.queued,
    };
    if (isPlain && !tail.queued) return checkout;
    return this.#readLeft(checkout, wordsOf(copyOf(block, from, parts.leftEnd))) ? checkout : undefined;
  }

  /** False if there is no user. */
  #readLeft(checkout: Draft, words: string[]): boolean {
    // a queued request repeats its version there
    if (checkout.queued && words.length > 2 && words.at(-1) === checkout.version) words.pop();
    if (words.length > PLAIN_WORDS) this.#ambiguous.push({ checkout, words });
    else
      Object.assign(
        checkout,
        splitLeft(words, 'first_word', () => false),
      );
    return words.length > 0;
  }

  /** Completes the ambiguous lines. `plain` has at least the checkouts of all others. */
  finish(
    plain: Iterable<LmstatCheckout>,
    { split, knownHosts }: { split: Split; knownHosts: ReadonlySet<string> },
  ): void {
    if (this.#ambiguous.length === 0) return;
    const hosts = new Set(knownHosts);
    for (const { host } of plain) {
      if (host !== '') hosts.add(host);
    }
    for (const { checkout, words } of this.#ambiguous) {
      Object.assign(
        checkout,
        splitLeft(words, split, (word) => hosts.has(word)),
      );
    }
  }
}

/** A part of lines that is mostly the same as in the line before. */
class Repeated {
  readonly #kept: KeptText;
  #last = '';

  constructor(kept: KeptText) {
    this.#kept = kept;
  }

  keep(block: TextBlock, from: number, to: number): string {
    if (this.#last.length !== to - from || !block.has(this.#last, from)) this.#last = this.#kept.keep(block, from, to);
    return this.#last;
  }
}
