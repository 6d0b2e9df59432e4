import type { Log } from '../../../base/model/log.ts';
import { errorFields, OperatorError } from '../../../base/model/operator-error.ts';
import { createLimit, untilReady } from '../../../base/scheduling/limit.ts';
import type { FileWrites } from '../../../base/storage/file-writes.ts';
import { namesText } from '../../../base/texts.ts';
import type { CurrentInventory } from '../../../exporter/inventory/current.ts';
import { METHOD } from '../method/advice.ts';
import { originsOf } from '../method/back-test.ts';
import type { SeriesName } from '../method/demand.ts';
import { HIGH_DAYS } from '../method/window.ts';
import { type DemandSource, NOT_POLLED, NothingKnown } from './demand-source.ts';
import { KeptResult, type ResultInputs } from './kept-result.ts';
import type { PassOptions, PassResult } from './pass.ts';
import type { AdviceTable, Rightsizing, RightsizingStatus } from './rightsizing.ts';
import type { RightsizingSection } from './settings.ts';

/** What a pass depends on. A reload replaces it. */
export interface PassInputs
  extends ResultInputs,
    Pick<RightsizingSection, 'enabled' | 'tolerance' | 'workingTime' | 'withoutReservations'> {
  readonly source: DemandSource;
  /** What decides which series there are: with another one, a new pass is due. */
  readonly scope: string;
  readonly inventory: CurrentInventory['latest'];
  /** When the next pass is due, epoch seconds. */
  readonly nextRun: (after: number) => number;
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

const settingsOf = ({ tolerance, workingTime, withoutReservations, scope }: PassInputs): string => {
  const { weekdays, from, to } = workingTime;
  return JSON.stringify([tolerance, [...weekdays].sort(), from, to, withoutReservations, scope]);
};

/** Days before today are not complete yet. */
class NotComplete extends Error {}

/** Computes the advice each night, and once after the start if the last one is too old, and keeps it. */
export class NightlyPass implements Rightsizing {
  readonly #now: () => number;
  readonly #log: Log;
  readonly #result: KeptResult;
  readonly #inTurn = createLimit(1);
  #inputs: PassInputs | undefined;
  #running = new AbortController();
  #isRunning = false;
  #hasBegun = false;
  #isPaused = true;
  #failure: string | undefined;
  #failures = 0;
  #waits = 0;
  #retryAt: number | undefined;
  /** What the pass waits for, or how far it is. */
  #progress: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor({ now, log, writes }: NightlyPassOptions) {
    this.#now = now;
    this.#log = log;
    this.#result = new KeptResult(log, writes);
  }

  latest(): AdviceTable | undefined {
    return this.#inputs?.enabled === true ? this.#result.latest()?.table : undefined;
  }

  status(): RightsizingStatus {
    const summary = this.#result.latest()?.pass.summary;
    const waitsForPoll = this.#waitsForPoll();
    return {
      isEnabled: this.#inputs?.enabled === true,
      lastSuccess: summary?.computedAt,
      durationSeconds: summary?.durationSeconds,
      failure: this.#failure,
      isRunning: this.#isRunning || waitsForPoll,
      progress: this.#inputs?.source.waitsFor() ?? (waitsForPoll ? NOT_POLLED : this.#progress),
    };
  }

  /** Uses these inputs from now on, also after a reload, and reads what is kept. Never throws. */
  async use(next: PassInputs): Promise<void> {
    // not even while what is kept of it is read
    if (next.analyzer !== this.#inputs?.analyzer) this.#result.forget();
    this.#hasBegun = false;
    await this.pause();
    this.#running = new AbortController();
    this.#isPaused = false;
    await this.#inTurn(async () => {
      this.#inputs = next;
      this.#forgetFailures();
      if (!next.enabled) return;
      await this.#result.open(next).catch((error: unknown) => {
        this.#log.error(errorFields(error), 'advice cannot be kept');
      });
    });
    void this.#beginPasses();
  }

  /** The first poll for these inputs is over: passes can begin. */
  begin(): void {
    this.#hasBegun = true;
    void this.#beginPasses();
  }

  /** The recorded past has changed: the advice is computed again, after a pass that runs now. */
  renew(): void {
    if (this.#hasBegun && !this.#isPaused) void this.#run();
  }

  /** Cancels a running pass. No inventory is used any more when it resolves. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    clearTimeout(this.#timer);
    this.#running.abort(new OperatorError('the pass was canceled'));
    await this.#inTurn(async () => undefined);
  }

  /** Cancels a running pass, and closes the file. */
  async stop(): Promise<void> {
    await this.pause();
    this.#result.close();
  }

  async #beginPasses(): Promise<void> {
    if (this.#inputs === undefined || this.#isPaused || !this.#hasBegun) return;
    if (this.#inputs.enabled && this.#isDue(this.#inputs)) await this.#run();
    else this.#arm();
  }

  #arm(): void {
    const inputs = this.#inputs;
    clearTimeout(this.#timer);
    if (inputs === undefined || !inputs.enabled || this.#isPaused || !this.#hasBegun) return;
    const scheduled = inputs.nextRun(this.#now());
    const dueAt = Math.min(scheduled, this.#retryAt ?? scheduled);
    const wait = Math.min(Math.max(0, (dueAt - this.#now()) * 1000), MAX_TIMER_MS);
    this.#timer = setTimeout(() => {
      // it was too far away, or the clock was set back: then an earlier time can be the next one
      if (this.#now() < dueAt) this.#arm();
      else void this.#run();
    }, wait);
    this.#timer.unref();
  }

  /** Whether there is no result of today with these settings. */
  #isDue(inputs: PassInputs): boolean {
    const summary = this.#result.latest()?.pass.summary;
    if (summary === undefined) return true;
    const { day, settings } = summary;
    return day !== inputs.source.localTime.dayOf(this.#now()) || settings !== settingsOf(inputs);
  }

  /** Whether a pass begins with the end of the first poll. */
  #waitsForPoll(): boolean {
    return this.#inputs?.enabled === true && !this.#hasBegun && !this.#isPaused && this.#isDue(this.#inputs);
  }

  #run(): Promise<void> {
    const { signal } = this.#running;
    return this.#inTurn(async () => {
      if (this.#inputs === undefined || !this.#inputs.enabled || signal.aborted) return;
      this.#isRunning = true;
      this.#progress = undefined;
      try {
        await this.#compute(this.#inputs, signal);
        this.#forgetFailures();
      } catch (error) {
        if (!signal.aborted) this.#fail(error);
      } finally {
        this.#isRunning = false;
      }
      this.#arm();
    });
  }

  async #compute(inputs: PassInputs, signal: AbortSignal): Promise<void> {
    const { source } = inputs;
    await untilReady(source.ready(), signal);
    const started = performance.now();
    const today = source.localTime.dayOf(this.#now());
    if (!source.isComplete(today) && this.#waits < MOST_WAITS)
      throw new NotComplete('yesterday is not recorded completely yet');
    const origins = originsOf(today);
    const compute = async (): Promise<PassResult> => {
      const last = this.#result.latest()?.pass.rows ?? [];
      const lastAdvice = Iterator.from(last).map((row) => row.advice);
      const mayRiseBefore = (series: SeriesName): boolean | undefined =>
        this.#result.rememberedBefore(series, today).advised?.mayRise;
      const cutsOf = this.#result.cutsOf(origins[0] as number, inputs);
      const result = await this.#pass(inputs, { today, lastAdvice, mayRiseBefore, cutsOf }, signal);
      const durationSeconds = (performance.now() - started) / 1000;
      const { backTest, leftOut } = result;
      const computed = { computedAt: this.#now(), day: today, durationSeconds, method: METHOD, backTest };
      const summary = { ...computed, tolerance: inputs.tolerance, leftOut, settings: settingsOf(inputs) };
      await this.#result.replace(result.advice, summary, inputs, signal);
      return result;
    };
    const result = await compute();
    this.#logResult(result, (performance.now() - started) / 1000);
    const missing = this.#result.missing(origins, inputs);
    if (!source.readsPast) {
      // what it says of a day is known on that day only
      if (missing.includes(origins.at(-1) as number)) await this.#result.keepMonth(result.advice, inputs, signal);
      return;
    }
    const { firstDay = today } = result;
    const known = missing.filter((origin) => origin - firstDay >= HIGH_DAYS);
    for (const [i, origin] of known.entries()) {
      const earlier = {
        today: origin,
        isEarlier: true,
        lastAdvice: [],
        mayRiseBefore: () => undefined,
        progress: `${i} of ${known.length} earlier months`,
      };
      const { advice } = await this.#pass(inputs, earlier, signal);
      await this.#result.keepMonth(advice, inputs, signal);
    }
    if (known.some((origin) => origin < (origins.at(-1) as number))) await compute();
  }

  /** Computes all advice as of a day, which is shown as progress. */
  async #pass(
    { source, tolerance, workingTime, withoutReservations, inventory }: PassInputs,
    {
      progress,
      ...of
    }: Pick<PassOptions, 'today' | 'isEarlier' | 'lastAdvice' | 'mayRiseBefore' | 'cutsOf'> & { progress?: string },
    signal: AbortSignal,
  ): Promise<PassResult> {
    const onProgress = (done: number, all: number): void => {
      const features = `${done} of ${all} features`;
      this.#progress = progress === undefined ? `${features} are done` : `${progress} and ${features} are done`;
    };
    // the method is read when a pass begins
    const { runPass } = await import('./pass.ts');
    return runPass({ source, tolerance, workingTime, withoutReservations, inventory, ...of, signal, onProgress });
  }

  #logResult(result: PassResult, durationSeconds: number): void {
    const { advice, leftOut, failed, firstFailure, reserved } = result;
    const log = this.#log;
    const seconds = Math.round(durationSeconds * 10) / 10;
    log.info({ features: advice.length, leftOut, seconds }, 'advice on the number of licenses computed');
    if (leftOut > 0) log.warn({ leftOut }, 'features have no advice: there are more than rightsizing.max_features');
    if (failed > 0) log.warn({ features: failed, reason: firstFailure }, 'features have no advice: history not read');
    if (reserved.length > 0) {
      const features = namesText(reserved.map(({ vendorLicense, feature }) => `${vendorLicense} ${feature}`));
      log.warn(
        { features },
        'rightsizing.without_reservations does not count for features with reservations: limit its entry with from or until',
      );
    }
  }

  #fail(error: unknown): void {
    if (error instanceof NotComplete || (error instanceof NothingKnown && this.#waits < MOST_WAITS)) {
      this.#progress = error.message;
      this.#waits += 1;
      this.#retryAt = this.#now() + WAIT_SECONDS;
      return;
    }
    this.#failures += 1;
    this.#waits = 0;
    const isLast = this.#failures > RETRIES;
    this.#retryAt = isLast ? undefined : this.#now() + RETRY_SECONDS;
    const next = isLast ? 'at the next time of rightsizing.schedule' : `in ${RETRY_SECONDS / 60} minutes`;
    const { message: reason } = error as Error;
    this.#failure = `the advice could not be computed: ${reason}. It is tried again ${next}`;
    const fields = error instanceof TypeError ? { err: error } : { reason, failures: this.#failures, next };
    this.#log.error(fields, 'advice on the number of licenses could not be computed');
  }

  #forgetFailures(): void {
    this.#failure = undefined;
    this.#failures = 0;
    this.#waits = 0;
    this.#retryAt = undefined;
  }
}
