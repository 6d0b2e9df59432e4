import { copyOf } from './kept-text.ts';
import type { StartTimes } from './start-times.ts';
import type { TextBlock } from './text-block.ts';
import { isBlank } from './user-line.ts';

const COMMA = 44;
const OPEN = 40;
const LICENSES = /^(?:queued for )?(\d{1,9}) licenses?$/;
const PID = /^PID: ?(\w+)$/;
const LINGER = /^\(linger: ?(\d{1,15})(?: ?\/ ?(\d{1,15}))?\)$/;
const START = 'start ';

/**
 * The end of a user line: a set of remarks in any order, such as `, start Fri 10/20 16:44, 5 licenses`,
 * `  (linger: 885098 / 1340160)`, `, PID: 12` and ` queued for 1 license`.
 */
export class UserTail {
  since: number | undefined;
  licenses = 1;
  /** The largest number. */
  linger: number | undefined;
  pid: string | undefined;
  queued = false;
  /** Remarks that were not understood. */
  unknown: string | undefined;
  readonly #times: StartTimes;

  constructor(times: StartTimes) {
    this.#times = times;
  }

  /** Reads what is between two positions, instead of what was read before. */
  read(block: TextBlock, from: number, to: number): void {
    this.since = undefined;
    this.licenses = 1;
    this.linger = undefined;
    this.pid = undefined;
    this.queued = false;
    this.unknown = undefined;
    for (let at = from; at < to; ) {
      const code = block.codes[at];
      if (code === COMMA || isBlank(code)) at += 1;
      else at = this.#readRemark(block, at, endOfRemark(block, at, to));
    }
  }

  #readRemark(block: TextBlock, from: number, to: number): number {
    if (block.has(START, from)) {
      const start = this.#times.find(block, from + START.length, trimmedEnd(block, from, to));
      this.since = start.at;
      if (start.isUnderstood) return to;
    }
    this.#readOther(copyOf(block, from, trimmedEnd(block, from, to)));
    return to;
  }

  #readOther(remark: string): void {
    const licenses = LICENSES.exec(remark);
    if (licenses !== null) {
      this.licenses = Number(licenses[1]);
      this.queued ||= remark.startsWith('queued');
      return;
    }
    const pid = PID.exec(remark)?.[1];
    const [, linger, total = linger] = LINGER.exec(remark) ?? [];
    if (pid !== undefined) this.pid = pid;
    else if (linger !== undefined) this.linger = Math.max(Number(linger), Number(total));
    else this.unknown = this.unknown === undefined ? remark : `${this.unknown}, ${remark}`;
  }
}

/** A remark ends before a comma or a bracket, or after its own bracket. */
function endOfRemark(block: TextBlock, from: number, to: number): number {
  const { codes } = block;
  if (codes[from] === OPEN) {
    const close = block.text.indexOf(')', from);
    return close === -1 || close >= to ? to : close + 1;
  }
  for (let at = from + 1; at < to; at += 1) {
    const code = codes[at];
    if (code === COMMA || code === OPEN) return at;
  }
  return to;
}

function trimmedEnd(block: TextBlock, from: number, to: number): number {
  const { codes } = block;
  let end = to;
  while (end > from && isBlank(codes[end - 1])) end -= 1;
  return end;
}
