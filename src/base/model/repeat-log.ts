import type { Log } from './log.ts';

/** Milliseconds in which one problem is one line. */
const INTERVAL_MS = 60_000;
/** Problems that count separately. Further ones count as one. */
const MAX_PROBLEMS = 100;

/** The cause of a line: its texts, without its numbers and the labels of what is affected. */
function causeOf(fields: object, message: string): string {
  const textOf = (name: string, value: unknown): unknown => {
    if (typeof value === 'number' || name === 'labels') return undefined;
    if (!(value instanceof Error)) return value;
    return [value.name, (value as { readonly code?: unknown }).code, value.message];
  };
  return JSON.stringify([message, fields], textOf);
}

/**
 * A log in which the same warning or error is written at once, and then at most once a minute, with the number of times that
 * it was `repeated` since.
 */
export function limitRepeats(log: Log): Log {
  /** How often each problem was repeated since its last line. */
  const repeats = new Map<string, number>();

  const wait = (cause: string, write: (repeated: number) => void): void => {
    repeats.set(cause, 0);
    const end = (): void => {
      const repeated = repeats.get(cause) ?? 0;
      repeats.delete(cause);
      if (repeated === 0) return;
      write(repeated);
      wait(cause, write);
    };
    setTimeout(end, INTERVAL_MS).unref();
  };

  const limited =
    (level: 'warn' | 'error') =>
    (fields: object, message: string): void => {
      const found = causeOf(fields, message);
      const cause = repeats.size < MAX_PROBLEMS || repeats.has(found) ? found : '';
      const repeated = repeats.get(cause);
      if (repeated !== undefined) {
        repeats.set(cause, repeated + 1);
        return;
      }
      log[level](fields, message);
      wait(cause, (count) => log[level]({ ...fields, repeated: count }, message));
    };

  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: limited('warn'),
    error: limited('error'),
  };
}
