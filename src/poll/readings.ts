import { type Failure, QueryError } from '../model/failure.ts';
import { type Good, lastGood, type Reading, WHOLE } from '../model/snapshot.ts';
import type { Limit } from '../scheduling/limit.ts';

/** A failed reading with the last good value. */
function failedReading<T>(failure: Failure, at: number, seconds: number, previous: Reading<T> | undefined): Reading<T> {
  const last: Good<T> | undefined = lastGood(previous);
  const { kind, message, code } = failure;
  return {
    at,
    seconds,
    ok: false,
    failure: { kind, message, ...(code !== undefined && { code }) },
    ...(last !== undefined && { last }),
  };
}

interface ReadOptions<T> {
  readonly parts: readonly string[];
  readonly read: (part: string) => Promise<T>;
  readonly previous: (part: string) => Reading<T> | undefined;
  /** Applies to parts that are one vendor license each. A request for the whole site does not wait for them. */
  readonly limit: Limit;
  /** Epoch seconds. */
  readonly now: () => number;
}

/** Requests every part separately. A failed part does not affect the others. */
export async function readParts<T>(options: ReadOptions<T>): Promise<Map<string, Reading<T>>> {
  const { read, previous, limit, now } = options;
  const readings = await Promise.all(
    options.parts.map((part) => {
      const readPart = async (): Promise<[string, Reading<T>]> => {
        const started = performance.now();
        const elapsed = (): number => (performance.now() - started) / 1000;
        try {
          const value = await read(part);
          return [part, { at: now(), seconds: elapsed(), ok: true, value }];
        } catch (error) {
          if (!(error instanceof QueryError)) throw error;
          return [part, failedReading(error, now(), elapsed(), previous(part))];
        }
      };
      return part === WHOLE ? readPart() : limit(readPart);
    }),
  );
  return new Map(readings);
}

/**
 * Runs work with a signal that is aborted with the given one, or after `seconds` with a failure of kind `timeout`.
 *
 * It is not made by `AbortSignal.any`: Node keeps such a signal in memory for as long as it has a listener, and the client
 * never removes its own.
 */
export async function withDeadline<T>(
  seconds: number,
  stop: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const onStop = (): void => ending.abort(stop.reason);
  if (stop.aborted) onStop();
  stop.addEventListener('abort', onStop);
  const timer = setTimeout(
    () => ending.abort(new QueryError('timeout', `the poll did not end within ${seconds} s`)),
    seconds * 1000,
  );
  try {
    return await work(ending.signal);
  } finally {
    clearTimeout(timer);
    stop.removeEventListener('abort', onStop);
  }
}
