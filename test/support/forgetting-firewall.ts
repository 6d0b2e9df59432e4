import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Cleanup } from './harness.ts';

/** A firewall between a client and a server: what it has forgotten is dropped without a word, in both directions. */
export interface ForgettingFirewall {
  readonly url: string;
  /** Forgets the connections that are open now. */
  forget(): void;
  /** Connections that were opened through it. */
  opened(): number;
}

/** Starts one in front of this server. */
export async function startForgettingFirewall(cleanup: Cleanup, url: string): Promise<ForgettingFirewall> {
  const { hostname, port } = new URL(url);
  const forgotten = new WeakSet<Socket>();
  const clients = new Set<Socket>();
  let opened = 0;
  const firewall = createServer((client) => {
    opened += 1;
    clients.add(client);
    const server = connect(Number(port), hostname);
    const pass = (to: Socket) => (chunk: Buffer) => {
      if (!forgotten.has(client)) to.write(chunk);
    };
    client.on('data', pass(server));
    server.on('data', pass(client));
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on('error', () => undefined);
      one.on('close', () => {
        clients.delete(client);
        if (!forgotten.has(client)) other.destroy();
      });
    }
    cleanup.add(() => {
      client.destroy();
      server.destroy();
    });
  });
  firewall.listen(0, '127.0.0.1');
  await new Promise((resolve) => firewall.once('listening', resolve));
  cleanup.add(() => firewall.close());
  return {
    url: `http://127.0.0.1:${(firewall.address() as AddressInfo).port}`,
    forget: () => {
      for (const client of clients) forgotten.add(client);
    },
    opened: () => opened,
  };
}
