/**
 * Stand-ins for names: the same one for the same name everywhere in a capture. A name is replaced part by part, so that
 * `pc7`, `PC7`, `pc7.example.com` and `pc7:0.0` stay related, and punctuation, blanks and letter case stay what they are.
 */

/** A run of letters and digits of any language. */
export const PART = /[\p{L}\p{M}\p{N}]+/gu;
/** Stand-ins have at least three characters: parsers do not compare the beginnings of shorter words. */
const MIN_WIDTH = 2;
/** Digits of a number that identifies nobody. */
export const MAX_SHORT = 2;

/** Whether a text has digits only. */
export const isNumber = (text: string): boolean => /^\d+$/.test(text);
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
