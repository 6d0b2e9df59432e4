/** A row of a CSV file. */
export interface CsvRow {
  /** The line on which it begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** What separates the values of a row. */
export type Separator = ',' | ';';

/** The rows of a CSV file up to the first mistake, and what that is. */
export interface Csv {
  readonly separator: Separator;
  readonly rows: readonly CsvRow[];
  readonly problem: { readonly line: number; readonly message: string } | undefined;
}

const QUOTE = '"';

/** A value in quotes, and where it ends; `undefined` if its end is missing. */
function readQuoted(text: string, start: number): { readonly value: string; readonly end: number } | undefined {
  let value = '';
  for (let from = start + 1; ; ) {
    const quote = text.indexOf(QUOTE, from);
    if (quote === -1) return undefined;
    value += text.slice(from, quote);
    if (text[quote + 1] !== QUOTE) return { value, end: quote + 1 };
    value += QUOTE;
    from = quote + 2;
  }
}

function readPlain(
  text: string,
  start: number,
  separator: Separator,
): { readonly value: string; readonly end: number } {
  const rest = separator === ',' ? /[^,\r\n]*/y : /[^;\r\n]*/y;
  rest.lastIndex = start;
  const value = rest.exec(text)?.[0] ?? '';
  return { value, end: start + value.length };
}

/** Where a value in quotes begins; `undefined` if the value has none. */
function quoteAt(text: string, start: number): number | undefined {
  const opening = /[ \t]*"/y;
  opening.lastIndex = start;
  return opening.test(text) ? opening.lastIndex - 1 : undefined;
}

const linesIn = (text: string): number => text.split('\n').length - 1;

/** The separator that comes first in the first line, outside of quotes. */
function separatorOf(text: string, allowed: readonly Separator[]): Separator {
  const [line = ''] = text
    .replace(/"[^"]*"/g, '')
    .trimStart()
    .split(/[\r\n]/, 1);
  const found = [...line].find((character) => (allowed as readonly string[]).includes(character));
  return (found as Separator | undefined) ?? ',';
}

/**
 * Reads a CSV file (RFC 4180): values are separated by commas, or as the first line has it, and can be in quotes. Spaces around values are removed; rows
 * without a value are left out.
 */
export function readCsv(source: string, allowed: readonly Separator[] = [',']): Csv {
  const text = source.replace(/^\uFEFF/, '');
  const separator = separatorOf(text, allowed);
  const rows: CsvRow[] = [];
  let line = 1;
  let cells: string[] = [];
  let begun = line;
  for (let at = 0; at <= text.length; ) {
    const quote = quoteAt(text, at);
    const cell = quote === undefined ? readPlain(text, at, separator) : readQuoted(text, quote);
    if (cell === undefined) return { separator, rows, problem: { line, message: 'a quote is not closed' } };
    line += linesIn(text.slice(at, cell.end));
    cells.push(cell.value.trim());
    const end = /[ \t]*(?<sign>[,;]|\r?\n|\r|$)/y;
    end.lastIndex = cell.end;
    const sign = end.exec(text)?.groups?.sign;
    if (sign === undefined || (sign !== separator && /[,;]/.test(sign))) {
      const what = separator === ',' ? 'a comma' : 'a semicolon';
      return { separator, rows, problem: { line, message: `${what} is missing after a value in quotes` } };
    }
    // the end of the text is passed too
    at = sign === '' ? text.length + 1 : end.lastIndex;
    if (sign === separator) continue;
    if (cells.some((value) => value !== '')) rows.push({ line: begun, cells });
    line += 1;
    begun = line;
    cells = [];
  }
  return { separator, rows, problem: undefined };
}
