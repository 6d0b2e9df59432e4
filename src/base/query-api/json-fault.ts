/** Where a text stops being JSON, and what stands there. Values are not repeated: they can be the names of users. */

/** The first place of a text that is not JSON. */
export interface JsonFault {
  /** Characters before it; the length of the text if the text is only the beginning of JSON. */
  readonly at: number;
  /** Objects in arrays that end before it; what is in them does not count. */
  readonly objects: number;
}

/** A value that is no text, object or array, up to what can follow a value. */
const LITERAL = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?=[ \t\r\n,\]}]|$)/y;
const SPACES = /[ \t\r\n]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
/** Up to the end of the text: a value or an escape that may go on. */
const UNFINISHED = /(?:[-+\w.#(]+|\\\w{0,5})$/y;

/** @returns the end of what matches at this place, or -1 */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** Reads a string from its opening quote. @returns the place after it, and whether it ended there */
function readString(text: string, from: number): { readonly at: number; readonly isWhole: boolean } {
  let at = from + 1;
  while (at < text.length) {
    const character = text.charCodeAt(at);
    if (character === 0x22) return { at: at + 1, isWhole: true };
    if (character < 0x20) return { at, isWhole: false };
    const end = character === 0x5c ? endOf(ESCAPE, text, at) : at + 1;
    if (end === -1) return { at: Math.max(at, endOf(UNFINISHED, text, at)), isWhole: false };
    at = end;
  }
  return { at, isWhole: false };
}

/** What may stand at a place: `first` ones may be the end of an empty array or object instead. */
type Expected = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'next';

/** The first place at which a text is not JSON; `undefined` if it is JSON. */
export function faultIn(text: string): JsonFault | undefined {
  /** What closes the arrays and objects that are open. */
  const open: string[] = [];
  let expected: Expected = 'value';
  let objects = 0;
  /** How much is open around the object that is read; 0 outside. */
  let around = 0;
  let at = 0;
  for (;;) {
    at = endOf(SPACES, text, at);
    const fault = { at, objects };
    const character = text[at];
    if (expected === 'next' && open.length === 0) return character === undefined ? undefined : fault;
    const isName: boolean = expected === 'key' || expected === 'first key';
    const canClose = expected === 'next' || expected === 'first value' || expected === 'first key';
    if (canClose && character !== undefined && character === open.at(-1)) {
      open.pop();
      if (around > 0 && open.length === around) {
        objects += 1;
        around = 0;
      }
      expected = 'next';
      at += 1;
    } else if (expected === 'next' || expected === 'colon') {
      if (character !== (expected === 'next' ? ',' : ':')) return fault;
      expected = expected === 'next' && open.at(-1) === '}' ? 'key' : 'value';
      at += 1;
    } else if (character === '"') {
      const read = readString(text, at);
      if (!read.isWhole) return { at: read.at, objects };
      expected = isName ? 'colon' : 'next';
      at = read.at;
    } else if (isName) {
      return fault;
    } else if (character === '{' || character === '[') {
      if (around === 0 && character === '{' && open.at(-1) === ']') around = open.length;
      open.push(character === '{' ? '}' : ']');
      expected = character === '{' ? 'first key' : 'first value';
      at += 1;
    } else {
      const end = endOf(LITERAL, text, at);
      if (end === -1) return { at: Math.max(at, endOf(UNFINISHED, text, at)), objects };
      expected = 'next';
      at = end;
    }
  }
}

/** `line 3 column 12`, of a place of a text. */
export function lineAndColumn(text: string, at: number): string {
  const before = text.slice(0, at).split('\n');
  return `line ${before.length} column ${(before.at(-1) as string).length + 1}`;
}

/** Characters that are shown on each side of a place. */
const SHOWN = 40;

const MEMBER = /"([A-Za-z_]\w*)"(?=\s*:)/g;

/** A part of a text with its marks. Its letters and digits are `x`, but for names of members that are known. */
function shapeOf(text: string, isKnown: (name: string) => boolean): string {
  const hide = (part: string): string =>
    part.replace(/[^\x20-\x7e]/g, (one) => (one < ' ' ? ' ' : 'x')).replace(/[A-Za-z0-9]/g, 'x');
  let shape = '';
  let done = 0;
  for (const { 0: member, 1: name = '', index } of text.matchAll(MEMBER)) {
    shape += hide(text.slice(done, index)) + (isKnown(name) ? member : hide(member));
    done = index + member.length;
  }
  return (shape + hide(text.slice(done))).trim();
}

/**
 * What stands around a place of a text: `after …,"LogActive": comes xxx,"LogInUse":1…`.
 *
 * @param isKnown whether the name of a member may be shown
 */
export function textAround(text: string, at: number, isKnown: (name: string) => boolean): string {
  const before = shapeOf(text.slice(Math.max(0, at - SHOWN), at), isKnown);
  const behind = shapeOf(text.slice(at, at + SHOWN), isKnown);
  const start = at > SHOWN ? '…' : '';
  const end = at + SHOWN < text.length ? '…' : '';
  return `after ${start}${before} comes ${behind === '' ? 'the end' : `${behind}${end}`}`;
}
