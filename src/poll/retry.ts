import type { FailureKind } from '../model/failure.ts';
import type { EndpointState } from '../model/snapshot.ts';

/** Failures that a retry cannot mend. Rejected logons are not among them: the credential gate lets nothing be sent. */
const LASTING: ReadonlySet<FailureKind> = new Set(['ambiguous_name']);

/** Seconds between two checks of what failed. */
const STEP = 60;

/** After how many seconds an absent endpoint is asked again. */
const ABSENT = 3600;

/** Minutes at which everything that failed is asked again: 1, 2, 5, and then every 5. */
const isFull = (minute: number): boolean => minute <= 2 || minute % 5 === 0;

/** A clock that was set back must not delay a retry. */
const within = (most: number, seconds: number): number => Math.min(most, Math.max(0, seconds));

export interface RetryOptions {
  readonly state: () => EndpointState<unknown>;
  /** Whether the next scheduled poll comes before a retry would. */
  readonly hasRunSoon: boolean;
  readonly now: () => number;
  /** Asks everything that failed, or one part of it. @param attempt counts the retries */
  readonly attempt: (signal: AbortSignal, which: 'all' | 'one', attempt: number) => Promise<void>;
}

/** When the parts of one endpoint that failed are asked again. */
export interface Retry {
  /** Forgets what was planned: a scheduled poll begins. */
  restart(): void;
  /** Plans the next retry, where one is needed and none is planned. */
  plan(signal: AbortSignal): void;
  /** Whether an absent endpoint may be asked again. */
  isDue(): boolean;
  stop(): void;
}

/**
 * Retries after 1, 2 and 5 minutes and then every 5, so that nothing waits for a schedule that may be hours away. An
 * endpoint without any good part is looked at every minute, with one request: when that is good, everything is asked.
 */
export function createRetry({ state, hasRunSoon, now, attempt }: RetryOptions): Retry {
  let timer: NodeJS.Timeout | undefined;
  let minute = 0;
  /** When the attempt began that the next one is counted from. */
  let begun = now();

  const secondsToAbsent = (): number => within(ABSENT, (state().lastAttempt?.at ?? 0) + ABSENT - now());

  const delay = (): number | undefined => {
    const { isAbsent, parts } = state();
    if (isAbsent === true) return secondsToAbsent();
    const isFailing = [...parts.values()].some((reading) => !reading.ok && !LASTING.has(reading.failure.kind));
    return isFailing && !hasRunSoon ? within(STEP, begun + STEP - now()) : undefined;
  };

  const retry = async (signal: AbortSignal): Promise<void> => {
    begun = now();
    minute += 1;
    const { isAbsent, parts } = state();
    const isAnswered = [...parts.values()].some(({ ok }) => ok);
    if (isAbsent === true || isFull(minute)) await attempt(signal, 'all', minute);
    else if (!isAnswered) await attempt(signal, 'one', minute);
  };

  const stop = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };

  const plan = (signal: AbortSignal): void => {
    const seconds = timer === undefined && !signal.aborted ? delay() : undefined;
    if (seconds === undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      void retry(signal).then(() => plan(signal));
    }, seconds * 1000).unref();
  };

  return {
    restart: () => {
      stop();
      begun = now();
      minute = 0;
    },
    plan,
    isDue: () => secondsToAbsent() === 0,
    stop,
  };
}
