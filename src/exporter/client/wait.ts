import { setTimeout as delay } from 'node:timers/promises';

/** Resolves after `ms` milliseconds. Rejects if the signal is aborted before. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/** Does not keep the process running. */
export const waitUnref: Wait = (ms, signal) => delay(ms, undefined, { signal, ref: false });
