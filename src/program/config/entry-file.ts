import { statSync } from 'node:fs';
import { extname } from 'node:path';
import type { z } from 'zod';
import { fileStamp, readText } from '../../base/files/named-files.ts';
import { mapOf, read, shownPath } from '../../base/settings/structures.ts';
import type { ConfigSettings } from './config-settings.ts';
import type { Problem } from './problems.ts';
import type { SettingKey } from './settings.ts';
import { readYaml } from './yaml-source.ts';

/** A row of a CSV file. */
interface CsvRow {
  /** The line on which it begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** What separates the values of a row. */
type Separator = ',' | ';';

/** The rows of a CSV file up to the first mistake, and what that is. */
interface Csv {
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

/** Files with a list of entries, in CSV, YAML or JSON: owners and prices. They are read again when they change. */

/** The entries of a file, in order. They are not used if there are problems. */
export interface EntryFile<T> {
  readonly entries: readonly T[];
  /** Where each of them is: `owners.csv:4`. */
  readonly places: readonly string[];
  readonly problems: readonly Problem[];
}

/** A kind of such files. */
export interface EntryFormat<T> {
  /** The key of the list, if the YAML file is a map. */
  readonly name: string;
  readonly schema: z.ZodType<readonly T[]>;
  /** The first line of a CSV file. */
  readonly example: string;
  readonly separators: readonly Separator[];
  /** Why a name is no column; `undefined` if it is one. */
  readonly columnProblem: (name: string) => string | undefined;
  /** What is wrong with the columns together; `undefined` if nothing is. A problem has no place. */
  readonly headerProblem: (names: readonly string[]) => Omit<Problem, 'where'> | undefined;
  /** The entry of a row, by the names of its columns. A problem has no place. */
  readonly readRow: (row: Readonly<Record<string, string>>) => T | Omit<Problem, 'where'>;
  /** Problems of several entries together. */
  readonly check?: (entries: readonly { readonly entry: T; readonly where: string }[]) => readonly Problem[];
}

const refused = (where: string, message: string): EntryFile<never> => ({
  entries: [],
  places: [],
  problems: [{ key: '', where, message }],
});

/** A list of entries, or a map with one key. */
function fromYaml<T>(text: string, path: string, { name, schema, check }: EntryFormat<T>): EntryFile<T> {
  const { value, where, problems } = readYaml(text, path);
  if (problems.length > 0) return { entries: [], places: [], problems };
  if (value === null || value === undefined) return refused(path, `the file is empty; write [] for no ${name}`);
  const isList = Array.isArray(value);
  const found = read(isList ? schema : mapOf({ [name]: schema }).transform((map) => map[name] as readonly T[]), value);
  if (found.issues === undefined) {
    const before = isList ? [] : [name];
    const placed = found.value.map((entry, i) => ({ entry, where: where([...before, i]) }));
    return { entries: found.value, places: placed.map((one) => one.where), problems: check?.(placed) ?? [] };
  }
  return {
    entries: [],
    places: [],
    problems: found.issues.map((issue) => ({
      key: shownPath(isList ? [name, ...issue.path] : issue.path),
      where: where(issue.path),
      message: issue.message,
    })),
  };
}

type Header = Pick<EntryFormat<unknown>, 'example' | 'separators' | 'columnProblem' | 'headerProblem'>;

/** What is wrong with the names of the columns. */
function headerProblems(names: readonly string[], where: string, format: Header): readonly Problem[] {
  if (names.length === 1) {
    const by = format.separators.length === 1 ? 'commas' : 'commas or semicolons';
    const message = `has one column; separate the columns by ${by}, for example ${format.example}`;
    return [{ key: '', where, message }];
  }
  const problems = names.flatMap((name, i): Problem[] => {
    const problem = (text: string): Problem[] => [{ key: name, where, message: text }];
    if (name === '') return problem(`column ${i + 1} has no name; name it or remove it`);
    if (names.indexOf(name) !== i) return problem('is the name of two columns; remove one of them');
    const message = format.columnProblem(name);
    return message === undefined ? [] : problem(message);
  });
  if (problems.length > 0) return problems;
  const together = format.headerProblem(names);
  return together === undefined ? [] : [{ ...together, where }];
}

function fromCsv<T>(text: string, path: string, format: EntryFormat<T>): EntryFile<T> {
  const { example, separators, readRow, check } = format;
  const { rows, separator, problem } = readCsv(text, separators);
  const at = (line: number): string => `${path}:${line}`;
  const unreadable = problem === undefined ? [] : [{ key: '', where: at(problem.line), message: problem.message }];
  const [header, ...others] = rows;
  if (header === undefined) {
    if (unreadable.length > 0) return { entries: [], places: [], problems: unreadable };
    return refused(path, `the file is empty; its first line names the columns, for example ${example}`);
  }
  const names = header.cells;
  const problems = [...headerProblems(names, at(header.line), format)];
  if (problems.length > 0) return { entries: [], places: [], problems: [...problems, ...unreadable] };
  const entryOf = ({ line, cells }: CsvRow): { readonly entry: T; readonly where: string }[] => {
    const refuse = (key: string, message: string): [] => {
      problems.push({ key, where: at(line), message });
      return [];
    };
    if (cells.length > names.length) {
      const what = separator === ',' ? 'a comma' : 'a semicolon';
      return refuse('', `has ${cells.length} values for ${names.length} columns; put a value with ${what} in quotes`);
    }
    const found = readRow(Object.fromEntries(names.map((name, i) => [name, cells[i] ?? ''])));
    return isProblem(found) ? refuse(found.key, found.message) : [{ entry: found, where: at(line) }];
  };
  const placed = others.flatMap(entryOf);
  return {
    entries: placed.map(({ entry }) => entry),
    places: placed.map(({ where }) => where),
    problems: [...problems, ...(check?.(placed) ?? []), ...unreadable],
  };
}

const isProblem = <T>(found: T | Omit<Problem, 'where'>): found is Omit<Problem, 'where'> =>
  typeof found === 'object' && found !== null && 'message' in found && 'key' in found;

/** How each type of file is read. */
const readers: Readonly<Record<string, <T>(text: string, path: string, format: EntryFormat<T>) => EntryFile<T>>> = {
  '.csv': fromCsv,
  '.yml': fromYaml,
  '.yaml': fromYaml,
  '.json': fromYaml,
};

/** Reads a file. Each problem has its line. */
export function readEntryFile<T>(path: string, format: EntryFormat<T>): EntryFile<T> {
  const parse = readers[extname(path).toLowerCase()];
  if (parse === undefined) {
    return refused(
      path,
      `the type of the file is not known; its name must end with ${Object.keys(readers).join(', ')}`,
    );
  }
  const file = readText(path);
  return 'why' in file ? refused(path, `the file ${file.why}`) : parse(file.text, path, format);
}

/** An entry and where it is written. */
export interface Placed<T> {
  readonly entry: T;
  /** `owners[3]`; empty in a file of entries. */
  readonly key: string;
  /** `owners.csv:4`. */
  readonly where: string;
}

/** The entries of a file with their places. */
export const placedIn = <T>({ entries, places }: Pick<EntryFile<T>, 'entries' | 'places'>): readonly Placed<T>[] =>
  entries.map((entry, i) => ({ entry, key: '', where: places[i] ?? '' }));

/** The entries of a file that a setting names, and which state of it was read. */
export interface NamedEntries<T> {
  /** It is read again when it changes. */
  readonly file: string | undefined;
  /** Which state of the file was read. */
  readonly stamp: string;
  readonly entries: readonly T[];
  readonly placed: readonly Placed<T>[];
}

/** The entries of the file that a setting names. Reports its problems. */
export function entriesNamedBy<T>(
  settings: ConfigSettings,
  key: SettingKey,
  readFile: (path: string) => EntryFile<T>,
): NamedEntries<T> {
  const file = settings.pathOf(key);
  // `readFile` of the settings reports a missing file with the line that names it
  if (file === undefined || settings.readFile(settings.reference(key)) === undefined) {
    return { file, stamp: '', entries: [], placed: [] };
  }
  // before the file is read, so that no change is missed
  const stats = statSync(file, { throwIfNoEntry: false });
  const found = readFile(file);
  settings.problems.push(...found.problems);
  return { file, stamp: stats === undefined ? '' : fileStamp(stats), entries: found.entries, placed: placedIn(found) };
}
