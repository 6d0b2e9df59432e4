import { authenticate } from '../ntlm/client-codec.ts';
import type { CredentialGate, Permit } from '../ntlm/credential-gate.ts';
import { NtlmError } from '../ntlm/errors.ts';
import { QUIET_MS, VERDICT_MS } from '../ntlm/logon-budget.ts';
import type { Connection, Disposition, LegOutcome } from './connection.ts';
import { exchange } from './exchange.ts';
import { authorization, isClosing, withAuthorization } from './logon-legs.ts';
import {
  type Challenged,
  cheapestLeg,
  type NegotiationOptions,
  requestChallenge,
  type Unasked,
} from './negotiation.ts';
import type { PendingRequest } from './pending-request.ts';
import { DELIVERED, failed, LOGON_NEEDED, lostDuringLogon, type RequestOutcome } from './request-outcome.ts';
import { serveRequest } from './serve-request.ts';
import { connectionNotKept, explainRejection, verdictOf } from './verdicts.ts';
import type { Wait } from './wait.ts';

export interface HandshakeOptions extends NegotiationOptions {
  readonly gate: CredentialGate;
  /** Host name of the origin. */
  readonly host: string;
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

/** How long the result of the cheapest call holds for a query: a good verdict, or that it cannot give one. */
const FRESH_PROOF_MS = 10_000;

/** Logs connections on, by the cheapest call or by a request. */
export class Handshake {
  readonly #options: HandshakeOptions;

  constructor(options: HandshakeOptions) {
    this.#options = options;
  }

  /**
   * Logs a connection on by the cheapest call. No time-out of a request ends it: a verdict that comes late counts as well.
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

  /** Whether the server answers NEGOTIATE with a challenge, on a connection that stays. No logon is spent. */
  async probe(connection: Connection): Promise<boolean> {
    try {
      const negotiated = await requestChallenge(this.#options, connection, undefined);
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
      const negotiated = await requestChallenge(this.#options, connection, request);
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

  /** The server answered NEGOTIATE without asking for a logon. */
  #notAsked(
    connection: Connection,
    request: PendingRequest | undefined,
    outcome: Unasked,
  ): RequestOutcome | Promise<RequestOutcome> {
    const { traits, now } = this.#options;
    if (request === undefined && outcome.status >= 500) return failed(noVerdict(outcome.status));
    connection.state = 'open';
    if (request !== undefined) return outcome.delivered ? DELIVERED : serveRequest(this.#options, connection, request);
    traits.cheapestOpenAt = now();
    // it asks for logons at queries alone, so these must carry them
    if (traits.isAsked) traits.setPerRequest();
    return DELIVERED;
  }

  async #authenticate(
    connection: Connection,
    request: PendingRequest | undefined,
    { scheme, sent, challenge }: Challenged,
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
    const leg = request === undefined ? cheapestLeg(this.#options, added) : withAuthorization(request, added);
    let rejection: NtlmError | undefined;
    let pause: NtlmError | undefined;
    let isGood = false;
    // that the server has closed the connection may become known only now
    await new Promise((resolve) => setImmediate(resolve));
    const answered = new AbortController();
    if (request === undefined) this.#watch(connection, answered.signal);
    const outcome = await exchange(
      stats,
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
}

const noVerdict = (status: number): NtlmError =>
  new NtlmError('NTLM_NO_VERDICT', `the server answered the logon with status ${status}, which says nothing about it`);
