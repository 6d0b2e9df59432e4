import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { holderOf, isLoopback, peerAddress } from '../../base/model/peer-address.ts';
import type { CutReason, WebLimits } from './limits.ts';

/**
 * Limits of connections: their number, pipelined requests, and time without reading a response. Each peer has places: many connections
 * of one peer, or of many peers that prove nothing, do not keep the others out.
 */

interface PlaceLimits {
  readonly total: number;
  readonly perPeer: number;
}

/** Who wants a place. */
export interface Newcomer {
  /** What counts as one peer. */
  readonly peer: string;
  /** It is of this host: it never loses its place, and only the total limits how many there are. */
  readonly isOwn: boolean;
  /** Closes the connection, because another one gets its place. */
  readonly drop: () => void;
}

export interface Place {
  /** A connection that is at work is dropped after those that are not. */
  isBusy: boolean;
  /** Its user is known: it is not dropped, and its peer always gets a place from now on. */
  prove(): void;
  /** The connection is closed. Calling it again has no effect. */
  leave(): void;
}

interface Taken extends Place {
  readonly isSafe: () => boolean;
  readonly drop: () => void;
}

/** Peers that are remembered because a user of them is known. */
const MAX_PROVEN = 1000;

/** Gives places to connections; `undefined` if all are taken. */
export function createPeerPlaces({ total, perPeer }: PlaceLimits): (newcomer: Newcomer) => Place | undefined {
  /** The places of each peer, the oldest first. */
  const peers = new Map<string, Set<Taken>>();
  /** Peers of known users, the latest last. */
  const proven = new Set<string>();
  let taken = 0;

  const remember = (peer: string): void => {
    proven.delete(peer);
    proven.add(peer);
    const [oldest] = proven;
    if (proven.size > MAX_PROVEN && oldest !== undefined) proven.delete(oldest);
  };

  const unsafeOf = (places: Iterable<Taken>): readonly Taken[] => [...places].filter((place) => !place.isSafe());

  /** Drops one of these, which are not safe. */
  const dropOne = (places: readonly Taken[]): boolean => {
    const victim = places.find(({ isBusy }) => !isBusy) ?? places[0];
    victim?.leave();
    victim?.drop();
    return victim !== undefined;
  };

  /** Those of the peer that has most of them. */
  const mostUnsafe = (): readonly Taken[] => {
    let most: readonly Taken[] = [];
    for (const places of peers.values()) {
      if (places.size <= most.length) continue;
      const unsafe = unsafeOf(places);
      if (unsafe.length > most.length) most = unsafe;
    }
    return most;
  };

  /** Whether there is room, or was made. */
  const hasRoom = (own: ReadonlySet<Taken>, { peer, isOwn }: Newcomer): boolean => {
    const always = isOwn || proven.has(peer);
    if (own.size >= perPeer && !isOwn) return always && dropOne(unsafeOf(own));
    if (taken < total) return true;
    const most = mostUnsafe();
    // a peer with as many gets no place of another one
    return (always || most.length > own.size + 1) && dropOne(most);
  };

  return (newcomer) => {
    const { peer, isOwn, drop } = newcomer;
    if (!hasRoom(peers.get(peer) ?? new Set(), newcomer)) return undefined;
    const places = peers.get(peer) ?? new Set();
    peers.set(peer, places);
    let isProven = false;
    const place: Taken = {
      isBusy: false,
      isSafe: () => isOwn || isProven,
      drop,
      prove: () => {
        isProven = true;
        remember(peer);
      },
      leave: () => {
        if (!places.delete(place)) return;
        taken -= 1;
        if (places.size === 0 && peers.get(peer) === places) peers.delete(peer);
      },
    };
    places.add(place);
    taken += 1;
    return place;
  };
}

/** The open connections, of which no client may have so many that others have none. */
export interface Connections {
  /** Accepts a new connection, or closes it or another one if there are too many. */
  accept(socket: Socket): void;
  /** The TLS on a connection that was accepted: it must be closed with it. */
  secure(socket: TLSSocket): void;
  /** The password of its user was right: it is not closed for others. */
  prove(socket: Socket): void;
  /** A listener that handles one request of a connection at a time. A request waits for the response to the previous one. */
  inTurn(listener: RequestListener): RequestListener;
  /** Closes connections that read nothing, or take too long. @param at milliseconds @returns whether any is still answered */
  sweep(at: number): boolean;
}

interface Answer {
  readonly socket: Socket;
  readonly since: number;
  /** Bytes that were passed to the system, and when the count last increased or nothing was left to send. */
  taken: number;
  takenAt: number;
}

/** The address of a peer. IPv4 addresses look the same on every listener. */
export const addressOf = ({ remoteAddress }: Socket): string => peerAddress(remoteAddress);

/** The same for a connection and for the TLS on it. */
const idOf = (socket: Socket): string => `${addressOf(socket)} ${socket.remotePort}`;

/** Closes a connection and, if possible, discards data that the system has not sent yet. */
function cut(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}

/** @param now milliseconds @param onAnswer called when an answer begins */
export function createConnections(
  limits: WebLimits,
  onCut: (reason: CutReason) => void,
  now: () => number,
  onAnswer: () => void,
): Connections {
  const { total, perAddress } = limits.connections;
  const enter = createPeerPlaces({ total, perPeer: perAddress });
  const places = new Map<string, Place>();
  const secured = new Map<string, TLSSocket>();
  const answers = new Set<Answer>();
  /** The pipelined requests of each connection that is waiting for a response. */
  const held = new WeakMap<Socket, (() => void)[]>();

  const accept = (socket: Socket): void => {
    const address = addressOf(socket);
    const id = idOf(socket);
    const drop = (): void => {
      onCut('too_many');
      (secured.get(id) ?? socket).destroy();
    };
    const place = enter({ peer: holderOf(address), isOwn: isLoopback(address), drop });
    if (place === undefined) {
      drop();
      return;
    }
    places.set(id, place);
    socket.once('close', () => {
      place.leave();
      if (places.get(id) !== place) return;
      places.delete(id);
      secured.delete(id);
    });
  };

  const setBusy = (socket: Socket, isBusy: boolean): void => {
    const place = places.get(idOf(socket));
    if (place !== undefined) place.isBusy = isBusy;
  };

  const answer = (socket: Socket, response: ServerResponse, work: () => void): void => {
    const begun = now();
    const entry: Answer = { socket, since: begun, taken: -1, takenAt: begun };
    answers.add(entry);
    onAnswer();
    response.once('close', () => {
      answers.delete(entry);
      const next = socket.destroyed || socket.writableEnded ? undefined : held.get(socket)?.shift();
      if (next !== undefined) next();
      else {
        held.delete(socket);
        setBusy(socket, false);
      }
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
        setBusy(socket, true);
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
    secure: (socket) => {
      const id = idOf(socket);
      if (places.has(id)) secured.set(id, socket);
    },
    prove: (socket) => places.get(idOf(socket))?.prove(),
    inTurn,
    sweep: (at) => {
      for (const entry of [...answers]) {
        const reason = reasonToCut(entry, at);
        if (reason === undefined) continue;
        onCut(reason);
        cut(entry.socket);
      }
      return answers.size > 0;
    },
  };
}
