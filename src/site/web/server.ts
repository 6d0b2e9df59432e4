import { lookup } from 'node:dns/promises';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { Readable } from 'node:stream';
import { type TLSSocket, Server as TlsServer } from 'node:tls';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Site } from '../../base/html/frame.ts';
import { listenError } from '../../base/model/listen-error.ts';
import type { Log } from '../../base/model/log.ts';
import { holderOf } from '../../base/model/peer-address.ts';
import { type Access, isClientAccepted, tlsOptions } from './access.ts';
import { addressOf, type Connections } from './connections.ts';
import { createGuard, type Guard } from './guard.ts';
import { landingPage } from './landing-page.ts';
import { type WebCounts, type WebLimits, webLimits } from './limits.ts';
import { listenerPaths } from './listener-paths.ts';
import { chunksOf, isLong, type MetricsPage, type MetricsRequest, sendMetrics } from './metrics-page.ts';
import { sendNotFound } from './not-found.ts';
import { sendPage, sendText, serveAssets } from './page-answers.ts';
import { handleReload, type Reload } from './reload.ts';
import type { Viewer } from './trusted-proxy.ts';

// an import of node:http loads the fetch of Node too, which is 13 MB
const { createServer } = process.getBuiltinModule('node:http');

/** Maximum size of the headers of a request, bytes. */
const MAX_HEAD = 16 * 1024;
/** How long a request with its body may take, milliseconds. */
const REQUEST_MS = 30_000;
/** How long idle connections are kept: longer than most scrape intervals, milliseconds. */
const KEEP_ALIVE_MS = 72_000;
/** How often Node checks for requests that take too long, milliseconds. It does so without connections too. */
const CHECK_MS = 5_000;

/** An HTTP or HTTPS server of Node with limits on what a peer can send. TLS cannot be switched on or off later. */
function createListener(
  access: () => Access,
  limits: WebLimits,
  connections: Connections,
  listener: RequestListener,
): Server {
  const { tls } = access();
  const options = {
    maxHeaderSize: MAX_HEAD,
    headersTimeout: limits.headMs,
    requestTimeout: Math.max(REQUEST_MS, limits.headMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: Math.min(CHECK_MS, limits.headMs / 2),
  };
  const inTurn = connections.inTurn(listener);
  const server =
    tls === undefined
      ? createServer(options, inTurn)
      : createTlsServer({ ...options, ...tlsOptions(tls), handshakeTimeout: limits.headMs }, inTurn);
  server.on('connection', connections.accept);
  if (tls !== undefined) {
    server.on('secureConnection', (socket: TLSSocket) => {
      connections.secure(socket);
      if (!isClientAccepted(socket, access().tls ?? tls)) socket.destroy();
    });
  }
  return server;
}

/** The addresses of a host; none if it has no name here. */
async function addressesOf(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}

/** Why a request is refused before it reaches a route, with the message of the response. */
const refusals = {
  unauthorized: { status: 401, message: 'Name and password of a user in the web config are required.' },
  busy: { status: 503, message: 'Too many requests or logons at once, try again later.' },
  wrong_host: {
    status: 403,
    message:
      'The request names a user, and is for a name that is not known as one of this daemon: a page of another site could have sent it. Set web.external_url to the address that people use, or let the proxy send that name or an address as Host.',
  },
  bad_path: { status: 400, message: 'The path cannot be decoded.' },
} as const;
/** Why a request was refused, by the label of its counter. */
export type Refusal = keyof typeof refusals;

/** Routes of another room, with their path. */
export interface Mount {
  readonly path: string;
  /** A sentence about the path, if the routes have a page for users. */
  readonly about: string | undefined;
  readonly plugin: (app: FastifyInstance) => Promise<void>;
  /** Deadline of a request in seconds, including its time in the queue. `reply.elapsedTime` is the time it has taken so far. */
  readonly deadline?: () => number;
  /** Sends a refusal in the format of these routes, by default as text. The status is already set. */
  readonly refuse?: (reply: FastifyReply, refusal: Refusal, message: string) => FastifyReply | undefined;
}

/** Where the exporter listens, what it serves, and for whom. */
export interface WebOptions {
  /** Without a `host`, listens on every address. Port 0 takes a free port. */
  readonly listen: readonly { readonly host: string | undefined; readonly port: number }[];
  /** The setting of `listen`, for an error. */
  readonly listenSetting?: string;
  readonly telemetryPath: string;
  /** What the landing page has in common with the pages of other rooms. */
  readonly site: Site;
  readonly metricsPage: (request: MetricsRequest) => Promise<MetricsPage>;
  /** Routes of other rooms. */
  readonly mounts: readonly Mount[];
  /** The current access. TLS cannot be switched on or off while listening. */
  readonly access: () => Access;
  readonly isReady: () => boolean;
  /** Called before a route answers, other than those of health: what it answers with must not be out of date. */
  readonly prepare?: () => Promise<void>;
  /** Whether `/-/healthy` and `/-/ready` require a user too. */
  readonly protectHealth: () => boolean;
  /** Without it, there is nothing to reload. */
  readonly reload: Reload | undefined;
  readonly log: Log;
  /** Replaces `webLimits` in tests. */
  readonly limits?: WebLimits;
}

/** The listener of the exporter. */
export interface WebServer {
  /** @throws OperatorError with the address and the remedy if it cannot listen */
  start(): Promise<void>;
  /** Turns `/-/ready` to 503, waits for running responses and closes the listeners. */
  stop(): Promise<void>;
  /** `http://host:port` of each listener, after `start`. */
  addresses(): readonly string[];
  /** How often each limit was reached. */
  counts(): WebCounts;
  /** Uses changed certificates for new connections. */
  refreshCertificates(): void;
}

/** The authenticated user of each request. */
const viewers = new WeakMap<IncomingMessage, Viewer>();

/** The authenticated user of a request; `undefined` if no authentication is required, and no proxy names a user. */
export const viewerOf = ({ raw }: Pick<FastifyRequest, 'raw'>): Viewer | undefined => viewers.get(raw);

/** How long stop waits for running responses, milliseconds. */
const CLOSE_GRACE_MS = 5_000;
/** `Retry-After` of a refusal, seconds. */
const RETRY_AFTER = 5;

/** The HTTP server: metrics, health, the routes of other rooms, and a landing page unless one of them is at `/`. */
export function createWebServer(options: WebOptions): WebServer {
  const guard = createGuard(options.limits ?? webLimits);
  let stopping = false;
  let listeners: FastifyInstance[] = [];
  let addresses: string[] = [];

  const listen = async (host: string, port: number): Promise<void> => {
    const [first = host, ...others] = host === 'localhost' ? await addressesOf(host) : [];
    const app = createApplication(options, { guard, isStopping: () => stopping });
    listeners.push(app);
    addresses.push(await app.listen({ host: first, port }));
    // all listeners use the port that the system chose; an address that does not exist is not an error
    const bound = app.server.address();
    const same = typeof bound === 'object' && bound !== null ? bound.port : port;
    for (const other of others) await listen(other, same).catch(() => undefined);
  };

  const start = async (): Promise<void> => {
    for (const { host, port } of options.listen) {
      try {
        // without IPv6, falls back to all IPv4 addresses
        await listen(host ?? '::', port).catch((error: NodeJS.ErrnoException) => {
          if (host !== undefined || error.code !== 'EAFNOSUPPORT') throw error;
          return listen('0.0.0.0', port);
        });
      } catch (error) {
        await stop();
        throw listenError('', { host, port }, options.listenSetting ?? 'web.listen_address', error);
      }
    }
  };

  const stop = async (): Promise<void> => {
    stopping = true;
    const closing = listeners;
    listeners = [];
    addresses = [];
    await Promise.all(
      closing.map(async (app) => {
        app.server.closeIdleConnections();
        const timer = setTimeout(() => app.server.closeAllConnections(), CLOSE_GRACE_MS);
        await app.close();
        clearTimeout(timer);
      }),
    );
    await guard.stop();
  };

  const refreshCertificates = (): void => {
    const { tls } = options.access();
    if (tls === undefined) return;
    for (const { server } of listeners) {
      if (server instanceof TlsServer) server.setSecureContext(tlsOptions(tls));
    }
  };

  return {
    start,
    stop,
    addresses: () => addresses,
    counts: () => guard.counts,
    refreshCertificates,
  };
}

const { healthy, ready, metrics, reload: reloading } = listenerPaths;
/** The paths that all clients can read. */
const open: readonly (string | undefined)[] = Object.values(listenerPaths)
  .filter(({ readers }) => readers === 'clients')
  .map(({ path }) => path);

interface Shared {
  readonly guard: Guard;
  readonly isStopping: () => boolean;
}

/** @throws Error always: without a schema, it is never called */
function noSchemas(): never {
  throw new Error('routes have no schemas');
}

function createApplication(options: WebOptions, { guard, isStopping }: Shared): FastifyInstance {
  const { mounts } = options;
  const { tls } = options.access();
  const app: FastifyInstance = Fastify({
    // the factory creates the server; this only sets the scheme of the addresses
    ...(tls !== undefined && { https: {} }),
    serverFactory: (handler) => createListener(options.access, guard.limits, guard.connections, handler),
    logger: false,
    frameworkErrors: (_, request, reply) => void refuse(options, request, reply, 'bad_path'),
    routerOptions: { ignoreTrailingSlash: false },
    forceCloseConnections: 'idle',
    // a scrape has a few hundred bytes; more is a mistake or an attack
    bodyLimit: 4096,
    return503OnClosing: false,
    // no route has a schema, and the compilers of schemas are a hundred modules
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
  });
  app.addHook('onRequest', async (request, reply) => {
    const access = options.access();
    const address = holderOf(addressOf(request.socket));
    reply.headers({ ...access.headers });
    if (isHealth(request) && !options.protectHealth()) return undefined;
    const proxied = guard.viewerOf(request.raw, access);
    if (proxied === 'wrong host') return refuse(options, request, reply, 'wrong_host');
    if (proxied !== undefined) {
      viewers.set(request.raw, proxied);
      return admit(options, guard, request, reply, address);
    }
    const { result, user } = await guard.authenticate(access.users, request.headers.authorization, address);
    if (result === 'busy') guard.counts.refused.logons += 1;
    if (result === 'unauthorized') reply.header('www-authenticate', 'Basic realm="license-exporter"');
    if (result !== 'accepted') return refuse(options, request, reply, result);
    if (user !== undefined) guard.connections.prove(request.socket);
    if (user !== undefined) viewers.set(request.raw, { user, groups: [], isProxied: false });
    return admit(options, guard, request, reply, address);
  });
  // makes `reply.elapsedTime` count from the beginning
  app.addHook('onResponse', async () => undefined);
  app.addHook('onSend', async (_, reply, payload) => {
    if (!(typeof payload === 'string' || Buffer.isBuffer(payload)) || !isLong(payload)) return payload;
    const body = Buffer.isBuffer(payload) ? payload : Buffer.from(payload);
    reply.header('content-length', body.length);
    return Readable.from(chunksOf([body]));
  });
  const routes: Record<string, (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>> = {
    [healthy.path]: async (_, reply) => sendText(reply, 200, 'Healthy.'),
    [ready.path]: async (_, reply) => {
      if (isStopping()) return sendText(reply, 503, 'Stopping.');
      return options.isReady()
        ? sendText(reply, 200, 'Ready.')
        : sendText(reply, 503, 'The first poll has not finished yet.');
    },
  };
  if (!mounts.some(({ path }) => path === '/')) routes['/'] = async (_, reply) => sendPage(reply, landingPage(options));
  routes[options.telemetryPath] = async (request, reply) => sendMetrics(options.metricsPage, request, reply);

  app.register(serveAssets);
  for (const { path, plugin } of mounts) app.register(plugin, { prefix: path });
  for (const [url, handler] of Object.entries(routes)) app.route({ method: ['GET', 'HEAD'], url, handler });
  const { reload } = options;
  if (reload !== undefined) {
    app.route({
      method: ['POST', 'PUT'],
      url: reloading.path,
      handler: (request, reply) => handleReload(reload, request, reply, viewerOf(request)),
    });
  }
  // bodies are never read
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume();
    done(null);
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const allowed = (['GET', 'POST'] as const).find((method) => app.hasRoute({ method, url: path }));
    if (allowed === undefined) return sendNotFound(request, reply, options.site);
    const { methods } = allowed === 'GET' ? metrics : reloading;
    return sendText(reply.header('allow', methods), 405, `Only ${methods} are allowed here.`);
  });
  app.setErrorHandler((error: { statusCode?: number; message: string }, request, reply) => {
    const status = error.statusCode ?? 500;
    if (status < 500) return sendText(reply, status, `${error.message}`);
    options.log.error({ err: error, path: request.routeOptions.url }, 'request failed');
    return sendText(reply, 500, 'Internal error, see the log.');
  });
  return app;
}

/** Whether it asks for the health of the process: that is answered under any load. */
function isHealth({ routeOptions: { url } }: FastifyRequest): boolean {
  return open.includes(url);
}

/** Waits until a request is admitted. Its place is free again when the response ends or the client disconnects. */
async function admit(
  options: WebOptions,
  guard: Guard,
  request: FastifyRequest,
  reply: FastifyReply,
  address: string,
): Promise<FastifyReply | undefined> {
  const { url } = request.routeOptions;
  if (isHealth(request)) return undefined;
  const seconds = mountOf(options, request)?.deadline?.() ?? guard.limits.waitMs / 1000;
  const kind = url === options.telemetryPath ? 'scrapes' : 'requests';
  const outcome = await guard.enter(kind, address, seconds * 1000, reply.raw);
  if (outcome === 'admitted') {
    await options.prepare?.();
    return undefined;
  }
  return outcome === 'gone' ? reply.hijack() : refuse(options, request, reply, 'busy');
}

function mountOf({ mounts }: WebOptions, { url }: FastifyRequest): Mount | undefined {
  return mounts.find(({ path }) => url.startsWith(path) && /^([/?]|$)/.test(url.slice(path.length)));
}

/** Refuses a request in the format of its path. */
function refuse(options: WebOptions, request: FastifyRequest, reply: FastifyReply, refusal: Refusal): FastifyReply {
  const { status, message } = refusals[refusal];
  if (refusal === 'busy') reply.header('retry-after', RETRY_AFTER).header('connection', 'close');
  const mount = mountOf(options, request);
  return mount?.refuse?.(reply.code(status), refusal, message) ?? sendText(reply, status, `${message}`);
}
