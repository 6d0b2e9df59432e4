import { isUtf8 } from 'node:buffer';

/**
 * The JSON of the Query API: as in the standard, but the bare literal `NaN` can replace a number (spec 2.2). It is read as
 * the empty string, which is not a valid value of a number field. So is what C, .NET and others print instead of one.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const SPACE = 0x20;
const NAN = Buffer.from('NaN');

const isSpace = (byte: number | undefined): boolean =>
  byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09;

const isIdentifier = (byte: number | undefined): boolean =>
  byte !== undefined &&
  ((byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a) || byte === 0x5f);

/**
 * What programs print where a number is not finite: `NaN`, `nan`, `-nan(ind)`, `Infinity`, `-inf`, `1.#QNAN`, `-1.#IND00`,
 * in the bytes of a text. Nothing that can go on a word or a number may follow.
 */
const NO_NUMBER = /[+-]?(?:nan(?:\([a-z0-9_]{0,16}\))?|inf(?:inity)?|\d\.#[a-z]{1,4}\d{0,16})(?![\w.+#(-])/iy;
const LONGEST = 40;

/** @returns the length of such a token at this place, or 0 */
function noNumberAt(body: Buffer, at: number): number {
  NO_NUMBER.lastIndex = 0;
  return NO_NUMBER.test(body.toString('latin1', at, at + LONGEST)) ? NO_NUMBER.lastIndex : 0;
}

/** Whether the text is such a token. */
export function isNoNumber(text: string): boolean {
  NO_NUMBER.lastIndex = 0;
  return NO_NUMBER.test(text) && NO_NUMBER.lastIndex === text.length;
}

/** Whether such a token can begin at this place: with `+`, `-`, `I`, `N`, `i`, `n`, or `1.#`. */
function canBegin(body: Buffer, at: number): boolean {
  const byte = body[at] as number;
  const isDigit = byte >= 0x30 && byte <= 0x39 && body[at + 2] === 0x23;
  return isDigit || byte === 0x2b || byte === 0x2d || (byte | 0x20) === 0x69 || (byte | 0x20) === 0x6e;
}

/** Replaces the bytes of a token in place, so that the buffer keeps its length. */
function blank(body: Buffer, at: number, length: number): void {
  body.fill(SPACE, at, at + length);
  body[at] = QUOTE;
  body[at + 1] = QUOTE;
}

/**
 * Whether `"identifier":` precedes this position. In valid JSON that cannot be inside a string, where quotes are escaped,
 * so the rest of the text need not be read.
 */
function followsKey(body: Buffer, at: number): boolean {
  let i = at - 1;
  while (isSpace(body[i])) i -= 1;
  if (body[i] !== COLON) return false;
  i -= 1;
  while (isSpace(body[i])) i -= 1;
  if (body[i] !== QUOTE) return false;
  i -= 1;
  const end = i;
  while (isIdentifier(body[i])) i -= 1;
  return i < end && body[i] === QUOTE;
}

/** Blanks every `NaN` that is the value of a key. As fast as a search for the literal. */
function blankAfterKeys(body: Buffer): void {
  for (let at = body.indexOf(NAN); at !== -1; at = body.indexOf(NAN, at + 3)) {
    if (!isIdentifier(body[at + 3]) && followsKey(body, at)) blank(body, at, NAN.length);
  }
}

/** Whether a colon follows, so that the text is the name of a member and not a value. */
function isKey(body: Buffer, end: number): boolean {
  let i = end;
  while (isSpace(body[i])) i += 1;
  return body[i] === COLON;
}

/** Blanks every token that is no number outside strings, also in arrays. Reads the whole text. @returns whether there was one */
export function blankOutsideStrings(body: Buffer): boolean {
  let inString = false;
  let isAny = false;
  for (let i = 0; i < body.length; i += 1) {
    const byte = body[i];
    if (inString) {
      if (byte === BACKSLASH) i += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) {
      inString = true;
    } else if (canBegin(body, i)) {
      const length = noNumberAt(body, i);
      if (length === 0 || isKey(body, i + length)) continue;
      blank(body, i, length);
      isAny = true;
      i += length - 1;
    }
  }
  return isAny;
}

const windows1252 = new TextDecoder('windows-1252');

/** A text that is not UTF-8 is taken for Windows-1252, in which each byte is a character: two names never become one. */
const textOf = (bytes: Buffer): string => (isUtf8(bytes) ? bytes.toString('utf8') : windows1252.decode(bytes));

/**
 * Parses a body. The bare literal `NaN`, and the like of it, is read as `""`. The body is changed in place. A leading byte order
 * mark is skipped.
 *
 * @throws SyntaxError when the text is not JSON
 */
export function readJson(body: Buffer): unknown {
  const text = (): string => textOf(body.subarray(body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0));
  blankAfterKeys(body);
  try {
    return JSON.parse(text());
  } catch (error) {
    if (!blankOutsideStrings(body)) throw error;
    return JSON.parse(text());
  }
}

/** Names of members as JSON, cached because the same few names are in every record. */
const names = new Map<string, string>();
const MAX_NAMES = 1000;

function nameText(name: string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  const text = `${JSON.stringify(name)}:`;
  if (names.size < MAX_NAMES) names.set(name, text);
  return text;
}

/** Like `JSON.stringify`, but NaN is written as the bare literal `NaN`. For plain data. */
export function writeJson(value: unknown): string {
  if (typeof value === 'number') return Number.isFinite(value) || Number.isNaN(value) ? String(value) : 'null';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  let text = '';
  for (const [name, item] of Object.entries(value)) {
    if (item !== undefined) text += `${text === '' ? '' : ','}${nameText(name)}${writeJson(item)}`;
  }
  return `{${text}}`;
}
