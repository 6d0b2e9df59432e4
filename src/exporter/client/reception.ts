import type { Dispatcher } from 'undici';
import { QueryError } from '../../base/model/failure.ts';
import { answerFault } from '../inventory/decoding/answer-faults.ts';
import { refuse, type SizeLimit } from '../inventory/decoding/body-limits.ts';
import type { IncomingAnswer } from '../inventory/decoding/decoder.ts';
import { toQueryError } from './failures.ts';
import type { IncomingHeaders } from './leg.ts';

/** The charset that a `Content-Type` declares, if it is not UTF-8 or ASCII. */
function declaredIn(contentType: unknown): string | undefined {
  const [, label = ''] = /;\s*charset\s*=\s*"?([^\s;"]{1,40})/i.exec(String(contentType ?? '')) ?? [];
  return label === '' || /^(?:utf-?8|us-ascii|ascii)$/i.test(label) ? undefined : label;
}

/**
 * Turns the chunks of a body into UTF-8. Without a declared charset, or with one that nobody knows, they stay as they are.
 *
 * @param contentType the header
 * @returns undefined if there is nothing to turn; otherwise gets each chunk, and `undefined` at the end of the body
 */
function toUtf8(contentType: unknown): ((chunk: Buffer | undefined) => Buffer) | undefined {
  const label = declaredIn(contentType);
  if (label === undefined) return undefined;
  try {
    const decoder = new TextDecoder(label);
    return (chunk) => Buffer.from(chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true }));
  } catch {
    return undefined;
  }
}

/** What an aborted signal ends. */
interface Abortable {
  abort(reason: unknown): void;
}

/**
 * The requests that one signal aborts. They share one listener, and are in an array that is changed in place. Listeners that
 * come and go, and the old tables of a `Set` or `Map` whose entries do, refer to the next ones. Once V8 has moved one of them
 * to its old space, all later requests stay in memory until a full garbage collection, and each short one copies them.
 */
class AbortWatch {
  readonly #requests: Abortable[] = [];

  constructor(signal: AbortSignal) {
    signal.addEventListener('abort', () => {
      for (const request of this.#requests.splice(0)) request.abort(signal.reason);
    });
  }

  add(request: Abortable): void {
    this.#requests.push(request);
  }

  delete(request: Abortable): void {
    const at = this.#requests.indexOf(request);
    const last = at === -1 ? undefined : this.#requests.pop();
    if (last !== undefined && last !== request) this.#requests[at] = last;
  }
}

const watches = new WeakMap<AbortSignal, AbortWatch>();

/**
 * The watch of a signal that is not aborted yet. It must not be one of `AbortSignal.any`: such a signal is never released
 * while something listens to it.
 */
export function watchOf(signal: AbortSignal): AbortWatch {
  let watch = watches.get(signal);
  if (watch === undefined) {
    watch = new AbortWatch(signal);
    watches.set(signal, watch);
  }
  return watch;
}

/** What a request expects, and what is called with its outcome. */
export interface ReceptionOptions<T> {
  readonly limit: SizeLimit;
  /** Seconds from the call to the last byte. */
  readonly timeout: number;
  readonly signal: AbortSignal;
  /** Called when a body that can be decoded begins. */
  readonly open: () => IncomingAnswer<T>;
  /** The failure that a status other than 200 means. */
  readonly refuseStatus: (status: number, headers: IncomingHeaders) => QueryError;
  /** Called with the headers of an answer with status 200, before its body. */
  readonly onHeaders?: (headers: IncomingHeaders) => void;
  /** Called once, before the promise settles. */
  readonly onOutcome: (bytes: number, failure: QueryError | undefined) => void;
}

/** Error codes of a connection that ends during an answer. */
const cutCodes: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'ECONNRESET']);

/** A longer body of a status other than 200 is not read: the connection is closed instead. Bytes. */
const DRAIN_LIMIT = 64 * 1024;

/** First bytes of a body that are kept, to recognise what it is if it is refused. */
const HEAD = 1024;

/** Anything but a `QueryError` is a problem of the decoder, and no reason to look for one in the network. */
const decodingFailure = (error: unknown): QueryError =>
  error instanceof QueryError ? error : new QueryError('parse', 'decoding the answer failed', { cause: error });

/**
 * Receives the answer to one request, and passes its body to the decoder chunk by chunk. It checks the size. If the body is
 * refused, here or by the decoder, the connection is closed and the rest is not read.
 *
 * It is one object for each request, without a stream between the socket and the decoder: a stream and its iterator cost more
 * than a small answer.
 */
export class Reception<T> implements Dispatcher.DispatchHandler, Abortable {
  readonly answer: Promise<T>;
  readonly #options: ReceptionOptions<T>;
  #resolve!: (answer: T) => void;
  #reject!: (failure: QueryError) => void;
  #timer: NodeJS.Timeout | undefined;
  /** When the answer must be complete, milliseconds of the monotonic clock. */
  #deadline: number;
  #pausedAt: number | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #incoming: IncomingAnswer<T> | undefined;
  #toUtf8: ReturnType<typeof toUtf8>;
  #status = 0;
  #headers: IncomingHeaders = {};
  #head: Buffer = Buffer.alloc(0);
  #announced = 0;
  #bytes = 0;
  #drained = 0;
  #isSettled = false;

  constructor(options: ReceptionOptions<T>) {
    this.#options = options;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const { signal, timeout } = options;
    this.#deadline = performance.now() + timeout * 1000;
    this.#arm();
    if (signal.aborted) this.abort(signal.reason);
    else watchOf(signal).add(this);
  }

  /** Whether there is nothing more to do. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** The caller's signal was aborted. */
  abort(reason: unknown): void {
    this.#stop(reason instanceof QueryError ? reason : new QueryError('aborted', 'the request was canceled'));
  }

  #arm(): void {
    this.#timer = setTimeout(() => this.#timeOut(), Math.max(0, this.#deadline - performance.now()));
  }

  #timeOut(): void {
    this.#stop(new QueryError('timeout', `the analyzer did not answer within ${this.#options.timeout} s`));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isSettled) controller.abort(new QueryError('aborted', 'the request was canceled'));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHeaders): void {
    this.#status = status;
    this.#headers = headers;
    this.#announced = Number(headers['content-length'] ?? 0);
    if (status !== 200) {
      if (this.#announced > DRAIN_LIMIT) this.#stop(this.#options.refuseStatus(status, headers));
      return;
    }
    const encoding = String(headers['content-encoding'] ?? '').trim();
    if (!/^(identity)?$/i.test(encoding)) {
      this.#stop(answerFault('ANSWER_COMPRESSED', 'by its Content-Encoding'));
      return;
    }
    this.#toUtf8 = toUtf8(headers['content-type']);
    this.#options.onHeaders?.(headers);
    this.#incoming = this.#options.open();
    this.#incoming.result.then(
      (answer) => this.#succeed(answer),
      (error: unknown) => this.#stop(decodingFailure(error)),
    );
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    // undici passes an empty chunk when reading is resumed
    if (this.#isSettled || chunk.byteLength === 0) return;
    if (this.#status !== 200) {
      this.#drained += chunk.byteLength;
      if (this.#drained > DRAIN_LIMIT) this.#stop(this.#options.refuseStatus(this.#status, this.#headers));
      return;
    }
    const { limit } = this.#options;
    this.#bytes += chunk.byteLength;
    // the decoder takes over the memory of the chunk
    if (this.#head.length < HEAD) this.#head = Buffer.concat([this.#head, chunk.subarray(0, HEAD - this.#head.length)]);
    if (Math.max(this.#bytes, this.#announced) > limit.size) {
      this.#stop(refuse(this.#head, 'ANSWER_TOO_LARGE', `limit of ${limit.source}: ${limit.size} bytes`));
      return;
    }
    const drained = this.#incoming?.write(this.#toUtf8?.(chunk) ?? chunk);
    if (drained !== undefined) this.#pauseUntil(drained);
  }

  /** The decoder has enough bytes. The time until it has decoded them is not that of the analyzer. */
  #pauseUntil(drained: Promise<void>): void {
    if (this.#pausedAt !== undefined) return;
    clearTimeout(this.#timer);
    this.#pausedAt = performance.now();
    this.#controller?.pause();
    void drained.then(() => {
      const paused = performance.now() - (this.#pausedAt ?? 0);
      this.#pausedAt = undefined;
      if (this.#isSettled || this.#controller === undefined) return;
      this.#deadline += paused;
      this.#arm();
      this.#controller.resume();
    });
  }

  onResponseEnd(): void {
    if (this.#isSettled) return;
    // Timeout and deadline are for the analyzer; decoding takes as long as it takes. A caller that leaves waits too, and keeps
    // its place in a queue: otherwise panels that are canceled again and again would fill the memory of the decoder.
    this.#disarm();
    if (this.#status !== 200) this.#fail(this.#options.refuseStatus(this.#status, this.#headers));
    this.#controller = undefined;
    const rest = this.#toUtf8?.(undefined);
    if (rest !== undefined && rest.length > 0) this.#incoming?.write(rest);
    this.#incoming?.end();
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#isSettled) return;
    this.#controller = undefined;
    this.#stop(this.#failureOf(error));
  }

  #failureOf(error: Error): QueryError {
    if (this.#status !== 200 && this.#status !== 0) return this.#options.refuseStatus(this.#status, this.#headers);
    const { code } = error as { code?: unknown };
    if (this.#status === 0 || !cutCodes.has(code)) return toQueryError(error);
    return answerFault('ANSWER_CUT', `after ${this.#bytes} bytes, ${code}`, error);
  }

  /** Fails before the end of the body: the connection is closed, and the decoder needs no more bytes. */
  #stop(failure: QueryError): void {
    if (this.#isSettled) return;
    this.#fail(failure);
    this.#controller?.abort(failure);
    this.#incoming?.abort();
  }

  #fail(failure: QueryError): void {
    this.#isSettled = true;
    this.#disarm();
    this.#options.onOutcome(this.#bytes, failure);
    this.#reject(failure);
  }

  #succeed(answer: T): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#disarm();
    this.#options.onOutcome(this.#bytes, undefined);
    this.#resolve(answer);
  }

  #disarm(): void {
    clearTimeout(this.#timer);
    watchOf(this.#options.signal).delete(this);
  }
}
