import type { KeptNames } from './kept-names.ts';
import { isNumber, PART, type Role, type StandIns } from './stand-ins.ts';
import { isToolWord } from './vocabulary.ts';

/** What a capture has of a text of which nothing is known. */

const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)';

/** The kinds of words, the first that fits. No part of them is repeated within a repeated part. */
const KINDS = {
  hardware: String.raw`(?<![\w:-])(?:[\da-f]{2}[:-]){5}[\da-f]{2}(?![\w:-])`,
  address6: String.raw`(?<![\w:])(?:(?:[\da-f]{1,4}:){3,7}[\da-f:.]{1,40}|[\da-f:]{0,30}::[\da-f:.]{1,40})(?![\w:])`,
  // times, dates, `5d 14:26:14`, `12:32:30 2021`, `Nov 13`
  time: [
    String.raw`(?<![\w.])\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?)?(?![\w-])`,
    String.raw`(?<![\w./])\d{1,2}\/\d{1,2}(?:\/\d{4})?(?![\w/])`,
    String.raw`(?<![\w.:])(?:\d{1,5}d )?\d{1,3}:\d{2}(?::\d{2})?(?: (?:19|20|21)\d\d)?(?![\w:]|\.\d)`,
    String.raw`(?<![\w.])\d{1,2}-${MONTH}-\d{1,4}(?![\w-])`,
    String.raw`(?<!\w)${MONTH} {1,2}\d{1,2}(?!\w)`,
  ].join('|'),
  // (-15,570:115
  code: String.raw`(?<!\w)-\d{1,5}(?:,\d{1,9}(?::\d{1,9})?)?(?![\w.])`,
  dotted: String.raw`(?<!\w|\d\.)\d+\.[\d.]*\d(?!\w)`,
  chunk: String.raw`[\p{L}\p{M}\p{N}_][^\s"'(),;:\/=<>[\]{}|]*`,
} as const;

/** Numbers in lines that a parser understands. */
const COUNT = [
  String.raw`(?<!\w)\d{1,15}(?= licen[cs]es?\b| reservations?\b)`,
  String.raw`(?<=\b(?:count|reservations|inuse|min_remove|checkouts|pool|linger):? ?)\d{1,15}(?:(?: \/ |\/)\d{1,15})?`,
  String.raw`(?<=\(port )\d{1,6}(?=\))`,
  // in hexadecimal digits; one without decimal digits could be a name
  String.raw`(?<=\(handle: ?)[a-f]{0,8}\d[\da-f]{0,15}[a-z]?(?=\))`,
  String.raw`(?<!\w)\d{1,9}\/\d{1,9}(?=\s+at\s)`,
  String.raw`(?<!\w)\d{1,5}(?=@)`,
].join('|');

const patternOf = (kinds: Readonly<Record<string, string>>): RegExp =>
  new RegExp(
    Object.entries(kinds)
      .map(([kind, pattern]) => `(?<${kind}>${pattern})`)
      .join('|'),
    'giu',
  );

const UNKNOWN = patternOf(KINDS);
const UNDERSTOOD = patternOf({ count: COUNT, ...KINDS });

const MAX_VERSION_PART = 4;
const VERSION = /^v\d[\d.]*[a-z]?\d{0,4}$/i;
const ENDING = /[^\p{L}\p{M}\p{N}_]+$/u;
/** Words of a tool can have these between them. */
const TOOL_WORD = /[\p{L}\p{M}\p{N}_]+/gu;

export class FreeText {
  readonly #standIns: StandIns;
  readonly #kept: KeptNames;

  constructor(standIns: StandIns, kept: KeptNames) {
    this.#standIns = standIns;
    this.#kept = kept;
  }

  /**
   * A text with every word replaced, except words of the tools, names of features and daemons, times, dates, versions and
   * error codes. Numbers of several digits are replaced by others.
   *
   * @param isUnderstood whether a parser understands the line. Otherwise words of the tools are replaced too if a user,
   *   host or group has that name, and numbers of licenses are replaced.
   */
  of(text: string, isUnderstood: boolean): string {
    return text.replace(isUnderstood ? UNDERSTOOD : UNKNOWN, (found, ...rest) => {
      const kinds = rest.at(-1) as Readonly<Record<string, string | undefined>>;
      if (kinds['hardware'] !== undefined || kinds['address6'] !== undefined) return this.#standIns.addressFor(found);
      if (kinds['dotted'] !== undefined) return this.#dotted(found, isUnderstood);
      if (kinds['chunk'] === undefined) return found;
      const before = text.charAt((rest.at(-3) as number) - 1);
      // what follows is a host or a user, even if it looks like a word of the tool
      return this.#chunk(found, isUnderstood, before === '@' || before === '\\');
    });
  }

  /** The name of a feature or daemon. */
  name(name: string): string {
    return this.#kept.has(name) ? name : this.#standIns.nameFor(name, 'feature');
  }

  /** With or without its `v`. */
  version(version: string): string {
    const isVersion = /^v?[\d.]{1,30}[a-z]{0,2}\d{0,4}$/i.test(version) && !/^(?:\d{1,3}\.){3}\d{1,3}$/.test(version);
    return isVersion || version === '' ? version : this.of(version, false);
  }

  /** `host`, or `host/port`. */
  server(text: string): string {
    if (this.#kept.has(text)) return text;
    const slash = text.lastIndexOf('/');
    if (slash === -1) return this.who(text, 'server');
    const port = text.slice(slash + 1);
    return `${this.who(text.slice(0, slash), 'server')}/${/^\d{1,5}$/.test(port) ? port : this.who(port, 'word')}`;
  }

  /** The name of a user, host, server or group. */
  who(name: string, role: Role): string {
    const isAddress = /^\[?(?:(?:\d{1,3}\.){3}\d{1,3}|[\da-f]*:[\da-f]*:[\da-f:.]*)\]?(?:%\w+)?$/i.test(name);
    return isAddress
      ? name.replace(/[\da-f.:]+/i, (address) => this.#standIns.addressFor(address))
      : this.#standIns.nameFor(name, role);
  }

  #dotted(found: string, isUnderstood: boolean): string {
    const parts = found.split('.');
    if (parts.length === 4) return this.#standIns.addressFor(found);
    const isName = (part: string): boolean => !isUnderstood && this.#standIns.has(part);
    const isVersion = parts.every((part) => part.length <= MAX_VERSION_PART && !isName(part));
    return isVersion ? found : found.replace(PART, (part) => this.#standIns.numberFor(part));
  }

  #chunk(chunk: string, isUnderstood: boolean, isWho: boolean): string {
    if (this.#kept.has(chunk)) return chunk;
    const ending = ENDING.exec(chunk)?.[0] ?? '';
    const word = ending === '' ? chunk : chunk.slice(0, -ending.length);
    return this.#word(word, isUnderstood, isWho) + ending;
  }

  #word(word: string, isUnderstood: boolean, isWho: boolean): string {
    if (this.#kept.has(word)) return word;
    const isOfUser = isWho || word.includes('@') || word.includes('\\');
    const isName = (part: string): boolean => this.#standIns.has(part);
    const isKept = (part: string): boolean => isToolWord(part) && (isUnderstood || !isName(part));
    if (!isOfUser && (word.match(TOOL_WORD) ?? []).every(isKept)) return word;
    const parts = word.match(PART) ?? [];
    if (!isOfUser && VERSION.test(word) && (isUnderstood || !parts.some(isName))) return word;
    const hasLetters = !parts.every(isNumber);
    return word.replace(PART, (part) => {
      const isShort = isNumber(part) && part.length < (hasLetters ? 3 : 2) && !(part === word && isName(part));
      return isShort ? part : this.#standIns.partFor(part, 'word');
    });
  }
}

/** Letters become x, digits 0: for what nobody needs to know. */
export const masked = (text: string): string =>
  text
    .replace(/\p{Lu}/gu, 'X')
    .replace(/[\p{L}\p{M}]/gu, (letter) => (letter === 'X' ? letter : 'x'))
    .replace(/\p{N}/gu, '0');
