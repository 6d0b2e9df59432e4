import { type buildConnector, Client, type Dispatcher, errors } from 'undici';
import { NtlmError } from '../ntlm/errors.ts';

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

export interface LegListener {
  /** Called with the final status line. */
  readonly onResponse: (status: number, headers: IncomingHeaders) => Disposition;
  /** The caller. Without a caller, every response is drained and the exchange cannot be aborted. */
  readonly caller?: {
    /** Receives a delivered response. */
    readonly sink: Dispatcher.DispatchHandler;
    /** Receives the controller that aborts the leg. */
    readonly onStart: (controller: Dispatcher.DispatchController) => void;
    /** The caller's view of the request, passed to the sink. */
    readonly controller: Dispatcher.DispatchController;
  };
}

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

export interface ConnectionOptions {
  readonly origin: string;
  readonly connect: buildConnector.connector;
  readonly client: Client.Options;
  readonly onSocket: () => void;
  readonly onClose: (connection: Connection) => void;
  /** Generation of the credentials at the time of opening. */
  readonly generation: number;
}

/**
 * A connection has one socket for its whole life, and so one NTLM context. The undici client behind it may connect only
 * once: a socket that is silently replaced could carry half a handshake or an unauthenticated request.
 */
export class Connection {
  /** `open`: the server did not ask for a logon. */
  state: 'new' | 'open' | 'authenticated' = 'new';
  busy = false;
  /** Whether it was ever connected. */
  wasOpen = false;
  closed = false;
  /** Whether it takes no further requests. */
  isRetiring = false;
  /** Number of successful exchanges. */
  served = 0;
  requestsSinceLogon = 0;
  /** Consecutive logons that served at most one request. */
  shortLogons = 0;
  readonly generation: number;
  #isTls = false;
  #certificate: Buffer | undefined;
  readonly #client: Client;

  constructor(options: ConnectionOptions) {
    this.generation = options.generation;
    let connected = false;
    this.#client = new Client(options.origin, {
      ...options.client,
      pipelining: 1,
      allowH2: false,
      connect: (target: buildConnector.Options, callback: buildConnector.Callback): void => {
        if (connected) {
          callback(new NtlmError('NTLM_CONNECTION_CLOSED', 'the connection is closed'), null);
          return;
        }
        connected = true;
        options.connect(target, (...[error, socket]: buildConnector.CallbackArgs) => {
          if (error !== null) {
            callback(error, null);
            return;
          }
          this.wasOpen = true;
          if ('getPeerCertificate' in socket) {
            this.#isTls = true;
            // a closed socket no longer has a certificate
            this.#certificate = socket.getPeerCertificate()?.raw;
          }
          options.onSocket();
          socket.once('close', () => {
            this.closed = true;
            options.onClose(this);
          });
          callback(null, socket);
        });
      },
    });
  }

  /** DER of the server's certificate; `undefined` without TLS. @throws NtlmError when it cannot be read */
  certificate(): Buffer | undefined {
    if (this.#isTls && this.#certificate === undefined) {
      throw new NtlmError(
        'NTLM_CHALLENGE_INVALID',
        'the server certificate, which channel binding needs, cannot be read',
      );
    }
    return this.#certificate;
  }

  /** Sends one request and resolves when the exchange is over. Never rejects. */
  exchange(leg: Leg, listener: LegListener): Promise<LegOutcome> {
    return new Promise((resolve) => {
      const { caller } = listener;
      let response: { status: number; headers: IncomingHeaders } | undefined;
      let disposition: Disposition = 'drain';
      let drained = 0;
      let drainTimer: NodeJS.Timeout | undefined;
      const lost = (error: Error): void => {
        clearTimeout(drainTimer);
        const delivering = response !== undefined && disposition === 'deliver';
        const unsent = error instanceof NtlmError && error.code === 'NTLM_CONNECTION_CLOSED';
        resolve({ kind: 'lost', error, delivering, sent: !unsent && this.wasOpen });
      };
      this.#client.dispatch(
        {
          path: leg.path,
          method: leg.method,
          headers: leg.headers,
          body: leg.body ?? null,
          ...(leg.headersTimeout !== undefined && { headersTimeout: leg.headersTimeout }),
          ...(leg.bodyTimeout !== undefined && { bodyTimeout: leg.bodyTimeout }),
        },
        {
          onRequestStart: (own) => caller?.onStart(own),
          onResponseStart: (own, status, headers, statusMessage) => {
            if (status < 200) return;
            response = { status, headers };
            disposition = listener.onResponse(status, headers);
            if (disposition === 'drain') {
              const giveUp = (): void => own.abort(new errors.BodyTimeoutError());
              drainTimer = setTimeout(giveUp, leg.bodyTimeout || DRAIN_MS).unref();
            }
            if (disposition === 'drain' || caller === undefined) return;
            caller.controller.rawHeaders = own.rawHeaders ?? null;
            caller.sink.onResponseStart?.(caller.controller, status, headers, statusMessage);
          },
          onResponseData: (own, chunk) => {
            if (disposition === 'deliver') {
              caller?.sink.onResponseData?.(caller.controller, chunk);
              return;
            }
            drained += chunk.length;
            if (drained > DRAIN_LIMIT) {
              own.abort(new NtlmError('NTLM_CHALLENGE_INVALID', 'the answer to a logon is larger than 1 MiB'));
            }
          },
          onResponseEnd: (own, trailers) => {
            clearTimeout(drainTimer);
            this.served += 1;
            const delivered = disposition === 'deliver';
            if (delivered && caller !== undefined) {
              caller.controller.rawTrailers = own.rawTrailers ?? null;
              caller.sink.onResponseEnd?.(caller.controller, trailers);
            }
            const { status = 0, headers = {} } = response ?? {};
            resolve({ kind: 'response', status, headers, delivered });
          },
          onResponseError: (_own, error) => lost(error),
        },
      );
    });
  }

  destroy(): void {
    this.closed = true;
    this.#client.destroy().catch(() => undefined);
  }
}
