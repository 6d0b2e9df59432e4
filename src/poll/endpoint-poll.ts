import { type FailureKind, QueryError } from '../model/failure.ts';
import type { Log } from '../model/log.ts';
import { isAnswer, MAX_UNKNOWN_FIELDS } from '../model/records.ts';
import type { EndpointState, PolledAnswers, PolledEndpoint, Reading, Snapshot } from '../model/snapshot.ts';
import { askParts, type Limit } from './fan-out.ts';
import type { Question } from './questions.ts';

/** When failed parts are asked again, seconds after the attempt they belong to. */
const RETRY_AFTER = [60, 120, 300];

/** As many names of unknown fields are put into one log entry. */
const FIELDS_LOGGED = 20;

/** Failures that asking again within minutes cannot mend. */
const LASTING: ReadonlySet<FailureKind> = new Set(['ambiguous_name', 'auth', 'auth_suspended']);

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
  /** May ask for another pass at once, after looking at the readings: the way GetFeatures changes its form. */
  readonly review?: (readings: ReadonlyMap<string, Reading<PolledAnswers[E]>>) => 'accept' | 'again';
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
  type Parts = ReadonlyMap<string, Reading<PolledAnswers[E]>>;
  const { question, log, now } = options;
  const { endpoint } = question;
  const { interval, maxAge } = options.initial;
  let state = options.initial;
  let running: Promise<void> | undefined;
  let retries: NodeJS.Timeout[] = [];
  /** Whether the last attempt was reported as failing, so that only changes are said at info. */
  let failing = false;
  /** Names of unknown fields that were reported. */
  const reportedFields = new Set<string>();

  const cancelRetries = (): void => {
    for (const timer of retries) clearTimeout(timer);
    retries = [];
  };

  const scheduleRetries = (signal: AbortSignal): void => {
    cancelRetries();
    if (![...state.parts.values()].some((reading) => !reading.ok && !LASTING.has(reading.failure.kind))) return;
    retries = RETRY_AFTER.map((seconds) => setTimeout(() => void catchUp(signal, 'failed'), seconds * 1000).unref());
  };

  const ask = async (parts: readonly string[], stop: AbortSignal): Promise<Map<string, Reading<PolledAnswers[E]>>> => {
    const deadline = new AbortController();
    const timer = setTimeout(
      () => deadline.abort(new QueryError('timeout', `the poll did not end within ${options.deadline} s`)),
      options.deadline * 1000,
    );
    const signal = AbortSignal.any([stop, deadline.signal]);
    try {
      return await askParts({
        parts,
        ask: (part) => question.ask(part, signal),
        previous: state.parts,
        limit: options.limit,
        now,
      });
    } finally {
      clearTimeout(timer);
    }
  };

  const report = (parts: Parts, asked: number, seconds: number): void => {
    const failures = [...parts].flatMap(([part, reading]) => (reading.ok ? [] : [{ part, ...reading.failure }]));
    const [first] = failures;
    log.debug({ endpoint, parts: asked, failed: failures.length, seconds }, 'poll ended');
    if (first !== undefined) {
      const { part, kind, message, code } = first;
      const fields = { endpoint, kind, code, reason: message, part, failed: failures.length, parts: parts.size };
      log.warn(fields, 'poll failed');
      failing = true;
    } else if (failing || state.lastSuccess === undefined) {
      log.info({ endpoint, parts: parts.size }, failing ? 'poll recovered' : 'first good poll');
      failing = false;
    }
  };

  /** Reports fields that the specification does not name when they first appear: one of them may be a renamed one. */
  const reportUnknownFields = (readings: Parts): void => {
    const found = [...readings.values()].flatMap((reading) =>
      reading.ok && isAnswer(reading.value) ? reading.value.unknownFields : [],
    );
    const fields = [...new Set(found)].filter((name) => !reportedFields.has(name));
    if (fields.length === 0 || reportedFields.size >= MAX_UNKNOWN_FIELDS) return;
    for (const name of fields) reportedFields.add(name);
    const shown = { endpoint, fields: fields.slice(0, FIELDS_LOGGED), count: fields.length };
    log.warn(shown, 'the answer has fields that the specification does not name, they are ignored');
  };

  /** Puts the outcome of the asked parts into the state. Readings of parts that no longer exist are let go. */
  const commit = (readings: Parts, wanted: readonly string[], started: number): void => {
    const merged = new Map<string, Reading<PolledAnswers[E]>>();
    for (const part of wanted) {
      const reading = readings.get(part) ?? state.parts.get(part);
      if (reading !== undefined) merged.set(part, reading);
    }
    const at = now();
    const seconds = (performance.now() - started) / 1000;
    const allGood = [...merged.values()].every(({ ok }) => ok);
    report(merged, readings.size, seconds);
    reportUnknownFields(readings);
    const lastSuccess = allGood ? at : state.lastSuccess;
    state = {
      interval,
      maxAge,
      lastAttempt: { at, seconds },
      ...(lastSuccess !== undefined && { lastSuccess }),
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

  const catchUp = (signal: AbortSignal, which: 'new' | 'failed'): Promise<void> =>
    exclusively(() =>
      pass(signal, (wanted) =>
        wanted.filter((part) => {
          const reading = state.parts.get(part);
          return reading === undefined || (which === 'failed' && !reading.ok);
        }),
      ),
    );

  return {
    run: (signal) =>
      exclusively(async () => {
        cancelRetries();
        await pass(signal, (wanted) => wanted);
        if (!signal.aborted) scheduleRetries(signal);
      }),
    catchUp,
    stop: async () => {
      cancelRetries();
      await running;
    },
  };
}
