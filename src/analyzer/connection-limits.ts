import type { Server, Socket } from 'node:net';
import { holderOf, peerAddress } from '../model/peer-address.ts';

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
export function limitConnections(server: Server, { connections, now, onProblem }: ConnectionLimitOptions): void {
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
