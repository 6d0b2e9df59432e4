import type { Server, Socket } from 'node:net';
import { holderOf, peerAddress } from './peer-address.ts';

interface ConnectionLimitOptions {
  /** Connections at once. */
  readonly connections: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Called about refused connections, once a minute at most. */
  readonly onProblem: (error: unknown) => void;
}

/** One address may hold this share of all connections. */
const SHARE = 1 / 4;
const TELL_MS = 60_000;
const REMEDY = 'close some, or raise embedded_analyzer.limits.connections';

/** Closes at once what is more than the server takes in all, or of one address. */
export function limitConnections(server: Server, { connections, now, onProblem }: ConnectionLimitOptions): void {
  const share = Math.ceil(connections * SHARE);
  const held = new Map<string, number>();
  let toldAt = Number.NEGATIVE_INFINITY;
  const tell = (message: string): void => {
    if (now() - toldAt < TELL_MS) return;
    toldAt = now();
    onProblem(new Error(`${message}; ${REMEDY}`));
  };
  server.maxConnections = connections;
  server.on('drop', () => tell(`a connection is refused, there are ${connections} already`));
  server.on('connection', (socket: Socket) => {
    const address = peerAddress(socket.remoteAddress);
    const holder = holderOf(address);
    const count = held.get(holder) ?? 0;
    if (count >= share) {
      tell(`a connection of ${address} is refused, it has ${share} of ${connections} already`);
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
