import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { listenError } from '../model/listen-error.ts';
import { limitConnections } from './connection-limits.ts';
import { createGate, type GateOptions, noGate } from './gate.ts';
import { holderOf, peerAddress } from './peer-address.ts';
import { createRateLimit } from './rate-limit.ts';
import { failure, type Reply, tooMany } from './reply.ts';
import { createTurns } from './turns.ts';

export interface HttpFrontOptions {
  /** Every address without one. */
  readonly host: string | undefined;
  /** 0 takes a free one. */
  readonly port: number;
  /**
   * NTLM for these users, or no gate at all: then the identity is what the server in front says in `X-Remote-User`, and
   * only a loopback address is listened on. The latter is for tests and not a setting.
   */
  readonly gate: GateOptions | 'none';
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly limits: AnalyzerLimits;
  /** Epoch seconds. */
  readonly now: () => number;
  /** Told when a connection is refused, now and then. */
  readonly onProblem: (error: unknown) => void;
  readonly onRequest?: (request: AccessRecord) => void;
}

export interface AnalyzerLimits {
  /** In all; one address may hold a quarter of them. */
  readonly connections: number;
  /** Of one address. */
  readonly requestsPerSecond: number;
  /** Seconds a client may take to send its request, and for which it may leave its answer untouched. */
  readonly requestTimeout: number;
}

/** One answered request, for the log. */
export interface AccessRecord {
  readonly method: string;
  /** Without the query, which may name users. */
  readonly path: string;
  /** 499 when the client went away or was cut off before it had all of the answer. */
  readonly status: number;
  /** `domain\user`. */
  readonly user: string;
  readonly address: string;
  /** Body bytes; 0 with 499. */
  readonly bytes: number;
  readonly seconds: number;
}

/** Answers a request of an identity, `domain\\user`, unless its client goes away. Never rejects. */
export type Respond = (request: IncomingMessage, identity: string, signal: AbortSignal) => Promise<Reply>;

export interface HttpFront {
  /** @throws Error that names the address when it cannot be listened on */
  start(): Promise<void>;
  /** Lets requests end that are being answered, for a while. */
  stop(): Promise<void>;
  /** `http(s)://host:port`, after `start`. */
  readonly origin: string;
}

/** Longer than clients keep an idle connection, so that they close it and not we. */
const KEEP_ALIVE_MS = 150_000;
/** Limit of request line and headers together; more is answered 431 by the HTTP parser. */
const MAX_HEADER_SIZE = 16 * 1024;
/** No request needs a body. */
const MAX_BODY_SIZE = 1024 * 1024;
/** Requests that wait on a connection for the one before them; no client known to us sends any. */
const MAX_WAITING = 16;
/** An answer that is not taken by then is cut off. */
const MAX_SEND_MS = 5 * 60_000;
/** How long `stop` waits for answers under way. */
const STOP_GRACE_MS = 5000;
/** For the log only, as nginx has it: the client closed the request. */
const CLIENT_CLOSED_REQUEST = 499;

const sizeOf = ({ body }: Reply): number => body.reduce((sum, piece) => sum + piece.length, 0);

/**
 * HTTP with the logon before everything: limits, NTLM, and the replies of whoever answers. It is built on node:http,
 * because a router answers some bad requests before any hook runs, and here nothing may be answered before the logon.
 */
export function createHttpFront(options: HttpFrontOptions, respond: Respond): HttpFront {
  const { host, port, limits } = options;
  if (options.gate === 'none' && !['127.0.0.1', '::1'].includes(host ?? '')) {
    throw new Error('an analyzer without a gate listens on loopback only');
  }
  const nowMs = (): number => options.now() * 1000;
  const requestTimeoutMs = limits.requestTimeout * 1000;
  const gate = options.gate === 'none' ? noGate : createGate(options.gate, options.tls?.cert, nowMs);
  const isWithinRate = createRateLimit(limits.requestsPerSecond, nowMs);
  const turns = createTurns(MAX_WAITING);

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

  /** Sends as fast as the client reads, and resolves when it has it all, or the connection is gone. */
  const send = async (response: ServerResponse, made: Reply): Promise<void> => {
    const { status, body, type, headers } = made;
    // node closes the connection when not a byte was taken for so long, and sets another time-out for the next request
    response.socket?.setTimeout(requestTimeoutMs);
    const cutting = setTimeout(() => response.destroy(), MAX_SEND_MS);
    response.on('close', () => clearTimeout(cutting));
    const contentType = type === undefined ? {} : { 'content-type': type };
    response.writeHead(status, { ...contentType, 'content-length': sizeOf(made), ...headers });
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
  };

  const reply: Respond = async (request, identity, signal) => {
    if (Number(request.headers['content-length'] ?? 0) <= MAX_BODY_SIZE) return respond(request, identity, signal);
    return failure('body_too_large', 'no endpoint reads a body', { headers: { connection: 'close' } });
  };

  /** Resolves with what was answered to whom, once it is sent; with nothing where it is not known who asks. */
  const answer = async (
    request: IncomingMessage,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<{ user: string; reply: Reply } | undefined> => {
    const { socket } = request;
    // before a logon begins and not in its middle, where old clients take any answer but 401 for a good logon
    if (!gate.isExpecting(socket) && !isWithinRate(holderOf(peerAddress(socket.remoteAddress)))) {
      await send(response, tooMany('too_many_requests', 'more requests per second than allowed', 1));
      return undefined;
    }
    const identified = gate.identify(request);
    if ('refusal' in identified) {
      await send(response, identified.refusal);
      return undefined;
    }
    const made = await reply(request, identified.user, signal);
    if (!signal.aborted) await send(response, made);
    return { user: identified.user, reply: made };
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const started = performance.now();
    const { socket, url = '', method = '' } = request;
    const address = peerAddress(socket.remoteAddress);
    const waiting = new AbortController();
    let isTaken = false;
    running.add(response);
    response.on('finish', () => {
      isTaken = true;
    });
    const closed = new Promise<void>((resolve) => {
      response.on('close', () => {
        running.delete(response);
        waiting.abort();
        resolve();
      });
    });
    const answered = await answer(request, response, waiting.signal);
    await closed;
    if (answered === undefined) return;
    const { user, reply: made } = answered;
    options.onRequest?.({
      method,
      path: url.split('?', 1)[0] ?? '',
      status: isTaken ? made.status : CLIENT_CLOSED_REQUEST,
      user,
      address,
      bytes: isTaken ? sizeOf(made) : 0,
      seconds: (performance.now() - started) / 1000,
    });
  };

  const http = {
    maxHeaderSize: MAX_HEADER_SIZE,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    // how often slow requests are looked for
    connectionsCheckingInterval: Math.min(5000, requestTimeoutMs),
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    discardBody(request);
    if (!turns.take(request.socket, () => handle(request, response))) request.socket.destroy();
  };
  const server: Server =
    options.tls === undefined
      ? createHttpServer(http, listener)
      : createHttpsServer({ ...http, handshakeTimeout: requestTimeoutMs, ...options.tls }, listener);
  // while an answer is made; later than a slow request is answered with 408
  server.timeout = 3 * requestTimeoutMs;
  limitConnections(server, { connections: limits.connections, now: nowMs, onProblem: options.onProblem });
  // otherwise node answers 417 to an unknown expectation, before the logon
  server.on('checkExpectation', listener);
  let origin = '';

  const listen = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const setting = 'embedded_analyzer.listen_address';
      server.once('error', (error) => reject(listenError('the analyzer ', { host, port }, setting, error)));
      server.listen({ ...(host !== undefined && { host }), port }, resolve);
    });

  const untilAnswered = async (): Promise<void> => {
    const answered = [...running].map((response) => new Promise((resolve) => response.once('close', resolve)));
    const patience = new Promise((resolve) => setTimeout(resolve, STOP_GRACE_MS).unref());
    await Promise.race([Promise.all(answered), patience]);
  };

  return {
    get origin() {
      return origin;
    },
    start: async () => {
      await listen();
      const { address, family, port: taken } = server.address() as AddressInfo;
      const name = family === 'IPv6' ? `[${address}]` : address;
      origin = `${options.tls === undefined ? 'http' : 'https'}://${name}:${taken}`;
    },
    stop: async () => {
      if (!server.listening) return;
      const closed = new Promise((resolve) => server.close(resolve));
      await untilAnswered();
      server.closeAllConnections();
      await closed;
    },
  };
}
