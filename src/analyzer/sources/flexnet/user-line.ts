import type { TextBlock } from './text-block.ts';

/**
 * Lines of checkouts and queued requests, `user host display (v1.0) (server/port handle), start …`. They are read from
 * their right end, because what is on the left can hold any character.
 *
 * There can be a million of them. Character codes are read in place: most lines need no other string than the handle.
 */

const TAB = 9;
const CARRIAGE_RETURN = 13;
const BLANK = 32;
const QUOTE = 34;
const OPEN = 40;
const CLOSE = 41;
const SLASH = 47;
const LETTER_V = 118;

/** Where the parts of a line are. Version and server are without their brackets. */
export class UserLineParts {
  /** End of what is before the version. */
  leftEnd = 0;
  userFrom = 0;
  userTo = 0;
  hostFrom = 0;
  hostTo = 0;
  displayFrom = 0;
  displayTo = 0;
  /** Without the `v`; empty without a version. */
  versionFrom = 0;
  versionTo = 0;
  /** `host/port` */
  serverFrom = 0;
  serverTo = 0;
  handleFrom = 0;
  handleTo = 0;
  tailFrom = 0;
}

/** Finds the parts of the line between two positions. False for a line of another kind. */
export function findParts(block: TextBlock, from: number, to: number, parts: UserLineParts): boolean {
  const { codes } = block;
  for (let at = to - 1; at >= from + 2; at -= 1) {
    if (codes[at] !== OPEN) continue;
    if (codes[at - 1] !== BLANK || codes[at - 2] !== CLOSE) continue;
    if (findServer(block, at + 1, to, parts) && findVersion(block, from, at - 2, parts)) return true;
  }
  return false;
}

/** The version that the bracket at `close` ends: it has no blank. */
function findVersion(block: TextBlock, from: number, close: number, parts: UserLineParts): boolean {
  const { codes } = block;
  let open = close - 1;
  for (; open >= from; open -= 1) {
    const code = codes[open];
    if (code === OPEN) break;
    if (code === CLOSE || isBlank(code)) return false;
  }
  if (open < from || codes[open + 1] !== LETTER_V) return false;
  if (open > from && !isBlank(codes[open - 1])) return false;
  parts.leftEnd = open;
  parts.versionFrom = open + 2;
  parts.versionTo = close;
  return true;
}

/** `server/port handle)`, where server and port are any words: the server can be an IPv6 address. */
function findServer(block: TextBlock, from: number, to: number, parts: UserLineParts): boolean {
  const { codes } = block;
  let slash = -1;
  let blank = -1;
  for (let at = from; at < to; at += 1) {
    const code = codes[at];
    if (code === CLOSE) {
      if (blank === -1 || at === blank + 1) return false;
      parts.serverFrom = from;
      parts.handleFrom = blank + 1;
      parts.handleTo = at;
      parts.tailFrom = at + 1;
      return true;
    }
    if (code === SLASH && blank === -1) slash = at;
    if (!isBlank(code)) continue;
    if (blank !== -1 || slash <= from || slash === at - 1) return false;
    blank = at;
    parts.serverTo = at;
  }
  return false;
}

/** Without a version, only a time or a queue says that it is such a line. */
export function findPartsWithoutVersion(block: TextBlock, from: number, to: number, parts: UserLineParts): boolean {
  const line = block.text.slice(from, to);
  const close = Math.max(line.lastIndexOf('), start '), line.lastIndexOf(') queued for '));
  const open = close === -1 ? -1 : from + line.lastIndexOf(' (', close) + 1;
  if (open <= from || !findServer(block, open + 1, to, parts) || parts.handleTo !== from + close) return false;
  parts.leftEnd = open;
  parts.versionFrom = open;
  parts.versionTo = open;
  return true;
}

/** White space of a line: also the carriage return at the end of one that was written on Windows. */
export const isBlank = (code: number | undefined): boolean =>
  code === BLANK || (code !== undefined && code >= TAB && code <= CARRIAGE_RETURN);

/**
 * Finds user, host and display, if what is before the version is two or three words. Otherwise it is left to
 * `splitLeft`.
 */
export function findPlainWords(block: TextBlock, from: number, parts: UserLineParts): boolean {
  const { codes } = block;
  const to = parts.leftEnd;
  parts.userFrom = wordFrom(codes, from, to);
  // a quoted word can have blanks
  if (codes[parts.userFrom] === QUOTE) return false;
  parts.userTo = wordTo(codes, parts.userFrom, to);
  parts.hostFrom = wordFrom(codes, parts.userTo, to);
  parts.hostTo = wordTo(codes, parts.hostFrom, to);
  parts.displayFrom = wordFrom(codes, parts.hostTo, to);
  parts.displayTo = wordTo(codes, parts.displayFrom, to);
  return parts.hostFrom < to && wordFrom(codes, parts.displayTo, to) === to;
}

function wordFrom(codes: Uint16Array, from: number, to: number): number {
  let at = from;
  while (at < to && isBlank(codes[at])) at += 1;
  return at;
}

function wordTo(codes: Uint16Array, from: number, to: number): number {
  let at = from;
  while (at < to && !isBlank(codes[at])) at += 1;
  return at;
}
