import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { createLocalTime } from '../../base/model/local-time.ts';
import type { Collected } from '../../base/model/observation/observation.ts';
import type { RecordingHealth } from '../../base/model/observation/recording.ts';
import type { Source } from '../../base/model/observation/source.ts';
import type { BlockedPeople } from '../blocked/blocked-people.ts';
import { type Collector, createCollector } from '../history/collector.ts';
import { checkOrigin } from '../history/history-file.ts';
import { ImportWatch, type TakenUp } from '../history/import-watch.ts';
import { blockedOf, createBlockedRecord } from '../history/recorded-blocked.ts';
import { createRecordedDemand, type RecordedDemand } from '../history/recorded-demand.ts';
import { createDenialRecord } from '../history/recorded-denials.ts';
import { createReclaimableRecord } from '../history/recorded-reclaimable.ts';
import { Recorder } from '../history/recorder.ts';
import { figuresOf, type Past } from '../history/sample.ts';
import { createSlots } from '../history/slots.ts';
import { openStore } from '../history/store.ts';
import type { ArchivableHistory, Archiving } from '../history/store-archive.ts';
import type { HttpFront, ListenerOptions } from './http-front.ts';
import { type AnswerQuestion, createQueryAnswers } from './query-answers.ts';

const read = (action: () => number): number | undefined => {
  try {
    return action();
  } catch {
    return undefined;
  }
};

/** The size of a file and the free space of its file system, bytes; `undefined` in memory, and if they cannot be read. */
function storeSpace(path: string | undefined): Pick<RecordingHealth, 'size' | 'free'> {
  if (path === undefined) return { size: undefined, free: undefined };
  const free = (): number => {
    // what is left for users other than root
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize;
  };
  return { size: read(() => statSync(path).size), free: read(free) };
}

/** The sources, the history and the listener of an analyzer. */
export interface AnalyzerOptions {
  /** What the figures are of: history of two origins is never mixed. */
  readonly origin: string;
  /** Whether it does not start if the history is of another origin. Otherwise, only history does not work then. */
  readonly isOriginRequired?: boolean;
  readonly sources: readonly Source[];
  /** What a source knows about the time before the first start. */
  readonly past?: Past;
  /** Seconds from the start until the past is added, which takes seconds of CPU: until then, the first polls are answered. */
  readonly pastDelay?: number;
  /** What was collected last, where the history does not know it. */
  readonly lastSeen?: readonly Collected[];
  readonly history: HistoryOptions;
  /** Where it listens; without one, it answers this process alone. */
  readonly listener: ListenerOptions | undefined;
  readonly version: string;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly onProblem: (error: unknown) => void;
  /** Registers what is called when the clock of `now` was set, with the seconds by which it was. */
  readonly onClockMoved?: (listener: (by: number) => void) => void;
  /** Called when history can be recorded again after a problem, with the number of attempts that failed. */
  readonly onRecovery?: (failures: number) => void;
  /** Where imports wait to be taken up; none are without it. */
  readonly importFolder?: string | undefined;
  /** Exchanges the history with an archive; absent without one. */
  readonly archive?: ((history: ArchivableHistory) => Archiving) | undefined;
  /** The people whom logs of sources name. */
  readonly people?: Pick<BlockedPeople, 'taken' | 'end'>;
  /** Called when an import is in the history. */
  readonly onTakenUp?: (taken: TakenUp) => void;
  /** Sets the damaged file of the history aside. Returns whether a new one can take its place. */
  readonly setAside?: (path: string, reason: string) => boolean;
}

export interface HistoryOptions {
  /** File; in memory without one. */
  readonly path: string | undefined;
  /** IANA name: the calendar of days, weeks and months. */
  readonly timeZone: string;
  /** Days samples are kept. */
  readonly sampleDays: number;
  /** Days hours and totals are kept. */
  readonly days: number;
  /** Bytes. */
  readonly maxSize: number;
}

/** A complete server of the Query API. The demo, the daemon and tests start the same one. */
export interface Analyzer {
  /** Collects once and listens. @throws OperatorError if it cannot listen, or if the history is of another origin */
  start(): Promise<void>;
  /** Stops. Running requests get some time to finish. Closes the store. */
  stop(): Promise<void>;
  /** Base URL of the Query API, after `start`; `undefined` if it does not listen. */
  readonly url: string | undefined;
  /** Answers a question of this process, which needs no logon. */
  readonly answer: AnswerQuestion;
  readonly collector: Collector;
  /** Registers what is called when a reading of a source is over, with the vendor licenses that it is about. */
  onCollected(listener: (vendorLicenses: readonly string[]) => void): void;
  /** The recorded history, for readers in the same process. */
  readonly demand: RecordedDemand;
  recording(): RecordingHealth;
}

/** A server of the Query API. It collects and records observations of sources, and answers over HTTP with NTLM, or in this process. */
export function createAnalyzer(options: AnalyzerOptions): Analyzer {
  const { path, timeZone, sampleDays, days, maxSize } = options.history;
  const localTime = createLocalTime(timeZone);
  const recorder = new Recorder({
    open: () =>
      openStore({ path, localTime, origin: options.origin, maxSize, isArchived: options.archive !== undefined }),
    localTime,
    sampleDays,
    days,
    onProblem: options.onProblem,
    onRecovery: (failures) => options.onRecovery?.(failures),
    setAside: ({ cause }) =>
      path !== undefined && options.setAside?.(path, cause instanceof Error ? cause.message : 'it is damaged') === true,
  });
  let isPastAdded = options.past === undefined;
  const denials = createDenialRecord({
    localTime,
    now: options.now,
    store: () => recorder.store(),
    recordedAt: () => recorder.state().lastRecordedAt,
    isPastAdded: () => isPastAdded,
  });
  const collectionListeners: ((vendorLicenses: readonly string[]) => void)[] = [];
  const collector = createCollector({
    sources: options.sources,
    localTime,
    now: options.now,
    onProblem: options.onProblem,
    onCollected: async ({ source, at, slot, reached, names }, vendorLicenses) => {
      denials.add(reached);
      blocked.add(reached);
      for (const listener of collectionListeners) listener(names);
      await Promise.all([
        reclaimable.add(reached),
        recorder.record(slot, source.interval, {
          figures: {
            [Symbol.iterator]: () =>
              reached.values().flatMap(({ name, observation }) => figuresOf(observation, name, at)),
          },
          observations: reached,
          blocked: blockedOf(reached),
          vendorLicenses,
        }),
      ]);
    },
  });
  const reclaimable = createReclaimableRecord(() => collector.current(), options.now);
  const blocked = createBlockedRecord(() => collector.current(), options.now);
  /** The beginning of the first slot in which anything is collected. */
  const firstSlot = (): number => {
    const now = options.now();
    return Math.min(now, ...options.sources.map(({ interval }) => createSlots(localTime, interval).of(now)));
  };
  const answer = createQueryAnswers({
    current: () => collector.current(),
    store: () => recorder.store(),
    localTime,
    now: options.now,
    knownProblem: () => recorder.state().problem,
    onProblem: options.onProblem,
  });

  const importListeners: (() => void)[] = [];
  const onImported = (): void => importListeners.forEach((listener) => void listener());
  const archive = options.archive?.({
    origin: options.origin,
    localTime,
    days: () => recorder.sealedDays(),
    firstDay: () => localTime.dayOf(options.now()) - days,
    write: (work) => recorder.apply(({ archive: exchanged }) => (exchanged === undefined ? [] : work(exchanged))),
    onTaken: onImported,
  });
  let since = options.now();
  options.onClockMoved?.((by) => {
    since += by;
    recorder.move(by);
    collector.move(by);
  });
  const recording = (): RecordingHealth => ({
    ...recorder.state(),
    ...storeSpace(path),
    since,
    interval: collector.shortestInterval(),
    maxSize,
    archive: archive?.health(),
  });

  let front: HttpFront | undefined;
  let url: string | undefined;
  /** What serves HTTP and logons is loaded only where it is needed. */
  const listen = async (listener: ListenerOptions): Promise<void> => {
    const { version, now, onProblem } = options;
    const { createHttpFront } = await import('./http-front.ts');
    const { BASE, createResponses } = await import('./http-responses.ts');
    front = createHttpFront({ ...listener, now, onProblem }, createResponses(answer, version));
    await front.start();
    url = `${front.origin}${BASE}`;
  };
  const imports =
    options.importFolder === undefined
      ? undefined
      : new ImportWatch({
          folder: options.importFolder,
          localTime,
          recorder,
          onProblem: options.onProblem,
          onTakenUp: (taken) => {
            options.onTakenUp?.(taken);
            onImported();
          },
          onChanged: onImported,
        });
  /** Those who still wait are lost: nobody watches them any longer. */
  const recordLost = async (): Promise<void> => {
    const { people } = options;
    if (people === undefined) return;
    people.end();
    const known = collector.current().filter(({ observation }) => observation.pools.some((pool) => pool.blocked));
    const last = known.map((one) => ({ ...one, observation: people.taken(one.observation, one.name) }));
    const waits = [...blockedOf(last)];
    if (waits.length > 0) await recorder.apply((store) => store.addBlocked(waits));
  };
  let addingPast: NodeJS.Timeout | undefined;
  const pastAdded = Promise.withResolvers<void>();
  if (options.past === undefined) pastAdded.resolve();
  const addPast = async (past: Past): Promise<void> => {
    await recorder.addPast(past).catch(options.onProblem);
    isPastAdded = true;
    pastAdded.resolve();
  };

  return {
    get url() {
      return url;
    },
    answer,
    collector,
    onCollected: (listener) => collectionListeners.push(listener),
    demand: createRecordedDemand({
      origin: options.origin,
      localTime,
      store: () => recorder.store(),
      intervalOf: collector.intervalOf,
      pastAdded: () => pastAdded.promise,
      pastDaysLeft: () => recorder.pastDaysLeft(),
      onImported: (listener) => importListeners.push(listener),
      denials,
      blocked,
      reclaimable,
    }),
    recording,
    start: async () => {
      if (options.isOriginRequired === true) checkOrigin({ path, timeZone, origin: options.origin, maxSize });
      const known = await recorder.known(firstSlot());
      await collector.start(known.length > 0 ? known : options.lastSeen);
      try {
        if (options.listener !== undefined) await listen(options.listener);
      } catch (error) {
        collector.stop();
        await recorder.stop();
        throw error;
      }
      imports?.start();
      archive?.start();
      const { past, pastDelay = 0 } = options;
      if (past === undefined) return;
      addingPast = setTimeout(() => void addPast(past), 1000 * pastDelay);
    },
    stop: async () => {
      clearTimeout(addingPast);
      pastAdded.resolve();
      imports?.stop();
      await archive?.stop();
      collector.stop();
      await front?.stop();
      await recordLost();
      await recorder.stop();
    },
  };
}
