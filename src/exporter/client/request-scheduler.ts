import { steadyNow } from '../../base/model/steady-clock.ts';
import { isRejection, NtlmError } from '../../base/ntlm/errors.ts';
import type { Connection } from './connection.ts';
import { ConnectionPool, type ConnectionPoolOptions } from './connection-pool.ts';
import type { CredentialGate } from './credential-gate.ts';
import { Handshake } from './handshake.ts';
import { IdleLimit, isTimeout } from './idle-limit.ts';
import { isReplayable, isSafe, type PendingRequest } from './pending-request.ts';
import { Recovery } from './recovery.ts';
import type { RequestOutcome } from './request-outcome.ts';
import { type ServingOptions, serveRequest } from './serve-request.ts';
import { ServerTraits } from './server-traits.ts';
import type { NtlmStats } from './stats.ts';
import { type Wait, waitUnref } from './wait.ts';

/** Tells the handler of a request why there will be no answer. */
function fail(request: PendingRequest, error: Error): void {
  request.handler.onResponseError?.(request.controller, error);
}

/** The requests that wait for a connection, in order of arrival. A request that is aborted while it waits fails at once. */
class RequestQueue {
  #requests: PendingRequest[] = [];

  get length(): number {
    return this.#requests.length;
  }

  push(request: PendingRequest): void {
    this.#requests.push(request);
    request.controller.onAbort = () => this.#remove(request);
  }

  /** Puts a request that has waited before at the front. */
  unshift(request: PendingRequest): void {
    this.#requests.unshift(request);
    request.controller.onAbort = () => this.#remove(request);
  }

  shift(): PendingRequest | undefined {
    const request = this.#requests.shift();
    if (request !== undefined) request.controller.onAbort = undefined;
    return request;
  }

  failAll(error: Error): void {
    const waiting = this.#requests;
    this.#requests = [];
    for (const request of waiting) fail(request, error);
  }

  #remove(request: PendingRequest): void {
    const at = this.#requests.indexOf(request);
    if (at === -1) return;
    this.#requests.splice(at, 1);
    fail(request, request.controller.reason ?? new NtlmError('NTLM_CLOSED', 'the request was canceled'));
  }
}

/** The account and the connections that requests are sent with. */
export interface RequestSchedulerOptions extends ConnectionPoolOptions {
  /** Path of the cheapest call of the server (spec 4.10). It carries the logon of each connection. */
  readonly logonPath: string;
  readonly gate: CredentialGate;
  /** Epoch milliseconds of the steady clock. */
  readonly now?: () => number;
  /** Called when the server is first found to require a logon for each request. */
  readonly onPerRequest?: () => void;
  /** Called when idle connections seem to be forgotten, with how long they may be idle for the next day, milliseconds. */
  readonly onIdleLimit?: (ms: number) => void;
  /** Called when logons work again after a logon without a verdict. */
  readonly onRecovered?: () => void;
  readonly wait?: Wait;
  readonly stats: NtlmStats;
  /** Called when the queue is empty. */
  readonly onEmpty: () => void;
}

const HEADERS_TIMEOUT_MS = 30_000;

/** The error of a request that is sent, or still waits, when the dispatcher is closed. */
export const closedError = (): NtlmError => new NtlmError('NTLM_CLOSED', 'the dispatcher is closed');

/** Whether a connection can be used again. */
const isReusable = ({ kind }: RequestOutcome): boolean => kind === 'delivered' || kind === 'logon_needed';

/** Whether no byte of an answer came in time. */
const isUnanswered = (result: RequestOutcome): boolean =>
  result.kind === 'failed' && !result.reported && isTimeout(result.error);

/** Codes of logons that were not sent because of an earlier one. The recovery knows whether they are sent again soon. */
const notSentCodes: ReadonlySet<string> = new Set(['NTLM_CREDENTIALS_SUSPENDED', 'NTLM_PATH_UNCHECKED']);

/** Assigns requests to connections, and decides when a connection logs on. */
export class RequestScheduler {
  readonly #options: RequestSchedulerOptions;
  readonly #serving: ServingOptions;
  readonly #pool: ConnectionPool;
  readonly #handshake: Handshake;
  readonly #recovery: Recovery;
  readonly #closing = new AbortController();
  /** Connections that are logging on and whose verdict is not overdue. */
  readonly #loggingOn = new Set<Connection>();
  /** The query that carries a logon and waits for its verdict. */
  #carrying: PendingRequest | undefined;
  /** Number of requests and logons that are being served. A set of them would keep them in memory, see `AbortWatch`. */
  #running = 0;
  /** Called when nothing is being served any more. */
  #onIdle: (() => void)[] = [];
  readonly #queue = new RequestQueue();
  readonly #idleLimit: IdleLimit;
  readonly #now: () => number;
  #closed = false;

  constructor(options: RequestSchedulerOptions) {
    this.#options = options;
    const { gate, stats, logonPath, now = steadyNow, headersTimeout = HEADERS_TIMEOUT_MS, wait = waitUnref } = options;
    const onSocket = (): void => {
      stats.sockets += 1;
    };
    const idleLimit = new IdleLimit(now, options.onIdleLimit ?? (() => undefined));
    this.#idleLimit = idleLimit;
    this.#now = now;
    this.#pool = new ConnectionPool(options, {
      generation: () => gate.generation,
      idleLimit: () => idleLimit.ms,
      now,
      onSocket,
    });
    const traits = new ServerTraits(now, options.onPerRequest ?? (() => undefined));
    this.#serving = { gate, traits, stats };
    this.#handshake = new Handshake({
      ...this.#serving,
      host: new URL(options.origin).hostname,
      logonPath,
      headersTimeout,
      now,
      wait,
      onNoVerdict: () => this.#recovery.start(),
      onOverdue: (connection) => this.#setAside(connection),
    });
    this.#recovery = new Recovery({
      gate,
      now,
      probe: (timeout) => this.#probe(timeout),
      pausedUntil: () => traits.pause?.retryAt ?? 0,
      logOn: () => this.#track(this.#logOn(this.#pool.create())),
      onRecovered: options.onRecovered ?? (() => undefined),
      wait,
    });
  }

  /** Number of requests that wait for a connection. */
  get waiting(): number {
    return this.#queue.length;
  }

  add(request: PendingRequest): void {
    this.#queue.push(request);
    this.#pump();
  }

  /** Assigns waiting requests to free connections, and logs on new connections up to the maximum. */
  #pump(): void {
    if (this.#closed) return;
    while (this.#queue.length > 0 && (this.#serving.traits.isPerRequest ? this.#carryNext() : this.#serveNext()));
    if (this.#queue.length === 0) this.#options.onEmpty();
  }

  /** Starts one request or logon. Returns `false` when there is nothing more to start. */
  #serveNext(): boolean {
    const connection = this.#pool.free();
    if (connection !== undefined)
      return this.#run(connection, (request) => serveRequest(this.#serving, connection, request));
    if (this.#loggingOn.size >= this.#queue.length) return false;
    return this.#startLogon();
  }

  /** As `#serveNext`, if each request carries its own logon. Requests are then sent one at a time. */
  #carryNext(): boolean {
    if (this.#carrying !== undefined || this.#loggingOn.size > 0) return false;
    const free = this.#pool.free();
    if (this.#handshake.needsProof) return this.#startLogon(free);
    if (this.#isRefused(free)) return false;
    const connection = free ?? this.#pool.open();
    if (connection === undefined) return false;
    return this.#run(connection, (request) => {
      this.#carrying = request;
      const onVerdict = (): void => {
        if (this.#carrying !== request) return;
        this.#carrying = undefined;
        this.#pump();
      };
      return this.#handshake.carry(connection, request, onVerdict).finally(onVerdict);
    });
  }

  /** Whether no logon can be sent now. If so, the waiting requests fail, unless another connection can serve them. */
  #isRefused(free: Connection | undefined): boolean {
    const refusal = this.#serving.traits.pause ?? this.#serving.gate.refusal();
    if (refusal === undefined) return false;
    if (notSentCodes.has(refusal.code)) this.#recovery.start();
    if (free !== undefined) this.#pool.drop(free);
    // when a busy connection becomes free or a logon ends, the queue is checked again
    if (!this.#pool.isAnyBusy) this.#queue.failAll(refusal);
    return true;
  }

  /** Logs a connection on, if a logon can be sent now. */
  #startLogon(free?: Connection): boolean {
    if (free === undefined && this.#pool.isFull) return false;
    if (this.#isRefused(free)) return false;
    const connection = free ?? this.#pool.open();
    if (connection === undefined) return false;
    this.#track(this.#logOn(connection));
    return true;
  }

  /** Logs a connection on with the cheapest call. It then serves the waiting requests. */
  async #logOn(connection: Connection): Promise<void> {
    connection.busy = true;
    this.#pool.add(connection);
    this.#loggingOn.add(connection);
    const result = await this.#handshake.logOn(connection, this.#closing.signal);
    this.#loggingOn.delete(connection);
    const isLate = this.#pool.isSetAside(connection);
    if (isLate) this.#pool.add(connection);
    this.#pool.release(connection, isReusable(result));
    if (result.kind === 'failed' && !this.#closed) this.#failAfterLogon(result.error, isLate);
    this.#pump();
  }

  /** Takes a connection whose verdict is overdue out of the pool. It continues to wait for the verdict. */
  #setAside(connection: Connection): void {
    this.#loggingOn.delete(connection);
    this.#pool.setAside(connection);
    this.#recovery.start();
    this.#pump();
  }

  /** Fails the request that has waited longest with the error of a logon. */
  #failAfterLogon(error: Error, isLate: boolean): void {
    // the error of a logon that was sent is more specific
    const wasNotSent = error instanceof NtlmError && notSentCodes.has(error.code);
    if (wasNotSent && this.#pool.isAnyBusy) return;
    const first = isLate ? undefined : this.#queue.shift();
    if (first !== undefined) fail(first, error);
    if (isRejection(error)) this.#endAfterRejection();
  }

  /**
   * Fails all waiting requests, and retires the connections that were authenticated with the rejected password. If that one is
   * tried once more, they go on.
   */
  #endAfterRejection(): void {
    const { gate } = this.#serving;
    const refusal = gate.refusal();
    // the credentials changed before the verdict on the old ones came
    if (refusal === undefined) return;
    this.#recovery.start();
    if (gate.isUnconfirmed) return;
    this.#pool.retire();
    this.#queue.failAll(refusal);
  }

  async #probe(timeout: number): Promise<boolean> {
    const connection = this.#pool.create();
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(timeout)]);
    signal.addEventListener('abort', () => connection.destroy(), { once: true });
    const isGood = await this.#handshake.probe(connection);
    connection.destroy();
    return isGood;
  }

  /** Counts a logon as running until it ends. */
  async #track(work: Promise<void>): Promise<void> {
    this.#running += 1;
    await work;
    this.#end();
  }

  /** Serves the request that has waited longest. */
  #run(connection: Connection, serve: (request: PendingRequest) => Promise<RequestOutcome>): boolean {
    const request = this.#queue.shift();
    if (request === undefined) return false;
    connection.busy = true;
    this.#running += 1;
    const { served } = connection;
    const sentAt = this.#now();
    serve(request).then((result) => {
      if (connection.served > served) this.#idleLimit.answered(request.path, connection.idleMs);
      else if (isUnanswered(result)) this.#idleLimit.unanswered(request.path, connection.idleMs, sentAt);
      this.#settle(connection, request, result);
      this.#pump();
      this.#end();
    });
    return true;
  }

  #end(): void {
    this.#running -= 1;
    if (this.#running > 0) return;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  #settle(connection: Connection, request: PendingRequest, result: RequestOutcome): void {
    this.#pool.release(connection, isReusable(result));
    if (result.kind === 'delivered') return;
    if (result.kind === 'logon_needed') {
      if (this.#closed || request.controller.aborted) fail(request, request.controller.reason ?? closedError());
      else this.#queue.unshift(request);
      const isKept = this.#pool.has(connection);
      if (isKept && !this.#serving.traits.isPerRequest && !this.#closed) this.#startLogon(connection);
      return;
    }
    if (result.kind === 'retry' && this.#mayRetry(request, result.sent)) {
      request.retried = true;
      this.#serving.stats.staleRetries += 1;
      // the idle connections may be stale too
      this.#pool.dropIdle();
      this.#queue.unshift(request);
      return;
    }
    if (result.kind === 'failed' && result.reported) return;
    fail(request, request.controller.reason ?? result.error);
    if (result.kind === 'failed' && isRejection(result.error)) this.#endAfterRejection();
  }

  #mayRetry(request: PendingRequest, sent: boolean): boolean {
    return (
      !request.retried &&
      !request.controller.aborted &&
      !this.#closed &&
      isReplayable(request) &&
      (isSafe(request) || !sent)
    );
  }

  /** Waits for queued and running requests, then closes the connections. */
  async close(): Promise<void> {
    while (this.#queue.length + this.#running > 0) {
      this.#pump();
      await this.#untilIdle();
    }
    await this.#close();
  }

  /** Fails queued requests and ends running ones. */
  destroy(error: Error): Promise<void> {
    this.#closed = true;
    this.#queue.failAll(error);
    return this.#close();
  }

  async #close(): Promise<void> {
    this.#closed = true;
    this.#closing.abort();
    this.#pool.destroy();
    await this.#recovery.stop();
    await this.#untilIdle();
  }

  #untilIdle(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }
}
