import type { Log } from '../../base/model/log.ts';
import {
  type EndpointState,
  type PolledAnswers,
  type PolledEndpoint,
  productNames,
  type Snapshot,
  WHOLE,
} from '../../base/model/snapshot.ts';
import { canonical } from '../../base/model/vendor-license.ts';
import { createLatestOnly, createLimit } from '../../base/scheduling/limit.ts';
import { longestGap, nextRun } from '../../base/scheduling/runs.ts';
import { OFF } from '../../base/settings/values.ts';
import type { QueryClient } from '../client/query-client.ts';
import type { Selection } from '../inventory/selection.ts';
import { createEndpointPoll, type EndpointPoll, type EndpointPollOptions, type PassCause } from './endpoint-poll.ts';
import { createEndpointRequests } from './endpoint-requests.ts';
import { createFailureLog } from './failure-log.ts';
import { createFeaturesForm } from './features-form.ts';
import { keepFeatures, keepNotListed } from './incomplete-lists.ts';
import {
  checkExpirations,
  checkFeatures,
  checkProducts,
  type EmptyStreak,
  isNamedElsewhere,
  type Known,
} from './plausibility.ts';
import { createPollLog } from './poll-log.ts';
import type { PollingConfig } from './settings.ts';

/** Maximum time of one timer, milliseconds: a timer cannot be set for more than 24 days. */
const MAX_WAIT_MS = 86_400_000;

/** Runs jobs on their schedules. */
export interface Schedules {
  start(): void;
  stop(): void;
}

/**
 * @param expressions cron expression by name
 * @param startOffset delay of every run, seconds
 * @param run called with the name; must prevent overlapping runs itself
 * @param now epoch seconds; it is not set back
 */
export function createSchedules<N extends string>(
  expressions: ReadonlyMap<N, string>,
  startOffset: number,
  run: (name: N) => void,
  now: () => number,
): Schedules {
  const timers = new Map<N, NodeJS.Timeout>();

  const runAt = (dueMs: number, name: N, expression: string): void => {
    const waitMs = Math.max(0, Math.min(dueMs - now() * 1000, MAX_WAIT_MS));
    const timer = setTimeout(() => {
      // a little early, or only a part of a long wait
      if (dueMs > now() * 1000) return schedule(name, expression);
      // if the process was suspended over several runs, one of them follows at once
      schedule(name, expression);
      run(name);
    }, waitMs);
    timers.set(name, timer);
  };

  const schedule = (name: N, expression: string): void => {
    const next = nextRun(expression, now() - startOffset);
    runAt((next + startOffset) * 1000, name, expression);
  };

  return {
    start: () => {
      for (const [name, expression] of expressions) schedule(name, expression);
    },
    stop: () => {
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}

/**
 * After a poll of what has changed, the next one waits for this multiple of its duration. Otherwise each of many sources would have
 * the lists of a large site requested, and all of it shown again.
 */
const REST = 20;
const MAX_REST_MS = 10_000;

/** The client, the configuration, and the snapshot that an earlier pipeline left. */
export interface PollerOptions {
  readonly client: QueryClient<PolledAnswers>;
  readonly config: PollingConfig;
  readonly selection: Selection;
  readonly now: () => number;
  /** How far the clock of the analyzer is ahead of `now`, by its newest answer, seconds. */
  readonly clockAhead: () => number;
  readonly log: Log;
  /** Called with each new snapshot, after `latest` returns it. */
  readonly onCommit: (snapshot: Snapshot) => void;
  /** Initial data, for example from before a reload. */
  readonly initial?: Snapshot;
}

/** Polls all endpoints on their schedules and commits each change. */
export interface Poller {
  /** Polls everything once, then on schedule. Resolves when the first pass of every endpoint has ended. */
  start(): Promise<void>;
  /** Polls every endpoint once, without a schedule. */
  pollOnce(): Promise<void>;
  /**
   * Polls what has changed at an analyzer in this process, at once. The changes of all endpoints are committed together, unless
   * a scheduled poll ends meanwhile. What changes meanwhile is polled after that, together too.
   *
   * @param vendorLicenses as GetProducts names them
   */
  pollChanged(vendorLicenses: readonly string[]): Promise<void>;
  /** Requests everything that failed immediately, because the cause of the failures is over. */
  retryFailed(): void;
  stop(): Promise<void>;
  latest(): Snapshot;
}

const MIN_DATA_AGE = 300;

/** Maximum number of vendor licenses in one log entry. */
const NAMES_LOGGED = 20;

/** Maximum duration of a pass, seconds. */
const MAX_DEADLINE = 3600;

type Specifics<E extends PolledEndpoint> = Pick<
  EndpointPollOptions<E>,
  'check' | 'complete' | 'review' | 'derive' | 'isServing'
>;

/** The first snapshot, without data of endpoints that are now off. */
function createSnapshot(initial: Snapshot | undefined, off: readonly PolledEndpoint[], at: number): Snapshot {
  const kept = Object.entries(initial?.endpoints ?? {}).filter(([name]) => !off.includes(name as PolledEndpoint));
  return { at: initial?.at ?? at, endpoints: Object.fromEntries(kept), off };
}

/** Logs vendor licenses whose series end. Only the operator can see whether they were removed or an answer is incomplete. */
function logRemoved(before: readonly string[], listed: readonly string[], log: Log): void {
  const names = new Set(listed.map(canonical));
  const gone = before.filter((product) => !names.has(canonical(product)));
  if (gone.length === 0) return;
  const fields = { endpoint: 'GetProducts', vendor_licenses: gone.slice(0, NAMES_LOGGED), count: gone.length };
  log.warn(fields, 'GetProducts no longer lists vendor licenses that it listed before; their series end');
}

/** Polls the analyzer on schedule and keeps the newest snapshot. */
export function createPoller(options: PollerOptions): Poller {
  const { now, log } = options;
  const stopping = new AbortController();
  const failureLog = createFailureLog({ log, now });
  // reserves one request for the whole site, even if the requests of all vendor licenses hang
  const { analyzer, poll: settings, features } = options.config;
  const limit = createLimit(Math.max(1, analyzer.concurrency - 1));
  const expressions: Readonly<Record<PolledEndpoint, string>> = {
    GetProducts: settings.products,
    GetServerDown: settings.serverDown,
    GetConcurrentUsers: settings.concurrentUsers,
    GetFeatures: settings.features,
    GetExpirationFeatures: settings.expirations,
    GetHistory: settings.history,
  };
  const off = (Object.keys(expressions) as PolledEndpoint[]).filter((name) => expressions[name] === OFF);
  let snapshot = createSnapshot(options.initial, off, now());
  /** Whether each endpoint is polled only once. */
  let isOnce = false;
  /** Vendor licenses that have changed and are not polled yet; `undefined` if nothing has changed. */
  let changed: Set<string> | undefined;
  /** When what has changed may be polled again, by `performance.now()`. */
  let restUntil = 0;
  /** Whether the first pass, which polls the endpoints in order, is running. */
  let isFirstPass = false;

  const listedProducts = (): readonly string[] => productNames(snapshot) ?? [];
  const isServing = (): boolean => snapshot.endpoints.GetProducts?.parts.get(WHOLE)?.ok === true;
  const known = (): Known => ({ snapshot, now: now(), ownsVendorLicense: options.selection.ownsVendorLicense });
  const form = createFeaturesForm({ configured: features.request, isServing, known, now, log });
  const requests = createEndpointRequests({
    client: options.client,
    config: options.config,
    selection: options.selection,
    log,
    featuresPerVendorLicense: () => form.isPerVendorLicense,
  });

  const commit = <E extends PolledEndpoint>(
    endpoint: E,
    state: EndpointState<PolledAnswers[E]> | undefined,
    cause: PassCause,
  ): void => {
    const wasServing = isServing();
    const listed = listedProducts();
    const { [endpoint]: _replaced, ...others } = snapshot.endpoints;
    snapshot = {
      ...snapshot,
      at: now(),
      endpoints: state === undefined ? others : { ...others, [endpoint]: state },
    };
    if (cause !== 'change') options.onCommit(snapshot);
    if (endpoint === 'GetProducts') logRemoved(listed, listedProducts(), log);
    // the first pass, and a poll of what changed, go on with what depends on it
    const isFollowed = isFirstPass || (cause === 'change' && wasServing);
    if (endpoint === 'GetProducts' && isServing() && !isFollowed) followProducts(wasServing);
  };

  /**
   * Requests a vendor license that GetProducts lists for the first time at once. When GetProducts recovers, everything that
   * failed is requested too; an hourly endpoint would otherwise stay failed for minutes after the analyzer is back.
   */
  const followProducts = (wasServing: boolean): void => {
    for (const [endpoint, poll] of polls) {
      if (endpoint !== 'GetProducts') void poll.catchUp(stopping.signal, wasServing ? 'new' : 'failed');
    }
  };

  let emptyStreak: EmptyStreak | undefined;
  const checkListed = (_: string, answer: PolledAnswers['GetProducts']): string | undefined => {
    const { contradiction, streak } = checkProducts(answer, known(), emptyStreak, isOnce);
    emptyStreak = streak;
    return contradiction;
  };

  const createPoll = <E extends PolledEndpoint>(endpoint: E, more: Specifics<E> = {}): EndpointPoll => {
    const interval = longestGap(expressions[endpoint]);
    const maxAge = settings.maxDataAge === 'auto' ? Math.max(MIN_DATA_AGE, 3 * interval) : settings.maxDataAge;
    const parts = options.initial?.endpoints[endpoint]?.parts ?? new Map();
    const initial = { ...options.initial?.endpoints[endpoint], interval, maxAge, parts };
    // each endpoint has a state from the start, so that it counts as failing until its first attempt has ended
    if (requests[endpoint].parts(snapshot)?.length !== 0) {
      snapshot = { ...snapshot, endpoints: { ...snapshot.endpoints, [endpoint]: initial } };
    }
    return createEndpointPoll<E>({
      request: requests[endpoint],
      initial,
      deadline: Math.max(Math.min(interval, MAX_DEADLINE), analyzer.timeout),
      limit,
      now,
      log: createPollLog(endpoint, log, failureLog),
      snapshot: () => snapshot,
      commit: (state, cause) => commit(endpoint, state, cause),
      ...more,
    });
  };

  const creators: { readonly [E in PolledEndpoint]: () => EndpointPoll } = {
    GetProducts: () =>
      createPoll('GetProducts', {
        check: checkListed,
        complete: (answer, _, before) => ({
          ...keepNotListed(answer, before, (product) => isNamedElsewhere(product, known()), now()),
          clockAhead: options.clockAhead(),
        }),
      }),
    GetServerDown: () => createPoll('GetServerDown'),
    GetConcurrentUsers: () => createPoll('GetConcurrentUsers', { isServing }),
    GetFeatures: () =>
      createPoll('GetFeatures', {
        check: (part, answer) => checkFeatures(part, answer, known()),
        complete: (answer, part, before) => keepFeatures(answer, part, before, now()),
        review: form.review,
        derive: form.derive,
      }),
    GetExpirationFeatures: () =>
      createPoll('GetExpirationFeatures', {
        check: (part, answer) => checkExpirations(part, answer, known()),
        complete: (answer, part, before) => keepFeatures(answer, part, before, now()),
        isServing,
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
  const polled = new Map([...polls.keys()].map((endpoint) => [endpoint, expressions[endpoint]]));
  const schedules = createSchedules(polled, settings.startOffset, (endpoint) => void run(endpoint), now);

  const pollPending = createLatestOnly(async () => {
    // what changes meanwhile is polled with it
    const rest = Math.min(restUntil - performance.now(), MAX_REST_MS);
    if (rest > 0) await new Promise<void>((resolve) => setTimeout(resolve, rest).unref());
    const pending = changed;
    // polled with what changed before it
    if (pending === undefined) return;
    changed = undefined;
    const started = performance.now();
    const pollAll = (...endpoints: readonly PolledEndpoint[]): Promise<unknown> =>
      Promise.all(
        endpoints.map((endpoint) =>
          polls.get(endpoint)?.pollChanged(stopping.signal, (part) => part === WHOLE || pending.has(part)),
        ),
      );
    await pollAll('GetProducts', 'GetServerDown', 'GetConcurrentUsers');
    // of the vendor licenses that are listed now
    await pollAll('GetFeatures', 'GetExpirationFeatures', 'GetHistory');
    if (!stopping.signal.aborted) options.onCommit(snapshot);
    const ended = performance.now();
    restUntil = ended + (ended - started) * REST;
  });

  const firstPass = async (): Promise<void> => {
    const users = run('GetConcurrentUsers');
    isFirstPass = true;
    // an empty GetProducts is compared with GetServerDown, and there is no second attempt
    if (isOnce) await run('GetServerDown');
    await run('GetProducts', ...(isOnce ? [] : (['GetServerDown'] as const)));
    isFirstPass = false;
    // these depend on GetProducts
    await run('GetFeatures', 'GetExpirationFeatures', 'GetHistory');
    await users;
  };

  return {
    pollOnce: async () => {
      isOnce = true;
      await firstPass();
      failureLog.flush();
    },
    start: async () => {
      const first = firstPass();
      // the schedule starts even if the first pass hangs
      schedules.start();
      await first;
    },
    pollChanged: async (vendorLicenses) => {
      changed ??= new Set();
      for (const name of vendorLicenses) changed.add(name);
      await pollPending();
    },
    retryFailed: () => {
      for (const poll of polls.values()) void poll.catchUp(stopping.signal, 'failed');
    },
    stop: async () => {
      stopping.abort();
      schedules.stop();
      await Promise.all([...polls.values()].map((poll) => poll.stop()));
      failureLog.flush();
    },
    latest: () => snapshot,
  };
}
