import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { holderOf, peerAddress } from '../../base/model/peer-address.ts';
import { OWN_ANALYZER, OWN_HEADER } from '../../base/query-api/endpoints.ts';
import type { Gate } from './gate.ts';
import { failure, type Reply, tooMany } from './reply.ts';

/** Work on one connection, one piece at a time in the order it came. */
interface Turns {
  /** Returns false without taking the work if too much is waiting on the connection. `work` must not reject. */
  take(socket: Socket, work: () => Promise<void>): boolean;
}

/**
 * Clients may send requests without waiting for the answers; the HTTP parser hands over all that has arrived. The next
 * one starts when the previous one is answered, unless the connection is closed by then.
 *
 * @param maxWaiting how many may wait on a connection behind the one that is worked on
 */
function createTurns(maxWaiting: number): Turns {
  const queues = new WeakMap<Socket, (() => Promise<void>)[]>();

  const run = async (socket: Socket, queue: (() => Promise<void>)[]): Promise<void> => {
    for (let work = queue[0]; work !== undefined && !socket.destroyed; work = queue[0]) {
      await work();
      queue.shift();
    }
    queues.delete(socket);
  };

  return {
    take: (socket, work) => {
      const queue = queues.get(socket);
      if (queue !== undefined && queue.length > maxWaiting) return false;
      if (queue !== undefined) {
        queue.push(work);
        return true;
      }
      const first = [work];
      queues.set(socket, first);
      void run(socket, first);
      return true;
    },
  };
}

/** Maximum time to send a response. */
const MAX_SEND_MS = 5 * 60_000;

/** Body bytes. */
const sizeOf = ({ body }: Reply): number => body.reduce((sum, piece) => sum + piece.length, 0);

/**
 * Sends as fast as the client reads. Resolves when all is sent, or the connection is closed.
 *
 * @param idleMs the connection is closed if the client reads nothing for this time
 */
async function sendReply(response: ServerResponse, made: Reply, idleMs: number): Promise<void> {
  const { status, body, type, headers } = made;
  // Node closes the connection if nothing was read for this time, and sets another timeout for the next request
  response.socket?.setTimeout(idleMs);
  const cutting = setTimeout(() => response.destroy(), MAX_SEND_MS);
  response.on('close', () => clearTimeout(cutting));
  const contentType = type === undefined ? {} : { 'content-type': type };
  response.writeHead(status, {
    ...contentType,
    [OWN_HEADER]: OWN_ANALYZER,
    'content-length': sizeOf(made),
    ...headers,
  });
  for (const piece of body) {
    if (response.write(piece) || response.destroyed) continue;
    await new Promise<void>((resolve) => {
      const go = (): void => {
        response.off('drain', go).off('close', go);
        resolve();
      };
      response.on('drain', go).on('close', go);
    });
  }
  response.end();
}

/** One answered request, for the log. */
export interface AccessRecord {
  readonly method: string;
  /** Without the query, which may name users. */
  readonly path: string;
  /** 499 if the client disconnected, or was disconnected, before it had the whole response. */
  readonly status: number;
  /** `domain\user`; empty for a request that needs no logon. */
  readonly user: string;
  readonly address: string;
  /** Body bytes; 0 with 499. */
  readonly bytes: number;
  readonly seconds: number;
}

/** The replies to requests. */
export interface Responses {
  /** Answers a request of an identity, `domain\\user`, unless its client disconnects. Never rejects. */
  respond(request: IncomingMessage, identity: string, signal: AbortSignal): Promise<Reply>;
  /** The reply to a request that needs no logon; undefined for every other request. */
  respondOpenly(request: IncomingMessage): Reply | undefined;
}

/** What a request passes before it is answered, and what it is answered from. */
export interface RequestHandlerOptions extends Responses {
  readonly gate: Gate;
  /** Whether a client, by its address, may send another request now. */
  readonly isWithinRate: (holder: string) => boolean;
  /** How long a client may read nothing of a response, milliseconds. */
  readonly idleMs: number;
  readonly onRequest: ((request: AccessRecord) => void) | undefined;
}

/** No request needs a body. */
const MAX_BODY_SIZE = 1024 * 1024;
/** Maximum number of pipelined requests of a connection. No known client sends any. */
const MAX_WAITING = 16;
/** For the log only, as in nginx: the client closed the request. */
const CLIENT_CLOSED_REQUEST = 499;

/** A reply and its user. */
interface Answered {
  readonly user: string;
  readonly reply: Reply;
}

/** Takes requests one by one on each connection: limits, logon, answer, log. */
export class RequestHandler {
  readonly #options: RequestHandlerOptions;
  readonly #turns = createTurns(MAX_WAITING);
  /** Answers being made or sent. */
  readonly #running = new Set<ServerResponse>();

  constructor(options: RequestHandlerOptions) {
    this.#options = options;
  }

  /** For the events of a server. */
  readonly listener = (request: IncomingMessage, response: ServerResponse): void => {
    discardBody(request);
    if (!this.#turns.take(request.socket, () => this.#handle(request, response))) request.socket.destroy();
  };

  /** Resolves when the requests are answered that are under way now. */
  async untilAnswered(): Promise<void> {
    await Promise.all([...this.#running].map((response) => new Promise((resolve) => response.once('close', resolve))));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const started = performance.now();
    const { socket, url = '', method = '' } = request;
    const address = peerAddress(socket.remoteAddress);
    const waiting = new AbortController();
    let isTaken = false;
    this.#running.add(response);
    response.on('finish', () => {
      isTaken = true;
    });
    const closed = new Promise<void>((resolve) => {
      response.on('close', () => {
        this.#running.delete(response);
        waiting.abort();
        resolve();
      });
    });
    const answered = await this.#answer(request, response, waiting.signal);
    await closed;
    if (answered === undefined) return;
    const { user, reply } = answered;
    this.#options.onRequest?.({
      method,
      path: url.split('?', 1)[0] ?? '',
      status: isTaken ? reply.status : CLIENT_CLOSED_REQUEST,
      user,
      address,
      bytes: isTaken ? sizeOf(reply) : 0,
      seconds: (performance.now() - started) / 1000,
    });
  }

  /** Resolves when the reply is sent; `undefined` if the user is unknown. */
  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<Answered | undefined> {
    const { gate, isWithinRate, idleMs } = this.#options;
    const { socket } = request;
    // only before a logon begins: during a logon, old clients take any status but 401 for success
    if (!gate.isExpecting(socket) && !isWithinRate(holderOf(peerAddress(socket.remoteAddress)))) {
      await sendReply(response, tooMany('too_many_requests', 'more requests per second than allowed', 1), idleMs);
      return undefined;
    }
    const open = gate.isExpecting(socket) ? undefined : this.#options.respondOpenly(request);
    if (open !== undefined) {
      await sendReply(response, open, idleMs);
      return { user: '', reply: open };
    }
    const identified = gate.identify(request);
    if ('refusal' in identified) {
      await sendReply(response, identified.refusal, idleMs);
      return undefined;
    }
    const reply = await this.#reply(request, identified.user, signal);
    if (!signal.aborted) await sendReply(response, reply, idleMs);
    return { user: identified.user, reply };
  }

  async #reply(request: IncomingMessage, identity: string, signal: AbortSignal): Promise<Reply> {
    const isSmall = Number(request.headers['content-length'] ?? 0) <= MAX_BODY_SIZE;
    if (isSmall) return this.#options.respond(request, identity, signal);
    return failure('body_too_large', 'no endpoint reads a body', { headers: { connection: 'close' } });
  }
}

/** Bodies are not read, but the connection must be left clean for the next request. */
function discardBody(request: IncomingMessage): void {
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_BODY_SIZE) request.socket.destroy();
  });
}
