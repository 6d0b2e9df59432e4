import { linesOf } from '../lines.ts';

/** License files and options files: statements that may go over several lines, and their words. */

/** Longer ones are cut: the longest known packages have some hundred kilobytes. */
const MAX_STATEMENT = 1 << 20;

/** The lines of one statement. */
class Statement {
  /** The number of its first line, from 1. */
  readonly line: number;
  readonly #lines: string[] = [];
  #length = 0;
  #quotes = 0;

  constructor(line: number) {
    this.line = line;
  }

  get isEmpty(): boolean {
    return this.#lines.length === 0;
  }

  /** Whether it ends inside a quoted string. */
  get isQuoted(): boolean {
    return this.#quotes % 2 === 1;
  }

  get text(): string {
    return this.#lines.join(' ');
  }

  add(line: string): void {
    if (this.#length > MAX_STATEMENT) return;
    this.#lines.push(line);
    this.#length += line.length + 1;
    for (let at = line.indexOf('"'); at !== -1; at = line.indexOf('"', at + 1)) this.#quotes += 1;
  }
}

/**
 * How statements begin where `\` is not the only sign of a continued line. Before version 7 it was needed; since then it
 * is not (vendor's documentation).
 *
 * @param begins whether the line begins with a keyword
 */
function isContinuation(
  line: string,
  { statement, isContinued, begins }: { statement: Statement; isContinued: boolean; begins: (line: string) => boolean },
): boolean {
  if (statement.isEmpty) return false;
  const isIndented = /^\s/.test(line);
  // a keyword at the beginning of a line is a new statement, so that a broken one does not take its successor with it
  if (isContinued) return statement.isQuoted || isIndented || !begins(line);
  return !begins(line.trimStart()) && (statement.isQuoted || isIndented || /^[A-Za-z_]+=/.test(line));
}

/**
 * The statements of a file without comments and blank lines; continued lines are joined with a blank. A comment is a line
 * that begins with `#` (vendor's documentation).
 *
 * @param begins whether a line begins with a keyword; without it, only `\` continues a line
 */
export function* statementsOf(
  text: string,
  begins?: (line: string) => boolean,
): Generator<Pick<Statement, 'text' | 'line'>, void> {
  let statement = new Statement(1);
  let isContinued = false;
  let number = 0;
  for (const line of linesOf(text.startsWith('\ufeff') ? text.slice(1) : text)) {
    number += 1;
    const isBlank = line.trim() === '';
    if (!isBlank && line.trimStart().startsWith('#')) continue;
    const goesOn =
      !isBlank && (begins === undefined ? isContinued : isContinuation(line, { statement, isContinued, begins }));
    if (!goesOn) {
      if (!statement.isEmpty) yield statement;
      statement = new Statement(number);
    }
    isContinued = line.endsWith('\\');
    if (!isBlank) statement.add(isContinued ? line.slice(0, -1) : line);
  }
  if (!statement.isEmpty) yield statement;
}

/** The words of a statement. Blanks between quotes are part of a word; the quotes are removed. */
export function wordsOf(statement: string): string[] {
  const words: string[] = [];
  let word: string[] | undefined;
  let isQuoted = false;
  for (const piece of statement.split(/(["\s])/)) {
    const isSeparator = !isQuoted && piece !== '' && piece.trim() === '';
    if (piece === '"') {
      isQuoted = !isQuoted;
      word ??= [];
    } else if (isSeparator) {
      if (word !== undefined) words.push(word.join(''));
      word = undefined;
    } else if (piece !== '') {
      word ??= [];
      word.push(piece);
    }
  }
  if (word !== undefined) words.push(word.join(''));
  return words;
}
