import type { Dispatcher } from 'undici';
import { request } from 'undici';
import { statusFault } from '../decoding/answer-faults.ts';
import { limitsOf } from '../decoding/body-limits.ts';
import type { Answers } from '../decoding/decode.ts';
import { type FailureKind, QueryError } from '../model/failure.ts';
import { type Endpoint, type EndpointName, endpoints, type ParametersOf } from '../query-api/endpoints.ts';
import { writeQuery } from '../query-api/parameters.ts';
import { type Received, readBody } from './body.ts';
import { createDecoder } from './decoder.ts';
import { toQueryError } from './failures.ts';
import { isPaused, retryAfter, throttled } from './verdicts.ts';

/** The outcome of one request, for metrics and the log. */
export interface RequestObservation {
  readonly endpoint: EndpointName;
  /** Seconds, logon included. */
  readonly seconds: number;
  /** Body bytes received. */
  readonly bytes: number;
  readonly failure?: FailureKind;
}

export interface QueryClientOptions {
  /** `http(s)://host:port/analyzer` (spec section 1, Addressing). */
  readonly baseUrl: string;
  /** Authenticates and sends; closed with the client. */
  readonly dispatcher: Dispatcher;
  /** Called before each request, to apply changed credentials. */
  readonly refreshCredentials?: () => void;
  /** Timeout of a request in seconds, including the wait for a connection. */
  readonly timeout: number;
  /** Bytes. */
  readonly maxResponseSize: number;
  /** Maximum size of a chart, bytes. */
  readonly maxChartSize: number;
  /** A license that expires at this time or later is permanent, epoch seconds. */
  readonly permanentAfter: number;
  readonly userAgent: string;
  /** Called with each body before it is decoded. Must not change it. */
  readonly onBody?: (endpoint: EndpointName, body: Buffer) => void;
  readonly observe?: (observation: RequestObservation) => void;
}

/** One method per endpoint of the Query API. Each throws only `QueryError`. */
export type QueryClient = {
  readonly [E in EndpointName as Uncapitalize<E>]: (
    parameters: ParametersOf<E>,
    signal: AbortSignal,
  ) => Promise<Answers[E]>;
} & { close(): Promise<void> };

/** The client of the License Monitoring Query API over an authenticating dispatcher. */
export function createQueryClient(options: QueryClientOptions): QueryClient {
  const decoder = createDecoder(options.permanentAfter);
  const baseUrl = options.baseUrl.replace(/\/+$/, '');

  /** Endpoints for which the server sent Retry-After. `until` is in epoch milliseconds. */
  const pauses = new Map<EndpointName, { readonly until: number; readonly failure: QueryError }>();

  const pause = (name: EndpointName, status: number, until: number): QueryError => {
    const failure = new QueryError('throttled', throttled(status, until).message, { code: String(status) });
    pauses.set(name, { until, failure });
    return failure;
  };

  const send = async <E extends EndpointName>(
    name: E,
    parameters: ParametersOf<E>,
    signal: AbortSignal,
    received: Received,
  ): Promise<Answers[E]> => {
    const endpoint: Endpoint = endpoints[name];
    const paused = pauses.get(name);
    if (paused !== undefined && isPaused(paused.until, Date.now())) throw paused.failure;
    const query = writeQuery(endpoint, parameters);
    const response = await request(`${baseUrl}${endpoint.path}${query}`, {
      dispatcher: options.dispatcher,
      method: endpoint.method,
      headers: { accept: 'application/json, text/plain', 'user-agent': options.userAgent },
      signal,
    });
    if (response.statusCode !== 200) {
      await response.body.dump({ limit: 64 * 1024, signal });
      const wait = retryAfter(response.statusCode, response.headers, Date.now());
      if (wait !== undefined) throw pause(name, response.statusCode, Date.now() + wait);
      throw statusFault(response.statusCode, response.headers.location, baseUrl);
    }
    const body = await readBody(response, limitsOf(name, options), received);
    options.onBody?.(name, body);
    return decoder.decode(name, body);
  };

  const call = async <E extends EndpointName>(
    name: E,
    parameters: ParametersOf<E>,
    signal: AbortSignal,
  ): Promise<Answers[E]> => {
    const started = performance.now();
    const received: Received = { bytes: 0 };
    const timeout = AbortSignal.timeout(options.timeout * 1000);
    let failure: QueryError | undefined;
    try {
      options.refreshCredentials?.();
      return await send(name, parameters, AbortSignal.any([signal, timeout]), received);
    } catch (error) {
      failure = classify(error, signal, timeout);
      throw failure;
    } finally {
      options.observe?.({
        endpoint: name,
        seconds: (performance.now() - started) / 1000,
        bytes: received.bytes,
        ...(failure !== undefined && { failure: failure.kind }),
      });
    }
  };

  const classify = (error: unknown, signal: AbortSignal, timeout: AbortSignal): QueryError => {
    if (signal.aborted) {
      return signal.reason instanceof QueryError
        ? signal.reason
        : new QueryError('aborted', 'the request was canceled');
    }
    if (timeout.aborted) {
      return new QueryError('timeout', `the analyzer did not answer within ${options.timeout} s`, { cause: error });
    }
    return toQueryError(error);
  };

  const method =
    <E extends EndpointName>(name: E) =>
    (parameters: ParametersOf<E>, signal: AbortSignal): Promise<Answers[E]> =>
      call(name, parameters, signal);

  return {
    getProducts: method('GetProducts'),
    getFeatures: method('GetFeatures'),
    getUsers: method('GetUsers'),
    getServerDown: method('GetServerDown'),
    getExpirationFeatures: method('GetExpirationFeatures'),
    getHistory: method('GetHistory'),
    getHistoryReserved: method('GetHistoryReserved'),
    getEfficiency: method('GetEfficiency'),
    getHeatMap: method('GetHeatMap'),
    getHttpUserName: method('GetHttpUserName'),
    getConcurrentUsers: method('GetConcurrentUsers'),
    close: async () => {
      await decoder.close();
      await options.dispatcher.destroy();
    },
  };
}
