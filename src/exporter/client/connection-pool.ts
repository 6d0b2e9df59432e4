import { buildConnector, type Client } from 'undici';
import { Connection } from './connection.ts';

/** How connections to one origin are opened, and how many there may be. */
export interface ConnectionPoolOptions {
  readonly origin: string;
  /** Maximum number of connections. */
  readonly connections?: number;
  /** Milliseconds. */
  readonly keepAliveTimeout?: number;
  readonly connectTimeout?: number;
  readonly headersTimeout?: number;
  readonly bodyTimeout?: number;
  /** Asked for each connection. */
  readonly tls?: () => {
    readonly ca?: string | Buffer;
    readonly cert?: string | Buffer;
    readonly key?: string | Buffer;
    readonly servername?: string;
    readonly rejectUnauthorized?: boolean;
  };
}

const KEEP_ALIVE_MS = 120_000;

/**
 * After this idle time the system asks the other end whether it is there, each second, milliseconds. Firewalls forget connections
 * after 30 seconds or more: they see that it is used. One that is dead all the same is noticed ten seconds later.
 */
const TCP_KEEP_ALIVE_MS = 15_000;

/** A connection is not reused this long before the server's announced keep-alive ends, milliseconds. */
const KEEP_ALIVE_MARGIN_MS = 300;

/** What the pool goes by. */
interface PoolState {
  /** Generation of the credentials; connections of another generation are no longer used. */
  generation(): number;
  /** A connection that was idle for this long is not used again, milliseconds. */
  idleLimit(): number;
  /** Milliseconds of the steady clock. */
  now(): number;
  /** Called for each socket that is opened. */
  onSocket(): void;
}

/** The connections to one server. A connection that is not busy can take a request. */
export class ConnectionPool {
  readonly #options: ConnectionPoolOptions;
  readonly #state: PoolState;
  readonly #connect: buildConnector.connector;
  readonly #connections = new Set<Connection>();
  /** Extra connections that wait for the verdict of a logon. The logon budget limits their number. */
  readonly #setAside = new Set<Connection>();

  constructor(options: ConnectionPoolOptions, state: PoolState) {
    this.#options = options;
    this.#state = state;
    this.#connect = (target, callback) =>
      buildConnector({
        ...options.tls?.(),
        allowH2: false,
        // a resumed TLS session has no certificate, which channel binding needs
        maxCachedSessions: 0,
        keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
        timeout: options.connectTimeout ?? 10_000,
      })(target, callback);
  }

  /** Opens a connection outside the pool. */
  create(): Connection {
    const { origin, keepAliveTimeout = KEEP_ALIVE_MS, headersTimeout, bodyTimeout } = this.#options;
    const client: Client.Options = {
      keepAliveTimeout,
      keepAliveMaxTimeout: keepAliveTimeout,
      keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
      ...(headersTimeout !== undefined && { headersTimeout }),
      ...(bodyTimeout !== undefined && { bodyTimeout }),
    };
    return new Connection({
      origin,
      connect: this.#connect,
      client,
      generation: this.#state.generation(),
      onSocket: () => this.#state.onSocket(),
      onClose: (closed) => {
        if (!closed.busy) this.drop(closed);
      },
    });
  }

  get isFull(): boolean {
    return this.#connections.size >= (this.#options.connections ?? 4);
  }

  /** Opens a connection, unless the maximum is reached. */
  open(): Connection | undefined {
    if (this.isFull) return undefined;
    const connection = this.create();
    this.#connections.add(connection);
    return connection;
  }

  has(connection: Connection): boolean {
    return this.#connections.has(connection);
  }

  add(connection: Connection): void {
    this.#setAside.delete(connection);
    this.#connections.add(connection);
  }

  /** Keeps the connection open without using it for requests. Another one can be opened instead. */
  setAside(connection: Connection): void {
    this.#connections.delete(connection);
    this.#setAside.add(connection);
  }

  isSetAside(connection: Connection): boolean {
    return this.#setAside.has(connection);
  }

  /** Returns a connection that can take a request. */
  free(): Connection | undefined {
    const { generation, idleLimit, now } = this.#state;
    let free: Connection | undefined;
    for (const connection of this.#connections) {
      if (connection.busy) continue;
      connection.idleMs = now() - (connection.idleSince ?? now());
      if (connection.generation === generation() && connection.idleMs < idleLimit()) free = connection;
      else this.drop(connection);
    }
    return free;
  }

  get isAnyBusy(): boolean {
    return [...this.#connections].some(({ busy }) => busy);
  }

  /** Marks a connection as no longer busy, and keeps it if it can be reused. */
  release(connection: Connection, isOfUse: boolean): void {
    connection.busy = false;
    connection.idleSince = this.#state.now();
    const isCurrent = connection.generation === this.#state.generation() && !connection.isRetiring;
    if (!isOfUse || connection.closed || !isCurrent) this.drop(connection);
  }

  drop(connection: Connection): void {
    this.#connections.delete(connection);
    this.#setAside.delete(connection);
    connection.destroy();
  }

  dropIdle(): void {
    for (const connection of this.#connections) if (!connection.busy) this.drop(connection);
  }

  /** Closes every connection. Busy ones are closed when they are done. */
  retire(): void {
    this.dropIdle();
    for (const connection of this.#connections) connection.isRetiring = true;
  }

  destroy(): void {
    for (const connection of [...this.#connections, ...this.#setAside]) this.drop(connection);
  }
}
