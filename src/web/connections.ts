import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { CutReason, WebLimits } from './limits.ts';

/** Limits of connections: their number, pipelined requests, and time without reading a response. */

export interface Connections {
  /** Accepts a new connection, or closes it if there are too many. */
  accept(socket: Socket): void;
  /** A listener that handles one request of a connection at a time. A request waits for the response to the previous one. */
  inTurn(listener: RequestListener): RequestListener;
  /** Closes connections that read nothing, or take too long. @param at milliseconds */
  sweep(at: number): void;
}

interface Answer {
  readonly socket: Socket;
  readonly since: number;
  /** Bytes that were passed to the system, and when the count last increased or nothing was left to send. */
  taken: number;
  takenAt: number;
}

/** The address of a peer. IPv4 addresses look the same on every listener. */
export function addressOf({ remoteAddress = '' }: Socket): string {
  return remoteAddress.replace(/^::ffff:(?=\d+\.)/i, '');
}

/** Closes a connection and, if possible, discards data that the system has not sent yet. */
function cut(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}

/** @param now milliseconds */
export function createConnections(
  limits: WebLimits,
  onCut: (reason: CutReason) => void,
  now: () => number,
): Connections {
  const open = new Map<string, number>();
  let total = 0;
  const answers = new Set<Answer>();
  /** The pipelined requests of each connection that is waiting for a response. */
  const held = new WeakMap<Socket, (() => void)[]>();

  const accept = (socket: Socket): void => {
    const address = addressOf(socket);
    const count = open.get(address) ?? 0;
    if (total >= limits.connections.total || count >= limits.connections.perAddress) {
      onCut('too_many');
      socket.destroy();
      return;
    }
    total += 1;
    open.set(address, count + 1);
    socket.once('close', () => {
      total -= 1;
      const left = (open.get(address) ?? 1) - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
  };

  const answer = (socket: Socket, response: ServerResponse, work: () => void): void => {
    const begun = now();
    const entry: Answer = { socket, since: begun, taken: -1, takenAt: begun };
    answers.add(entry);
    response.once('close', () => {
      answers.delete(entry);
      const next = socket.destroyed || socket.writableEnded ? undefined : held.get(socket)?.shift();
      if (next === undefined) held.delete(socket);
      else next();
    });
    work();
  };

  const inTurn =
    (listener: RequestListener): RequestListener =>
    (request: IncomingMessage, response: ServerResponse): void => {
      const { socket } = request;
      // drops the other requests that were read together
      if (socket.destroyed) return;
      const ahead = held.get(socket);
      const work = (): void => answer(socket, response, () => listener(request, response));
      if (ahead === undefined) {
        held.set(socket, []);
        work();
      } else if (ahead.length < limits.ahead) ahead.push(work);
      else {
        onCut('pipelining');
        cut(socket);
      }
    };

  const reasonToCut = (entry: Answer, at: number): CutReason | undefined => {
    const { socket, since } = entry;
    const taken = socket.bytesWritten - socket.writableLength;
    if (socket.writableLength === 0 || taken !== entry.taken) Object.assign(entry, { taken, takenAt: at });
    if (at - entry.takenAt >= limits.stalledMs) return 'stalled';
    return at - since >= limits.answerMs ? 'too_long' : undefined;
  };

  return {
    accept,
    inTurn,
    sweep: (at) => {
      for (const entry of [...answers]) {
        const reason = reasonToCut(entry, at);
        if (reason === undefined) continue;
        onCut(reason);
        cut(entry.socket);
      }
    },
  };
}
