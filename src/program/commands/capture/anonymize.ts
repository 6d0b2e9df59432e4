import { withoutControls } from '../../../analyzer/sources/lines.ts';
import type { Vocabulary } from '../../../analyzer/sources/manager.ts';
import { managerCodes } from '../../../analyzer/sources/manager-codes.ts';
import type { Parsed } from '../../../analyzer/sources/parsed.ts';
import { sourceFailureKinds } from '../../../base/model/observation/source-failure.ts';
import type { CaptureHeader, CaptureSection } from './capture-file.ts';
import { isRecognized, replay } from './replay.ts';

/**
 * Replaces every word of a capture that is not known to name nobody. What stays are shapes and words of the manager
 * (`Vocabulary`), times, dates, versions and short numbers. No line is read for this: what is a name of those words is learned
 * from what the parser makes of the texts. Stand-ins for names: the same one for the same name everywhere in a capture. A name is
 * replaced part by part, so that `pc7`, `PC7`, `pc7.example.com` and `pc7:0.0` stay related, and punctuation, blanks and letter
 * case stay what they are.
 */

/** A run of letters and digits of any language. */
export const PART = /[\p{L}\p{M}\p{N}]+/gu;
/** Stand-ins have at least three characters: parsers do not compare the beginnings of shorter words. */
const MIN_WIDTH = 2;
/** Digits of a number that identifies nobody. */
const MAX_SHORT = 2;

/** Whether a text has digits only. */
const isNumber = (text: string): boolean => /^\d+$/.test(text);
const hasBothCases = (text: string): boolean => text !== text.toLowerCase() && text !== text.toUpperCase();

/** The names that stand for those of the site. Equal names get equal ones, in any spelling. */
export class StandIns {
  /** The spellings of all parts of the capture, by the part in lower case. */
  readonly #spellings = new Map<string, Set<string>>();
  readonly #known = new Map<string, string>();
  readonly #used = new Set<string>();
  readonly #counts = new Map<string, number>();
  readonly #letters: ReadonlyMap<string, string>;
  readonly #width: number;

  /**
   * @param texts all texts of the capture: no stand-in is a word that occurs in them
   * @param letters what the stand-in of a part begins with, by the part in lower case; `w` for others
   */
  constructor(texts: readonly string[], letters: ReadonlyMap<string, string>) {
    for (const text of texts)
      for (const [part] of text.matchAll(PART)) {
        const key = part.toLowerCase();
        this.#spellings.set(key, (this.#spellings.get(key) ?? new Set()).add(part));
      }
    this.#letters = letters;
    this.#width = Math.max(MIN_WIDTH, String(this.#spellings.size).length);
  }

  /** A name with all of its parts replaced. Short numbers stay, unless they are the whole name. */
  nameFor(name: string): string {
    const isShort = (part: string): boolean => isNumber(part) && part.length <= MAX_SHORT && part !== name;
    return name.replace(PART, (part) => (isShort(part) ? part : this.#partFor(part)));
  }

  /** Another number with as many digits, if there is one left. */
  numberFor(digits: string): string {
    return this.#standIn(digits, 'number', (count) =>
      digits.length === 1 ? String(count) : `1${String(count - 1).padStart(digits.length - 1, '0')}`,
    );
  }

  /** An address that is reserved for documentation or tests. */
  addressFor(address: string): string {
    return this.#standIn(address.toLowerCase(), 'address', (count) => otherAddress(address, count));
  }

  #partFor(part: string): string {
    if (isNumber(part)) return this.numberFor(part);
    const key = part.toLowerCase();
    const letter = this.#letters.get(key) ?? 'w';
    const mixed = [...(this.#spellings.get(key) ?? [])].filter(hasBothCases);
    // a parser may want letters of ASCII, and must still not get them
    const end = (/^[a-z\d]*$/.test(key) ? '' : 'é') + 'a'.repeat(mixed.length);
    const base = this.#standIn(key, letter, (count) => letter + String(count).padStart(this.#width, '0') + end);
    if (part === key) return base;
    if (part === part.toUpperCase()) return base.toUpperCase();
    // one letter is in upper case: the first one, or one of those at the end
    const index = mixed.indexOf(part);
    const at = index <= 0 ? 0 : base.length - index;
    return base.slice(0, at) + base.charAt(at).toUpperCase() + base.slice(at + 1);
  }

  #standIn(key: string, kind: string, create: (count: number) => string): string {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    let created: string;
    do {
      const counter = kind === 'number' ? `${kind} ${key.length}` : kind;
      const count = (this.#counts.get(counter) ?? 0) + 1;
      this.#counts.set(counter, count);
      created = create(count);
    } while (this.#spellings.has(created) || this.#used.has(created));
    this.#used.add(created);
    this.#known.set(key, created);
    return created;
  }
}

function otherAddress(address: string, count: number): string {
  const [high, low] = [(count >> 8) & 255, count & 255];
  if (/^[\d.]+$/.test(address)) return high === 0 ? `192.0.2.${low}` : `198.18.${high}.${low}`;
  const hex = (byte: number): string => byte.toString(16).padStart(2, '0');
  const isHardware = /^(?:[\da-f]{2}[:-]){5}[\da-f]{2}$/i.test(address);
  const separator = address.includes('-') ? '-' : ':';
  return isHardware ? ['00', '00', '5e', '00', hex(high), hex(low)].join(separator) : `2001:db8::${count.toString(16)}`;
}

/** A capture in which no name of the site is left. */
export interface Anonymized {
  readonly header: CaptureHeader;
  readonly sections: readonly CaptureSection[];
  /** Whether the texts say anything of a license manager. */
  readonly isRecognized: boolean;
}

const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)';
const WEEKDAY = '(?:mon|tue|wed|thu|fri|sat|sun)';

/** What stays in a text of any manager. No part of it is repeated within a repeated part. */
const COMMON = [
  // times, dates, `5d 14:26:14`, `Mon Oct 06 2014 07:47:04`, `Nov 13`
  String.raw`(?<![\w.])\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?(?![\w-])`,
  String.raw`(?<!\w)${WEEKDAY}[a-z]{0,6},?(?= {1,2}(?:\d{1,2}\/|${MONTH}))`,
  String.raw`(?<!\w)${MONTH}[a-z]{0,6} {1,2}\d{1,2},?(?: (?:19|20|21)\d\d)?(?!\w)`,
  String.raw`(?<![\w./])\d{1,2}\/\d{1,2}(?:\/\d{4})?(?![\w/])`,
  String.raw`(?<![\w.:])(?:\d{1,5}d )?\d{1,3}:\d{2}(?::\d{2})?(?: [a-z]{1,4} (?=(?:19|20|21)\d\d))?(?: (?:19|20|21)\d\d)?(?![\w:]|\.\d)`,
  String.raw`(?<![\w.])\d{1,2}-${MONTH}-\d{1,4}(?![\w-])`,
  // (-15,570:115
  String.raw`(?<!\w)-\d{1,5}(?:,\d{1,9}(?::\d{1,9})?)?(?![\w.])`,
].join('|');

/** The kinds of words that are replaced, the first that fits. */
const KINDS = {
  hardware: String.raw`(?<![\w:-])(?:[\da-f]{2}[:-]){5}[\da-f]{2}(?![\w:-])`,
  address: String.raw`(?<![\w:])(?:(?:[\da-f]{1,4}:){3,7}[\da-f:.]{1,40}|[\da-f:]{0,30}::[\da-f:.]{1,40})(?![\w:])`,
  chunk: String.raw`[\p{L}\p{M}\p{N}_][^\s"'(),;:\/=<>[\]{}|]*`,
};

/** Words have no others at their end. */
const ENDING = /[^\p{L}\p{M}\p{N}_]+$/u;
const VERSION = /^v\d[\d.]*[a-z]?\d{0,4}$/i;
const MAX_VERSION_PART = 4;
/** Lines of which names are taken are no longer. */
const MAX_LINE = 4096;

/** The names of an observation, with the letters of their stand-ins. */
function namesOf({
  vendorLicenses,
  members,
}: Parsed): readonly (readonly [letter: string, name: string | undefined])[] {
  const pools = vendorLicenses.flatMap((one) => one.pools);
  const used = pools.flatMap(({ checkouts, queued }) => [...checkouts, ...(queued ?? [])]);
  return [
    ...[...members, ...vendorLicenses].map(({ server }) => ['s', server] as const),
    ...used.map(({ user }) => ['u', user] as const),
    ...used.map(({ host }) => ['h', host] as const),
    ...pools.flatMap(({ reservations }) => (reservations ?? []).map(({ holder }) => ['g', holder] as const)),
    ...pools.flatMap(({ checkouts }) => checkouts.map(({ display }) => ['x', display] as const)),
    ...vendorLicenses.flatMap(({ daemon, part }) => [['d', daemon] as const, ['d', part] as const]),
    ...pools.flatMap((pool) => [pool.feature, pool.package, pool.mappedTo].map((name) => ['f', name] as const)),
  ];
}

/** The parts of all names in lower case, and names that are numbers. */
function lettersOf(
  { servers, daemons }: CaptureHeader,
  sections: readonly CaptureSection[],
  results: readonly Parsed[],
  { names }: Vocabulary,
): ReadonlyMap<string, string> {
  const letters = new Map<string, string>();
  const add = (letter: string, name = ''): void => {
    const whole = name.trim().toLowerCase();
    for (const part of [...whole.split(/\s+/), ...(whole.match(PART) ?? [])])
      if (!letters.has(part) && (!isNumber(part) || part === whole)) letters.set(part, letter);
  };
  for (const server of servers) add('s', server);
  for (const daemon of daemons) add('d', daemon);
  for (const [letter, name] of results.flatMap(namesOf)) add(letter, name);
  for (const { text } of sections)
    for (const line of text.split('\n'))
      if (line.length <= MAX_LINE) for (const pattern of names) add('w', pattern.exec(line)?.[1]);
  return letters;
}

class Words {
  readonly #standIns: StandIns;
  readonly #names: ReadonlyMap<string, string>;
  readonly #words: ReadonlySet<string>;

  constructor({ words }: Vocabulary, names: ReadonlyMap<string, string>, standIns: StandIns) {
    this.#standIns = standIns;
    this.#names = names;
    this.#words = new Set(words.split(/\s+/).filter((word) => !names.has(word)));
  }

  /** A text with every word replaced that may be a name. @param shapes what stays as it is */
  replaced(text: string, shapes: readonly string[]): string {
    const kinds = Object.entries(KINDS).map(([kind, pattern]) => `(?<${kind}>${pattern})`);
    return text.replace(new RegExp([...shapes, COMMON, ...kinds].join('|'), 'gimu'), (found, ...rest) => {
      const { hardware, address, chunk } = rest.at(-1) as Partial<Record<keyof typeof KINDS, string>>;
      if ((hardware ?? address) !== undefined) return this.#standIns.addressFor(found);
      if (chunk === undefined) return found;
      const ending = ENDING.exec(found)?.[0] ?? '';
      const word = found.slice(0, found.length - ending.length);
      // what follows is a host or a user, even if it looks like a word of the tool
      const isWho = /[@\\]/.test(word + text.charAt((rest.at(-3) as number) - 1));
      return (isWho ? word.replace(/[^@\\]+/g, (part) => this.#name(part)) : this.#word(word)) + ending;
    });
  }

  #name(name: string): string {
    return /^(?:\d{1,3}\.){3}\d{1,3}$/.test(name) ? this.#standIns.addressFor(name) : this.#standIns.nameFor(name);
  }

  #dotted(found: string): string {
    const parts = found.split('.');
    const isVersion =
      parts.length < 4 && parts.every((part) => part.length <= MAX_VERSION_PART && !this.#names.has(part));
    return isVersion ? found : this.#name(found);
  }

  #word(word: string): string {
    const key = word.toLowerCase();
    if (this.#words.has(key)) return word;
    if (/^\d+(?:\.\d+)+$/.test(word)) return this.#dotted(word);
    const isPlain = VERSION.test(word) || (isNumber(word) && word.length <= MAX_SHORT);
    return isPlain && !this.#names.has(key) ? word : this.#standIns.nameFor(word);
  }
}

/** A capture without names. */
export function anonymize(header: CaptureHeader, sections: readonly CaptureSection[]): Anonymized {
  const { vocabulary, texts } = managerCodes[header.manager];
  const replayed = replay({ header, sections: sections.map((section) => ({ ...section, line: 1 })) });
  const plain = sections.map((section) => ({
    ...section,
    text: withoutControls(texts[section.input]?.normalized(section.text) ?? section.text),
  }));
  const letters = lettersOf(header, plain, replayed.results, vocabulary);
  const all = [...plain.map(({ text }) => text), ...header.servers, ...header.daemons];
  const words = new Words(vocabulary, letters, new StandIns(all, letters));
  // what failed, and the number of a file or server, are words of this program
  const isOwn = ({ stream, text }: CaptureSection): boolean =>
    stream === 'failure' && Object.hasOwn(sourceFailureKinds, text.trim());
  const whose = (of: string): string =>
    /^(?:file|server|answer) \d+(?:, run \d+)?$/.test(of) ? of : words.replaced(of, []);
  return {
    header: {
      ...header,
      servers: header.servers.map((server) => words.replaced(server, [])),
      daemons: header.daemons.map((daemon) => words.replaced(daemon, [])),
    },
    sections: plain.map((section) => ({
      ...section,
      ...(section.of !== undefined && { of: whose(section.of) }),
      text: isOwn(section) ? section.text : words.replaced(section.text, texts[section.input]?.shapes ?? []),
    })),
    isRecognized: isRecognized(replayed),
  };
}
