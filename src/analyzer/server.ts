import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type EndpointName, endpointNames, endpoints } from '../query-api/endpoints.ts';
import { writeJson } from '../query-api/json.ts';
import { readParameters } from '../query-api/parameters.ts';
import { type Collector, createCollector } from './collector.ts';
import { createNtlmAcceptor, type NtlmAcceptor, type NtlmAcceptorOptions } from './ntlm-acceptor.ts';
import { queries } from './queries.ts';
import type { Source } from './source.ts';

export interface AnalyzerUser {
  readonly name: string;
  readonly ntHash: Buffer;
}

export interface AnalyzerOptions {
  readonly source: Source;
  /** Seconds between collections. */
  readonly collectionInterval: number;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /**
   * NTLM for these users, or no gate at all: then the identity is what the server in front says in `X-Remote-User`, and
   * only a loopback address is listened on. The latter is for tests and not a setting.
   */
  readonly gate: GateOptions | 'none';
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Epoch seconds. */
  readonly now: () => number;
  readonly onProblem: (error: unknown) => void;
  readonly onRequest?: (request: { endpoint: string; status: number; user: string }) => void;
}

export interface GateOptions
  extends Pick<NtlmAcceptorOptions, 'perRequest' | 'requireMic' | 'onVerdict' | 'channelBinding'> {
  /** NetBIOS domain of the users. */
  readonly domain: string;
  readonly users: readonly AnalyzerUser[];
}

export interface Analyzer {
  /** Collects once and listens. @throws Error that names the address when it cannot be listened on */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Base URL of the Query API, after `start`. */
  readonly url: string;
  readonly collector: Collector;
}

const BASE = '/analyzer';
/** Longer than clients keep an idle connection, so that they close it and not we. */
const KEEP_ALIVE_MS = 150_000;
/** Limit of request line and headers together; more is answered 431 by the HTTP parser. */
const MAX_HEADER_SIZE = 16 * 1024;

const byPath: ReadonlyMap<string, EndpointName> = new Map(
  endpointNames.map((name) => [`${BASE}${endpoints[name].path}`, name]),
);

function createAcceptor({ domain, users, ...options }: GateOptions): NtlmAcceptor {
  const hashes = new Map(users.map(({ name, ntHash }) => [name.toLowerCase(), ntHash]));
  const dnsDomain = `${domain.toLowerCase()}.invalid`;
  return createNtlmAcceptor({
    ...options,
    lookup: (user) => hashes.get(user.toLowerCase()),
    target: { domain, computer: 'ANALYZER', dnsDomain, dnsComputer: `analyzer.${dnsDomain}` },
  });
}

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const JSON_TYPE = 'application/json';
const TEXT_TYPE = 'text/plain; charset=utf-8';

function failure(
  status: number,
  code: string,
  message: string,
  more: { parameter?: string; allow?: string } = {},
): Reply {
  const { parameter, allow } = more;
  const body = JSON.stringify({ error: { code, message, ...(parameter !== undefined && { parameter }) } });
  return { status, body, type: JSON_TYPE, ...(allow !== undefined && { headers: { allow } }) };
}

/**
 * A server of the Query API. It is built on node:http, because a router answers some bad requests before any hook runs,
 * and here nothing may be answered before the logon.
 */
export function createAnalyzer(options: AnalyzerOptions): Analyzer {
  if (options.gate === 'none' && !['127.0.0.1', '::1'].includes(options.host)) {
    throw new Error('an analyzer without a gate listens on loopback only');
  }
  const collector = createCollector({
    source: options.source,
    interval: options.collectionInterval,
    now: options.now,
    onProblem: options.onProblem,
  });
  const acceptor = options.gate === 'none' ? undefined : createAcceptor(options.gate);

  const answer = (request: IncomingMessage, identity: string): Reply => {
    const [path = '', query = ''] = (request.url ?? '').split(/\?(.*)/s, 2);
    const name = byPath.get(path);
    const run = name === undefined ? undefined : queries[name];
    if (name === undefined || run === undefined) return failure(404, 'not_found', 'there is no such endpoint');
    const endpoint = endpoints[name];
    if (request.method !== endpoint.method) {
      return failure(405, 'method_not_allowed', `${name} takes ${endpoint.method}`, { allow: endpoint.method });
    }
    const parameters = readParameters(endpoint, query);
    if (!parameters.ok) return failure(400, parameters.code, parameters.message, { parameter: parameters.parameter });
    const result = run(collector.current(), Math.floor(options.now()), parameters.values, identity);
    if ('text' in result) return { status: 200, body: result.text, type: TEXT_TYPE };
    return { status: 200, body: writeJson(result.json), type: JSON_TYPE };
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

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    // bodies are not read, but the connection must be left clean for the next request
    request.resume();
    const identity = identify(request);
    if ('challenge' in identity) {
      response.writeHead(401, { 'www-authenticate': identity.challenge, 'content-length': 0 }).end();
      return;
    }
    let reply: Reply;
    try {
      reply = answer(request, identity.user);
    } catch (error) {
      options.onProblem(error);
      reply = failure(500, 'internal_error', 'the request failed');
    }
    const body = Buffer.from(reply.body);
    response.writeHead(reply.status, { 'content-type': reply.type, 'content-length': body.length, ...reply.headers });
    response.end(body);
    const endpoint = byPath.get((request.url ?? '').split('?', 1)[0] ?? '') ?? '';
    options.onRequest?.({ endpoint, status: reply.status, user: identity.user });
  };

  const http = { maxHeaderSize: MAX_HEADER_SIZE, keepAliveTimeout: KEEP_ALIVE_MS };
  const server: Server =
    options.tls === undefined ? createHttpServer(http, handle) : createHttpsServer({ ...http, ...options.tls }, handle);
  // otherwise node answers 417 to an unknown expectation, before the logon
  server.on('checkExpectation', handle);
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

  return {
    get url() {
      return url;
    },
    collector,
    start: async () => {
      await collector.start();
      try {
        await listen();
      } catch (error) {
        collector.stop();
        throw error;
      }
      const { address, family, port } = server.address() as AddressInfo;
      const host = family === 'IPv6' ? `[${address}]` : address;
      url = `${options.tls === undefined ? 'http' : 'https'}://${host}:${port}${BASE}`;
    },
    stop: async () => {
      collector.stop();
      if (!server.listening) return;
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}
