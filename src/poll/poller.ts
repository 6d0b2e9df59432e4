import type { ScheduledTask } from 'node-cron';
import type { QueryClient } from '../client/query-client.ts';
import type { FailureKind } from '../model/failure.ts';
import type { Log } from '../model/log.ts';
import type { Answer, FeatureRecord } from '../model/records.ts';
import type { Selection } from '../model/selection.ts';
import {
  type EndpointState,
  type HistoryQuestion,
  type PolledAnswers,
  type PolledEndpoint,
  type Reading,
  type Snapshot,
  WHOLE,
} from '../model/snapshot.ts';
import { parseVendorLicense } from '../model/vendor-license.ts';
import { createEndpointPoll, type EndpointPoll } from './endpoint-poll.ts';
import { createLimit } from './fan-out.ts';
import { createQuestions, knownProducts } from './questions.ts';
import { createSchedule, longestGap } from './schedule.ts';

export interface PollerOptions {
  readonly client: QueryClient;
  /** Cron expression of each endpoint. */
  readonly schedules: Readonly<Record<PolledEndpoint, string>>;
  /** Seconds; `auto` is 3 × the interval of the endpoint, at least 5 minutes. */
  readonly maxDataAge: number | 'auto';
  /** Seconds by which every scheduled poll is put off. */
  readonly startOffset: number;
  /** Seconds one request may take; no pass is ended sooner. */
  readonly requestTimeout: number;
  /** Requests at once. */
  readonly concurrency: number;
  readonly featuresRequest: 'auto' | 'all' | 'per_vendor_license';
  readonly selection: Selection;
  readonly ownsSite: boolean;
  readonly history: readonly HistoryQuestion[];
  readonly now: () => number;
  readonly log: Log;
  /** Called with each new snapshot, after `latest` gives it. */
  readonly onCommit: (snapshot: Snapshot) => void;
  /** Data to begin with, for instance from before a reload. */
  readonly initial?: Snapshot;
}

export interface Poller {
  /** Polls everything once, then on schedule. Resolves when the first pass over every endpoint has ended. */
  start(): Promise<void>;
  /** Polls every endpoint once, without a schedule. */
  pollOnce(): Promise<void>;
  stop(): Promise<void>;
  latest(): Snapshot;
}

const MIN_DATA_AGE = 300;

/** No pass is let run longer than this, however rare it is, seconds. */
const MAX_DEADLINE = 3600;

/** Failures after which GetFeatures is asked per vendor license instead of all at once. */
const REFUSALS: ReadonlySet<FailureKind> = new Set(['status', 'timeout', 'too_large', 'parse', 'schema']);

/** Polls the analyzer on schedule and keeps the newest snapshot. */
export function createPoller(options: PollerOptions): Poller {
  const { now, log } = options;
  const stopping = new AbortController();
  const limit = createLimit(options.concurrency);
  const offsets = new Set<NodeJS.Timeout>();
  let tasks: ScheduledTask[] = [];
  let snapshot: Snapshot = options.initial ?? { at: now(), endpoints: {} };
  /** The first pass goes through the endpoints in order by itself. */
  let isFirstPass = false;
  let perVendorLicense = options.featuresRequest === 'per_vendor_license';

  const questions = createQuestions({ ...options, featuresPerVendorLicense: () => perVendorLicense });

  const isGood = (): boolean => snapshot.endpoints.GetProducts?.parts.get(WHOLE)?.ok === true;

  const commit = <E extends PolledEndpoint>(endpoint: E, state: EndpointState<PolledAnswers[E]> | undefined): void => {
    const wasGood = isGood();
    const { [endpoint]: _replaced, ...others } = snapshot.endpoints;
    snapshot = { at: now(), endpoints: state === undefined ? others : { ...others, [endpoint]: state } };
    options.onCommit(snapshot);
    if (endpoint === 'GetProducts' && isGood() && !isFirstPass) followProducts(wasGood);
  };

  /**
   * A vendor license that GetProducts lists for the first time is asked about at once; so is everything that failed while
   * GetProducts failed, because an hourly endpoint would otherwise stay failed for an hour after the analyzer is back.
   */
  const followProducts = (wasGood: boolean): void => {
    for (const endpoint of endpoints) {
      if (endpoint !== 'GetProducts') void polls[endpoint].catchUp(stopping.signal, wasGood ? 'new' : 'failed');
    }
  };

  /**
   * With `auto`, one request for all features is tried first and given up for good when the server is not up to it. While
   * GetProducts fails too, it is the server as a whole that has a problem, and nothing is concluded.
   */
  const reviewFeatures = (readings: ReadonlyMap<string, Reading<Answer<FeatureRecord>>>): 'accept' | 'again' => {
    const reading = readings.get(WHOLE);
    if (options.featuresRequest !== 'auto' || reading === undefined || !isGood()) return 'accept';
    const reason = reading.ok ? unknownOwner(reading.value) : reading.failure.kind;
    if (reason === undefined || (!reading.ok && !REFUSALS.has(reading.failure.kind))) return 'accept';
    perVendorLicense = true;
    log.info({ endpoint: 'GetFeatures', reason }, 'asking per vendor license from now on');
    return 'again';
  };

  /** Says so when a record names a vendor license that GetProducts does not know. */
  const unknownOwner = (answer: Answer<FeatureRecord>): string | undefined => {
    const key = (name: string): string => parseVendorLicense(name).vendorLicense.toLowerCase();
    const known = new Set(knownProducts(snapshot)?.map(key));
    // records of one vendor license stand together: only where the name changes is it looked up
    const isKnown = ({ serverName, daemon }: FeatureRecord, i: number): boolean => {
      const before = answer.records[i - 1];
      if (before?.serverName === serverName && before.daemon === daemon) return true;
      return known.has(key(`${serverName};${daemon}`));
    };
    return answer.records.every(isKnown) ? undefined : 'a record of no known vendor license';
  };

  /** Finding the gaps of a schedule is slow, and several endpoints usually share one. */
  const intervals = new Map<string, number>();
  const intervalOf = (schedule: string): number => {
    const interval = intervals.get(schedule) ?? longestGap(schedule);
    intervals.set(schedule, interval);
    return interval;
  };

  const createPoll = <E extends PolledEndpoint>(
    endpoint: E,
    review?: (readings: ReadonlyMap<string, Reading<PolledAnswers[E]>>) => 'accept' | 'again',
  ): EndpointPoll => {
    const interval = intervalOf(options.schedules[endpoint]);
    const maxAge = options.maxDataAge === 'auto' ? Math.max(MIN_DATA_AGE, 3 * interval) : options.maxDataAge;
    const parts = options.initial?.endpoints[endpoint]?.parts ?? new Map();
    const initial = { ...options.initial?.endpoints[endpoint], interval, maxAge, parts };
    // what is polled is known from the start, so that it counts as failing until its first attempt has ended
    if (questions[endpoint].parts(snapshot)?.length !== 0) {
      snapshot = { ...snapshot, endpoints: { ...snapshot.endpoints, [endpoint]: initial } };
    }
    return createEndpointPoll<E>({
      question: questions[endpoint],
      initial,
      deadline: Math.max(Math.min(interval, MAX_DEADLINE), options.requestTimeout),
      limit,
      now,
      log,
      snapshot: () => snapshot,
      commit: (state) => commit(endpoint, state),
      ...(review !== undefined && { review }),
    });
  };

  const polls: Readonly<Record<PolledEndpoint, EndpointPoll>> = {
    GetProducts: createPoll('GetProducts'),
    GetServerDown: createPoll('GetServerDown'),
    GetConcurrentUsers: createPoll('GetConcurrentUsers'),
    GetFeatures: createPoll('GetFeatures', reviewFeatures),
    GetExpirationFeatures: createPoll('GetExpirationFeatures'),
    GetHistory: createPoll('GetHistory'),
  };
  const endpoints = Object.keys(polls) as PolledEndpoint[];

  const runLater = (endpoint: PolledEndpoint): void => {
    const timer = setTimeout(() => {
      offsets.delete(timer);
      void polls[endpoint].run(stopping.signal);
    }, options.startOffset * 1000);
    offsets.add(timer);
  };

  const pollOnce = async (): Promise<void> => {
    const { signal } = stopping;
    isFirstPass = true;
    await Promise.all(
      [polls.GetProducts, polls.GetServerDown, polls.GetConcurrentUsers].map((poll) => poll.run(signal)),
    );
    isFirstPass = false;
    // these depend on what GetProducts lists
    await Promise.all(
      [polls.GetFeatures, polls.GetExpirationFeatures, polls.GetHistory].map((poll) => poll.run(signal)),
    );
  };

  return {
    pollOnce,
    start: async () => {
      tasks = endpoints.map((endpoint) =>
        createSchedule(options.schedules[endpoint], endpoint, () => runLater(endpoint)),
      );
      await pollOnce();
      if (stopping.signal.aborted) return;
      for (const task of tasks) await task.start();
    },
    stop: async () => {
      stopping.abort();
      for (const timer of offsets) clearTimeout(timer);
      await Promise.all(tasks.map((task) => task.destroy()));
      await Promise.all(endpoints.map((endpoint) => polls[endpoint].stop()));
    },
    latest: () => snapshot,
  };
}
