import type { Dispatcher } from 'undici';

type Headers = Record<string, string | string[]>;
type RawHeaders = Exclude<Dispatcher.DispatchController['rawHeaders'], undefined>;

/** The caller's view of a request. It exists before a socket does, so that a queued request can be aborted. */
export class RequestController implements Dispatcher.DispatchController {
  rawHeaders: RawHeaders = null;
  rawTrailers: RawHeaders = null;
  reason: Error | null = null;
  paused = false;
  /** Called once when the request is aborted. */
  onAbort: (() => void) | undefined;
  /** Created on first use, because most requests are served at once. */
  #aborting: AbortController | undefined;
  #leg: Dispatcher.DispatchController | undefined;

  get aborted(): boolean {
    return this.reason !== null;
  }

  get signal(): AbortSignal {
    this.#aborting ??= new AbortController();
    if (this.reason !== null) this.#aborting.abort(this.reason);
    return this.#aborting.signal;
  }

  /**
   * The running exchange, or none when it has ended. The reference to an ended one would keep each request, with its answer,
   * in memory until a full garbage collection: short collections then copy all of them.
   */
  follow(leg: Dispatcher.DispatchController | undefined): void {
    this.#leg = leg;
    if (this.reason !== null) leg?.abort(this.reason);
  }

  abort(reason: Error): void {
    if (this.reason !== null) return;
    this.reason = reason ?? new DOMException('This operation was aborted', 'AbortError');
    this.#leg?.abort(this.reason);
    this.#aborting?.abort(this.reason);
    this.onAbort?.();
  }

  pause(): void {
    this.paused = true;
    this.#leg?.pause();
  }

  resume(): void {
    this.paused = false;
    this.#leg?.resume();
  }
}

/** A request that waits for a connection or is being served. */
export interface PendingRequest {
  readonly options: Dispatcher.DispatchOptions;
  readonly handler: Dispatcher.DispatchHandler;
  readonly controller: RequestController;
  /** Headers without Authorization, which only the dispatcher sets. */
  readonly headers: Headers;
  /** Path including the query string. */
  readonly path: string;
  /** Whether the request was already sent again because a connection was lost. */
  retried: boolean;
}

function collectHeaders(headers: Dispatcher.DispatchOptions['headers']): Headers {
  const collected: Headers = {};
  const add = (name: unknown, value: unknown): void => {
    const key = String(name);
    if (key.toLowerCase() === 'authorization' || value === undefined || value === null) return;
    const text = Array.isArray(value) ? value.map(String) : String(value);
    const before = collected[key];
    collected[key] = before === undefined ? text : [before, text].flat();
  };
  if (Array.isArray(headers) && !Array.isArray(headers[0])) {
    for (let i = 0; i + 1 < headers.length; i += 2) add(headers[i], headers[i + 1]);
  } else if (headers && typeof (headers as Iterable<unknown>)[Symbol.iterator] === 'function') {
    for (const [name, value] of headers as Iterable<[string, string]>) add(name, value);
  } else {
    for (const [name, value] of Object.entries(headers ?? {})) add(name, value);
  }
  return collected;
}

/** A request that waits for a connection. Its handler is told once how it ends, also if it is aborted. */
export function createPendingRequest(
  options: Dispatcher.DispatchOptions,
  handler: Dispatcher.DispatchHandler,
): PendingRequest {
  const query = options.query === undefined ? '' : new URLSearchParams(options.query ?? {}).toString();
  return {
    options,
    handler,
    controller: new RequestController(),
    headers: collectHeaders(options.headers),
    path: query === '' ? options.path : `${options.path}${options.path.includes('?') ? '&' : '?'}${query}`,
    retried: false,
  };
}

/** Methods that can be sent twice, and whose body need not be held back on the first leg of a logon. */
export const isSafe = ({ options }: PendingRequest): boolean => ['GET', 'HEAD', 'OPTIONS'].includes(options.method);

/** Whether the body can be sent a second time. */
export function isReplayable({ options: { body } }: PendingRequest): boolean {
  return body === undefined || body === null || typeof body === 'string' || body instanceof Uint8Array;
}
