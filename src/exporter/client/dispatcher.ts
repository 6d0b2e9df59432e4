import { Dispatcher } from 'undici';
import { NtlmError } from '../../base/ntlm/errors.ts';
import { createPendingRequest } from './pending-request.ts';
import { closedError, RequestScheduler, type RequestSchedulerOptions } from './request-scheduler.ts';
import { createStats } from './stats.ts';

/** Requests for an origin other than `origin` are refused. */
export interface NtlmDispatcherOptions extends Omit<RequestSchedulerOptions, 'stats' | 'onEmpty'> {
  /** Maximum number of requests that wait for a connection. */
  readonly maxQueue?: number;
}

const MAX_QUEUE = 1000;

/**
 * An undici dispatcher that authenticates with NTLM. NTLM authenticates connections, not requests. Each connection is
 * therefore a separate client with one socket, and each request is pinned to one connection. Supports HTTP/1.1 only.
 */
export class NtlmDispatcher extends Dispatcher {
  readonly stats = createStats();
  readonly #maxQueue: number;
  readonly #origin: string;
  readonly #scheduler: RequestScheduler;
  #needsDrain = false;
  /** Whether new requests are refused, because it is closing or closed. */
  #isRefusing = false;

  constructor({ maxQueue = MAX_QUEUE, ...options }: NtlmDispatcherOptions) {
    super();
    this.#maxQueue = maxQueue;
    this.#origin = new URL(options.origin).origin;
    this.#scheduler = new RequestScheduler({
      ...options,
      origin: this.#origin,
      stats: this.stats,
      onEmpty: () => this.#drain(),
    });
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const request = createPendingRequest(options, handler);
    handler.onRequestStart?.(request.controller, {});
    const refusal = this.#refusal(options);
    if (refusal !== undefined) {
      queueMicrotask(() => handler.onResponseError?.(request.controller, refusal));
      return !this.#needsDrain;
    }
    this.stats.requests += 1;
    this.#scheduler.add(request);
    this.#needsDrain = this.#scheduler.waiting > 0;
    return !this.#needsDrain;
  }

  #refusal(options: Dispatcher.DispatchOptions): NtlmError | undefined {
    if (this.#isRefusing) return closedError();
    const { origin = this.#origin } = options;
    if (origin !== this.#origin && new URL(String(origin)).origin !== this.#origin) {
      return new NtlmError('NTLM_CROSS_ORIGIN', 'credentials are bound to another origin');
    }
    if (this.#scheduler.waiting >= this.#maxQueue) {
      return new NtlmError('NTLM_QUEUE_FULL', 'too many requests wait for a connection');
    }
    return undefined;
  }

  /** Signals waiting callers that they can continue. */
  #drain(): void {
    if (!this.#needsDrain) return;
    this.#needsDrain = false;
    queueMicrotask(() => {
      if (this.listenerCount('drain') > 0) this.emit('drain', new URL(this.#origin));
    });
  }

  /** Waits for queued and running requests, then closes the connections. */
  override close(): Promise<void>;
  override close(callback: () => void): void;
  override close(callback?: () => void): Promise<void> | undefined {
    this.#isRefusing = true;
    return settle(this.#scheduler.close(), callback);
  }

  /** Fails queued requests and ends running ones. */
  override destroy(error?: Error | null): Promise<void>;
  override destroy(callback: () => void): void;
  override destroy(error: Error | null, callback: () => void): void;
  override destroy(first?: Error | null | (() => void), second?: () => void): Promise<void> | undefined {
    this.#isRefusing = true;
    const error = first instanceof Error ? first : new NtlmError('NTLM_CLOSED', 'the dispatcher was closed');
    return settle(this.#scheduler.destroy(error), typeof first === 'function' ? first : second);
  }
}

/** Returns a promise, or calls the callback if there is one: undici allows both. */
function settle(work: Promise<void>, callback: (() => void) | undefined): Promise<void> | undefined {
  if (callback === undefined) return work;
  work.then(callback);
  return undefined;
}
