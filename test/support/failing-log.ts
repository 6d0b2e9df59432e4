import type { Log } from '../../src/base/model/log.ts';

/** A log for which an error fails the test. */
export const failingLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: (fields, message) => {
    throw new Error(message, { cause: fields });
  },
};
