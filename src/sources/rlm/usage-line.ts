import type { RlmStart, RlmUsage } from './report.ts';

/** The lines below `… license usage status on …`: one for each checkout. */

/** `1/0 at 03/28 20:41`: licenses, a second number that no document explains, and the time of the checkout. */
const COUNT_AND_START =
  /\s(\d{1,9})\/(\d{1,9})\s+at\s+(\d{1,2})\/(\d{1,2})(?:\/(\d{4}))?\s+(\d{1,2}):(\d{2})(?::(\d{2}))?(?!\S)/;
/** `nuke_i v2024.0331: ` */
const PRODUCT = /^\s*(\S+)\s+v([^\s:]+):\s+/;
/** `(handle: 36a5)`, or of the oldest versions `(809f418)` before the count. */
const HANDLE = /\(handle:\s*(\w+)\)/;
/** `sun1(v1.0) (809f418)`: the host, the version that was asked for, and the handle. (D: RLM manual, rlmremove) */
const HOST = /^([^\s()]+)(?:\s*\(v[^\s()]*\))?(?:\s+\((\w+)\))?$/;

/**
 * Reads the line from its fixed parts, because users can hold any character: a user ends at the last `@`. Undefined for a
 * line of another form.
 */
export function usageOf(line: string): RlmUsage | undefined {
  const middle = COUNT_AND_START.exec(line);
  const product = PRODUCT.exec(line);
  if (middle === null || product === null || product[0].length > middle.index) return undefined;
  const who = line.slice(product[0].length, middle.index).trim();
  const at = who.lastIndexOf('@');
  const [, host, oldHandle] = HOST.exec(who.slice(at + 1)) ?? [];
  if (at <= 0 || host === undefined) return undefined;
  const handle = HANDLE.exec(line.slice(middle.index + middle[0].length))?.[1] ?? oldHandle;
  return {
    product: product[1] ?? '',
    version: product[2] ?? '',
    user: who.slice(0, at).trimEnd(),
    host,
    licenses: Number(middle[1]),
    start: startOf(middle),
    handle,
  };
}

function startOf([, , , month, date, year, hour, minute, second]: RegExpExecArray): RlmStart {
  return {
    ...(year !== undefined && { year: Number(year) }),
    month: Number(month),
    date: Number(date),
    hour: Number(hour),
    minute: Number(minute),
    ...(second !== undefined && { second: Number(second) }),
  };
}
