import type { CurrentInventory } from '../inventory/current.ts';
import type { Log } from '../model/log.ts';
import { errorFields, OperatorError } from '../model/operator-error.ts';
import { createLimit } from '../scheduling/limit.ts';
import { untilReady } from '../scheduling/ready.ts';
import type { FileWrites } from '../storage/file-writes.ts';
import type { WorkingTime } from './advice.ts';
import { type DemandSource, NOT_POLLED, NothingKnown } from './demand-source.ts';
import { createKeptResult, type ResultInputs } from './kept-result.ts';
import type { Rightsizing } from './rightsizing.ts';

/** What a pass depends on. A reload replaces it. */
export interface PassInputs extends ResultInputs {
  readonly isEnabled: boolean;
  /** Hours a year for which `needed` may be exceeded. */
  readonly tolerance: number;
  readonly workingTime: WorkingTime;
  readonly source: DemandSource;
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

/** The clock, the log and the file of the passes. */
export interface NightlyPassOptions {
  /** Epoch seconds. */
  readonly now: () => number;
  readonly log: Log;
  /** How writing the file of the results goes. */
  readonly writes: FileWrites;
}

/** After a failure, a pass is tried again this many times, seconds apart. */
const RETRIES = 24;
const RETRY_SECONDS = 900;
/** Yesterday is complete with the first collection of today, which is at most an hour away. An analyzer may answer soon. */
const WAIT_SECONDS = 60;
const MOST_WAITS = 75;
/** A longer timer would not notice that the clock was set, milliseconds. */
const MAX_TIMER_MS = 600_000;

const settingsOf = ({ tolerance, workingTime: { weekdays, from, to }, scope }: PassInputs): string =>
  JSON.stringify([tolerance, [...weekdays].sort(), from, to, scope]);

/** Days before today are not complete yet. */
class NotComplete extends Error {}

/** Runs the pass each night, and once after the start if the last result is too old. */
export function createNightlyPass({ now, log, writes }: NightlyPassOptions): NightlyPass {
  const inTurn = createLimit(1);
  const result = createKeptResult(log, writes);
  let inputs: PassInputs | undefined;
  let running = new AbortController();
  let isRunning = false;
  let hasBegun = false;
  let isPaused = true;
  let failure: string | undefined;
  let failures = 0;
  let waits = 0;
  let retryAt: number | undefined;
  /** What the pass waits for, or how far it is. */
  let progress: string | undefined;
  let timer: NodeJS.Timeout | undefined;

  const forgetFailures = (): void => {
    failure = undefined;
    failures = 0;
    waits = 0;
    retryAt = undefined;
  };

  const compute = async (current: PassInputs, signal: AbortSignal): Promise<void> => {
    const { source, tolerance, workingTime, useInventory } = current;
    await untilReady(source.ready(), signal);
    const started = performance.now();
    const today = source.localTime.dayOf(now());
    if (!source.isComplete(today) && waits < MOST_WAITS)
      throw new NotComplete('yesterday is not recorded completely yet');
    const last = result.latest()?.pass.rows ?? [];
    const lastAdvice = Iterator.from(last).map(({ advice }) => advice);
    const onProgress = (done: number, all: number): void => {
      progress = `${done} of ${all} features are done`;
    };
    const options = { source, useInventory, tolerance, workingTime, today, lastAdvice, signal, onProgress };
    // the method is read when a pass begins
    const { runPass } = await import('./pass.ts');
    const passed = await runPass(options);
    const durationSeconds = (performance.now() - started) / 1000;
    const summary = {
      computedAt: now(),
      day: today,
      tolerance,
      leftOut: passed.leftOut,
      durationSeconds,
      settings: settingsOf(current),
    };
    await result.replace(passed.advice, summary, current, signal);
    const { failed, firstFailure, leftOut } = passed;
    const seconds = Math.round(durationSeconds * 10) / 10;
    log.info({ features: passed.advice.length, leftOut, seconds }, 'advice on the number of licenses computed');
    if (leftOut > 0) log.warn({ leftOut }, 'features have no advice: there are more than rightsizing.max_features');
    if (failed > 0) log.warn({ features: failed, reason: firstFailure }, 'features have no advice: history not read');
  };

  const fail = (error: unknown): void => {
    if (error instanceof NotComplete || (error instanceof NothingKnown && waits < MOST_WAITS)) {
      progress = error.message;
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
      progress = undefined;
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
    const summary = result.latest()?.pass.summary;
    if (summary === undefined) return true;
    const { day, settings } = summary;
    return day !== current.source.localTime.dayOf(now()) || settings !== settingsOf(current);
  };

  /** Whether a pass begins with the end of the first poll. */
  const waitsForPoll = (): boolean => inputs?.isEnabled === true && !hasBegun && !isPaused && isDue(inputs);

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
    latest: () => (inputs?.isEnabled === true ? result.latest()?.table : undefined),
    status: () => {
      const summary = result.latest()?.pass.summary;
      return {
        isEnabled: inputs?.isEnabled === true,
        lastSuccess: summary?.computedAt,
        durationSeconds: summary?.durationSeconds,
        failure,
        isRunning: isRunning || waitsForPoll(),
        progress: inputs?.source.waitsFor() ?? (waitsForPoll() ? NOT_POLLED : progress),
      };
    },
    use: async (next) => {
      // not even while what is kept of it is read
      if (next.analyzer !== inputs?.analyzer) result.forget();
      hasBegun = false;
      await pause();
      running = new AbortController();
      isPaused = false;
      await inTurn(async () => {
        inputs = next;
        forgetFailures();
        if (!next.isEnabled) return;
        await result.open(next).catch((error: unknown) => log.error(errorFields(error), 'advice cannot be kept'));
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
      result.close();
    },
  };
}
