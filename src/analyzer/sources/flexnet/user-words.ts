/** Who a user line names: its words before the version are user, host and display, and each can have blanks. */

/** How user, host and display are told apart where a name can have spaces. */
export type Split = 'auto' | 'first_word' | 'longest';

/** The user, the host and the display of a line. */
export interface Who {
  readonly user: string;
  readonly host: string;
  readonly display: string;
}

/** A shorter word is the beginning of many others by chance. */
const MIN_PREFIX = 3;
const HOST = /^[\w.:%[\]-]+$/;
/** `:0`, `:0.0`, `pc7:1`. */
const X_DISPLAY = /^[^:]*:\d+(?:\.\d+)?$/;

/** The words of a text. A quoted text at the beginning is one word, without its quotes. */
export function wordsOf(left: string): string[] {
  const rest = left.trim();
  const close = rest.startsWith('"') ? rest.indexOf('" ', 1) : -1;
  if (close > 1) return [rest.slice(1, close), ...wordsOf(rest.slice(close + 2))];
  return rest === '' ? [] : rest.split(/\s+/);
}

/**
 * Three words are user, host and display, and with two words there is no display. More than three are ambiguous:
 *
 * - `first_word`: the user is the first word
 * - `longest`: the user is as long as a host and a display allow
 * - `auto`: the host is a word that is known to be one, or that begins the following word, or that precedes a word with
 *   which displays begin. Without any, the user is the first word.
 */
export function splitLeft(words: readonly string[], split: Split, isKnownHost: (word: string) => boolean): Who {
  const host = words.length > 3 ? hostAmong(words, split, isKnownHost) : 1;
  return {
    user: words.slice(0, host).join(' '),
    host: words[host] ?? '',
    display: words.slice(host + 1).join(' '),
  };
}

function hostAmong(words: readonly string[], split: Split, isKnownHost: (word: string) => boolean): number {
  if (split === 'first_word') return 1;
  if (split === 'longest')
    return Math.max(
      1,
      words.slice(0, -1).findLastIndex((word) => HOST.test(word)),
    );
  const tests: ((word: string, next: string | undefined) => boolean)[] = [
    (word) => isKnownHost(word),
    (word, next) => next !== undefined && isRepeated(word, next),
    (_, next) => next !== undefined && opensDisplay(next),
  ];
  for (const test of tests) {
    const found = words.findIndex((word, at) => at > 0 && test(word, words[at + 1]));
    if (found !== -1) return found;
  }
  return 1;
}

/** The display is often the host, the host with a number, or the host with a domain. */
function isRepeated(word: string, next: string): boolean {
  const [host, display] = [word.toLowerCase(), next.toLowerCase()];
  return display === host || (host.length >= MIN_PREFIX && display.startsWith(host));
}

const opensDisplay = (word: string): boolean =>
  word.startsWith('/dev/') || word.startsWith('"') || word === 'JavaDisplay' || X_DISPLAY.test(word);
