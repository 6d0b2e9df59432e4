import { uptime } from 'node:os';

/**
 * A clock that nobody sets. It counts sleep, unlike `performance.now()`. It shows wall time until the clock of the host is
 * set, so that an age on it is always right.
 */
const start = Date.now() - uptime() * 1000;

/** Epoch milliseconds. */
export const steadyNow = (): number => start + uptime() * 1000;

/** The wall time of a time of the steady clock, epoch milliseconds: what a person reads. The clock was set by whole seconds. */
export const toWall = (steady: number): number => steady + Math.round((Date.now() - steadyNow()) / 1000) * 1000;
