import { QueryError } from '../model/failure.ts';
import type { Log } from '../model/log.ts';
import { isAnswer, MAX_UNKNOWN_FIELDS } from '../model/records.ts';
import type { EndpointState, PolledAnswers, PolledEndpoint, Reading, Snapshot } from '../model/snapshot.ts';
import type { Limit } from '../scheduling/limit.ts';
import { createAbsence } from './absence.ts';
import type { Question } from './endpoint-requests.ts';
import { CONTRADICTION } from './plausibility.ts';
import { askParts } from './readings.ts';
import { createRetry } from './retry.ts';

/** As many names of unknown fields are put into one log entry. */
const FIELDS_LOGGED = 20;

export type Parts<E extends PolledEndpoint> = ReadonlyMap<string, Reading<PolledAnswers[E]>>;

export interface EndpointPollOptions<E extends PolledEndpoint> {
  readonly question: Question<E>;
  /** What is known so far; interval and age limit stay as they are here. */
  readonly initial: EndpointState<PolledAnswers[E]>;
  /** Seconds after which a pass is ended. */
  readonly deadline: number;
  readonly limit: Limit;
  readonly now: () => number;
  readonly log: Log;
  readonly snapshot: () => Snapshot;
  /** Called with the new state, or with `undefined` when there is nothing to poll. */
  readonly commit: (state: EndpointState<PolledAnswers[E]> | undefined) => void;
  /** Why an answer is not believed: it becomes a failed poll of kind `schema`. */
  readonly doubt?: (part: string, answer: PolledAnswers[E]) => string | undefined;
  /** May ask for another pass at once, after looking at the readings: the way GetFeatures changes its form. */
  readonly review?: (readings: Parts<E>) => 'accept' | 'again';
  /** What is known of a part that was never asked for alone, from other parts. */
  readonly derive?: (part: string, parts: Parts<E>) => Reading<PolledAnswers[E]> | undefined;
  /** Where the analyzer may do without the endpoint: whether GetProducts is good, so that its absence can be told. */
  readonly isServing?: () => boolean;
}

export interface EndpointPoll {
  /** A scheduled pass over every part. Does nothing while a pass runs. */
  run(signal: AbortSignal): Promise<void>;
  /** Asks the parts that were never asked, and with `failed` also those whose newest outcome is a failure. */
  catchUp(signal: AbortSignal, which: 'new' | 'failed'): Promise<void>;
  /** Ends the retries and waits for a pass that runs; the signal given to it must have been aborted. */
  stop(): Promise<void>;
}

/** The polling of one endpoint: its passes, the retries of what failed, and its state. */
export function createEndpointPoll<E extends PolledEndpoint>(options: EndpointPollOptions<E>): EndpointPoll {
  const { question, log, now } = options;
  const { endpoint } = question;
  const { interval, maxAge } = options.initial;
  const absence = createAbsence(options.initial.isAbsent === true);
  let state = options.initial;
  let running: Promise<void> | undefined;
  /** Whether the last attempt was reported as failing, so that only changes are said at info. */
  let failing = false;
  /** Names of unknown fields that were reported. */
  const reportedFields = new Set<string>();

  const askOne = async (part: string, signal: AbortSignal): Promise<PolledAnswers[E]> => {
    const answer = await question.ask(part, signal);
    const doubt = options.doubt?.(part, answer);
    if (doubt !== undefined) throw new QueryError('schema', doubt, { code: CONTRADICTION });
    return answer;
  };

  const ask = async (parts: readonly string[], stop: AbortSignal): Promise<Parts<E>> => {
    const deadline = new AbortController();
    const timer = setTimeout(
      () => deadline.abort(new QueryError('timeout', `the poll did not end within ${options.deadline} s`)),
      options.deadline * 1000,
    );
    const signal = AbortSignal.any([stop, deadline.signal]);
    try {
      return await askParts({
        parts,
        ask: (part) => askOne(part, signal),
        previous: (part) => state.parts.get(part) ?? options.derive?.(part, state.parts),
        limit: options.limit,
        now,
      });
    } finally {
      clearTimeout(timer);
    }
  };

  const report = (parts: Parts<E>, asked: number, seconds: number): void => {
    const failures = [...parts].flatMap(([part, reading]) => (reading.ok ? [] : [{ part, ...reading.failure }]));
    const [first] = failures;
    log.debug({ endpoint, parts: asked, failed: failures.length, seconds }, 'poll ended');
    if (first !== undefined) {
      const { part, kind, message, code } = first;
      const fields = { endpoint, kind, code, reason: message, part, failed: failures.length, parts: parts.size };
      if (!absence.isAbsent) log.warn(fields, 'poll failed');
      failing = true;
    } else if (failing || state.lastSuccess === undefined) {
      log.info({ endpoint, parts: parts.size }, failing ? 'poll recovered' : 'first good poll');
      failing = false;
    }
  };

  /** Reports fields that the specification does not name when they first appear: one of them may be a renamed one. */
  const reportUnknownFields = (readings: Parts<E>): void => {
    const found = [...readings.values()].flatMap((reading) =>
      reading.ok && isAnswer(reading.value) ? reading.value.unknownFields : [],
    );
    const fields = [...new Set(found)].filter((name) => !reportedFields.has(name));
    if (fields.length === 0 || reportedFields.size >= MAX_UNKNOWN_FIELDS) return;
    for (const name of fields) reportedFields.add(name);
    const shown = { endpoint, fields: fields.slice(0, FIELDS_LOGGED), count: fields.length };
    log.warn(shown, 'the answer has fields that the specification does not name; they are ignored');
  };

  const observeAbsence = (parts: Parts<E>, at: number): void => {
    if (options.isServing === undefined) return;
    const wasAbsent = absence.isAbsent;
    absence.observe(parts.values(), at, options.isServing());
    if (absence.isAbsent && !wasAbsent) {
      log.warn(
        { endpoint },
        'the analyzer does not have this endpoint: asked again hourly, never if it is off under poll',
      );
    }
  };

  /** Puts the outcome of the asked parts into the state. Readings of parts that no longer exist are let go. */
  const commit = (readings: Parts<E>, wanted: readonly string[], started: number): void => {
    const merged = new Map<string, Reading<PolledAnswers[E]>>();
    for (const part of wanted) {
      const reading = readings.get(part) ?? state.parts.get(part);
      if (reading !== undefined) merged.set(part, reading);
    }
    const at = now();
    const seconds = (performance.now() - started) / 1000;
    const allGood = [...merged.values()].every(({ ok }) => ok);
    observeAbsence(merged, at);
    report(merged, readings.size, seconds);
    reportUnknownFields(readings);
    const lastSuccess = allGood ? at : state.lastSuccess;
    state = {
      interval,
      maxAge,
      lastAttempt: { at, seconds },
      ...(lastSuccess !== undefined && { lastSuccess }),
      ...(absence.isAbsent && { isAbsent: true }),
      parts: merged,
    };
    options.commit(state);
  };

  const pass = async (signal: AbortSignal, select: (wanted: readonly string[]) => readonly string[]): Promise<void> => {
    const wanted = question.parts(options.snapshot());
    if (wanted === undefined) return;
    if (wanted.length === 0) {
      state = { interval, maxAge, parts: new Map() };
      options.commit(undefined);
      return;
    }
    const asked = select(wanted);
    const gone = [...state.parts.keys()].some((part) => !wanted.includes(part));
    if (asked.length === 0 && !gone) return;
    const started = performance.now();
    const readings = await ask(asked, signal);
    if (signal.aborted) return;
    if (options.review?.(readings) === 'again') return pass(signal, (parts) => parts);
    commit(readings, wanted, started);
  };

  const exclusively = async (work: () => Promise<void>): Promise<void> => {
    if (running !== undefined) {
      log.debug({ endpoint }, 'poll still running, this one is left out');
      return running;
    }
    running = work()
      .catch((error: unknown) => log.error({ endpoint, err: error }, 'poll broke'))
      .finally(() => {
        running = undefined;
      });
    return running;
  };

  const isFailed = (part: string): boolean => state.parts.get(part)?.ok === false;
  const isNew = (part: string): boolean => !state.parts.has(part);

  const passOverFailed = (signal: AbortSignal): Promise<void> =>
    pass(signal, (wanted) => wanted.filter((part) => isNew(part) || isFailed(part)));

  /** Asks one part of those that failed, another one each time, and the rest when that one is good. */
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
    run: (signal) => {
      if (absence.isAbsent && !retry.isDue()) {
        retry.plan(signal);
        return Promise.resolve();
      }
      retry.restart();
      return exclusively(() => pass(signal, (wanted) => wanted)).then(() => retry.plan(signal));
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
