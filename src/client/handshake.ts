import type { NtlmScheme } from '../ntlm/challenges.ts';
import { authenticate, decodeToken, negotiate } from '../ntlm/client-codec.ts';
import type { CredentialGate, Permit } from '../ntlm/credential-gate.ts';
import { NtlmError } from '../ntlm/errors.ts';
import { QUIET_MS, VERDICT_MS } from '../ntlm/logon-budget.ts';
import type { Connection, Disposition, IncomingHeaders, Leg, LegOutcome } from './connection.ts';
import { authorization, isClosing, offers, withAuthorization, withoutBody } from './logon-legs.ts';
import { isReplayable, isSafe, type PendingRequest } from './pending-request.ts';
import {
  DELIVERED,
  failed,
  LOGON_NEEDED,
  lostDuringLogon,
  lostDuringRequest,
  type RequestOutcome,
  retry,
} from './request-outcome.ts';
import type { ServerTraits } from './server-traits.ts';
import type { NtlmStats } from './stats.ts';
import { connectionNotKept, explainRejection, kerberosOnly, verdictOf } from './verdicts.ts';
import type { Wait } from './wait.ts';

export interface HandshakeOptions {
  readonly gate: CredentialGate;
  readonly traits: ServerTraits;
  readonly stats: NtlmStats;
  /** Host name of the origin. */
  readonly host: string;
  /** Path of the cheapest call, which carries the logon of a connection (spec 4.10). */
  readonly logonPath: string;
  /** Milliseconds for an answer that is no verdict. */
  readonly headersTimeout: number;
  readonly now: () => number;
  readonly wait: Wait;
  /** Called when a message was sent on a connection, and its verdict may still come but is not waited for. */
  readonly onOverdue: (connection: Connection) => void;
  /** Called when a message was sent, and its verdict will not come. */
  readonly onNoVerdict: () => void;
}

/** Servers forget a challenge after a while, and an answer to a forgotten one counts as a rejected logon. */
const CHALLENGE_FRESH_MS = 5_000;

/** A connection that is closed later than this after its challenge was closed because it was idle. */
const IDLE_MS = 500;

/** For so long what the cheapest call showed holds for a query: a good verdict, or that it cannot give one. */
const FRESH_PROOF_MS = 10_000;

type Response = LegOutcome & { kind: 'response' };

interface Negotiated {
  readonly kind: 'challenged';
  readonly scheme: NtlmScheme;
  readonly sent: Buffer;
  readonly challenge: Buffer;
}

/** Serves requests on pinned connections, and logs connections on. */
export class Handshake {
  readonly #options: HandshakeOptions;

  constructor(options: HandshakeOptions) {
    this.#options = options;
  }

  /**
   * Logs a connection on by the cheapest call. Nobody's time-out ends it: a verdict that comes late counts as well.
   *
   * @param signal ends the wait for the turn to log on
   */
  async logOn(connection: Connection, signal: AbortSignal): Promise<RequestOutcome> {
    try {
      return await this.#logOn(connection, undefined, signal);
    } catch (error) {
      return failed(error as Error);
    }
  }

  /**
   * A request that carries its own logon, on a server where no logon outlives its request. The credentials must have been
   * proven by the cheapest call just before: then it does no harm when the verdict on a slow query does not come.
   *
   * @param onVerdict called when the next one may log on
   */
  async carry(connection: Connection, request: PendingRequest, onVerdict: () => void): Promise<RequestOutcome> {
    try {
      return await this.#logOn(connection, request, request.controller.signal, onVerdict);
    } catch (error) {
      return failed(error as Error);
    }
  }

  /** Whether the credentials must be proven by the cheapest call before a query may carry a logon. */
  get needsProof(): boolean {
    const { traits, now } = this.#options;
    return Math.abs(now() - traits.cheapestOpenAt) > FRESH_PROOF_MS && !this.#isJustProven(now());
  }

  #isJustProven(at: number): boolean {
    return this.#options.gate.isProvenSince(at - FRESH_PROOF_MS);
  }

  /** A request on a connection that is logged on, or on which the server did not ask. */
  async serve(connection: Connection, request: PendingRequest): Promise<RequestOutcome> {
    const { stats, traits, gate } = this.#options;
    let isAsked = false;
    const { path, headers, options } = request;
    const { method, body, headersTimeout, bodyTimeout } = options;
    const leg = { path, method, headers, body, headersTimeout, bodyTimeout };
    const outcome = await this.#exchange(connection, leg, request, (status, answered) => {
      isAsked = status === 401 && offers(answered).length > 0;
      return isAsked ? 'drain' : 'deliver';
    });
    if (outcome.kind === 'lost') return lostDuringRequest(outcome, request);
    if (!isAsked) {
      connection.requestsSinceLogon += 1;
      if (connection.state === 'authenticated' && connection.generation === gate.generation) gate.served();
      traits.learn(outcome.headers);
      return DELIVERED;
    }
    stats.reauthentications += 1;
    connection.shortLogons = connection.requestsSinceLogon > 1 ? 0 : connection.shortLogons + 1;
    traits.isAsked = true;
    // a logon that served one request, twice in a row, or none at all, is one per request
    const isShort = connection.requestsSinceLogon === 0 || connection.shortLogons > 1;
    if (isShort && connection.state === 'authenticated') traits.setPerRequest();
    if (isReplayable(request)) return LOGON_NEEDED;
    const message = 'the server asks for a new logon, and the body cannot be sent again';
    return failed(new NtlmError('NTLM_BODY_NOT_REPLAYABLE', message));
  }

  /** Whether the server answers NEGOTIATE with a challenge, on a connection that stays. No logon is spent. */
  async probe(connection: Connection): Promise<boolean> {
    try {
      const negotiated = await this.#negotiate(connection, undefined);
      if (negotiated.kind === 'response') return verdictOf(negotiated.status) === 'good';
      return negotiated.kind === 'challenged';
    } catch {
      return false;
    }
  }

  /** NEGOTIATE, CHALLENGE, AUTHENTICATE, with the cheapest call or with a query. */
  async #logOn(
    connection: Connection,
    request: PendingRequest | undefined,
    signal: AbortSignal,
    onVerdict: () => void = () => undefined,
  ): Promise<RequestOutcome> {
    const { gate, now } = this.#options;
    for (;;) {
      const negotiated = await this.#negotiate(connection, request);
      if (negotiated.kind === 'response') return this.#notAsked(connection, request, negotiated);
      if (negotiated.kind !== 'challenged') return negotiated;
      const asked = now();
      const permit = await gate.acquire(request === undefined ? 'cheap' : 'query', signal);
      try {
        const waited = now() - asked;
        if (waited > (connection.closed ? IDLE_MS : CHALLENGE_FRESH_MS)) continue;
        if (request !== undefined && this.needsProof) return LOGON_NEEDED;
        return await this.#authenticate(connection, request, negotiated, permit, onVerdict);
      } finally {
        permit.release();
      }
    }
  }

  /** Sends NEGOTIATE; gives the challenge, the response of a server that did not ask, or how it ended without either. */
  async #negotiate(
    connection: Connection,
    request: PendingRequest | undefined,
  ): Promise<Negotiated | Response | RequestOutcome> {
    const { traits, headersTimeout } = this.#options;
    const tried = new Set<NtlmScheme>();
    for (;;) {
      const { scheme } = traits;
      tried.add(scheme);
      const message = negotiate();
      const added = authorization(scheme, message);
      const leg = request === undefined ? this.#cheapLeg(added) : withoutBody(request, added);
      let pause: NtlmError | undefined;
      const outcome = await this.#exchange(connection, { ...leg, headersTimeout }, request, (status, headers) => {
        pause = traits.heed(status, headers);
        return status === 401 || pause !== undefined || request === undefined || !isSafe(request) ? 'drain' : 'deliver';
      });
      if (outcome.kind === 'lost') return lostDuringLogon(outcome, connection, request, true);
      if (pause !== undefined) return failed(pause);
      if (outcome.status !== 401) return outcome;
      const offered = offers(outcome.headers);
      const token = offered.find((offer) => offer.scheme === scheme)?.token ?? offered.find((o) => o.token)?.token;
      if (token !== undefined && isClosing(outcome.headers)) return failed(connectionNotKept());
      if (token !== undefined) return { kind: 'challenged', scheme, sent: message, challenge: decodeToken(token) };
      if (offered.length === 0) {
        return failed(new NtlmError('NTLM_NOT_OFFERED', 'the server asks for a logon, but offers no NTLM'));
      }
      if (connection.state !== 'new') {
        // some servers refuse a second logon on an established connection
        const error = new NtlmError('NTLM_CHALLENGE_MISSING', 'the server refuses a new logon on this connection');
        return retry(error, false);
      }
      const next = offered.some((offer) => offer.scheme === 'NTLM') ? 'NTLM' : 'Negotiate';
      if (tried.has(next)) {
        return failed(next === 'NTLM' ? connectionNotKept('NTLM_CHALLENGE_MISSING') : kerberosOnly());
      }
      traits.scheme = next;
    }
  }

  /** The server answered NEGOTIATE as if it asked nobody for a logon. */
  #notAsked(
    connection: Connection,
    request: PendingRequest | undefined,
    outcome: Response,
  ): RequestOutcome | Promise<RequestOutcome> {
    const { traits, now } = this.#options;
    if (request === undefined && outcome.status >= 500) return failed(noVerdict(outcome.status));
    connection.state = 'open';
    if (request !== undefined) return outcome.delivered ? DELIVERED : this.serve(connection, request);
    traits.cheapestOpenAt = now();
    // it asks at queries alone, so these must carry the logon
    if (traits.isAsked) traits.setPerRequest();
    return DELIVERED;
  }

  async #authenticate(
    connection: Connection,
    request: PendingRequest | undefined,
    { scheme, sent, challenge }: Negotiated,
    permit: Permit,
    onVerdict: () => void,
  ): Promise<RequestOutcome> {
    const { host, stats, traits, now } = this.#options;
    const certificate = connection.certificate();
    const message = authenticate(challenge, permit.credentials, {
      negotiate: sent,
      host,
      ...(certificate !== undefined && { certificate }),
    });
    const startedAt = now();
    const added = authorization(scheme, message);
    const leg = request === undefined ? this.#cheapLeg(added) : withAuthorization(request, added);
    let rejection: NtlmError | undefined;
    let pause: NtlmError | undefined;
    let isGood = false;
    // that the server has closed the connection may become known only now
    await new Promise((resolve) => setImmediate(resolve));
    const answered = new AbortController();
    if (request === undefined) this.#watch(connection, answered.signal);
    const outcome = await this.#exchange(
      connection,
      { ...leg, headersTimeout: VERDICT_MS },
      request,
      (status, headers): Disposition => {
        // the verdict is the status line: others need not wait for the body
        const verdict = verdictOf(status);
        isGood = verdict === 'good';
        if (isGood) {
          if (request === undefined) traits.cheapestOpenAt = Number.NEGATIVE_INFINITY;
          traits.isAsked = false;
          permit.accepted();
          connection.state = 'authenticated';
          connection.requestsSinceLogon = 0;
          stats.handshakes += 1;
        } else if (verdict === 'rejected') {
          rejection = permit.rejected(explainRejection(headers, this.#isJustProven(startedAt)));
        }
        answered.abort();
        onVerdict();
        if (verdict === 'none') pause = traits.heed(status, headers);
        return request === undefined || rejection !== undefined || pause !== undefined ? 'drain' : 'deliver';
      },
    );
    answered.abort();
    if (rejection !== undefined) {
      stats.rejected += 1;
      return failed(rejection);
    }
    if (outcome.kind === 'lost' && !outcome.sent && traits.isUnkept()) return failed(connectionNotKept());
    if (outcome.kind === 'response' || outcome.sent) traits.setKept();
    if (!isGood) this.#endWithoutVerdict(request, permit, startedAt, outcome);
    if (outcome.kind === 'lost') return lostDuringLogon(outcome, connection, request, !outcome.sent);
    traits.learn(outcome.headers);
    if (isGood && request === undefined && isClosing(outcome.headers)) traits.setPerRequest();
    if (isGood || outcome.delivered) return DELIVERED;
    return failed(pause ?? noVerdict(outcome.status));
  }

  #watch(connection: Connection, answered: AbortSignal): void {
    const { wait, onOverdue } = this.#options;
    wait(QUIET_MS, answered).then(
      () => onOverdue(connection),
      () => undefined,
    );
  }

  /** That a query got no verdict does no harm when its credentials were seen to be good right before it, or since. */
  #endWithoutVerdict(
    request: PendingRequest | undefined,
    permit: Permit,
    startedAt: number,
    outcome: LegOutcome,
  ): void {
    if (outcome.kind === 'lost' && !outcome.sent) return;
    if (request !== undefined && this.#isJustProven(startedAt)) return;
    permit.lost();
    this.#options.onNoVerdict();
  }

  #cheapLeg(headers: Leg['headers']): Leg {
    const { logonPath: path, headersTimeout: bodyTimeout } = this.#options;
    return { path, method: 'GET', headers, body: null, bodyTimeout };
  }

  #exchange(
    connection: Connection,
    leg: Leg,
    request: PendingRequest | undefined,
    onResponse: (status: number, headers: IncomingHeaders) => Disposition,
  ): Promise<LegOutcome> {
    this.#options.stats.roundTrips += 1;
    if (request === undefined) return connection.exchange(leg, { onResponse });
    const { controller, handler } = request;
    const caller = { controller, sink: handler, onStart: controller.follow.bind(controller) };
    return connection.exchange(leg, { onResponse, caller });
  }
}

const noVerdict = (status: number): NtlmError =>
  new NtlmError('NTLM_NO_VERDICT', `the server answered the logon with status ${status}, which says nothing about it`);
