import { type buildConnector, Client } from 'undici';
import { NtlmError } from '../../base/ntlm/errors.ts';
import { dispatchOptions, Exchange, type Leg, type LegListener, type LegOutcome } from './leg.ts';

/** What a connection needs to open its socket. */
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
  /** When it was released last, milliseconds of the steady clock; `undefined` before. */
  idleSince: number | undefined;
  /** How long it was idle before the request that it serves, milliseconds. */
  idleMs = 0;
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
      this.#client.dispatch(dispatchOptions(leg), new Exchange(this, leg, listener, resolve));
    });
  }

  /**
   * Sends a request behind the one that has no answer yet. If that answer was lost, the first one that arrives counts for
   * the wrong request. Until both are answered, the connection is therefore of no use for others.
   */
  async exchangeBehind(leg: Leg): Promise<LegOutcome> {
    this.isRetiring = true;
    this.#client.pipelining = 2;
    const outcome = await this.exchange(leg, { onResponse: () => 'drain' });
    this.#client.pipelining = 1;
    this.isRetiring = outcome.kind === 'lost';
    return outcome;
  }

  destroy(): void {
    this.closed = true;
    this.#client.destroy().catch(() => undefined);
  }
}
