import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createLogonThrottle, type LogonThrottle } from './logon-throttle.ts';
import { createNtlmAcceptor, type NtlmAcceptor, type NtlmAcceptorOptions } from './ntlm-acceptor.ts';
import { createRateLimit } from './rate-limit.ts';
import { failure, type Reply } from './reply.ts';

export interface AnalyzerUser {
  readonly name: string;
  readonly ntHash: Buffer;
}

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
  readonly connections: number;
  /** Of one address. */
  readonly requestsPerSecond: number;
  /** Seconds a client may take to send its request; three times as long nothing may move while it is answered. */
  readonly requestTimeout: number;
}

/** One answered request, for the log. */
export interface AccessRecord {
  readonly method: string;
  /** Without the query, which may name users. */
  readonly path: string;
  /** 499 when the client went away before the answer was made. */
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
/** How long `stop` waits for answers under way. */
const STOP_GRACE_MS = 5000;
/** For the log only, as nginx has it: the client went away before the answer was made. */
const CLIENT_CLOSED_REQUEST = 499;
/** Refused connections are told of so often at most. */
const TELL_DROPS_MS = 60_000;

function createAcceptor({ domain, users, ...options }: GateOptions, throttle: LogonThrottle): NtlmAcceptor {
  const dnsDomain = `${domain.toLowerCase()}.invalid`;
  return createNtlmAcceptor({
    ...options,
    lookup: (user) => users().find(({ name }) => name.toLowerCase() === user.toLowerCase())?.ntHash,
    target: { domain, computer: 'ANALYZER', dnsDomain, dnsComputer: `analyzer.${dnsDomain}` },
    throttle,
  });
}

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
  const acceptor = options.gate === 'none' ? undefined : createAcceptor(options.gate, createLogonThrottle(nowMs));
  const isWithinRate = createRateLimit(limits.requestsPerSecond, nowMs);

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

  const reply: Respond = async (request, identity, signal) => {
    if (Number(request.headers['content-length'] ?? 0) <= MAX_BODY_SIZE) return respond(request, identity, signal);
    return failure('body_too_large', 'no endpoint reads a body', { headers: { connection: 'close' } });
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const started = performance.now();
    const { socket, url = '', method = '' } = request;
    const address = socket.remoteAddress ?? '';
    running.add(response);
    const waiting = new AbortController();
    response.on('close', () => {
      running.delete(response);
      waiting.abort();
    });
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
    const answer = await reply(request, identity.user, waiting.signal);
    const isGone = waiting.signal.aborted;
    const bytes = isGone ? 0 : await send(response, answer);
    options.onRequest?.({
      method,
      path: url.split('?', 1)[0] ?? '',
      status: isGone ? CLIENT_CLOSED_REQUEST : answer.status,
      user: identity.user,
      address,
      bytes,
      seconds: (performance.now() - started) / 1000,
    });
  };

  const requestTimeoutMs = limits.requestTimeout * 1000;
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
  // of a client that does not read its answer; later than a slow request is answered with 408
  server.timeout = 3 * requestTimeoutMs;
  server.maxConnections = limits.connections;
  // otherwise node answers 417 to an unknown expectation, before the logon
  server.on('checkExpectation', listener);
  let toldAt = Number.NEGATIVE_INFINITY;
  server.on('drop', () => {
    if (nowMs() - toldAt < TELL_DROPS_MS) return;
    toldAt = nowMs();
    const remedy = 'close some, or raise embedded_analyzer.limits.connections';
    options.onProblem(new Error(`a connection is refused, there are ${limits.connections} already; ${remedy}`));
  });
  let origin = '';

  const listen = (): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) => {
        const why = error.code === 'EADDRINUSE' ? 'the address is in use' : (error.code ?? error.message);
        const where = `${host ?? ''}:${port}`;
        reject(new Error(`the analyzer cannot listen on ${where}: ${why}; set embedded_analyzer.listen_address`));
      });
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
