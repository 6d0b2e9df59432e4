import { readFileSync } from 'node:fs';

/**
 * The clock of a process that is started with `--import` of this file: the milliseconds in the file that `CLOCK_FILE` names
 * are added to the real one. A test can write the file while the process runs. The time since boot stays as it is.
 */

const { CLOCK_FILE = '' } = process.env;
/** How long a content is used, milliseconds. */
const KEEP_MS = 20;

const realNow = Date.now;
let readAt = Number.NEGATIVE_INFINITY;
let offset = 0;

function now(): number {
  if (performance.now() - readAt > KEEP_MS) {
    readAt = performance.now();
    offset = Number(readFileSync(CLOCK_FILE, 'latin1'));
  }
  return realNow() + offset;
}

globalThis.Date = new Proxy(Date, {
  construct: (target, given, newTarget) => Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
