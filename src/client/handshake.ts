import type { Dispatcher } from 'undici';
import { type Challenge, type NtlmScheme, parseChallenges } from '../ntlm/challenges.ts';
import { authenticate, decodeToken, negotiate } from '../ntlm/client-codec.ts';
import type { CredentialGate, Permit } from '../ntlm/credential-gate.ts';
import { NtlmError } from '../ntlm/errors.ts';
import type { Connection, Disposition, IncomingHeaders, Leg, LegOutcome } from './connection.ts';
import { isReplayable, isSafe, type Job } from './job.ts';

/** Counters since the start. */
export interface NtlmStats {
  sockets: number;
  handshakes: number;
  requests: number;
  roundTrips: number;
  reauthentications: number;
  rejected: number;
  staleRetries: number;
}

export function createStats(): NtlmStats {
  return { sockets: 0, handshakes: 0, requests: 0, roundTrips: 0, reauthentications: 0, rejected: 0, staleRetries: 0 };
}

/** What a server was found to want; shared by the connections to it. */
export interface ServerTraits {
  scheme: NtlmScheme;
  /** Epoch milliseconds until which every request starts with a logon; 0 when connections stay authenticated. */
  perRequestUntil: number;
}

/** How serving a request on a connection ended. After anything but `delivered` the connection is of no use. */
export type Served =
  | { readonly kind: 'delivered' }
  /** The connection was lost in a way that a fresh one may mend. */
  | { readonly kind: 'retry'; readonly sent: boolean; readonly error: Error; readonly reported: false }
  /** `reported`: the caller's handler has been told already. */
  | { readonly kind: 'failed'; readonly error: Error; readonly reported: boolean };

export interface HandshakeOptions {
  readonly gate: CredentialGate;
  readonly traits: ServerTraits;
  readonly stats: NtlmStats;
  /** Host name of the origin. */
  readonly host: string;
  readonly now: () => number;
  /** Called when the server is first seen to want a logon for each request. */
  readonly onPerRequest: () => void;
}

/** Per-request servers are asked again after this long whether they still are. */
const REPROBE_MS = 3_600_000;

/** Servers forget a challenge after a while, and an answer to a forgotten one counts as a rejected logon. */
const CHALLENGE_FRESH_MS = 5_000;

const DELIVERED: Served = { kind: 'delivered' };
const failed = (error: Error, reported = false): Served => ({ kind: 'failed', error, reported });

/** Errors that say by themselves what happened; anything else inside a handshake is a lost connection. */
function passesThrough(error: Error): boolean {
  const { code } = error as { code?: string };
  return (
    error.name === 'AbortError' ||
    (error instanceof NtlmError && error.code !== 'NTLM_CONNECTION_CLOSED') ||
    (code?.startsWith('UND_ERR_') === true && code !== 'UND_ERR_SOCKET')
  );
}

const isLost = (error: Error): boolean => {
  const { code } = error as { code?: string };
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'NTLM_CONNECTION_CLOSED'].includes(code ?? '');
};

/** Serves requests on pinned connections, logging on where the server asks for it. */
export class Handshake {
  readonly #options: HandshakeOptions;

  constructor(options: HandshakeOptions) {
    this.#options = options;
  }

  async serve(connection: Connection, job: Job): Promise<Served> {
    try {
      this.#options.gate.check();
      const { traits, now } = this.#options;
      if (connection.state === 'new' || now() < traits.perRequestUntil) return await this.#logOn(connection, job);
      return await this.#serveKnown(connection, job);
    } catch (error) {
      return failed(error as Error);
    }
  }

  /** A request on a connection that is authenticated, or on which the server did not ask. */
  async #serveKnown(connection: Connection, job: Job): Promise<Served> {
    let again = false;
    const outcome = await this.#send(connection, job, job.headers, job.options.body, (status, headers) => {
      again = status === 401 && offers(headers).length > 0;
      return again ? 'drain' : 'deliver';
    });
    if (outcome.kind === 'lost') return this.#lostOutside(outcome, job);
    if (!again) {
      connection.requestsSinceLogon += 1;
      this.#learn(outcome.headers);
      return DELIVERED;
    }
    this.#options.stats.reauthentications += 1;
    connection.reauthentications += 1;
    // a logon that did not outlive its own request, twice in a row or at the first chance, is one per request
    if (connection.requestsSinceLogon === 0 && connection.state === 'authenticated') this.#perRequest();
    else if (connection.reauthentications > 1) this.#perRequest();
    if (!isReplayable(job)) {
      return failed(
        new NtlmError('NTLM_BODY_NOT_REPLAYABLE', 'the server asks for a new logon, and the body cannot be sent again'),
      );
    }
    return this.#logOn(connection, job);
  }

  /** NEGOTIATE, CHALLENGE, AUTHENTICATE, the last with the request itself. */
  async #logOn(connection: Connection, job: Job): Promise<Served> {
    const { gate } = this.#options;
    const { signal } = job.controller;
    // while nothing is known, one connection finds out for all
    let permit = gate.state === 'unknown' ? await gate.acquire(signal) : undefined;
    try {
      for (;;) {
        const negotiated = await this.#negotiate(connection, job, permit);
        if ('kind' in negotiated) return negotiated;
        if (permit === undefined) {
          const asked = this.#options.now();
          permit = await gate.acquire(signal);
          if (this.#options.now() - asked > CHALLENGE_FRESH_MS) continue;
        }
        return await this.#authenticate(connection, job, negotiated, permit);
      }
    } finally {
      permit?.release();
    }
  }

  /** Sends NEGOTIATE; gives the challenge, or how the request ended without one. */
  async #negotiate(
    connection: Connection,
    job: Job,
    permit: Permit | undefined,
  ): Promise<{ scheme: NtlmScheme; sent: Buffer; challenge: Buffer } | Served> {
    const { traits } = this.#options;
    for (;;) {
      const { scheme } = traits;
      const message = negotiate();
      const outcome = await this.#send(
        connection,
        job,
        { ...withoutBody(job), authorization: `${scheme} ${message.toString('base64')}` },
        null,
        (status) => {
          if (status !== 401) permit?.release(false);
          return status === 401 || !isSafe(job) ? 'drain' : 'deliver';
        },
      );
      if (outcome.kind === 'lost') return this.#lostInside(outcome, connection, job, true);
      if (outcome.status !== 401) {
        connection.state = 'open';
        connection.requestsSinceLogon += 1;
        return outcome.delivered ? DELIVERED : this.#serveKnown(connection, job);
      }
      const offered = offers(outcome.headers);
      const token = offered.find((offer) => offer.scheme === scheme)?.token ?? offered.find((o) => o.token)?.token;
      if (token !== undefined) return { scheme, sent: message, challenge: decodeToken(token) };
      if (offered.length === 0) {
        return failed(new NtlmError('NTLM_NOT_OFFERED', 'the server asks for a logon, but offers no NTLM'));
      }
      if (connection.state !== 'new') {
        // some servers refuse a second logon on an established connection
        const error = new NtlmError('NTLM_CHALLENGE_MISSING', 'the server refuses a new logon on this connection');
        return { kind: 'retry', sent: false, error, reported: false };
      }
      if (scheme === 'NTLM' && !offered.some((offer) => offer.scheme === 'NTLM')) traits.scheme = 'Negotiate';
      else return failed(new NtlmError('NTLM_CHALLENGE_MISSING', 'the server offers NTLM, but sends no challenge'));
    }
  }

  async #authenticate(
    connection: Connection,
    job: Job,
    { scheme, sent, challenge }: { scheme: NtlmScheme; sent: Buffer; challenge: Buffer },
    permit: Permit,
  ): Promise<Served> {
    const { gate, host, stats } = this.#options;
    const certificate = connection.certificate();
    const message = authenticate(challenge, gate.credentials, {
      negotiate: sent,
      host,
      ...(certificate !== undefined && { certificate }),
    });
    let rejection: NtlmError | undefined;
    const outcome = await this.#send(
      connection,
      job,
      { ...job.headers, authorization: `${scheme} ${message.toString('base64')}` },
      job.options.body,
      (status) => {
        // the verdict is the status line: others need not wait for the body
        if (status === 401) {
          rejection = permit.rejected();
          return 'drain';
        }
        permit.accepted();
        connection.state = 'authenticated';
        connection.requestsSinceLogon = 0;
        stats.handshakes += 1;
        return 'deliver';
      },
    );
    if (rejection !== undefined) {
      stats.rejected += 1;
      return failed(rejection);
    }
    if (outcome.kind === 'lost') {
      if (outcome.sent && !outcome.delivering) permit.lost();
      return this.#lostInside(outcome, connection, job, !outcome.sent);
    }
    this.#learn(outcome.headers);
    return DELIVERED;
  }

  #send(
    connection: Connection,
    job: Job,
    headers: Leg['headers'],
    body: Dispatcher.DispatchOptions['body'],
    onResponse: (status: number, headers: IncomingHeaders) => Disposition,
  ): Promise<LegOutcome> {
    const { options, controller, handler, path } = job;
    this.#options.stats.roundTrips += 1;
    const { method, headersTimeout, bodyTimeout } = options;
    return connection.exchange(
      { path, method, headers, body, headersTimeout, bodyTimeout },
      { onResponse, sink: handler, onStart: (leg) => controller.follow(leg), controller },
    );
  }

  #lostOutside(outcome: LegOutcome & { kind: 'lost' }, job: Job): Served {
    const { error, delivering, sent } = outcome;
    if (delivering) {
      job.handler.onResponseError?.(job.controller, error);
      return failed(error, true);
    }
    return isLost(error) ? { kind: 'retry', sent, error, reported: false } : failed(error);
  }

  /** `again`: nothing of a logon was spent, so a fresh connection may be tried if this one had worked before. */
  #lostInside(outcome: LegOutcome & { kind: 'lost' }, connection: Connection, job: Job, again: boolean): Served {
    const { error, delivering } = outcome;
    if (delivering) return this.#lostOutside(outcome, job);
    // a connection that was never made is no handshake
    if (passesThrough(error) || !connection.isOpen) return failed(error);
    const lost = new NtlmError('NTLM_CONNECTION_LOST', 'the connection was lost during the logon', { cause: error });
    const mayRetry = again && connection.served > 0 && isLost(error);
    return mayRetry ? { kind: 'retry', sent: false, error: lost, reported: false } : failed(lost);
  }

  /** MS-N2HT: the header on a final response says whether the connection stays authenticated. */
  #learn(headers: IncomingHeaders): void {
    if (String(headers['persistent-auth'] ?? '').toLowerCase() === 'false') this.#perRequest();
  }

  #perRequest(): void {
    const { traits, now, onPerRequest } = this.#options;
    if (traits.perRequestUntil === 0) onPerRequest();
    traits.perRequestUntil = now() + REPROBE_MS;
  }
}

function offers(headers: IncomingHeaders): Challenge[] {
  return parseChallenges(headers['www-authenticate']);
}

/** The headers of the first leg, which carries no body. */
function withoutBody(job: Job): Record<string, string | string[]> {
  if (isSafe(job)) return job.headers;
  const dropped = ['content-type', 'content-encoding', 'transfer-encoding', 'content-length'];
  const kept = Object.entries(job.headers).filter(([name]) => !dropped.includes(name.toLowerCase()));
  return { ...Object.fromEntries(kept), 'content-length': '0' };
}
