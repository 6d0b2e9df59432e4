import { QueryError } from '../../../base/model/failure.ts';
import {
  type AnswerKind,
  type Endpoint,
  type EndpointName,
  endpoints,
  type ParametersOf,
} from '../../../base/query-api/endpoints.ts';
import { writeQuery } from '../../../base/query-api/parameters.ts';
import { untilReady } from '../../../base/scheduling/limit.ts';
import { createPlaces } from '../../../base/scheduling/places.ts';
import type { QueryClient } from '../../../exporter/client/query-client.ts';
import type { Answers } from '../../../exporter/inventory/decoding/decode.ts';
import { DatasourceError, fromQueryError } from './errors.ts';

/** Requests of panels to the analyzer. Their number is limited, equal requests are joined, and answers are cached. */

/** How answers of the analyzer are shared, and how many requests panels may cause. */
export interface UpstreamCacheOptions {
  readonly client: QueryClient;
  /** Connections of the client. Half of them are reserved for polling. */
  readonly connections: number;
  /** How long an answer of a history endpoint is cached, seconds; 0 disables the cache. */
  readonly cacheTtl: number;
  /** Maximum number of requests that wait for a connection. */
  readonly maxWaiting?: number;
  /**
   * Maximum number of cached answers: more than those of the largest panel. A year of history takes about 50 kB, a month 4 kB.
   */
  readonly maxKept?: number;
  /** Epoch seconds. */
  readonly now: () => number;
}

/** How long other answers are cached, seconds: the panels of a dashboard send their requests together. */
const LIVE_TTL = 15;
const historyAnswers: readonly AnswerKind[] = ['trend', 'reserved', 'efficiency', 'heat-map'];

/** Asks the analyzer on behalf of panels. Equal questions share one request, and polling keeps its connections. */
export interface UpstreamCache {
  /**
   * @param signal stops the wait. The request continues while another caller waits for it
   * @throws DatasourceError
   */
  ask<E extends EndpointName>(endpoint: E, parameters: ParametersOf<E>, signal: AbortSignal): Promise<Answers[E]>;
}

/** Method, path and parameters, as the query inspector shows them; the key of the cache. */
export function requestText<E extends EndpointName>(name: E, parameters: ParametersOf<E>): string {
  const endpoint: Endpoint = endpoints[name];
  return `${endpoint.method} ${endpoint.path}${writeQuery(endpoint, parameters)}`;
}

/** A running request, and the number of callers that wait for it. */
interface Flight {
  readonly answer: Promise<unknown>;
  readonly controller: AbortController;
  waiting: number;
}

interface Kept {
  readonly until: number;
  readonly answer: unknown;
}

/** A cache over a client that polling uses too. It does not close the client. */
export function createUpstreamCache({
  client,
  connections,
  cacheTtl,
  maxWaiting = 200,
  maxKept = 1_200,
  now,
}: UpstreamCacheOptions): UpstreamCache {
  const concurrency = Math.max(1, Math.floor(connections / 2));
  const places = createPlaces(concurrency);
  /** Requests that are sent, or wait for a place. */
  let open = 0;
  const flights = new Map<string, Flight>();
  const kept = new Map<string, Kept>();

  const keep = (key: string, answer: unknown, seconds: number): void => {
    kept.delete(key);
    for (const [old, { until }] of kept) {
      if (until > now() && kept.size < maxKept) break;
      kept.delete(old);
    }
    if (seconds > 0) kept.set(key, { until: now() + seconds, answer });
  };

  const send = async <E extends EndpointName>(
    endpoint: E,
    parameters: ParametersOf<E>,
    key: string,
    signal: AbortSignal,
  ): Promise<Answers[E]> => {
    if (open >= concurrency + maxWaiting) {
      throw new DatasourceError('queue_full', `${maxWaiting} requests to the analyzer are waiting, try again later`);
    }
    open += 1;
    let release: (() => void) | undefined;
    try {
      release = await places.take(signal);
      const method = `${endpoint[0]?.toLowerCase()}${endpoint.slice(1)}` as Uncapitalize<E>;
      const answer = (await client[method](parameters, signal)) as Answers[E];
      keep(key, answer, historyAnswers.includes(endpoints[endpoint].answer) ? cacheTtl : Math.min(cacheTtl, LIVE_TTL));
      return answer;
    } finally {
      release?.();
      open -= 1;
    }
  };

  const join = async <T>(flight: Flight, signal: AbortSignal): Promise<T> => {
    flight.waiting += 1;
    try {
      await untilReady(flight.answer, signal);
      return (await flight.answer) as T;
    } finally {
      flight.waiting -= 1;
      // no caller is left
      if (flight.waiting === 0) flight.controller.abort(new QueryError('aborted', 'all callers have disconnected'));
    }
  };

  return {
    ask: async (endpoint, parameters, signal) => {
      const key = requestText(endpoint, parameters);
      const known = kept.get(key);
      if (known !== undefined && known.until > now()) return known.answer as Answers[typeof endpoint];
      let flight = flights.get(key);
      if (flight === undefined) {
        const controller = new AbortController();
        const answer = send(endpoint, parameters, key, controller.signal).finally(() => {
          if (flights.get(key) === flight) flights.delete(key);
        });
        // the callers get the failure, if there are any left
        answer.catch(() => undefined);
        flight = { answer, controller, waiting: 0 };
        flights.set(key, flight);
        controller.signal.addEventListener('abort', () => flights.get(key) === flight && flights.delete(key));
      }
      try {
        return await join<Answers[typeof endpoint]>(flight, signal);
      } catch (error) {
        if (error instanceof QueryError) throw fromQueryError(error);
        throw error;
      }
    },
  };
}
