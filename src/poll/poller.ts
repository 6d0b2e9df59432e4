import type { ScheduledTask } from 'node-cron';
import type { QueryClient } from '../client/query-client.ts';
import type { Selection } from '../inventory/selection.ts';
import type { Log } from '../model/log.ts';
import type { Answer, FeatureRecord, ProductRecord } from '../model/records.ts';
import {
  type EndpointState,
  type HistoryQuestion,
  lastGood,
  type PolledAnswers,
  type PolledEndpoint,
  type Reading,
  type Snapshot,
  WHOLE,
} from '../model/snapshot.ts';
import { createLimit } from '../scheduling/limit.ts';
import { createEndpointPoll, type EndpointPoll, type EndpointPollOptions, type Parts } from './endpoint-poll.ts';
import { createQuestions, featuresRefusals } from './endpoint-requests.ts';
import type { SearchLevel } from './expiration-search.ts';
import {
  canonical,
  createSplit,
  doubtAllFeatures,
  doubtExpirations,
  doubtFeatures,
  doubtProducts,
  type EmptyRow,
  type Known,
} from './plausibility.ts';
import { createSchedule, longestGap } from './schedule.ts';

export interface PollerOptions {
  readonly client: QueryClient;
  /** Cron expression of each endpoint, or `off` where it is not polled; GetProducts always is. */
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
  readonly expirationSearch: SearchLevel;
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
  /** Asks everything that failed at once: what kept it from being asked is over. */
  retryFailed(): void;
  stop(): Promise<void>;
  latest(): Snapshot;
}

const MIN_DATA_AGE = 300;

/** As many names of vendor licenses are put into one log entry. */
const NAMES_LOGGED = 20;

/** No pass is let run longer than this, however rare it is, seconds. */
const MAX_DEADLINE = 3600;

type Specifics<E extends PolledEndpoint> = Pick<EndpointPollOptions<E>, 'doubt' | 'review' | 'derive' | 'isServing'>;

/** What is known at first; data of endpoints that are off now is let go. */
function createSnapshot(initial: Snapshot | undefined, off: readonly PolledEndpoint[], at: number): Snapshot {
  const kept = Object.entries(initial?.endpoints ?? {}).filter(([name]) => !off.includes(name as PolledEndpoint));
  return { at: initial?.at ?? at, endpoints: Object.fromEntries(kept), off };
}

/** Polls the analyzer on schedule and keeps the newest snapshot. */
export function createPoller(options: PollerOptions): Poller {
  const { now, log } = options;
  const stopping = new AbortController();
  // one place is left to the questions about the whole site, however many vendor licenses hang
  const limit = createLimit(Math.max(1, options.concurrency - 1));
  const offsets = new Set<NodeJS.Timeout>();
  let tasks: ScheduledTask[] = [];
  const off = (Object.keys(options.schedules) as PolledEndpoint[]).filter((name) => options.schedules[name] === 'off');
  let snapshot = createSnapshot(options.initial, off, now());
  /** Whether this is all that is ever asked. */
  let isOnce = false;
  /** The first pass goes through the endpoints in order by itself. */
  let isFirstPass = false;
  let perVendorLicense = options.featuresRequest === 'per_vendor_license';

  const questions = createQuestions({ ...options, featuresPerVendorLicense: () => perVendorLicense });

  const listedProducts = (): readonly ProductRecord[] =>
    lastGood(snapshot.endpoints.GetProducts?.parts.get(WHOLE))?.value.records ?? [];

  /** Their series end, and so do their alerts: whether they were removed, or an answer is cut short, people must see. */
  const reportGone = (before: readonly ProductRecord[]): void => {
    const listed = new Set(listedProducts().map(({ product }) => canonical(product)));
    const gone = before.map(({ product }) => product).filter((product) => !listed.has(canonical(product)));
    if (gone.length === 0) return;
    const fields = { endpoint: 'GetProducts', vendor_licenses: gone.slice(0, NAMES_LOGGED), count: gone.length };
    log.warn(fields, 'GetProducts no longer lists vendor licenses that it listed before; their series end');
  };

  const isGood = (): boolean => snapshot.endpoints.GetProducts?.parts.get(WHOLE)?.ok === true;

  const commit = <E extends PolledEndpoint>(endpoint: E, state: EndpointState<PolledAnswers[E]> | undefined): void => {
    const wasGood = isGood();
    const listed = listedProducts();
    const { [endpoint]: _replaced, ...others } = snapshot.endpoints;
    snapshot = {
      ...snapshot,
      at: now(),
      endpoints: state === undefined ? others : { ...others, [endpoint]: state },
    };
    options.onCommit(snapshot);
    if (endpoint === 'GetProducts') reportGone(listed);
    if (endpoint === 'GetProducts' && isGood() && !isFirstPass) followProducts(wasGood);
  };

  /**
   * A vendor license that GetProducts lists for the first time is asked about at once; so is everything that failed while
   * GetProducts failed, because an hourly endpoint would otherwise stay failed for minutes after the analyzer is back.
   */
  const followProducts = (wasGood: boolean): void => {
    for (const [endpoint, poll] of polls) {
      if (endpoint !== 'GetProducts') void poll.catchUp(stopping.signal, wasGood ? 'new' : 'failed');
    }
  };

  const known = (): Known => ({ snapshot, now: now(), ownsVendorLicense: options.selection.ownsVendorLicense });

  /** The empty answers of GetProducts up to now. */
  let emptyRow: EmptyRow | undefined;
  const doubtOf = (answer: PolledAnswers['GetProducts']): string | undefined => {
    const { doubt, row } = doubtProducts(answer, known(), emptyRow, isOnce);
    emptyRow = row;
    return doubt;
  };

  /**
   * With `auto`, one request for all features is tried first and given up for good when the server is not up to it. While
   * GetProducts fails too, it is the server as a whole that has a problem, and nothing is concluded.
   */
  const reviewFeatures = (readings: Parts<'GetFeatures'>): 'accept' | 'again' => {
    const reading = readings.get(WHOLE);
    if (options.featuresRequest !== 'auto' || reading === undefined || !isGood()) return 'accept';
    const reason = reading.ok ? doubtAllFeatures(reading.value, known()) : reading.failure.message;
    if (reason === undefined || (!reading.ok && !featuresRefusals.has(reading.failure.kind))) return 'accept';
    perVendorLicense = true;
    log.info({ endpoint: 'GetFeatures', reason }, 'asking per vendor license from now on');
    return 'again';
  };

  const split = createSplit();
  const deriveFeatures = (part: string, parts: Parts<'GetFeatures'>): Reading<Answer<FeatureRecord>> | undefined => {
    const whole = lastGood(parts.get(WHOLE));
    const value = whole === undefined ? undefined : split(part, whole.value);
    return whole && value && { at: whole.at, seconds: 0, ok: true, value };
  };

  /** Finding the gaps of a schedule is slow, and several endpoints usually share one. */
  const intervals = new Map<string, number>();
  const intervalOf = (schedule: string): number => {
    const interval = intervals.get(schedule) ?? longestGap(schedule);
    intervals.set(schedule, interval);
    return interval;
  };

  const createPoll = <E extends PolledEndpoint>(endpoint: E, more: Specifics<E> = {}): EndpointPoll => {
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
      ...more,
    });
  };

  const creators: { readonly [E in PolledEndpoint]: () => EndpointPoll } = {
    GetProducts: () => createPoll('GetProducts', { doubt: (_, answer) => doubtOf(answer) }),
    GetServerDown: () => createPoll('GetServerDown'),
    GetConcurrentUsers: () => createPoll('GetConcurrentUsers', { isServing: isGood }),
    GetFeatures: () =>
      createPoll('GetFeatures', {
        doubt: (part, answer) => doubtFeatures(part, answer, known()),
        review: reviewFeatures,
        derive: deriveFeatures,
      }),
    GetExpirationFeatures: () =>
      createPoll('GetExpirationFeatures', {
        doubt: (part, answer) => doubtExpirations(part, answer, known()),
        isServing: isGood,
      }),
    GetHistory: () => createPoll('GetHistory'),
  };
  const polls = new Map(
    (Object.keys(creators) as PolledEndpoint[])
      .filter((endpoint) => !off.includes(endpoint))
      .map((endpoint) => [endpoint, creators[endpoint]()]),
  );

  const run = (...endpoints: PolledEndpoint[]): Promise<unknown> =>
    Promise.all(endpoints.map((endpoint) => polls.get(endpoint)?.run(stopping.signal)));

  const runLater = (endpoint: PolledEndpoint): void => {
    const timer = setTimeout(() => {
      offsets.delete(timer);
      void run(endpoint);
    }, options.startOffset * 1000);
    offsets.add(timer);
  };

  const firstPass = async (): Promise<void> => {
    const users = run('GetConcurrentUsers');
    isFirstPass = true;
    // what is never asked again is held against the others at once
    if (isOnce) await run('GetServerDown');
    await run('GetProducts', ...(isOnce ? [] : (['GetServerDown'] as const)));
    isFirstPass = false;
    // these depend on what GetProducts lists
    await run('GetFeatures', 'GetExpirationFeatures', 'GetHistory');
    await users;
  };

  return {
    pollOnce: () => {
      isOnce = true;
      return firstPass();
    },
    start: async () => {
      tasks = [...polls.keys()].map((endpoint) =>
        createSchedule(options.schedules[endpoint], endpoint, () => runLater(endpoint)),
      );
      const first = firstPass();
      // a first pass that hangs must not keep the others from their schedule
      for (const task of tasks) if (!stopping.signal.aborted) await task.start();
      await first;
    },
    retryFailed: () => {
      for (const poll of polls.values()) void poll.catchUp(stopping.signal, 'failed');
    },
    stop: async () => {
      stopping.abort();
      for (const timer of offsets) clearTimeout(timer);
      await Promise.all(tasks.map((task) => task.destroy()));
      await Promise.all([...polls.values()].map((poll) => poll.stop()));
    },
    latest: () => snapshot,
  };
}
