import { setImmediate } from 'node:timers/promises';
import type { LocalTime } from '../model/local-time.ts';
import type { Collected } from '../model/observation/observation.ts';
import type { RecordingHealth } from '../model/observation/recording.ts';
import { runSliced } from '../scheduling/slices.ts';
import { DamagedStore, StoreError } from './history-file.ts';
import type { Past } from './sample.ts';
import type { Recording, Store } from './store.ts';

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
export type RecorderState = Pick<RecordingHealth, 'lastRecordedAt' | 'errors' | 'problem'>;

/** Writes what was collected into the history, in the order of time. */
export interface Recorder {
  /**
   * Records a collection in the slot that begins at this time and is this long. Never throws: a problem is reported, and
   * the next collection is tried again.
   */
  record(at: number, seconds: number, recording: Recording): Promise<void>;
  /**
   * The last observations of an earlier process; empty if the store cannot be used.
   *
   * @param now the beginning of the slot of the first collection
   */
  known(now: number): Promise<readonly Collected[]>;
  /** Adds what a source knows about the time before the first recording. Continues after an interruption. */
  addPast(past: Past): Promise<void>;
  /** Days of the past that are still to be added; `undefined` while nothing is being added. */
  pastDaysLeft(): number | undefined;
  /** @throws StoreError if history cannot be read now */
  store(): Store;
  state(): RecorderState;
  /** The clock was set: the last recording is as old as before. @param by seconds */
  move(by: number): void;
  /** Finishes running writes, including the last collection, and closes the store. */
  stop(): Promise<void>;
}

const SINCE = 'recorded since';
const PAST = 'past added from day';

/** Writes collections to the store, one thing at a time, and keeps the store in order. */
export function createRecorder(options: RecorderOptions): Recorder {
  const { localTime } = options;
  let store: Store | undefined;
  let problem: string | undefined;
  let failures = 0;
  let errors = 0;
  let lastRecordedAt: number | undefined;
  let daysLeft: number | undefined;
  let isStopping = false;
  let queue: Promise<void> = Promise.resolve();

  /** Work that `stop` interrupts. Unfinished work is rolled back. */
  const untilStopped = function* (work: Iterable<void>): Generator<void, void> {
    for (const _ of work) {
      yield;
      if (isStopping) return;
    }
  };

  const ready = async (at: number): Promise<Store> => {
    const opened = store ?? options.open();
    store = opened;
    if (opened.note(SINCE) === undefined) opened.setNote(SINCE, String(at));
    const today = localTime.dayOf(at);
    if (today > opened.sealedUntil()) {
      // first frees space
      await runSliced(untilStopped(opened.prune(today - options.sampleDays, today - options.days)));
      await runSliced(untilStopped(opened.seal(today)));
    }
    return opened;
  };

  const close = (): void => {
    const opened = store;
    store = undefined;
    opened?.close();
  };

  /** Whether there is a new file to try again with. What is not written is still in memory. */
  const isReplaced = (error: unknown): boolean => {
    // a file that could not be renamed is not tried again at each collection
    if (!(error instanceof DamagedStore) || error.message === problem) return false;
    try {
      close();
    } catch {
      // a damaged file may not be closed in order
    }
    return options.setAside?.(error) === true;
  };

  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!isReplaced(error)) throw error;
      errors += 1;
      await work();
    }
  };

  /** Writes when nothing else is written. */
  const write = (work: () => Promise<void>): Promise<void> => {
    queue = queue.then(async () => {
      if (isStopping) return;
      try {
        await attempt(work);
        if (problem !== undefined) options.onRecovery(failures);
        problem = undefined;
        failures = 0;
      } catch (error) {
        const { message } = error as Error;
        if (message !== problem) options.onProblem(error);
        problem = message;
        failures += 1;
        errors += 1;
      }
    });
    return queue;
  };

  return {
    record: (at, seconds, recording) =>
      write(async () => {
        await runSliced((await ready(at)).record(at, seconds, recording));
        lastRecordedAt = at;
      }),
    known: async (now) => {
      let known: readonly Collected[] = [];
      await write(async () => {
        known = await runSliced((await ready(now)).known());
      });
      return known;
    },
    addPast: async (past) => {
      if (store === undefined) return;
      const since = Number(store.note(SINCE));
      const before = Number(store.note(PAST) ?? localTime.dayOf(since) + 1);
      try {
        for (const step of past(since, before)) {
          if (step !== undefined) {
            const note = [PAST, String(step.completeFrom)] as const;
            await write(() => runSliced(untilStopped(store?.add(step.series, note) ?? [])));
            daysLeft = step.daysLeft;
          }
          await setImmediate();
          if (isStopping || problem !== undefined) return;
        }
      } finally {
        daysLeft = undefined;
      }
    },
    pastDaysLeft: () => daysLeft,
    store: () => {
      if (store === undefined) throw new StoreError(problem ?? 'the history store is not open');
      return store;
    },
    state: () => ({ lastRecordedAt, errors, problem }),
    move: (by) => {
      if (lastRecordedAt !== undefined) lastRecordedAt += by;
    },
    stop: async () => {
      isStopping = true;
      await queue;
      close();
    },
  };
}
