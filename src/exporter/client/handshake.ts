import { errors } from 'undici';
import { authenticate } from '../../base/ntlm/client-codec.ts';
import { NtlmError } from '../../base/ntlm/errors.ts';
import type { Connection } from './connection.ts';
import type { CredentialGate, Permit } from './credential-gate.ts';
import type { Disposition, LegOutcome } from './leg.ts';
import { QUIET_MS, VERDICT_MS } from './logon-budget.ts';
import {
  authorization,
  type Challenged,
  cheapestLeg,
  exchange,
  isClosing,
  type NegotiationOptions,
  requestChallenge,
  type WithoutLogon,
  withAuthorization,
} from './negotiation.ts';
import type { PendingRequest } from './pending-request.ts';
import { DELIVERED, failed, LOGON_NEEDED, lostDuringLogon, type RequestOutcome } from './request-outcome.ts';
import { serveRequest } from './serve-request.ts';
import { connectionNotKept, explainRejection, verdictOf } from './verdicts.ts';
import type { Wait } from './wait.ts';

/** What a logon needs of the account and of the server. */
export interface HandshakeOptions extends NegotiationOptions {
  readonly gate: CredentialGate;
  /** Host name of the origin. */
  readonly host: string;
  readonly now: () => number;
  readonly wait: Wait;
  /** Called when a message was sent, and its verdict is overdue: it may still come, but others do not wait for it. */
  readonly onOverdue: (connection: Connection) => void;
  /** Called when a message was sent, and its verdict will not come. */
  readonly onNoVerdict: () => void;
}

/** Servers discard a challenge after a while. A reply to a discarded challenge counts as a rejected logon. */
const CHALLENGE_FRESH_MS = 5_000;

/** If a connection is closed later than this after its challenge, it was closed because it was idle. */
const IDLE_MS = 500;

/**
 * When a request without a logon is sent behind a logon that is not answered. If the answer of the logon was lost, that of
 * the request shows whether the connection is logged on.
 */
const ASK_AGAIN_MS = 10_000;

/** How long the answer to that request may come later than the one before it. */
const BEHIND_MS = 2_000;

/** How long a query can rely on the result of the cheapest call: a good verdict, or that it needs no logon. */
const FRESH_PROOF_MS = 10_000;

/** Logs connections on, with the cheapest call or with a request. */
export class Handshake {
  readonly #options: HandshakeOptions;

  constructor(options: HandshakeOptions) {
    this.#options = options;
  }

  /**
   * Logs a connection on with the cheapest call. The timeout of a request does not end it, because a late verdict counts.
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
   * Sends a request that carries its own logon, for a server where a logon is valid for one request only. The cheapest call
   * must have proven the credentials just before. A slow query without a verdict then does not count as a failed logon.
   *
   * @param onVerdict called when the next request can log on
   */
  async carry(connection: Connection, request: PendingRequest, onVerdict: () => void): Promise<RequestOutcome> {
    try {
      return await this.#logOn(connection, request, request.controller.signal, onVerdict);
    } catch (error) {
      return failed(error as Error);
    }
  }

  /** Whether the cheapest call must prove the credentials before a query can carry a logon. */
  get needsProof(): boolean {
    const { traits, now } = this.#options;
    return Math.abs(now() - traits.cheapestOpenAt) > FRESH_PROOF_MS && !this.#isJustProven(now());
  }

  #isJustProven(at: number): boolean {
    return this.#options.gate.isProvenSince(at - FRESH_PROOF_MS);
  }

  /** Whether the server answers NEGOTIATE with a challenge and keeps the connection open. Does not count as a logon. */
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
      if (negotiated.kind === 'response') return this.#serveWithoutLogon(connection, request, negotiated);
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

  /** Handles an answer to NEGOTIATE from a server that did not require a logon. */
  #serveWithoutLogon(
    connection: Connection,
    request: PendingRequest | undefined,
    outcome: WithoutLogon,
  ): RequestOutcome | Promise<RequestOutcome> {
    const { traits, now } = this.#options;
    if (request === undefined && outcome.status >= 500) return failed(noVerdict(outcome.status));
    connection.state = 'open';
    if (request !== undefined) return outcome.delivered ? DELIVERED : serveRequest(this.#options, connection, request);
    traits.cheapestOpenAt = now();
    // the server requires logons only for queries, so each query must carry one
    if (traits.needsLogonForQueries) traits.setPerRequest();
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
    // the event loop may only now report that the server closed the connection
    await new Promise((resolve) => setImmediate(resolve));
    const answered = new AbortController();
    let behind: Promise<LegOutcome> | undefined;
    let mayBeRejected = false;
    if (request === undefined) {
      this.#watch(connection, answered.signal);
      this.#after(ASK_AGAIN_MS, answered.signal, () => {
        stats.roundTrips += 1;
        behind = connection.exchangeBehind({ ...cheapestLeg(this.#options, {}), headersTimeout: VERDICT_MS });
      });
    }
    const outcome = await exchange(
      stats,
      connection,
      { ...leg, headersTimeout: VERDICT_MS },
      request,
      (status, headers): Disposition => {
        // the status line is the verdict; others need not wait for the body
        const verdict = verdictOf(status);
        isGood = verdict === 'good';
        if (isGood) {
          if (request === undefined) traits.cheapestOpenAt = Number.NEGATIVE_INFINITY;
          traits.needsLogonForQueries = false;
          permit.accepted();
          connection.state = 'authenticated';
          connection.requestsSinceLogon = 0;
          stats.handshakes += 1;
        } else if (verdict === 'rejected' && behind !== undefined) {
          mayBeRejected = true;
        } else if (verdict === 'rejected') {
          rejection = permit.rejected(explainRejection(headers, this.#isJustProven(startedAt)));
        }
        answered.abort();
        onVerdict();
        if (verdict === 'none') pause = traits.notePause(status, headers);
        return request === undefined || rejection !== undefined || pause !== undefined ? 'drain' : 'deliver';
      },
    );
    answered.abort();
    const isInOrder = outcome.kind === 'response' && (await this.#isAnswered(behind));
    if (mayBeRejected && isInOrder) {
      rejection = permit.rejected(explainRejection(outcome.headers, this.#isJustProven(startedAt)));
    }
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
    this.#after(QUIET_MS, answered, () => this.#options.onOverdue(connection));
  }

  #after(ms: number, answered: AbortSignal, act: () => void): void {
    this.#options.wait(ms, answered).then(act, () => undefined);
  }

  /**
   * Whether the request behind an answered logon is answered too. If so, a 401 to the logon was its own. If not, it may be
   * that of the request: the logon was lost, or the server forgets logons.
   */
  async #isAnswered(behind: Promise<LegOutcome> | undefined): Promise<boolean> {
    if (behind === undefined) return true;
    const ending = new AbortController();
    const none = this.#options.wait(BEHIND_MS, ending.signal).catch(() => undefined);
    const outcome = await Promise.race([behind, none]);
    ending.abort();
    return outcome?.kind === 'response';
  }

  /**
   * A query without a verdict, and a logon that this process ends by closing its connections, is not counted if the
   * credentials were proven just before it or since: nothing says that it was rejected.
   */
  #endWithoutVerdict(
    request: PendingRequest | undefined,
    permit: Permit,
    startedAt: number,
    outcome: LegOutcome,
  ): void {
    if (outcome.kind === 'lost' && !outcome.sent) return;
    const isOurs = outcome.kind === 'lost' && outcome.error instanceof errors.ClientDestroyedError;
    // a verdict on other credentials proves nothing about these
    const isProven = permit.credentials === this.#options.gate.credentials && this.#isJustProven(startedAt);
    if ((request !== undefined || isOurs) && isProven) return;
    permit.lost();
    this.#options.onNoVerdict();
  }
}

const noVerdict = (status: number): NtlmError =>
  new NtlmError(
    'NTLM_NO_VERDICT',
    `the server answered the logon with status ${status}, which neither accepts nor rejects it`,
  );
