/** The words of license files and options files, in the lines in which they stand. */

export interface StatementWord {
  readonly word: string;
  /** The key of `KEY=value`, in upper case, for a word of the value. */
  readonly key: string | undefined;
  /** The first word of the statement, in upper case. */
  readonly keyword: string;
  /** How many words of the statement, quoted texts as one, are before it. */
  readonly at: number;
}

/** Replaces words, line by line. Quotes, white space, `=` and `\` at the end of a line stay; comments are removed. */
export class StatementWords {
  readonly #begins: ((line: string) => boolean) | undefined;
  readonly #replace: (word: StatementWord) => string;
  #keyword = '';
  #at = 0;
  #key: string | undefined;
  #isQuoted = false;
  #isContinued = false;

  /** @param begins whether a line begins a statement; without it, each line does that no `\` continues */
  constructor(begins: ((line: string) => boolean) | undefined, replace: (word: StatementWord) => string) {
    this.#begins = begins;
    this.#replace = replace;
  }

  line(line: string): string {
    const [, indent = '', text = ''] = /^(\s*)(.*)$/s.exec(line) ?? [];
    if (text.startsWith('#')) return `${indent}#`;
    const begins = this.#begins === undefined ? !this.#isContinued : this.#begins(text);
    const goesOn = this.#isContinued && (this.#isQuoted || indent !== '');
    if (begins && !goesOn) this.#start();
    const result = text.replace(/"|\s+|\\|[^\s"\\]+/g, (piece) => this.#piece(piece));
    if (!this.#isQuoted) this.#endWord();
    this.#isContinued = line.endsWith('\\');
    return indent + result;
  }

  #start(): void {
    this.#keyword = '';
    this.#at = 0;
    this.#key = undefined;
    this.#isQuoted = false;
  }

  #piece(piece: string): string {
    if (piece === '\\') return piece;
    if (piece.trim() === '') {
      if (!this.#isQuoted) this.#endWord();
      return piece;
    }
    if (piece === '"') {
      this.#isQuoted = !this.#isQuoted;
      return piece;
    }
    const equals = this.#isQuoted || this.#key !== undefined ? -1 : piece.indexOf('=');
    if (equals <= 0) return this.#word(piece);
    const key = piece.slice(0, equals);
    this.#key = key.toUpperCase();
    const value = piece.slice(equals + 1);
    const written = this.#replace({ word: key, key: '', keyword: this.#keyword, at: this.#at });
    return `${written}=${value === '' ? '' : this.#word(value)}`;
  }

  #word(word: string): string {
    if (this.#at === 0) this.#keyword = word.toUpperCase();
    return this.#replace({ word, key: this.#key, keyword: this.#keyword, at: this.#at });
  }

  #endWord(): void {
    this.#at += 1;
    this.#key = undefined;
  }
}
