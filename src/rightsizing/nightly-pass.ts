import type { CurrentInventory } from '../inventory/current.ts';
import type { Log } from '../model/log.ts';
import { errorFields, OperatorError } from '../model/operator-error.ts';
import { createLimit } from '../scheduling/limit.ts';
import { untilReady } from '../scheduling/ready.ts';
import { runSliced, untilAborted } from '../scheduling/slices.ts';
import type { WorkingTime } from './advice.ts';
import type { DemandSource } from './demand-source.ts';
import { type KeptAdviceFile, type KeptPass, openKeptAdvice, type PassRow } from './kept-advice.ts';
import { keyOf } from './known-features.ts';
import { type PassResult, runPass } from './pass.ts';
import type { Owns } from './recorded-demand-source.ts';
import { recordedRefusalsOf } from './recorded-refusals.ts';
import type { AdviceTable, KeptAdvice, Rightsizing } from './rightsizing.ts';
import { continueStreak, noStreak } from './run-out-streak.ts';

/** What a pass depends on. A reload replaces it. */
export interface PassInputs {
  readonly isEnabled: boolean;
  /** Hours a year for which `needed` may be exceeded. */
  readonly tolerance: number;
  readonly workingTime: WorkingTime;
  /** Whose history it is. Results of another analyzer are never shown. */
  readonly analyzer: string;
  /** The file of the results; in memory without one. */
  readonly file: string | undefined;
  readonly source: DemandSource;
  /** Whether a series is reported here. Other ones are not shown. */
  readonly owns: Owns;
  /** What decides which series there are: with another one, a new pass is due. */
  readonly scope: string;
  readonly useInventory: CurrentInventory['use'];
  /** When the next pass is due, epoch seconds. */
  readonly nextRun: (after: number) => number;
}

/** Computes the advice once a night, and keeps it. */
export interface NightlyPass extends Rightsizing {
  /** Uses these inputs from now on, also after a reload, and reads what is kept. Never throws. */
  use(inputs: PassInputs): Promise<void>;
  /** The first poll for these inputs is over: passes can begin. */
  begin(): void;
  /** Cancels a running pass. No inventory is used any more when it resolves. */
  pause(): Promise<void>;
  /** Cancels a running pass, and closes the file. */
  stop(): Promise<void>;
}

export interface NightlyPassOptions {
  /** Epoch seconds. */
  readonly now: () => number;
  readonly log: Log;
}

/** After a failure, a pass is tried again this many times, seconds apart. */
const RETRIES = 24;
const RETRY_SECONDS = 900;
/** Yesterday is complete with the first collection of today, which is at most an hour away. */
const WAIT_SECONDS = 60;
const MOST_WAITS = 75;
/** A longer timer would not notice that the clock was set, milliseconds. */
const MAX_TIMER_MS = 600_000;

interface Held {
  readonly pass: KeptPass;
  readonly table: AdviceTable;
  readonly byKey: ReadonlyMap<string, PassRow>;
}

const settingsOf = ({ tolerance, workingTime: { weekdays, from, to }, scope }: PassInputs): string =>
  JSON.stringify([tolerance, [...weekdays].sort(), from, to, scope]);

/** Days before today are not complete yet. */
class NotComplete extends Error {}

export function createNightlyPass({ now, log }: NightlyPassOptions): NightlyPass {
  const inTurn = createLimit(1);
  let inputs: PassInputs | undefined;
  let file: KeptAdviceFile | undefined;
  /** What the file belongs to. */
  let opened: string | undefined;
  let held: Held | undefined;
  let running = new AbortController();
  let isRunning = false;
  let hasBegun = false;
  let isPaused = true;
  let failure: string | undefined;
  let failures = 0;
  let waits = 0;
  let retryAt: number | undefined;
  let timer: NodeJS.Timeout | undefined;

  const forgetFailures = (): void => {
    failure = undefined;
    failures = 0;
    waits = 0;
    retryAt = undefined;
  };

  const report = (error: unknown, message: string): void => log.error(errorFields(error), message);

  const hold = function* (pass: KeptPass, kept: KeptAdviceFile, current: PassInputs): Generator<void, void> {
    const { computedAt, day, tolerance, leftOut } = pass.summary;
    const rows: KeptAdvice[] = [];
    const byKey = new Map<string, PassRow>();
    for (const row of pass.rows) {
      if (current.owns(row.advice)) rows.push(kept.toKept(current.analyzer, row));
      byKey.set(keyOf(row.advice), row);
      yield;
    }
    held = { pass, table: { computedAt, day, tolerance, leftOut, rows }, byKey };
  };

  const closeFile = (): void => {
    try {
      file?.close();
    } catch (error) {
      report(error, 'the advice file was not closed');
    }
    file = undefined;
    opened = undefined;
  };

  /** Opens the file of these inputs, and reads what it has. A file that cannot be used is replaced by memory. */
  const open = async (next: PassInputs): Promise<void> => {
    const { file: path, analyzer } = next;
    const wanted = JSON.stringify([path, analyzer]);
    if (opened === wanted && file !== undefined) {
      if (held !== undefined) await runSliced(hold(held.pass, file, next));
      return;
    }
    closeFile();
    held = undefined;
    const load = async (from: string | undefined): Promise<void> => {
      file = openKeptAdvice(from);
      const pass = await runSliced(file.load(analyzer));
      if (pass !== undefined) await runSliced(hold(pass, file, next));
    };
    try {
      await load(path);
    } catch (error) {
      report(error, 'advice on the number of licenses is kept in memory only');
      closeFile();
      await load(undefined);
    }
    opened = wanted;
  };

  const rowsOf = function* ({ advice }: PassResult, today: number): Generator<void, PassRow[]> {
    const rows: PassRow[] = [];
    for (const one of advice) {
      const last = held?.byKey.get(keyOf(one));
      // a second pass on the same day replaces the first one
      const before = last === undefined ? noStreak : last.advice.computed === today ? last.before : last.after;
      rows.push({ advice: one, before, after: continueStreak(before, one.runsOut?.day, today) });
      yield;
    }
    return rows;
  };

  const commit = async (pass: KeptPass, current: PassInputs, signal: AbortSignal): Promise<void> => {
    const kept = file ?? openKeptAdvice(undefined);
    file = kept;
    try {
      await runSliced(untilAborted(kept.save(current.analyzer, pass), signal));
    } catch (error) {
      signal.throwIfAborted();
      report(error, 'advice on the number of licenses was not saved');
    }
    await runSliced(untilAborted(hold(pass, kept, current), signal));
  };

  const compute = async (current: PassInputs, signal: AbortSignal): Promise<void> => {
    const { source, tolerance, workingTime, useInventory } = current;
    await untilReady(source.ready(), signal);
    const started = performance.now();
    const today = source.localTime.dayOf(now());
    if (!source.isComplete(today) && waits < MOST_WAITS) throw new NotComplete();
    const last = held?.pass.rows ?? [];
    const lastAdvice = Iterator.from(last).map(({ advice }) => advice);
    const recordedRefusals = await runSliced(untilAborted(recordedRefusalsOf(lastAdvice), signal));
    const result = await runPass({ source, useInventory, tolerance, workingTime, today, recordedRefusals, signal });
    const durationSeconds = (performance.now() - started) / 1000;
    const summary = {
      computedAt: now(),
      day: today,
      tolerance,
      leftOut: result.leftOut,
      durationSeconds,
      settings: settingsOf(current),
    };
    const rows = await runSliced(untilAborted(rowsOf(result, today), signal));
    await commit({ summary, rows }, current, signal);
    const { failed, firstFailure, leftOut } = result;
    const seconds = Math.round(durationSeconds * 10) / 10;
    log.info({ features: result.advice.length, leftOut, seconds }, 'advice on the number of licenses computed');
    if (leftOut > 0) log.warn({ leftOut }, 'features have no advice: there are more than rightsizing.max_features');
    if (failed > 0) log.warn({ features: failed, reason: firstFailure }, 'features have no advice: history not read');
  };

  const fail = (error: unknown): void => {
    if (error instanceof NotComplete) {
      waits += 1;
      retryAt = now() + WAIT_SECONDS;
      return;
    }
    failures += 1;
    waits = 0;
    const isLast = failures > RETRIES;
    retryAt = isLast ? undefined : now() + RETRY_SECONDS;
    const next = isLast ? 'at the next time of rightsizing.schedule' : `in ${RETRY_SECONDS / 60} minutes`;
    const { message: reason } = error as Error;
    failure = `the advice could not be computed: ${reason}. It is tried again ${next}`;
    const fields = error instanceof TypeError ? { err: error } : { reason, failures, next };
    log.error(fields, 'advice on the number of licenses could not be computed');
  };

  const run = (): Promise<void> => {
    const { signal } = running;
    return inTurn(async () => {
      if (inputs === undefined || !inputs.isEnabled || signal.aborted) return;
      isRunning = true;
      try {
        await compute(inputs, signal);
        forgetFailures();
      } catch (error) {
        if (!signal.aborted) fail(error);
      } finally {
        isRunning = false;
      }
      arm();
    });
  };

  /** Whether there is no result of today with these settings. */
  const isDue = (current: PassInputs): boolean => {
    if (held === undefined) return true;
    const { day, settings } = held.pass.summary;
    return day !== current.source.localTime.dayOf(now()) || settings !== settingsOf(current);
  };

  const arm = (): void => {
    clearTimeout(timer);
    if (inputs === undefined || !inputs.isEnabled || isPaused || !hasBegun) return;
    const scheduled = inputs.nextRun(now());
    const dueAt = Math.min(scheduled, retryAt ?? scheduled);
    const wait = Math.min(Math.max(0, (dueAt - now()) * 1000), MAX_TIMER_MS);
    timer = setTimeout(() => {
      // it was too far away, or the clock was set back: then an earlier time can be the next one
      if (now() < dueAt) arm();
      else void run();
    }, wait);
    timer.unref();
  };

  const beginPasses = async (): Promise<void> => {
    if (inputs === undefined || isPaused || !hasBegun) return;
    if (inputs.isEnabled && isDue(inputs)) await run();
    else arm();
  };

  const pause = async (): Promise<void> => {
    isPaused = true;
    clearTimeout(timer);
    running.abort(new OperatorError('the pass was canceled'));
    await inTurn(async () => undefined);
  };

  return {
    latest: () => (inputs?.isEnabled === true ? held?.table : undefined),
    status: () => ({
      isEnabled: inputs?.isEnabled === true,
      lastSuccess: held?.pass.summary.computedAt,
      durationSeconds: held?.pass.summary.durationSeconds,
      failure,
      isRunning,
    }),
    use: async (next) => {
      // not even while what is kept of it is read
      if (next.analyzer !== inputs?.analyzer) held = undefined;
      hasBegun = false;
      await pause();
      running = new AbortController();
      isPaused = false;
      await inTurn(async () => {
        inputs = next;
        forgetFailures();
        if (next.isEnabled) await open(next).catch((error: unknown) => report(error, 'advice cannot be kept'));
      });
      void beginPasses();
    },
    begin: () => {
      hasBegun = true;
      void beginPasses();
    },
    pause,
    stop: async () => {
      await pause();
      closeFile();
    },
  };
}
