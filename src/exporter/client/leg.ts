import type { Dispatcher } from 'undici';
import { errors } from 'undici';
import { NtlmError } from '../../base/ntlm/errors.ts';
import { answerFault } from '../inventory/decoding/answer-faults.ts';
import type { RequestController } from './pending-request.ts';

type Headers = Record<string, string | string[]>;

/** One HTTP request on a connection. */
export interface Leg {
  readonly path: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: Dispatcher.DispatchOptions['body'];
  readonly headersTimeout?: number | null | undefined;
  readonly bodyTimeout?: number | null | undefined;
}

/** What to do with a response, decided by its status line and headers. */
export type Disposition = 'deliver' | 'drain';

/** Takes the answer to one request on the wire, which can be a part of a logon. */
export interface LegListener {
  /** Called with the final status line. */
  readonly onResponse: (status: number, headers: IncomingHeaders) => Disposition;
  /** The caller. Without a caller, every response is drained and the exchange cannot be aborted. */
  readonly caller?: {
    /** Receives a delivered response. */
    readonly sink: Dispatcher.DispatchHandler;
    /** The caller's view of the request, passed to the sink. It can abort the leg. */
    readonly controller: RequestController;
  };
}

/** Header fields of an answer, their names in lower case. */
export type IncomingHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** How an exchange ended. Only status and headers of a drained response are used. */
export type LegOutcome =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly headers: IncomingHeaders;
      readonly delivered: boolean;
    }
  /** `delivering`: the caller's handler already has the status line. `sent`: the request may have reached the server. */
  | { readonly kind: 'lost'; readonly error: Error; readonly delivering: boolean; readonly sent: boolean };

/** Maximum size of a drained response, bytes. */
const DRAIN_LIMIT = 1024 * 1024;

/** Default time limit for the body of a drained response, milliseconds. A slow response might never end. */
const DRAIN_MS = 30_000;

/** A request on the wire in the form of undici. */
export function dispatchOptions(leg: Leg): Dispatcher.DispatchOptions {
  const { path, method, headers, body = null, headersTimeout = null, bodyTimeout = null } = leg;
  // null is the timeout of the client; a request that blocks would let none be sent behind it
  return { path, method, headers, body, headersTimeout, bodyTimeout, blocking: false };
}

/** The connection that an exchange uses. */
interface Carrier {
  /** Whether it was ever connected. */
  readonly wasOpen: boolean;
  /** Number of successful exchanges. */
  served: number;
}

const TWO_LENGTHS = 'two headers Content-Length, or one beside Transfer-Encoding';

/**
 * Before the headers are complete, that is what undici says of headers that are refused after a Content-Length. Later, it is a body
 * that ends too early.
 */
const isLengthMismatch = (error: Error): boolean =>
  (error as NodeJS.ErrnoException).code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';

/** One request on a connection, from its first byte to its outcome. It is an object and not closures, because it is created for each call. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #carrier: Carrier;
  readonly #leg: Leg;
  readonly #listener: LegListener;
  readonly #resolve: (outcome: LegOutcome) => void;
  #status = 0;
  #headers: IncomingHeaders = {};
  #disposition: Disposition = 'drain';
  #drained = 0;
  #drainTimer: NodeJS.Timeout | undefined;

  constructor(carrier: Carrier, leg: Leg, listener: LegListener, resolve: (outcome: LegOutcome) => void) {
    this.#carrier = carrier;
    this.#leg = leg;
    this.#listener = listener;
    this.#resolve = resolve;
  }

  onRequestStart(own: Dispatcher.DispatchController): void {
    this.#listener.caller?.controller.follow(own);
  }

  onResponseStart(
    own: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHeaders,
    statusMessage?: string,
  ): void {
    if (status < 200) return;
    const { caller, onResponse } = this.#listener;
    this.#status = status;
    this.#headers = headers;
    this.#disposition = onResponse(status, headers);
    if (this.#disposition === 'drain') {
      const giveUp = (): void => own.abort(new errors.BodyTimeoutError());
      this.#drainTimer = setTimeout(giveUp, this.#leg.bodyTimeout || DRAIN_MS).unref();
      return;
    }
    if (caller === undefined) return;
    caller.controller.rawHeaders = own.rawHeaders ?? null;
    caller.sink.onResponseStart?.(caller.controller, status, headers, statusMessage);
  }

  onResponseData(own: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#disposition === 'deliver') {
      const { caller } = this.#listener;
      caller?.sink.onResponseData?.(caller.controller, chunk);
      return;
    }
    this.#drained += chunk.length;
    if (this.#drained > DRAIN_LIMIT) {
      own.abort(new NtlmError('NTLM_CHALLENGE_INVALID', 'the answer to a logon is larger than 1 MiB'));
    }
  }

  onResponseEnd(own: Dispatcher.DispatchController, trailers: IncomingHeaders): void {
    const { caller } = this.#listener;
    clearTimeout(this.#drainTimer);
    caller?.controller.follow(undefined);
    this.#carrier.served += 1;
    const delivered = this.#disposition === 'deliver';
    if (delivered && caller !== undefined) {
      caller.controller.rawTrailers = own.rawTrailers ?? null;
      caller.sink.onResponseEnd?.(caller.controller, trailers);
    }
    this.#resolve({ kind: 'response', status: this.#status, headers: this.#headers, delivered });
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    clearTimeout(this.#drainTimer);
    this.#listener.caller?.controller.follow(undefined);
    const hasBadLengths = this.#status === 0 && isLengthMismatch(error);
    const failure = hasBadLengths ? answerFault('ANSWER_TWO_LENGTHS', TWO_LENGTHS, error) : error;
    const delivering = this.#status !== 0 && this.#disposition === 'deliver';
    const unsent = error instanceof NtlmError && error.code === 'NTLM_CONNECTION_CLOSED';
    this.#resolve({ kind: 'lost', error: failure, delivering, sent: !unsent && this.#carrier.wasOpen });
  }
}
