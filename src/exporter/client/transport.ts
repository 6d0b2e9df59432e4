import type { Dispatcher } from 'undici';
import { type FailureKind, QueryError } from '../../base/model/failure.ts';
import { steadyNow } from '../../base/model/steady-clock.ts';
import {
  type EndpointName,
  endpoints,
  OWN_ANALYZER,
  OWN_HEADER,
  type ParametersOf,
} from '../../base/query-api/endpoints.ts';
import { writeQuery } from '../../base/query-api/parameters.ts';
import { clockAhead } from '../../base/scheduling/clock.ts';
import { statusFault } from '../inventory/decoding/answer-faults.ts';
import { type SizeLimits, sizeLimitOf } from '../inventory/decoding/body-limits.ts';
import type { Decoder } from '../inventory/decoding/decoder.ts';
import { toQueryError } from './failures.ts';
import type { IncomingHeaders } from './leg.ts';
import { Reception } from './reception.ts';
import { retryAfter, throttled } from './verdicts.ts';

/** The outcome of one request, for metrics and the log. */
export interface RequestObservation {
  readonly endpoint: EndpointName;
  /** Seconds, logon and decoding included. */
  readonly seconds: number;
  /** Body bytes received. */
  readonly bytes: number;
  readonly failure?: FailureKind;
}

/** One analyzer, how it is reached, and how long and large an answer may be. */
export interface TransportOptions extends SizeLimits {
  /** `http(s)://host:port/analyzer` (spec section 1, Addressing). */
  readonly baseUrl: string;
  /** Authenticates and sends; closed with the transport. */
  readonly dispatcher: Dispatcher;
  /** Called before each request, to apply changed credentials. */
  readonly refreshCredentials?: () => void;
  /** Timeout of a request in seconds, including the wait for a connection. */
  readonly timeout: number;
  readonly userAgent: string;
  /** The clock of this host, epoch seconds. */
  readonly now: () => number;
  readonly observe?: (observation: RequestObservation) => void;
}

/** Sends requests to one analyzer. Clients whose answers are decoded differently share it. */
export interface Transport {
  /** @param before an earlier answer to the same question, for the decoder. @throws QueryError */
  request<A, E extends EndpointName & keyof A>(
    endpoint: E,
    parameters: ParametersOf<E>,
    signal: AbortSignal,
    decoder: Decoder<A>,
    before?: A[E],
  ): Promise<A[E]>;
  /** Whether the newest answer came from the analyzer of this program, by its header. */
  readonly isOwnAnalyzer: boolean;
  /** How far the clock of the analyzer is ahead, by its newest answer, seconds; 0 up to 30 s. See `clockAhead`. */
  readonly clockAhead: number;
  close(): Promise<void>;
}

/** The path of the cheapest call, which carries the logon of a connection. @param baseUrl as of `TransportOptions` */
export const logonPathOf = (baseUrl: string): string =>
  `${new URL(baseUrl).pathname.replace(/\/+$/, '')}${endpoints.GetHttpUserName.path}`;

/** Sends requests as the options say. The dispatcher belongs to it from now on. */
export function createTransport(options: TransportOptions): Transport {
  const { dispatcher, timeout, observe } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname === '/' ? '' : pathname;
  const headers = { accept: 'application/json, text/plain', 'user-agent': options.userAgent };

  let isOwnAnalyzer = false;
  let ahead = 0;
  /** Endpoints for which the server sent Retry-After. `until` is in epoch milliseconds of the steady clock. */
  const pauses = new Map<EndpointName, { readonly until: number; readonly failure: QueryError }>();

  const refuseStatus = (name: EndpointName, status: number, answered: IncomingHeaders): QueryError => {
    const wait = retryAfter(status, answered);
    if (wait === undefined) return statusFault(status, answered.location, baseUrl);
    const until = steadyNow() + wait;
    const failure = new QueryError('throttled', throttled(status, until).message, { code: String(status) });
    pauses.set(name, { until, failure });
    return failure;
  };

  const request = <A, E extends EndpointName & keyof A>(
    name: E,
    parameters: ParametersOf<E>,
    signal: AbortSignal,
    decoder: Decoder<A>,
    before?: A[E],
  ): Promise<A[E]> => {
    const started = performance.now();
    const { method, path } = endpoints[name];
    const question = `${path}${writeQuery(endpoints[name], parameters)}`;
    const reception = new Reception<A[E]>({
      limit: sizeLimitOf(name, options),
      timeout,
      signal,
      open: () => decoder.open(name, before),
      onHeaders: (answered) => {
        isOwnAnalyzer = answered[OWN_HEADER] === OWN_ANALYZER;
        ahead = clockAhead(answered.date, options.now());
      },
      refuseStatus: (status, answered) => refuseStatus(name, status, answered),
      onOutcome: (bytes, failure) =>
        observe?.({
          endpoint: name,
          seconds: (performance.now() - started) / 1000,
          bytes,
          ...(failure !== undefined && { failure: failure.kind }),
        }),
    });
    if (reception.isSettled) return reception.answer;
    try {
      options.refreshCredentials?.();
      const paused = pauses.get(name);
      if (paused !== undefined && paused.until > steadyNow()) throw paused.failure;
      // in a URL, an apostrophe of a query is encoded too
      dispatcher.dispatch({ origin, path: `${prefix}${question.replaceAll("'", '%27')}`, method, headers }, reception);
    } catch (error) {
      reception.onResponseError(null, toQueryError(error));
    }
    return reception.answer;
  };

  return {
    request,
    get isOwnAnalyzer() {
      return isOwnAnalyzer;
    },
    get clockAhead() {
      return ahead;
    },
    close: () => dispatcher.destroy(),
  };
}
