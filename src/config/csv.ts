/** A row of a CSV file. */
export interface CsvRow {
  /** The line on which it begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** The rows of a CSV file up to the first mistake, and what that is. */
export interface Csv {
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

function readPlain(text: string, start: number): { readonly value: string; readonly end: number } {
  const rest = /[^,\r\n]*/y;
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

/**
 * Reads a CSV file (RFC 4180): values are separated by commas, and can be in quotes. Spaces around values are removed; rows
 * without a value are left out.
 */
export function readCsv(source: string): Csv {
  const text = source.replace(/^\uFEFF/, '');
  const rows: CsvRow[] = [];
  let line = 1;
  let cells: string[] = [];
  let begun = line;
  for (let at = 0; at <= text.length; ) {
    const quote = quoteAt(text, at);
    const cell = quote === undefined ? readPlain(text, at) : readQuoted(text, quote);
    if (cell === undefined) return { rows, problem: { line, message: 'a quote is not closed' } };
    line += linesIn(text.slice(at, cell.end));
    cells.push(cell.value.trim());
    const end = /[ \t]*(?<separator>,|\r?\n|\r|$)/y;
    end.lastIndex = cell.end;
    const separator = end.exec(text)?.groups?.separator;
    if (separator === undefined) {
      return { rows, problem: { line, message: 'a comma is missing after a value in quotes' } };
    }
    // the end of the text is passed too
    at = separator === '' ? text.length + 1 : end.lastIndex;
    if (separator === ',') continue;
    if (cells.some((value) => value !== '')) rows.push({ line: begun, cells });
    line += 1;
    begun = line;
    cells = [];
  }
  return { rows, problem: undefined };
}
