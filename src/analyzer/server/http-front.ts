import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { listenError } from '../../base/model/listen-error.ts';
import { holderOf, peerAddress } from '../../base/model/peer-address.ts';
import { createGate, type GateOptions, noGate } from './gate.ts';
import { type AccessRecord, RequestHandler, type Responses } from './request-handler.ts';

/** Whether one more request from an address is within the limit. */
type RateLimit = (address: string) => boolean;

/** An address may save up this many seconds' worth of requests. */
const BURST_SECONDS = 5;
/** Maximum number of addresses. The one seen longest ago is dropped first. */
const MAX_ADDRESSES = 10_000;

/**
 * A token bucket for each address.
 *
 * @param now epoch milliseconds
 */
export function createRateLimit(perSecond: number, now: () => number): RateLimit {
  const buckets = new Map<string, { tokens: number; at: number }>();
  const full = perSecond * BURST_SECONDS;
  return (address) => {
    const at = now();
    const bucket = buckets.get(address) ?? { tokens: full, at };
    const tokens = Math.min(full, bucket.tokens + (Math.max(0, at - bucket.at) / 1000) * perSecond);
    const isAllowed = tokens >= 1;
    buckets.delete(address);
    buckets.set(address, { tokens: isAllowed ? tokens - 1 : tokens, at });
    const [oldest] = buckets.keys();
    if (buckets.size > MAX_ADDRESSES && oldest !== undefined) buckets.delete(oldest);
    return isAllowed;
  };
}

interface ConnectionLimitOptions {
  /** Maximum number of connections. */
  readonly connections: number;
  /** Milliseconds; it is not set as a clock is. */
  readonly now: () => number;
  /** Called about refused connections, once a minute at most. */
  readonly onProblem: (error: unknown) => void;
}

/** One address may hold this share of all connections. */
const SHARE = 1 / 4;
const REPORT_INTERVAL_MS = 60_000;
const REMEDY = 'close some, or raise embedded_analyzer.limits.connections';

/** Closes connections above the limits, in total and for one address. */
function limitConnections(server: Server, { connections, now, onProblem }: ConnectionLimitOptions): void {
  const share = Math.ceil(connections * SHARE);
  const held = new Map<string, number>();
  let reportedAt = Number.NEGATIVE_INFINITY;
  const report = (message: string): void => {
    if (now() - reportedAt < REPORT_INTERVAL_MS) return;
    reportedAt = now();
    onProblem(new Error(`${message}; ${REMEDY}`));
  };
  server.maxConnections = connections;
  server.on('drop', () => report(`a connection is refused, there are ${connections} already`));
  server.on('connection', (socket: Socket) => {
    const address = peerAddress(socket.remoteAddress);
    const holder = holderOf(address);
    const count = held.get(holder) ?? 0;
    if (count >= share) {
      report(`a connection of ${address} is refused, it has ${share} of ${connections} already`);
      socket.destroy();
      return;
    }
    held.set(holder, count + 1);
    socket.once('close', () => {
      const left = (held.get(holder) ?? 1) - 1;
      if (left === 0) held.delete(holder);
      else held.set(holder, left);
    });
  });
}

/** Where the analyzer listens, with which certificate, and what it takes from each client. */
export interface ListenerOptions {
  /** Every address without one. */
  readonly host: string | undefined;
  /** 0 takes a free one. */
  readonly port: number;
  /**
   * NTLM for these users. `none` is for tests: the server in front sends the identity in `X-Remote-User`, and only a loopback
   * address can be used.
   */
  readonly gate: GateOptions | 'none';
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly limits: AnalyzerLimits;
  readonly onRequest?: (request: AccessRecord) => void;
}

/** A listener, its clock and its log. */
interface HttpFrontOptions extends ListenerOptions {
  /** Epoch seconds. */
  readonly now: () => number;
  /** Called about refused connections, at most once a minute. */
  readonly onProblem: (error: unknown) => void;
}

/** The most connections and requests a minute that clients may have. */
export interface AnalyzerLimits {
  /** In total. One address may have a quarter of them. */
  readonly connections: number;
  /** Of one address. */
  readonly requestsPerSecond: number;
  /** How long a client may take to send a request, and may read nothing of the response, seconds. */
  readonly requestTimeout: number;
}

/** The listener of the analyzer, before anybody is authenticated. */
export interface HttpFront {
  /** @throws OperatorError with the address if it cannot listen */
  start(): Promise<void>;
  /** Stops. Running requests get some time to finish. */
  stop(): Promise<void>;
  /** `http(s)://host:port`, after `start`. */
  readonly origin: string;
}

/** Longer than clients keep an idle connection, so that the client closes it, not the server. */
const KEEP_ALIVE_MS = 150_000;
/** Limit of request line and headers together; more is answered 431 by the HTTP parser. */
const MAX_HEADER_SIZE = 16 * 1024;
/** How long `stop` waits for answers under way. */
const STOP_GRACE_MS = 5000;

function createServer({ tls, limits }: HttpFrontOptions, listener: RequestListener): Server {
  const requestTimeoutMs = limits.requestTimeout * 1000;
  const http = {
    maxHeaderSize: MAX_HEADER_SIZE,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    // how often slow requests are looked for
    connectionsCheckingInterval: Math.min(5000, requestTimeoutMs),
  };
  const server =
    tls === undefined
      ? createHttpServer(http, listener)
      : createHttpsServer({ ...http, handshakeTimeout: requestTimeoutMs, ...tls }, listener);
  // while an answer is made; later than a slow request is answered with 408
  server.timeout = 3 * requestTimeoutMs;
  // otherwise node answers 417 to an unknown expectation, before the logon
  server.on('checkExpectation', listener);
  return server;
}

/** Resolves with the origin. */
async function listen(server: Server, { host, port, tls }: HttpFrontOptions): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(listenError('the analyzer ', { host, port }, 'embedded_analyzer.listen_address', error));
    });
    server.listen({ ...(host !== undefined && { host }), port }, resolve);
  });
  const { address, family, port: taken } = server.address() as AddressInfo;
  const name = family === 'IPv6' ? `[${address}]` : address;
  return `${tls === undefined ? 'http' : 'https'}://${name}:${taken}`;
}

/**
 * The HTTP server of the analyzer: limits, NTLM, then the reply. It is built on node:http, because a router answers some bad requests
 * before any hook runs, and only `respondOpenly` may answer before the logon.
 */
export function createHttpFront(options: HttpFrontOptions, responses: Responses): HttpFront {
  const { host, limits, onRequest } = options;
  if (options.gate === 'none' && !['127.0.0.1', '::1'].includes(host ?? '')) {
    throw new Error('an analyzer without a gate listens on loopback only');
  }
  const nowMs = (): number => options.now() * 1000;
  const gate = options.gate === 'none' ? noGate : createGate(options.gate, options.tls?.cert, nowMs);
  const isWithinRate = createRateLimit(limits.requestsPerSecond, nowMs);
  const handler = new RequestHandler({
    gate,
    isWithinRate,
    idleMs: limits.requestTimeout * 1000,
    ...responses,
    onRequest,
  });
  const server = createServer(options, handler.listener);
  const now = (): number => performance.now();
  limitConnections(server, { connections: limits.connections, now, onProblem: options.onProblem });
  let origin = '';

  return {
    get origin() {
      return origin;
    },
    start: async () => {
      origin = await listen(server, options);
    },
    stop: async () => {
      if (!server.listening) return;
      const closed = new Promise((resolve) => server.close(resolve));
      const patience = new Promise((resolve) => setTimeout(resolve, STOP_GRACE_MS).unref());
      await Promise.race([handler.untilAnswered(), patience]);
      server.closeAllConnections();
      await closed;
    },
  };
}
