import { lookup } from 'node:dns/promises';
import type { RequestListener, Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { type Access, isClientAccepted, tlsOptions } from './access.ts';
import type { Connections } from './connections.ts';
import type { WebLimits } from './limits.ts';

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
export function createListener(
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
export async function addressesOf(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}
