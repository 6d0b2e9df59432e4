/** A table as CSV (RFC 4180), in UTF-8 with a byte order mark, so that spreadsheets read it. */

/** Characters of a part. */
const PART = 1 << 14;

/** `null` is an empty cell. */
type Cell = string | number | boolean | null;

/** A spreadsheet takes a text that begins with one of these for a formula. */
const FORMULA = /^[=+\-@\t\r\n]/;

/** Control characters that are no text: ESC makes a terminal obey, and NUL ends the value for some readers. */
const CONTROL = /(?![\t\r\n])\p{Cc}/gu;

function cellText(value: Cell): string {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  // replaced and not removed, which could put the sign of a formula first
  const shown = value.replace(CONTROL, '\uFFFD');
  const text = FORMULA.test(shown) ? `'${shown}` : shown;
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const lineOf = (cells: readonly Cell[]): string => `${cells.map(cellText).join(',')}\r\n`;

/** The text in parts of some rows, the first one with the header. */
export function* csvParts(header: readonly string[], rows: Iterable<readonly Cell[]>): Generator<string> {
  let part = `\uFEFF${lineOf(header)}`;
  for (const row of rows) {
    part += lineOf(row);
    if (part.length < PART) continue;
    yield part;
    part = '';
  }
  yield part;
}
