/** The bytes of an output become text. */

/** Names of Windows code pages that the encoding standard has under another label only. */
const CODE_PAGES: Readonly<Record<string, string>> = {
  cp932: 'shift_jis',
  cp936: 'gbk',
  cp949: 'euc-kr',
  cp950: 'big5',
  cp65001: 'utf-8',
};

/** The encoding that a byte order mark names. PowerShell writes UTF-16 when output is redirected to a file. */
function encodingOfMark(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined;
}

const decode = (bytes: Uint8Array, label: string, fatal = false): string =>
  new TextDecoder(label, { fatal }).decode(bytes);

/** A text, and the encoding that it was read in. */
export interface Decoded {
  readonly text: string;
  readonly encoding: string;
}

/**
 * The text of an output, without a byte order mark. A byte order mark decides the encoding; without one, it is the given
 * encoding; without either, UTF-8 if the bytes are valid, else Latin-1 as the web defines it (Windows-1252).
 *
 * @param encoding a label of the WHATWG encoding standard, or one of the code pages above
 * @throws RangeError if the label is not known
 */
export function decodeWith(bytes: Uint8Array, encoding?: string): Decoded {
  const label = encodingOfMark(bytes) ?? encoding;
  if (label !== undefined) {
    return { text: decode(bytes, CODE_PAGES[label.toLowerCase()] ?? label), encoding: label.toUpperCase() };
  }
  try {
    return { text: decode(bytes, 'utf-8', true), encoding: 'UTF-8' };
  } catch {
    return { text: decode(bytes, 'windows-1252'), encoding: 'Latin-1' };
  }
}

/** The text alone. @throws RangeError as `decodeWith` */
export const decodeOutput = (bytes: Uint8Array, encoding?: string): string => decodeWith(bytes, encoding).text;
