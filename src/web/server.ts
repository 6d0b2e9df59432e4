import { Readable } from 'node:stream';
import { type TLSSocket, Server as TlsServer } from 'node:tls';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Log } from '../model/log.ts';
import { type Access, createAuthenticator, isClientAccepted, tlsOptions } from './access.ts';
import { landingPage } from './landing-page.ts';

/** A page of metrics, ready to be sent. */
export interface MetricsPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | AsyncIterable<Buffer>;
}

export interface MetricsRequest {
  readonly accept: string | undefined;
  readonly acceptEncoding: string | undefined;
  /** The values of `collect[]`. */
  readonly collect: readonly string[];
}

/** Why a request is answered before it comes to a route, and what everybody is told of it. */
const refusals = {
  unauthorized: { status: 401, message: 'Name and password of a user of the web config are needed.' },
  busy: { status: 503, message: 'Too many logons at once, try later.' },
  bad_path: { status: 400, message: 'The path cannot be decoded.' },
} as const;
export type Refusal = keyof typeof refusals;

/** Routes of another room below a path of its own. */
export interface Mount {
  readonly path: string;
  /** A sentence for the landing page, where there is something to see for people. */
  readonly about: string | undefined;
  readonly plugin: (app: FastifyInstance) => Promise<void>;
  /** Answers a refusal, whose status is set already, in the form of these routes. */
  readonly refuse: (reply: FastifyReply, refusal: Refusal, message: string) => FastifyReply;
}

export interface WebOptions {
  /** `host` undefined listens on every address; port 0 takes a free one. */
  readonly listen: readonly { readonly host: string | undefined; readonly port: number }[];
  readonly telemetryPath: string;
  readonly version: string;
  /** Whether the pages must say that the data is simulated. */
  readonly demo: boolean;
  readonly metricsPage: (request: MetricsRequest) => Promise<MetricsPage>;
  /** Routes of other rooms, each below a path of its own. */
  readonly mounts: readonly Mount[];
  /** Who may ask, as of now. Whether there is TLS is decided when listening begins. */
  readonly access: () => Access;
  readonly isReady: () => boolean;
  readonly log: Log;
}

export interface WebServer {
  /** @throws Error that names the address and the remedy when it cannot be listened on */
  start(): Promise<void>;
  /** Turns `/-/ready` to 503, lets running answers end and closes the listeners. */
  stop(): Promise<void>;
  /** `http://host:port` of each listener, after `start`. */
  addresses(): readonly string[];
  /** Takes changed certificates over for new connections. */
  refreshCertificates(): void;
}

/** Answers to scrapes that are still running are given this long at stop, milliseconds. */
const CLOSE_GRACE_MS = 5_000;

/** The HTTP front: metrics, health, and a landing page for people. */
export function createWebServer(options: WebOptions): WebServer {
  let stopping = false;
  let listeners: FastifyInstance[] = [];
  let addresses: string[] = [];

  const listen = async (host: string, port: number): Promise<void> => {
    const app = createApplication(options, () => stopping);
    listeners.push(app);
    addresses.push(await app.listen({ host, port }));
  };

  const start = async (): Promise<void> => {
    for (const { host, port } of options.listen) {
      try {
        // without IPv6 there is no address for everything but that of IPv4
        await listen(host ?? '::', port).catch((error: NodeJS.ErrnoException) => {
          if (host !== undefined || error.code !== 'EAFNOSUPPORT') throw error;
          return listen('0.0.0.0', port);
        });
      } catch (error) {
        await stop();
        throw new Error(`cannot listen on ${host ?? ''}:${port}: ${reason(error)}; set web.listen_address`, {
          cause: error,
        });
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
  };

  const refreshCertificates = (): void => {
    const { tls } = options.access();
    if (tls === undefined) return;
    for (const { server } of listeners) {
      if (server instanceof TlsServer) server.setSecureContext(tlsOptions(tls));
    }
  };

  return { start, stop, addresses: () => addresses, refreshCertificates };
}

function reason(error: unknown): string {
  const code = (error as { code?: string }).code;
  if (code === 'EADDRINUSE') return 'the address is in use';
  if (code === 'EACCES') return 'permission denied';
  return code ?? String(error);
}

/** Methods of each path, so that another method is 405 and not 404. */
const GET_ONLY = 'GET, HEAD';

function createApplication(options: WebOptions, isStopping: () => boolean): FastifyInstance {
  const { tls } = options.access();
  const app: FastifyInstance = Fastify({
    ...(tls !== undefined && { https: tlsOptions(tls) }),
    logger: false,
    frameworkErrors: (_, request, reply) => void refuse(options, request, reply, 'bad_path'),
    routerOptions: { ignoreTrailingSlash: false },
    forceCloseConnections: 'idle',
    // a scrape is a few hundred bytes; more is a mistake or an attack
    bodyLimit: 4096,
    requestTimeout: 30_000,
    return503OnClosing: false,
  });
  if (tls !== undefined) {
    app.server.on('secureConnection', (socket: TLSSocket) => {
      const now = options.access().tls ?? tls;
      if (!isClientAccepted(socket, now)) socket.destroy();
    });
  }
  const authenticate = createAuthenticator();
  app.addHook('onRequest', async (request, reply) => {
    const { users, headers } = options.access();
    reply.headers({ ...headers });
    const verdict = await authenticate(users, request.headers.authorization);
    if (verdict === 'accepted') return undefined;
    if (verdict === 'unauthorized') reply.header('www-authenticate', 'Basic realm="license-exporter"');
    return refuse(options, request, reply, verdict);
  });
  const routes: Record<string, (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>> = {
    '/': async (_, reply) => {
      if (options.telemetryPath === '/') return reply;
      return reply
        .header('content-type', 'text/html; charset=utf-8')
        .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
        .send(landingPage(options));
    },
    '/-/healthy': async (_, reply) => text(reply, 200, 'Healthy.\n'),
    '/-/ready': async (_, reply) => {
      if (isStopping()) return text(reply, 503, 'Stopping.\n');
      return options.isReady() ? text(reply, 200, 'Ready.\n') : text(reply, 503, 'The first poll has not ended yet.\n');
    },
    [options.telemetryPath]: async (request, reply) => sendMetrics(options, request, reply),
  };

  for (const { path, plugin } of options.mounts) app.register(plugin, { prefix: path });
  for (const [url, handler] of Object.entries(routes)) app.route({ method: ['GET', 'HEAD'], url, handler });
  // bodies are never read
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume();
    done(null);
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    if (!app.hasRoute({ method: 'GET', url: path }))
      return text(reply, 404, `Nothing is served at this path. See /.\n`);
    return text(reply.header('allow', GET_ONLY), 405, `Only ${GET_ONLY} are allowed here.\n`);
  });
  app.setErrorHandler((error: { statusCode?: number; message: string }, request, reply) => {
    const status = error.statusCode ?? 500;
    if (status < 500) return text(reply, status, `${error.message}\n`);
    options.log.error({ err: error, path: request.routeOptions.url }, 'request failed');
    return text(reply, 500, 'Internal error, see the log.\n');
  });
  return app;
}

/** Refuses a request in the form of the path it is for. */
function refuse(options: WebOptions, { url }: FastifyRequest, reply: FastifyReply, refusal: Refusal): FastifyReply {
  const { status, message } = refusals[refusal];
  const mount = options.mounts.find(({ path }) => url.startsWith(path) && /^([/?]|$)/.test(url.slice(path.length)));
  return mount === undefined ? text(reply, status, `${message}\n`) : mount.refuse(reply.code(status), refusal, message);
}

function text(reply: FastifyReply, status: number, body: string): FastifyReply {
  return reply.code(status).header('content-type', 'text/plain; charset=utf-8').send(body);
}

async function sendMetrics(options: WebOptions, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const query = request.query as Record<string, string | string[] | undefined>;
  const page = await options.metricsPage({
    accept: request.headers.accept,
    acceptEncoding: single(request.headers['accept-encoding']),
    collect: [query['collect[]'] ?? []].flat(),
  });
  reply.code(page.status).headers({ ...page.headers });
  if (Buffer.isBuffer(page.body)) return reply.send(page.body);
  return reply.send(Readable.from(page.body));
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}
