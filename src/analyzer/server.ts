import { statfsSync, statSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { dirname } from 'node:path';
import { createLocalTime } from '../model/local-time.ts';
import type { RecordingHealth } from '../model/observation/recording.ts';
import type { Source } from '../model/observation/source.ts';
import { type EndpointName, endpointNames, endpoints } from '../query-api/endpoints.ts';
import { createOpenApi } from '../query-api/openapi.ts';
import { readParameters } from '../query-api/parameters.ts';
import type { ArchivableHistory, Archiving } from './archivable-history.ts';
import { type Collector, createCollector } from './collector.ts';
import { type BodyContext, endpointBodies } from './endpoint-bodies.ts';
import { checkOrigin, StoreError } from './history-file.ts';
import { createHttpFront, type HttpFrontOptions } from './http-front.ts';
import { ImportWatch, type TakenUp } from './import-watch.ts';
import { createRecordedDemand, type RecordedDemand } from './recorded-demand.ts';
import { createDenialRecord } from './recorded-denials.ts';
import { Recorder } from './recorder.ts';
import { failure, JSON_TYPE, methodNotAllowed, type Reply, TEXT_TYPE } from './reply.ts';
import type { Respond } from './request-handler.ts';
import { figuresOf, type Past } from './sample.ts';
import { createSlots } from './slots.ts';
import { openStore } from './store.ts';

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

/** The sources, the users, the listener and the history of an analyzer. */
export interface AnalyzerOptions extends HttpFrontOptions {
  /** What the figures are of: history of two origins is never mixed. */
  readonly origin: string;
  /** Whether it does not start if the history is of another origin. Otherwise, only history does not work then. */
  readonly isOriginRequired?: boolean;
  readonly sources: readonly Source[];
  /** What a source knows about the time before the first start. */
  readonly past?: Past;
  /** Seconds from the start until the past is added, which takes seconds of CPU: until then, the first polls are answered. */
  readonly pastDelay?: number;
  readonly history: HistoryOptions;
  readonly version: string;
  /** Registers what is called when the clock of `now` was set, with the seconds by which it was. */
  readonly onClockMoved?: (listener: (by: number) => void) => void;
  /** Called when history can be recorded again after a problem, with the number of attempts that failed. */
  readonly onRecovery?: (failures: number) => void;
  /** Where imports wait to be taken up; none are without it. */
  readonly importFolder?: string | undefined;
  /** Exchanges the history with an archive; absent without one. */
  readonly archive?: ((history: ArchivableHistory) => Archiving) | undefined;
  /** Called when an import is in the history. */
  readonly onTakenUp?: (taken: TakenUp) => void;
  /** Sets the damaged file of the history aside. Returns whether a new one can take its place. */
  readonly setAside?: (path: string, reason: string) => boolean;
}

/** How history is kept. */
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
  /** Base URL of the Query API, after `start`. */
  readonly url: string;
  readonly collector: Collector;
  /** The recorded history, for readers in the same process. */
  readonly demand: RecordedDemand;
  recording(): RecordingHealth;
}

const BASE = '/analyzer';
const OPENAPI_PATH = `${BASE}/openapi.json`;

const byPath: ReadonlyMap<string, EndpointName> = new Map(
  endpointNames.map((name) => [`${BASE}${endpoints[name].path}`, name]),
);

/** A server of the Query API. It collects and records observations of a source, and answers over HTTP with NTLM. */
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
  const denials = createDenialRecord({
    localTime,
    now: options.now,
    store: () => recorder.store(),
    recordedAt: () => recorder.state().lastRecordedAt,
  });
  const collector = createCollector({
    sources: options.sources,
    localTime,
    now: options.now,
    onProblem: options.onProblem,
    onCollected: ({ source, at, slot, reached }, vendorLicenses) => {
      denials.add(reached);
      return recorder.record(slot, source.interval, {
        figures: {
          [Symbol.iterator]: () =>
            reached.values().flatMap(({ name, observation }) => figuresOf(observation, name, at)),
        },
        observations: reached,
        vendorLicenses,
      });
    },
  });
  /** The beginning of the first slot in which anything is collected. */
  const firstSlot = (): number => {
    const now = options.now();
    return Math.min(now, ...options.sources.map(({ interval }) => createSlots(localTime, interval).of(now)));
  };
  const openApi = [Buffer.from(JSON.stringify(createOpenApi(options.version)))];

  /** The description of the API has no data of the site. Tools that read it cannot log on with NTLM. */
  const answerOpenly = ({ url, method }: IncomingMessage): Reply | undefined => {
    if (url?.split('?', 1)[0] !== OPENAPI_PATH) return undefined;
    return method === 'GET' ? { status: 200, body: openApi, type: JSON_TYPE } : methodNotAllowed(OPENAPI_PATH, 'GET');
  };

  const answer = async (request: IncomingMessage, identity: string, signal: AbortSignal): Promise<Reply> => {
    const [target = '', query = ''] = (request.url ?? '').split(/\?(.*)/s, 2);
    const { method = '' } = request;
    const name = byPath.get(target);
    if (name === undefined) return failure('not_found', 'there is no such endpoint');
    const endpoint = endpoints[name];
    if (method !== endpoint.method) return methodNotAllowed(name, endpoint.method);
    const parameters = readParameters(endpoint, query);
    if (!parameters.ok) return failure(parameters.code, parameters.message, { parameter: parameters.parameter });
    const now = Math.floor(options.now());
    const context: BodyContext = {
      current: collector.current(),
      now,
      identity,
      signal,
      recorded: () => ({ store: recorder.store(), localTime, now, signal }),
    };
    const { isJson, body } = await endpointBodies[name](context, parameters.values);
    return { status: 200, body, type: isJson ? JSON_TYPE : TEXT_TYPE };
  };

  const answerOrFail: Respond = async (request, identity, signal) => {
    try {
      return await answer(request, identity, signal);
    } catch (error) {
      // aborted because the client disconnected: not a problem
      // what the recorder has reported is not reported again for each request
      const isReported = error instanceof StoreError && recorder.state().problem === error.message;
      if (!signal.aborted && !isReported) options.onProblem(error);
      return error instanceof StoreError
        ? failure('history_unavailable', 'history cannot be read now; see the log of the analyzer')
        : failure('internal_error', 'the request failed');
    }
  };

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

  const front = createHttpFront(options, answerOrFail, answerOpenly);
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
  let addingPast: NodeJS.Timeout | undefined;
  const pastAdded = Promise.withResolvers<void>();
  if (options.past === undefined) pastAdded.resolve();
  const addPast = async (past: Past): Promise<void> => {
    await recorder.addPast(past).catch(options.onProblem);
    pastAdded.resolve();
  };

  return {
    get url() {
      return `${front.origin}${BASE}`;
    },
    collector,
    demand: createRecordedDemand({
      origin: options.origin,
      localTime,
      store: () => recorder.store(),
      intervalOf: collector.intervalOf,
      pastAdded: () => pastAdded.promise,
      pastDaysLeft: () => recorder.pastDaysLeft(),
      onImported: (listener) => importListeners.push(listener),
      denials,
    }),
    recording,
    start: async () => {
      if (options.isOriginRequired === true) checkOrigin({ path, timeZone, origin: options.origin, maxSize });
      await collector.start(await recorder.known(firstSlot()));
      try {
        await front.start();
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
      await front.stop();
      await recorder.stop();
    },
  };
}
