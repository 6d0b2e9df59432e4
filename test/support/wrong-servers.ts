import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import { createInterface } from 'node:readline';
import type { Cleanup } from './harness.ts';

/** Servers that a wrong `analyzer.url` or a wrong setting leads to. */

async function listen(cleanup: Cleanup, server: Server, scheme: string): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanup.add(() => new Promise((resolve) => server.close(resolve)));
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server on loopback that answers every request in this way. Returns its origin. */
export const startAnswering = (cleanup: Cleanup, listener: RequestListener): Promise<string> =>
  listen(cleanup, createServer({ keepAlive: false }, listener), 'http');

/** The same over TLS. */
export const startSecure = (cleanup: Cleanup, options: ServerOptions, listener: RequestListener): Promise<string> =>
  listen(cleanup, createSecureServer(options, listener), 'https');

/** One that closes each connection directly after the handshake. */
export const startHangingUp = (cleanup: Cleanup, options: ServerOptions): Promise<string> => {
  const server = createSecureServer(options).on('secureConnection', (socket) => socket.end());
  return listen(cleanup, server, 'https');
};

/** A proxy in front of a server without logons that changes headers of the answers. */
export const startChanging = (
  cleanup: Cleanup,
  behind: string,
  headers: () => Record<string, string>,
): Promise<string> =>
  startAnswering(cleanup, async ({ url = '', method = 'GET' }, response) => {
    const answer = await fetch(`${behind}${url}`, { method });
    const type = answer.headers.get('content-type') ?? '';
    response
      .writeHead(answer.status, { 'content-type': type, ...headers() })
      .end(Buffer.from(await answer.arrayBuffer()));
  });

/** Listens with the shortest queue, and stops itself: nobody takes connections from the queue any more. */
const STOPPED = `
  const server = require('node:net').createServer();
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    console.log(server.address().port);
    process.kill(process.pid, 'SIGSTOP');
  });
`;

/** A port that drops attempts to connect, as a firewall does. Returns its origin. */
export async function startDropping(cleanup: Cleanup): Promise<string> {
  const child = spawn(process.execPath, ['-e', STOPPED], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  cleanup.add(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const port = Number(line);
  // the queue takes one more than its length
  for (let i = 0; i < 2; i += 1) {
    const socket = connect({ host: '127.0.0.1', port });
    cleanup.add(() => socket.destroy());
    await once(socket, 'connect');
  }
  return `http://127.0.0.1:${port}`;
}
