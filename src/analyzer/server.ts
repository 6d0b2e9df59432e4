import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type EndpointName, endpointNames, endpoints } from '../query-api/endpoints.ts';
import { type ErrorCode, errorCodes } from '../query-api/errors.ts';
import { createOpenApi } from '../query-api/openapi.ts';
import { readParameters } from '../query-api/parameters.ts';
import { type AnswerContext, answers } from './answers.ts';
import { type Collector, createCollector } from './collector.ts';
import { StoreError } from './history-file.ts';
import { createLocalTime } from './local-time.ts';
import { createLogonThrottle, type LogonThrottle } from './logon-throttle.ts';
import { createNtlmAcceptor, type NtlmAcceptor, type NtlmAcceptorOptions } from './ntlm-acceptor.ts';
import { createRateLimit } from './rate-limit.ts';
import { createRecorder } from './recorder.ts';
import { figuresOf, type Past } from './sample.ts';
import { createSlots } from './slots.ts';
import type { Source } from './source.ts';
import { openStore } from './store.ts';

export interface AnalyzerUser {
  readonly name: string;
  readonly ntHash: Buffer;
}

export interface AnalyzerOptions {
  readonly source: Source;
  /** What the source knows of the time before the first start. */
  readonly past?: Past;
  /** Seconds between collections. */
  readonly collectionInterval: number;
  readonly history: HistoryOptions;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /**
   * NTLM for these users, or no gate at all: then the identity is what the server in front says in `X-Remote-User`, and
   * only a loopback address is listened on. The latter is for tests and not a setting.
   */
  readonly gate: GateOptions | 'none';
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly limits: AnalyzerLimits;
  readonly version: string;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly onProblem: (error: unknown) => void;
  /** Called when history can be recorded again after a problem. */
  readonly onRecovery?: () => void;
  readonly onRequest?: (request: AccessRecord) => void;
}

/** How history is kept. */
export interface HistoryOptions {
  /** File; in memory without one. */
  readonly path: string | undefined;
  /** IANA name: the calendar of days, weeks and months. */
  readonly timeZone: string;
  /** What the samples are of: history of two origins is never mixed. */
  readonly origin: string;
  /** Days samples are kept. */
  readonly sampleDays: number;
  /** Days hours and totals are kept. */
  readonly days: number;
  /** Bytes. */
  readonly maxSize: number;
}

export interface AnalyzerLimits {
  readonly connections: number;
  /** Of one address. */
  readonly requestsPerSecond: number;
  /** Seconds a client may take to send its request. */
  readonly requestTimeout: number;
}

/** One answered request, for the log. */
export interface AccessRecord {
  /** Name of the endpoint, empty for another path. */
  readonly endpoint: string;
  readonly method: string;
  readonly status: number;
  /** `domain\user`. */
  readonly user: string;
  readonly address: string;
  /** Body bytes. */
  readonly bytes: number;
  readonly seconds: number;
}

export interface GateOptions
  extends Pick<NtlmAcceptorOptions, 'perRequest' | 'requireMic' | 'onVerdict' | 'channelBinding'> {
  /** NetBIOS domain of the users. */
  readonly domain: string;
  /** Asked at each logon, so that they can change. */
  readonly users: () => readonly AnalyzerUser[];
}

export interface Analyzer {
  /** Collects once and listens. @throws Error that names the address when it cannot be listened on */
  start(): Promise<void>;
  /** Lets requests end that are being answered, for a while, and closes the store. */
  stop(): Promise<void>;
  /** Base URL of the Query API, after `start`. */
  readonly url: string;
  readonly collector: Collector;
}

const BASE = '/analyzer';
const OPENAPI_PATH = `${BASE}/openapi.json`;
/** Longer than clients keep an idle connection, so that they close it and not we. */
const KEEP_ALIVE_MS = 150_000;
/** Limit of request line and headers together; more is answered 431 by the HTTP parser. */
const MAX_HEADER_SIZE = 16 * 1024;
/** No request needs a body. */
const MAX_BODY_SIZE = 1024 * 1024;
/** A connection on which nothing moves for this long within a request is given up. */
const STALL_TIMEOUT_MS = 60_000;
/** How long `stop` waits for answers under way. */
const STOP_GRACE_MS = 5000;

const byPath: ReadonlyMap<string, EndpointName> = new Map(
  endpointNames.map((name) => [`${BASE}${endpoints[name].path}`, name]),
);

function createAcceptor({ domain, users, ...options }: GateOptions, throttle: LogonThrottle): NtlmAcceptor {
  const dnsDomain = `${domain.toLowerCase()}.invalid`;
  return createNtlmAcceptor({
    ...options,
    lookup: (user) => users().find(({ name }) => name.toLowerCase() === user.toLowerCase())?.ntHash,
    target: { domain, computer: 'ANALYZER', dnsDomain, dnsComputer: `analyzer.${dnsDomain}` },
    throttle,
  });
}

interface Reply {
  readonly status: number;
  readonly body: readonly Buffer[];
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const JSON_TYPE = 'application/json';
const TEXT_TYPE = 'text/plain; charset=utf-8';

function failure(
  code: ErrorCode,
  message: string,
  { parameter, headers }: { parameter?: string; headers?: Readonly<Record<string, string>> } = {},
): Reply {
  const body = JSON.stringify({ error: { code, message, ...(parameter !== undefined && { parameter }) } });
  const { status } = errorCodes[code];
  return { status, body: [Buffer.from(body)], type: JSON_TYPE, ...(headers !== undefined && { headers }) };
}

const methodNotAllowed = (what: string, method: string): Reply =>
  failure('method_not_allowed', `${what} takes ${method}`, { headers: { allow: method } });

/**
 * A server of the Query API. It is built on node:http, because a router answers some bad requests before any hook runs,
 * and here nothing may be answered before the logon.
 */
export function createAnalyzer(options: AnalyzerOptions): Analyzer {
  if (options.gate === 'none' && !['127.0.0.1', '::1'].includes(options.host)) {
    throw new Error('an analyzer without a gate listens on loopback only');
  }
  const { path, timeZone, origin, sampleDays, days, maxSize } = options.history;
  const localTime = createLocalTime(timeZone);
  const slots = createSlots(localTime, options.collectionInterval);
  const recorder = createRecorder({
    open: () => openStore({ path, localTime, origin, maxSize }),
    localTime,
    slots,
    sampleDays,
    days,
    onProblem: options.onProblem,
    onRecovery: () => options.onRecovery?.(),
  });
  const collector = createCollector({
    source: options.source,
    slots,
    now: options.now,
    onProblem: options.onProblem,
    onCollected: (at, { all, reached }) =>
      recorder.record(at, {
        figures: reached.flatMap(({ name, observation }) => figuresOf(observation, name, at)),
        observations: reached,
        vendorLicenses: new Set(all.map(({ name }) => name)),
      }),
  });
  const nowMs = (): number => options.now() * 1000;
  const acceptor = options.gate === 'none' ? undefined : createAcceptor(options.gate, createLogonThrottle(nowMs));
  const isWithinRate = createRateLimit(options.limits.requestsPerSecond, nowMs);
  const openApi = [Buffer.from(JSON.stringify(createOpenApi(options.version)))];

  const answer = async (request: IncomingMessage, identity: string): Promise<Reply> => {
    const [target = '', query = ''] = (request.url ?? '').split(/\?(.*)/s, 2);
    const { method = '' } = request;
    if (target === OPENAPI_PATH) {
      return method === 'GET' ? { status: 200, body: openApi, type: JSON_TYPE } : methodNotAllowed(target, 'GET');
    }
    const name = byPath.get(target);
    if (name === undefined) return failure('not_found', 'there is no such endpoint');
    const endpoint = endpoints[name];
    if (method !== endpoint.method) return methodNotAllowed(name, endpoint.method);
    if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_SIZE) {
      return failure('body_too_large', 'no endpoint reads a body', { headers: { connection: 'close' } });
    }
    const parameters = readParameters(endpoint, query);
    if (!parameters.ok) return failure(parameters.code, parameters.message, { parameter: parameters.parameter });
    const now = Math.floor(options.now());
    const context: AnswerContext = {
      current: collector.current(),
      now,
      identity,
      recorded: () => ({ store: recorder.store(), localTime, now }),
    };
    const { isJson, body } = await answers[name](context, parameters.values);
    return { status: 200, body, type: isJson ? JSON_TYPE : TEXT_TYPE };
  };

  const answerOrFail = async (request: IncomingMessage, identity: string): Promise<Reply> => {
    try {
      return await answer(request, identity);
    } catch (error) {
      options.onProblem(error);
      return error instanceof StoreError
        ? failure('history_unavailable', 'history cannot be read now; the log of the analyzer says why')
        : failure('internal_error', 'the request failed');
    }
  };

  const identify = (request: IncomingMessage): { user: string } | { challenge: string } => {
    if (acceptor === undefined) return { user: String(request.headers['x-remote-user'] ?? '') };
    const { socket, headers } = request;
    const result = acceptor.authenticate({
      socket,
      authorization: headers.authorization,
      address: socket.remoteAddress,
    });
    if (!result.ok) return { challenge: result.challenge };
    return { user: `${result.identity.domain}\\${result.identity.user}` };
  };

  /** Bodies are not read, but the connection must be left clean for the next request. */
  const discardBody = (request: IncomingMessage): void => {
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BODY_SIZE) request.socket.destroy();
    });
  };

  /** Answers being made or sent. */
  const running = new Set<ServerResponse>();

  /** Sends as fast as the client reads. Resolves with the size of the body, also when the client goes away. */
  const send = async (response: ServerResponse, { status, body, type, headers }: Reply): Promise<number> => {
    const length = body.reduce((sum, piece) => sum + piece.length, 0);
    response.writeHead(status, { 'content-type': type, 'content-length': length, ...headers });
    for (const piece of body) {
      if (response.write(piece) || response.destroyed) continue;
      await new Promise<void>((resolve) => {
        const go = (): void => {
          response.off('drain', go).off('close', go);
          resolve();
        };
        response.on('drain', go).on('close', go);
      });
    }
    response.end();
    return length;
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const started = performance.now();
    const { socket, url = '', method = '' } = request;
    const address = socket.remoteAddress ?? '';
    running.add(response);
    response.on('close', () => running.delete(response));
    discardBody(request);
    // the last leg of a logon is always judged: any other answer to it would look like a success
    if (acceptor?.isExpecting(socket) !== true && !isWithinRate(address)) {
      const headers = { 'retry-after': '1' };
      await send(response, failure('too_many_requests', 'more requests per second than allowed', { headers }));
      return;
    }
    const identity = identify(request);
    if ('challenge' in identity) {
      response.writeHead(401, { 'www-authenticate': identity.challenge, 'content-length': 0 }).end();
      return;
    }
    const reply = await answerOrFail(request, identity.user);
    const bytes = await send(response, reply);
    options.onRequest?.({
      endpoint: byPath.get(url.split('?', 1)[0] ?? '') ?? '',
      method,
      status: reply.status,
      user: identity.user,
      address,
      bytes,
      seconds: (performance.now() - started) / 1000,
    });
  };

  const requestTimeoutMs = options.limits.requestTimeout * 1000;
  const http = {
    maxHeaderSize: MAX_HEADER_SIZE,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    // how often slow requests are looked for
    connectionsCheckingInterval: Math.min(5000, requestTimeoutMs),
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void => void handle(request, response);
  const server: Server =
    options.tls === undefined
      ? createHttpServer(http, listener)
      : createHttpsServer({ ...http, ...options.tls }, listener);
  server.timeout = STALL_TIMEOUT_MS;
  server.maxConnections = options.limits.connections;
  // otherwise node answers 417 to an unknown expectation, before the logon
  server.on('checkExpectation', listener);
  let url = '';

  const listen = (): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) => {
        const why = error.code === 'EADDRINUSE' ? 'the address is in use' : (error.code ?? error.message);
        const where = `${options.host}:${options.port}`;
        reject(new Error(`the analyzer cannot listen on ${where}: ${why}; set embedded_analyzer.listen_address`));
      });
      server.listen({ host: options.host, port: options.port }, resolve);
    });

  const untilAnswered = async (): Promise<void> => {
    const answered = [...running].map((response) => new Promise((resolve) => response.once('close', resolve)));
    const patience = new Promise((resolve) => setTimeout(resolve, STOP_GRACE_MS).unref());
    await Promise.race([Promise.all(answered), patience]);
  };

  return {
    get url() {
      return url;
    },
    collector,
    start: async () => {
      await collector.start(await recorder.known(options.now()));
      try {
        await listen();
      } catch (error) {
        collector.stop();
        await recorder.stop();
        throw error;
      }
      const { address, family, port } = server.address() as AddressInfo;
      const host = family === 'IPv6' ? `[${address}]` : address;
      url = `${options.tls === undefined ? 'http' : 'https'}://${host}:${port}${BASE}`;
      if (options.past !== undefined) recorder.addPast(options.past).catch(options.onProblem);
    },
    stop: async () => {
      collector.stop();
      if (server.listening) {
        const closed = new Promise((resolve) => server.close(resolve));
        await untilAnswered();
        server.closeAllConnections();
        await closed;
      }
      await recorder.stop();
    },
  };
}
