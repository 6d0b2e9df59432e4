import { type buildConnector, Client, type Dispatcher, errors } from 'undici';
import { NtlmError } from '../ntlm/errors.ts';

type Headers = Record<string, string | string[]>;

/** One HTTP exchange of a connection. */
export interface Leg {
  readonly path: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: Dispatcher.DispatchOptions['body'];
  readonly headersTimeout?: number | null | undefined;
  readonly bodyTimeout?: number | null | undefined;
}

/** What becomes of a response, decided by its status line and headers. */
export type Disposition = 'deliver' | 'drain';

export interface LegListener {
  /** Called with the final status line. */
  readonly onResponse: (status: number, headers: IncomingHeaders) => Disposition;
  /** Whose request it is; without one every response is drained, and it cannot be aborted. */
  readonly caller?: {
    /** Takes a delivered response. */
    readonly sink: Dispatcher.DispatchHandler;
    /** Gets what aborts the leg. */
    readonly onStart: (controller: Dispatcher.DispatchController) => void;
    /** The caller's view of the request, handed to the sink. */
    readonly controller: Dispatcher.DispatchController;
  };
}

export type IncomingHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** How an exchange ended. A drained response is there for its status and headers only. */
export type LegOutcome =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly headers: IncomingHeaders;
      readonly delivered: boolean;
    }
  /** `delivering`: the caller's handler already has the status line. `sent`: the request may have reached the server. */
  | { readonly kind: 'lost'; readonly error: Error; readonly delivering: boolean; readonly sent: boolean };

/** Bytes of a drained answer, at most. */
const DRAIN_LIMIT = 1024 * 1024;

/** Milliseconds a drained answer may take after its status line, where no limit is given: one that drips never ends. */
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
 * One socket for its whole life, and so one NTLM context: the client behind it may connect once. A socket that was
 * silently replaced could carry half a handshake or an unauthenticated request.
 */
export class Connection {
  /** `open`: the server did not ask for a logon. */
  state: 'new' | 'open' | 'authenticated' = 'new';
  busy = false;
  /** Whether it was ever connected. */
  wasOpen = false;
  closed = false;
  /** Whether it serves nothing after what it is serving. */
  isRetiring = false;
  /** Exchanges that ended well. */
  served = 0;
  requestsSinceLogon = 0;
  /** Logons in a row that served one request at most. */
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
            // a socket that was closed has none any more
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
        'the certificate of the server cannot be read to bind the logon to it',
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
