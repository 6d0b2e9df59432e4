import { setImmediate } from 'node:timers/promises';
import type { LocalTime } from '../../base/model/local-time.ts';
import type { Collected } from '../../base/model/observation/observation.ts';
import type { ImportedHistory, RecordingHealth } from '../../base/model/observation/recording.ts';
import { runSliced } from '../../base/scheduling/slices.ts';
import { DamagedStore, StoreError } from './history-file.ts';
import type { Past } from './sample.ts';
import { ImportSummary, importsOf, type OpenImport } from './staged-import.ts';
import type { Recording, Store } from './store.ts';
import type { StoreArchive } from './store-archive.ts';

/** The history, how long it is kept, and who is told of problems. */
export interface RecorderOptions {
  readonly open: () => Store;
  readonly localTime: LocalTime;
  /** How long samples are kept, days. */
  readonly sampleDays: number;
  /** How long hours and totals are kept, days. */
  readonly days: number;
  /** Called when recording fails for another reason than before. */
  readonly onProblem: (error: unknown) => void;
  /** Called when recording works again, with the number of attempts that failed. */
  readonly onRecovery: (failures: number) => void;
  /** Makes room for a new file. Returns whether it did. The store is closed. Without it, a damaged file is a problem as any other. */
  readonly setAside?: (error: DamagedStore) => boolean;
}

/** How recording goes; see `RecordingHealth`. */
export type RecorderState = Pick<RecordingHealth, 'lastRecordedAt' | 'errors' | 'problem' | 'imports'>;

const SINCE = 'recorded since';
const PAST = 'past added from day';

/** Writes what was collected into the history, one thing at a time and in the order of time, and keeps the store in order. */
export class Recorder {
  readonly #options: RecorderOptions;
  #store: Store | undefined;
  #problem: string | undefined;
  #failures = 0;
  #errors = 0;
  #lastRecordedAt: number | undefined;
  #daysLeft: number | undefined;
  #imports: readonly ImportedHistory[] = [];
  #isStopping = false;
  #queue: Promise<void> = Promise.resolve();

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /**
   * Records a collection in the slot that begins at this time and is this long. Never throws: a problem is reported, and
   * the next collection is tried again.
   */
  record(at: number, seconds: number, recording: Recording): Promise<void> {
    return this.#write(async () => {
      await runSliced((await this.#ready(at)).record(at, seconds, recording));
      this.#lastRecordedAt = at;
    });
  }

  /**
   * The last observations of an earlier process; empty if the store cannot be used.
   *
   * @param now the beginning of the slot of the first collection
   */
  async known(now: number): Promise<readonly Collected[]> {
    let known: readonly Collected[] = [];
    await this.#write(async () => {
      known = await runSliced((await this.#ready(now)).known());
    });
    return known;
  }

  /** Adds what a source knows about the time before the first recording. Continues after an interruption. */
  async addPast(past: Past): Promise<void> {
    if (this.#store === undefined) return;
    const since = Number(this.#store.note(SINCE));
    const before = Number(this.#store.note(PAST) ?? this.#options.localTime.dayOf(since) + 1);
    try {
      for (const step of past(since, before)) {
        if (step !== undefined) {
          const note = [PAST, String(step.completeFrom)] as const;
          await this.#write(() => runSliced(this.#untilStopped(this.#store?.add(step.series, note) ?? [])));
          this.#daysLeft = step.daysLeft;
        }
        await setImmediate();
        if (this.#isStopping || this.#problem !== undefined) return;
      }
    } finally {
      this.#daysLeft = undefined;
    }
  }

  /**
   * Takes up what another program has recorded, between collections.
   *
   * @returns the number of days of series; undefined if recording stops or has a problem meanwhile: it can be taken up again
   */
  async addImport(open: OpenImport): Promise<number | undefined> {
    const { staged } = open;
    const summary = new ImportSummary();
    for (const piece of open.pieces()) {
      await setImmediate();
      if (!this.#canWrite()) return undefined;
      if (piece === undefined) continue;
      const work = (): Iterable<void> => this.#store?.import(piece, staged) ?? [];
      await this.#write(() => runSliced(this.#untilStopped(work())));
      summary.add(piece);
    }
    await this.#write(() => runSliced(this.#untilStopped(this.#store?.importBlocked([...open.blocked()]) ?? [])));
    await this.#write(async () => {
      if (this.#store === undefined) return;
      summary.remember(this.#store, open);
      this.#imports = importsOf(this.#store);
    });
    return this.#canWrite() ? summary.days : undefined;
  }

  /** Numbers of licenses that became known count for imports that did not have them. @returns whether there were any */
  async addNowBought(): Promise<boolean> {
    let isAdded = false;
    await this.apply(function* (store) {
      isAdded = yield* store.addNowBought();
    });
    return isAdded;
  }

  /** Writes something else between collections. @returns whether it was written; not if recording stops or has a problem */
  async apply(work: (store: Store) => Iterable<void>): Promise<boolean> {
    let isDone = false;
    await this.#write(async () => {
      if (this.#store === undefined) return;
      await runSliced(this.#untilStopped(work(this.#store)));
      isDone = !this.#isStopping;
    });
    return isDone;
  }

  #canWrite(): boolean {
    return this.#store !== undefined && !this.#isStopping && this.#problem === undefined;
  }

  /** Days of the past that are still to be added; `undefined` while nothing is being added. */
  pastDaysLeft(): number | undefined {
    return this.#daysLeft;
  }

  /** @throws StoreError if history cannot be read now */
  store(): Store {
    if (this.#store === undefined) throw new StoreError(this.#problem ?? 'the history store is not open');
    return this.#store;
  }

  /** The days that an archive exchanges; `undefined` while history cannot be recorded, or has not been yet. */
  sealedDays(): StoreArchive | undefined {
    const isReady = this.#canWrite() && Number.isFinite(this.#store?.sealedUntil());
    return isReady ? this.#store?.archive : undefined;
  }

  state(): RecorderState {
    const [errors, problem, imports] = [this.#errors, this.#problem, this.#imports];
    return { lastRecordedAt: this.#lastRecordedAt, errors, problem, imports };
  }

  /** The clock was set: the last recording is as old as before. @param by seconds */
  move(by: number): void {
    if (this.#lastRecordedAt !== undefined) this.#lastRecordedAt += by;
  }

  /** Finishes running writes, including the last collection, and closes the store. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#queue;
    this.#close();
  }

  async #ready(at: number): Promise<Store> {
    const { open, localTime, sampleDays, days } = this.#options;
    const store = this.#store ?? open();
    if (this.#store === undefined) this.#imports = importsOf(store);
    this.#store = store;
    if (store.note(SINCE) === undefined) store.setNote(SINCE, String(at));
    const today = localTime.dayOf(at);
    if (today > store.sealedUntil()) {
      // first frees space
      await runSliced(this.#untilStopped(store.prune(today - sampleDays, today - days)));
      await runSliced(this.#untilStopped(store.seal(today)));
    }
    return store;
  }

  /** Work that `stop` interrupts. Unfinished work is rolled back. */
  *#untilStopped(work: Iterable<void>): Generator<void, void> {
    for (const _ of work) {
      yield;
      if (this.#isStopping) return;
    }
  }

  /** Writes when nothing else is written. */
  #write(work: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(async () => {
      if (this.#isStopping) return;
      try {
        await this.#attempt(work);
        if (this.#problem !== undefined) this.#options.onRecovery(this.#failures);
        this.#problem = undefined;
        this.#failures = 0;
      } catch (error) {
        const { message } = error as Error;
        if (message !== this.#problem) this.#options.onProblem(error);
        this.#problem = message;
        this.#failures += 1;
        this.#errors += 1;
      }
    });
    return this.#queue;
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.#isReplaced(error)) throw error;
      this.#errors += 1;
      await work();
    }
  }

  /** Whether there is a new file to try again with. What is not written is still in memory. */
  #isReplaced(error: unknown): boolean {
    // a file that could not be renamed is not tried again at each collection
    if (!(error instanceof DamagedStore) || error.message === this.#problem) return false;
    try {
      this.#close();
    } catch {
      // a damaged file may not be closed in order
    }
    return this.#options.setAside?.(error) === true;
  }

  #close(): void {
    const store = this.#store;
    this.#store = undefined;
    store?.close();
  }
}
