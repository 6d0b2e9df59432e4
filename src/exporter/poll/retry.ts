import type { FailureKind } from '../../base/model/failure.ts';
import type { EndpointState } from '../../base/model/snapshot.ts';

/** Failures that a retry cannot fix. Rejected logons are retried: the credential gate decides whether one is sent. */
const permanentFailures: ReadonlySet<FailureKind> = new Set(['ambiguous_name']);

/** Interval of the checks for failed parts, seconds. */
const STEP = 60;

/** Interval of requests to an absent endpoint, seconds. */
const ABSENT = 3600;

/** Whether everything that failed is retried after this many minutes: 1, 2, 5, and then every 5. */
const isFull = (minute: number): boolean => minute <= 2 || minute % 5 === 0;

/** If the clock was set back, retries are not delayed. */
const within = (most: number, seconds: number): number => Math.min(most, Math.max(0, seconds));

/** When a failed poll may be repeated before the next scheduled one. */
export interface RetryOptions {
  readonly state: () => EndpointState<unknown>;
  /** Whether the next scheduled poll comes before a retry would. */
  readonly hasRunSoon: boolean;
  readonly now: () => number;
  /** Requests everything that failed, or one part of it. @param attempt counts the retries */
  readonly attempt: (signal: AbortSignal, which: 'all' | 'one', attempt: number) => Promise<void>;
}

/** Schedules the retries of the failed parts of one endpoint. */
export interface Retry {
  /** Cancels the planned retry, because a scheduled poll begins. */
  restart(): void;
  /** Plans the next retry, if one is needed and none is planned. */
  plan(signal: AbortSignal): void;
  /** Whether it is time to request an absent endpoint again. */
  isDue(): boolean;
  stop(): void;
}

/**
 * Retries after 1, 2 and 5 minutes and then every 5, because the next scheduled poll may be hours away. If no part of an
 * endpoint is good, one request is sent every minute. When it succeeds, everything is requested.
 */
export function createRetry({ state, hasRunSoon, now, attempt }: RetryOptions): Retry {
  let timer: NodeJS.Timeout | undefined;
  let minute = 0;
  /** Start of the attempt from which the next one is timed. */
  let begun = now();

  const secondsToAbsent = (): number => within(ABSENT, (state().lastAttempt?.at ?? 0) + ABSENT - now());

  const delay = (): number | undefined => {
    const { isAbsent, parts } = state();
    if (isAbsent === true) return secondsToAbsent();
    const isFailing = [...parts.values()].some(
      (reading) => !reading.ok && !permanentFailures.has(reading.failure.kind),
    );
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
