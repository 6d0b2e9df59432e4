/**
 * Stand-ins for names: the same one for the same name everywhere in a capture. A name is replaced part by part, so that
 * `pc7`, `PC7`, `pc7.example.com` and `pc7:0.0` stay related, and punctuation, blanks and letter case stay what they are.
 */

/** What a name is of. */
export type Role = 'user' | 'host' | 'server' | 'group' | 'display' | 'domain' | 'feature' | 'word';

/** The letter before the number of a stand-in. */
const LETTERS: Readonly<Record<Role, string>> = {
  user: 'u',
  host: 'h',
  server: 's',
  group: 'g',
  display: 'x',
  domain: 'n',
  feature: 'f',
  word: 'w',
};

/** A run of letters and digits of any language. */
export const PART = /[\p{L}\p{M}\p{N}]+/gu;
/** Shorter numbers do not identify anything. */
const MIN_NUMBER = 3;
/** Stand-ins have at least three characters: parsers do not compare the beginnings of shorter words. */
const MIN_WIDTH = 2;

export const isNumber = (text: string): boolean => /^\d+$/.test(text);
// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters of ASCII
const isAscii = (text: string): boolean => /^[\u0000-\u007f]*$/.test(text);
const hasBothCases = (text: string): boolean => text !== text.toLowerCase() && text !== text.toUpperCase();

/** The role of a part of a name: only the first part of a host name is the host. */
function roleAt(role: Role, name: string, at: number): Role {
  const isHost = role === 'host' || role === 'server' || role === 'display';
  return isHost && name.slice(0, at).includes('.') ? 'domain' : role;
}

/** What stands for all spellings of a part. */
interface Family {
  readonly role: Role;
  /** A part with which this one begins. */
  readonly beginning: string | undefined;
  /** In lower case, with a letter for each of the spellings that have both cases. */
  base: string | undefined;
}

export class StandIns {
  /** The spellings of all parts of the capture, by the part in lower case. */
  readonly #spellings = new Map<string, Set<string>>();
  readonly #families = new Map<string, Family>();
  readonly #width: number;
  readonly #counts = new Map<string, number>();
  readonly #numbers = new Map<string, string>();
  readonly #addresses = new Map<string, string>();

  /** @param texts all texts of the capture: no stand-in is a word that occurs in them */
  constructor(texts: readonly string[]) {
    for (const text of texts) for (const [part] of text.matchAll(PART)) this.#addSpelling(part);
    const words = [...this.#spellings.keys()].filter((part) => !isNumber(part)).length;
    this.#width = Math.max(MIN_WIDTH, String(words).length);
  }

  /** The parts of all names, in lower case. */
  get parts(): Iterable<string> {
    return this.#families.keys();
  }

  /**
   * Makes a name known. The role of a part is that of the first name that has it.
   *
   * @param previous the word before it. A part that begins with that word has a stand-in that does so too.
   */
  add(name: string, role: Role, previous?: string): void {
    for (const { 0: part, index } of name.matchAll(PART)) {
      const isShort = isNumber(part) && part.length < MIN_NUMBER && part !== name.trim();
      if (isShort) continue;
      const before = previous?.toLowerCase() ?? '';
      const isLonger = index === 0 && before.length > 0 && part.toLowerCase().startsWith(before) && !isNumber(part);
      const beginning = isLonger && before !== part.toLowerCase() && this.has(before) ? before : undefined;
      this.#familyOf(part, roleAt(role, name, index), beginning);
    }
  }

  /** Whether it is a part of a name. */
  has(part: string): boolean {
    return this.#families.has(part.toLowerCase());
  }

  /** A name with all of its parts replaced. Numbers of one or two digits stay, unless they are the whole name. */
  nameFor(name: string, role: Role): string {
    this.add(name, role);
    return name.replace(PART, (part) => (this.has(part) ? this.partFor(part, role) : part));
  }

  partFor(part: string, role: Role): string {
    if (isNumber(part)) return this.numberFor(part);
    const base = this.#baseOf(part, role);
    if (part === part.toLowerCase()) return base;
    if (part === part.toUpperCase()) return base.toUpperCase();
    // one letter is in upper case: the first one, or one of those at the end
    const index = this.#mixedSpellings(part).indexOf(part);
    const at = index <= 0 ? 0 : base.length - index;
    return base.slice(0, at) + base.charAt(at).toUpperCase() + base.slice(at + 1);
  }

  /** Another number with as many digits. */
  numberFor(digits: string): string {
    const known = this.#numbers.get(digits);
    if (known !== undefined) return known;
    const { length } = digits;
    let number: string;
    do {
      const count = this.#next(`number of ${length}`);
      number = length === 1 ? String(count) : `1${String(count - 1).padStart(length - 1, '0')}`;
    } while (this.#spellings.has(number));
    this.#numbers.set(digits, number);
    return number;
  }

  /** An address that is reserved for documentation or tests. */
  addressFor(address: string): string {
    const key = address.toLowerCase();
    const known = this.#addresses.get(key) ?? otherAddress(address, this.#next('address'));
    this.#addresses.set(key, known);
    return known;
  }

  #addSpelling(part: string): void {
    const key = part.toLowerCase();
    const spellings = this.#spellings.get(key) ?? new Set();
    this.#spellings.set(key, spellings.add(part));
  }

  #mixedSpellings(part: string): string[] {
    return [...(this.#spellings.get(part.toLowerCase()) ?? [])].filter(hasBothCases);
  }

  #next(kind: string): number {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    return count;
  }

  #familyOf(part: string, role: Role, beginning?: string): Family {
    const key = part.toLowerCase();
    const family = this.#families.get(key) ?? { role, beginning, base: undefined };
    this.#families.set(key, family);
    return family;
  }

  #baseOf(part: string, role: Role): string {
    const family = this.#familyOf(part, role);
    const { beginning } = family;
    if (family.base !== undefined) return family.base;
    const begin = beginning === undefined ? LETTERS[family.role] : `${this.partFor(beginning, role)}b`;
    const end = (isAscii(part) ? '' : 'é') + 'a'.repeat(this.#mixedSpellings(part).length);
    let base: string;
    do base = begin + String(this.#next(begin)).padStart(this.#width, '0') + end;
    while (this.#spellings.has(base));
    family.base = base;
    return base;
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
