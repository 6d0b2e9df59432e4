import { copyOf, type KeptText } from './kept-text.ts';
import type { LmstatCheckout } from './lmstat-report.ts';
import type { StartTimes } from './start-times.ts';
import { TextBlock } from './text-block.ts';
import { findParts, findPartsWithoutVersion, findPlainWords, isBlank, UserLineParts } from './user-line.ts';
import { type Split, splitLeft, wordsOf } from './user-words.ts';

/** User, host and display. */
const PLAIN_WORDS = 3;
const VENDOR_STRING = 'vendor_string:';

const COMMA = 44;
const OPEN = 40;
const LICENSES = /^(?:queued for )?(\d{1,9}) licenses?$/;
const PID = /^PID: ?(\w+)$/;
const LINGER = /^\(linger: ?(\d{1,15})(?: ?\/ ?(\d{1,15}))?\)$/;
const START = 'start ';

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
      lingerPart: tail.lingerPart,
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

/**
 * The end of a user line: a set of remarks in any order, such as `, start Fri 10/20 16:44, 5 licenses`,
 * `  (linger: 885098 / 1340160)`, `, PID: 12` and ` queued for 1 license`.
 */
class UserTail {
  since: number | undefined;
  licenses = 1;
  /** The largest number. */
  linger: number | undefined;
  /** The other one, of two. */
  lingerPart: number | undefined;
  pid: string | undefined;
  queued = false;
  /** Remarks that were not understood. */
  unknown: string | undefined;
  readonly #times: StartTimes;

  constructor(times: StartTimes) {
    this.#times = times;
  }

  /** Reads what is between two positions, instead of what was read before. */
  read(block: TextBlock, from: number, to: number): void {
    this.since = undefined;
    this.licenses = 1;
    this.linger = undefined;
    this.lingerPart = undefined;
    this.pid = undefined;
    this.queued = false;
    this.unknown = undefined;
    for (let at = from; at < to; ) {
      const code = block.codes[at];
      if (code === COMMA || isBlank(code)) at += 1;
      else at = this.#readRemark(block, at, endOfRemark(block, at, to));
    }
  }

  #readRemark(block: TextBlock, from: number, to: number): number {
    if (block.has(START, from)) {
      const start = this.#times.find(block, from + START.length, trimmedEnd(block, from, to));
      this.since = start.at;
      if (start.isUnderstood) return to;
    }
    this.#readOther(copyOf(block, from, trimmedEnd(block, from, to)));
    return to;
  }

  #readOther(remark: string): void {
    const licenses = LICENSES.exec(remark);
    if (licenses !== null) {
      this.licenses = Number(licenses[1]);
      this.queued ||= remark.startsWith('queued');
      return;
    }
    const pid = PID.exec(remark)?.[1];
    const [found, ...linger] = LINGER.exec(remark) ?? [];
    if (pid !== undefined) this.pid = pid;
    else if (found !== undefined) [this.linger, this.lingerPart] = largestFirst(linger);
    else this.unknown = this.unknown === undefined ? remark : `${this.unknown}, ${remark}`;
  }
}

const largestFirst = (written: readonly (string | undefined)[]): number[] =>
  written.flatMap((one) => (one === undefined ? [] : Number(one))).sort((one, other) => other - one);

/** A remark ends before a comma or a bracket, or after its own bracket. */
function endOfRemark(block: TextBlock, from: number, to: number): number {
  const { codes } = block;
  if (codes[from] === OPEN) {
    const close = block.text.indexOf(')', from);
    return close === -1 || close >= to ? to : close + 1;
  }
  for (let at = from + 1; at < to; at += 1) {
    const code = codes[at];
    if (code === COMMA || code === OPEN) return at;
  }
  return to;
}

function trimmedEnd(block: TextBlock, from: number, to: number): number {
  const { codes } = block;
  let end = to;
  while (end > from && isBlank(codes[end - 1])) end -= 1;
  return end;
}
