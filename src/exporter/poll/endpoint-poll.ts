import { withDeadline } from '../../base/model/deadline.ts';
import { CONTRADICTION, type Failure, type FailureKind, QueryError } from '../../base/model/failure.ts';
import {
  type EndpointState,
  type Good,
  lastGood,
  type PolledAnswers,
  type PolledEndpoint,
  type Reading,
  type Snapshot,
  WHOLE,
} from '../../base/model/snapshot.ts';
import type { Limit } from '../../base/scheduling/limit.ts';
import type { EndpointRequest } from './endpoint-requests.ts';
import { createAbsence } from './plausibility.ts';
import type { PollLog } from './poll-log.ts';

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
function createRetry({ state, hasRunSoon, now, attempt }: RetryOptions): Retry {
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
async function readParts<T>(options: ReadOptions<T>): Promise<Map<string, Reading<T>>> {
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

/** Why a pass runs: by the schedule or to catch up, or because something has changed at the analyzer. */
export type PassCause = 'time' | 'change';

/** What is known of each part of an endpoint. */
export type Parts<E extends PolledEndpoint> = ReadonlyMap<string, Reading<PolledAnswers[E]>>;

export interface EndpointPollOptions<E extends PolledEndpoint> {
  readonly request: EndpointRequest<E>;
  /** The initial state. Its interval and age limit do not change. */
  readonly initial: EndpointState<PolledAnswers[E]>;
  /** Deadline of a pass, seconds. */
  readonly deadline: number;
  readonly limit: Limit;
  readonly now: () => number;
  readonly log: PollLog;
  readonly snapshot: () => Snapshot;
  /** Called with the new state, or with `undefined` when there is nothing to poll. */
  readonly commit: (state: EndpointState<PolledAnswers[E]> | undefined, cause: PassCause) => void;
  /** Returns what contradicts an answer. The poll then fails with kind `schema`. */
  readonly check?: (part: string, answer: PolledAnswers[E]) => string | undefined;
  /** Completes a good answer by what is known from earlier ones. @param before the last good answer */
  readonly complete?: (
    answer: PolledAnswers[E],
    part: string,
    before: PolledAnswers[E] | undefined,
  ) => PolledAnswers[E];
  /** Checks the readings of a pass, and can request another pass at once. Used to change the form of GetFeatures. */
  readonly review?: (readings: Parts<E>) => 'accept' | 'again';
  /** Derives the reading of a part that was never requested alone from other parts. */
  readonly derive?: (part: string, parts: Parts<E>) => Reading<PolledAnswers[E]> | undefined;
  /** Set if an analyzer may lack the endpoint. Returns whether GetProducts is good; if not, no endpoint becomes absent. */
  readonly isServing?: () => boolean;
}

/** Polls one endpoint, and keeps the last good data of each part. */
export interface EndpointPoll {
  /** A scheduled pass, over every part that was not polled since the one before because it had changed. Does nothing while a pass runs. */
  run(signal: AbortSignal): Promise<void>;
  /** Requests the parts that have changed at the analyzer, and those that were never requested, after a pass that runs. */
  pollChanged(signal: AbortSignal, isChanged: (part: string) => boolean): Promise<void>;
  /** Requests the parts that were never requested, and with `failed` also those that failed last. */
  catchUp(signal: AbortSignal, which: 'new' | 'failed'): Promise<void>;
  /** Ends the retries and waits for a running pass, whose signal must already be aborted. */
  stop(): Promise<void>;
}

/** The polling of one endpoint: its passes, the retries of what failed, and its state. */
export function createEndpointPoll<E extends PolledEndpoint>(options: EndpointPollOptions<E>): EndpointPoll {
  const { request, now, log } = options;
  const { interval, maxAge } = options.initial;
  const absence = createAbsence(options.initial.isAbsent === true);
  let state = options.initial;
  let running: Promise<void> | undefined;
  /** A running pass over what has changed. A scheduled pass waits for it. */
  let pollingChanged: Promise<void> | undefined;
  /** Parts that had changed after the last scheduled pass, and were polled then. The next one leaves them out. */
  const polledEarly = new Set<string>();

  const readPart = async (part: string, signal: AbortSignal): Promise<PolledAnswers[E]> => {
    const before = lastGood(state.parts.get(part))?.value;
    const answer = await request.send(part, signal, before);
    const contradiction = options.check?.(part, answer);
    if (contradiction !== undefined) throw new QueryError('schema', contradiction, { code: CONTRADICTION });
    return options.complete?.(answer, part, before) ?? answer;
  };

  const read = (parts: readonly string[], stop: AbortSignal): Promise<Parts<E>> =>
    withDeadline({ what: 'the poll', seconds: options.deadline, stop }, (signal) =>
      readParts({
        parts,
        read: (part) => readPart(part, signal),
        previous: (part) => state.parts.get(part) ?? options.derive?.(part, state.parts),
        limit: options.limit,
        now,
      }),
    );

  const observeAbsence = (parts: Parts<E>, at: number): void => {
    if (options.isServing === undefined) return;
    const wasAbsent = absence.isAbsent;
    absence.observe(parts.values(), at, options.isServing());
    if (absence.isAbsent && !wasAbsent) log.becameAbsent();
  };

  /** Adds the readings of a pass to the state, and drops those of parts that no longer exist. */
  const commit = (readings: Parts<E>, wanted: readonly string[], started: number, cause: PassCause): void => {
    const parts = new Map<string, Reading<PolledAnswers[E]>>();
    for (const part of wanted) {
      const reading = readings.get(part) ?? state.parts.get(part);
      if (reading !== undefined) parts.set(part, reading);
    }
    const at = now();
    const seconds = (performance.now() - started) / 1000;
    const allGood = [...parts.values()].every(({ ok }) => ok);
    observeAbsence(parts, at);
    log.passEnded({ parts, readings, seconds, isAbsent: absence.isAbsent });
    const lastSuccess = allGood ? at : state.lastSuccess;
    state = {
      interval,
      maxAge,
      lastAttempt: { at, seconds },
      ...(lastSuccess !== undefined && { lastSuccess }),
      ...(absence.isAbsent && { isAbsent: true }),
      parts,
    };
    options.commit(state, cause);
  };

  const pass = async (
    signal: AbortSignal,
    select: (wanted: readonly string[]) => readonly string[],
    cause: PassCause = 'time',
  ): Promise<void> => {
    const wanted = request.parts(options.snapshot());
    if (wanted === undefined) return;
    if (wanted.length === 0) {
      state = { interval, maxAge, parts: new Map() };
      options.commit(undefined, cause);
      return;
    }
    const asked = select(wanted);
    const gone = [...state.parts.keys()].some((part) => !wanted.includes(part));
    if (asked.length === 0 && !gone) return;
    const started = performance.now();
    const readings = await read(asked, signal);
    if (signal.aborted) return;
    if (options.review?.(readings) === 'again') return pass(signal, (parts) => parts, cause);
    commit(readings, wanted, started, cause);
  };

  const exclusively = async (work: () => Promise<void>): Promise<void> => {
    if (running !== undefined) {
      log.passSkipped();
      return running;
    }
    running = work()
      .catch(log.broke)
      .finally(() => {
        running = undefined;
      });
    return running;
  };

  const isFailed = (part: string): boolean => state.parts.get(part)?.ok === false;
  const isNew = (part: string): boolean => !state.parts.has(part);
  /** Whether what was polled early is not too old until the next scheduled pass has ended. */
  const lasts = (part: string): boolean => {
    const { at = 0 } = state.parts.get(part) ?? {};
    return now() + 1.5 * interval - at < maxAge;
  };
  /** What a scheduled pass requests. */
  const takeDue = (wanted: readonly string[]): readonly string[] => {
    const due = wanted.filter((part) => isFailed(part) || !polledEarly.has(part) || !lasts(part));
    polledEarly.clear();
    return due;
  };

  const passOverFailed = (signal: AbortSignal): Promise<void> =>
    pass(signal, (wanted) => wanted.filter((part) => isNew(part) || isFailed(part)));

  /** Requests one of the failed parts, a different one each time. If it is good, requests the rest. */
  const probe = async (signal: AbortSignal, attempt: number): Promise<void> => {
    const failed = [...state.parts.keys()].filter(isFailed);
    const part = failed[attempt % failed.length];
    await pass(signal, (wanted) => wanted.filter((each) => each === part));
    if (!signal.aborted && (part === undefined || !isFailed(part))) await passOverFailed(signal);
  };

  const retry = createRetry({
    state: () => state,
    hasRunSoon: interval <= 60,
    now,
    attempt: (signal, which, attempt) =>
      exclusively(() => (which === 'one' ? probe(signal, attempt) : passOverFailed(signal))),
  });

  return {
    run: async (signal) => {
      if (!absence.isAbsent || retry.isDue()) {
        retry.restart();
        while (pollingChanged !== undefined) await pollingChanged;
        if (signal.aborted) return;
        await exclusively(() => pass(signal, takeDue));
      }
      retry.plan(signal);
    },
    pollChanged: async (signal, isChanged) => {
      while (running !== undefined) await running;
      if (signal.aborted) return;
      const select = (wanted: readonly string[]): readonly string[] => {
        for (const part of wanted.filter(isChanged)) polledEarly.add(part);
        return wanted.filter((part) => isChanged(part) || isNew(part));
      };
      pollingChanged = exclusively(() => pass(signal, select, 'change'));
      await pollingChanged;
      pollingChanged = undefined;
      retry.plan(signal);
    },
    catchUp: (signal, which) => {
      if (absence.isAbsent) return Promise.resolve();
      const work = (): Promise<void> =>
        which === 'failed' ? passOverFailed(signal) : pass(signal, (wanted) => wanted.filter(isNew));
      return exclusively(work).then(() => retry.plan(signal));
    },
    stop: async () => {
      retry.stop();
      await running;
    },
  };
}
