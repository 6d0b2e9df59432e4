import { buildConnector, type Client, Dispatcher } from 'undici';
import type { CredentialGate } from '../ntlm/credential-gate.ts';
import { NtlmError } from '../ntlm/errors.ts';
import { Connection } from './connection.ts';
import { createStats, Handshake, type ServerTraits } from './handshake.ts';
import { createJob, isReplayable, isSafe, type Job } from './job.ts';

export interface NtlmDispatcherOptions {
  /** Scheme, host and port; requests for another origin are refused. */
  readonly origin: string;
  readonly gate: CredentialGate;
  /** Sockets at most. */
  readonly connections?: number;
  /** Milliseconds. */
  readonly keepAliveTimeout?: number;
  readonly connectTimeout?: number;
  readonly headersTimeout?: number;
  readonly bodyTimeout?: number;
  /** Bytes. */
  readonly maxResponseSize?: number;
  /** Requests that may wait for a connection. */
  readonly maxQueue?: number;
  readonly tls?: {
    readonly ca?: string | Buffer;
    readonly cert?: string | Buffer;
    readonly key?: string | Buffer;
    readonly servername?: string;
    readonly rejectUnauthorized?: boolean;
  };
  readonly now?: () => number;
  readonly onPerRequest?: () => void;
}

const KEEP_ALIVE_MS = 120_000;

/**
 * An undici dispatcher that authenticates with NTLM. NTLM authenticates connections, not requests, so each connection is
 * a client of its own with one socket, and every request is pinned to one. Speaks HTTP/1.1 only.
 */
export class NtlmDispatcher extends Dispatcher {
  readonly stats = createStats();
  readonly #options: NtlmDispatcherOptions;
  readonly #origin: string;
  readonly #connect: buildConnector.connector;
  readonly #traits: ServerTraits = { scheme: 'NTLM', perRequestUntil: 0 };
  readonly #handshake: Handshake;
  readonly #connections = new Set<Connection>();
  readonly #running = new Set<Promise<void>>();
  #queue: Job[] = [];
  #needsDrain = false;
  #closed = false;

  constructor(options: NtlmDispatcherOptions) {
    super();
    this.#options = options;
    this.#origin = new URL(options.origin).origin;
    // a resumed TLS session shows no certificate, and without it there is no channel binding
    this.#connect = buildConnector({
      ...(options.tls as object),
      allowH2: false,
      maxCachedSessions: 0,
      timeout: options.connectTimeout ?? 10_000,
    });
    this.#handshake = new Handshake({
      gate: options.gate,
      traits: this.#traits,
      stats: this.stats,
      host: new URL(options.origin).hostname,
      now: options.now ?? Date.now,
      onPerRequest: options.onPerRequest ?? (() => undefined),
    });
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const job = createJob(options, handler);
    handler.onRequestStart?.(job.controller, {});
    const refusal = this.#refusal(options);
    if (refusal !== undefined) {
      queueMicrotask(() => handler.onResponseError?.(job.controller, refusal));
      return !this.#needsDrain;
    }
    this.stats.requests += 1;
    this.#queue.push(job);
    job.controller.onAbort = () => this.#unqueue(job);
    this.#pump();
    this.#needsDrain = this.#queue.length > 0;
    return !this.#needsDrain;
  }

  #refusal(options: Dispatcher.DispatchOptions): NtlmError | undefined {
    if (this.#closed) return new NtlmError('NTLM_CLOSED', 'the dispatcher is closed');
    const { origin = this.#origin } = options;
    if (origin !== this.#origin && new URL(String(origin)).origin !== this.#origin) {
      return new NtlmError('NTLM_CROSS_ORIGIN', 'credentials are bound to another origin');
    }
    if (this.#queue.length >= (this.#options.maxQueue ?? 1000)) {
      return new NtlmError('NTLM_QUEUE_FULL', 'too many requests wait for a connection');
    }
    return undefined;
  }

  #unqueue(job: Job): void {
    const at = this.#queue.indexOf(job);
    if (at === -1) return;
    this.#queue.splice(at, 1);
    this.#fail(job, job.controller.reason ?? new NtlmError('NTLM_CLOSED', 'the request was given up'));
  }

  #fail(job: Job, error: Error): void {
    job.handler.onResponseError?.(job.controller, error);
  }

  /** Gives waiting requests to free connections, and opens new ones while there may be more. */
  #pump(): void {
    while (this.#queue.length > 0) {
      const connection = this.#freeConnection() ?? this.#openConnection();
      if (connection === undefined) return;
      const job = this.#queue.shift();
      if (job === undefined) return;
      this.#run(connection, job);
    }
    if (this.#needsDrain) {
      this.#needsDrain = false;
      queueMicrotask(() => this.emit('drain', new URL(this.#origin)));
    }
  }

  #freeConnection(): Connection | undefined {
    let free: Connection | undefined;
    for (const connection of this.#connections) {
      if (connection.busy) continue;
      if (connection.generation === this.#options.gate.generation) free = connection;
      else this.#drop(connection);
    }
    return free;
  }

  #openConnection(): Connection | undefined {
    if (this.#connections.size >= (this.#options.connections ?? 4)) return undefined;
    const { keepAliveTimeout = KEEP_ALIVE_MS, headersTimeout, bodyTimeout, maxResponseSize } = this.#options;
    const client: Client.Options = {
      keepAliveTimeout,
      keepAliveMaxTimeout: keepAliveTimeout,
      ...(headersTimeout !== undefined && { headersTimeout }),
      ...(bodyTimeout !== undefined && { bodyTimeout }),
      ...(maxResponseSize !== undefined && { maxResponseSize }),
    };
    const connection = new Connection({
      origin: this.#origin,
      connect: this.#connect,
      client,
      generation: this.#options.gate.generation,
      onSocket: () => {
        this.stats.sockets += 1;
      },
      onClose: (closed) => {
        if (!closed.busy) this.#drop(closed);
      },
    });
    this.#connections.add(connection);
    return connection;
  }

  #drop(connection: Connection): void {
    this.#connections.delete(connection);
    connection.destroy();
  }

  #run(connection: Connection, job: Job): void {
    connection.busy = true;
    const run = this.#serve(connection, job).finally(() => {
      this.#running.delete(run);
      this.#pump();
    });
    this.#running.add(run);
  }

  async #serve(connection: Connection, job: Job): Promise<void> {
    const result = await this.#handshake.serve(connection, job);
    connection.busy = false;
    const isStale = connection.generation !== this.#options.gate.generation;
    if (result.kind !== 'delivered' || connection.closed || isStale) this.#drop(connection);
    if (result.kind === 'delivered') return;
    if (result.kind === 'retry' && this.#mayRetry(job, result.sent)) {
      job.retried = true;
      this.stats.staleRetries += 1;
      // an idle connection may be as stale as the lost one
      for (const idle of this.#connections) if (!idle.busy) this.#drop(idle);
      this.#queue.unshift(job);
      return;
    }
    if (result.reported) return;
    this.#fail(job, job.controller.reason ?? result.error);
    if (result.error instanceof NtlmError && result.error.code === 'NTLM_CREDENTIALS_REJECTED') this.#failQueue();
  }

  #mayRetry(job: Job, sent: boolean): boolean {
    return !job.retried && !job.controller.aborted && !this.#closed && isReplayable(job) && (isSafe(job) || !sent);
  }

  /** A rejected logon makes every waiting request fail at once: none of them may try the same password. */
  #failQueue(): void {
    const waiting = this.#queue;
    this.#queue = [];
    for (const job of waiting) {
      try {
        this.#options.gate.check();
        this.#queue.push(job);
      } catch (error) {
        this.#fail(job, error as Error);
      }
    }
  }

  /** Waits for queued and running requests, then closes the connections. */
  override close(): Promise<void>;
  override close(callback: () => void): void;
  override close(callback?: () => void): Promise<void> | undefined {
    this.#closed = true;
    const closing = (async () => {
      while (this.#running.size > 0) await Promise.allSettled(this.#running);
      for (const connection of this.#connections) this.#drop(connection);
    })();
    if (callback === undefined) return closing;
    closing.then(callback);
    return undefined;
  }

  /** Fails queued requests and ends running ones. */
  override destroy(error?: Error | null): Promise<void>;
  override destroy(callback: () => void): void;
  override destroy(error: Error | null, callback: () => void): void;
  override destroy(first?: Error | null | (() => void), second?: () => void): Promise<void> | undefined {
    this.#closed = true;
    const error = first instanceof Error ? first : new NtlmError('NTLM_CLOSED', 'the dispatcher was closed');
    const waiting = this.#queue;
    this.#queue = [];
    for (const job of waiting) this.#fail(job, error);
    for (const connection of this.#connections) this.#drop(connection);
    const destroyed = Promise.allSettled(this.#running).then(() => undefined);
    const callback = typeof first === 'function' ? first : second;
    if (callback === undefined) return destroyed;
    destroyed.then(callback);
    return undefined;
  }
}
