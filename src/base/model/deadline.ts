import { QueryError } from './failure.ts';

/** How long some work may take, and what ends it before. */
export interface Deadline {
  /** Its name in the failure, for instance `the poll`. */
  readonly what: string;
  readonly seconds: number;
  readonly stop: AbortSignal;
}

/**
 * Runs work with a signal that is aborted with the given one, or after `seconds` with a failure of kind `timeout`.
 *
 * It is not made by `AbortSignal.any`: Node keeps such a signal in memory for as long as it has a listener, and the client
 * never removes its own.
 */
export async function withDeadline<T>(
  { what, seconds, stop }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const onStop = (): void => ending.abort(stop.reason);
  if (stop.aborted) onStop();
  stop.addEventListener('abort', onStop);
  const timer = setTimeout(
    () => ending.abort(new QueryError('timeout', `${what} did not end within ${seconds} s`)),
    seconds * 1000,
  );
  try {
    return await work(ending.signal);
  } finally {
    clearTimeout(timer);
    stop.removeEventListener('abort', onStop);
  }
}
