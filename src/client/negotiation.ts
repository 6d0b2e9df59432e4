import type { NtlmScheme } from '../ntlm/challenges.ts';
import { decodeToken, negotiate } from '../ntlm/client-codec.ts';
import { NtlmError } from '../ntlm/errors.ts';
import type { Connection } from './connection.ts';
import { exchange } from './exchange.ts';
import type { Leg, LegOutcome } from './leg.ts';
import { authorization, isClosing, offers, withoutBody } from './logon-legs.ts';
import { isSafe, type PendingRequest } from './pending-request.ts';
import { failed, lostDuringLogon, type RequestOutcome, retry } from './request-outcome.ts';
import type { ServerTraits } from './server-traits.ts';
import type { NtlmStats } from './stats.ts';
import { connectionNotKept, kerberosOnly, ntlmNotOffered } from './verdicts.ts';

export interface NegotiationOptions {
  readonly traits: ServerTraits;
  readonly stats: NtlmStats;
  /** Path of the cheapest call, which carries the logon of a connection (spec 4.10). */
  readonly logonPath: string;
  /** Timeout for a response that is not a verdict, milliseconds. */
  readonly headersTimeout: number;
}

/** The response of a server that did not require a logon. */
export type WithoutLogon = LegOutcome & { kind: 'response' };

/** A challenge, with the NEGOTIATE message that was sent. */
export interface Challenged {
  readonly kind: 'challenged';
  readonly scheme: NtlmScheme;
  readonly sent: Buffer;
  readonly challenge: Buffer;
}

/** The cheapest call with an NTLM message. */
export const cheapestLeg = (
  { logonPath: path, headersTimeout: bodyTimeout }: NegotiationOptions,
  headers: Leg['headers'],
): Leg => ({ path, method: 'GET', headers, body: null, bodyTimeout });

/**
 * Sends NEGOTIATE, with the cheapest call or with a request. Does not count as a logon.
 *
 * @returns the challenge, the response of a server that did not require a logon, or how the exchange failed
 */
export async function requestChallenge(
  options: NegotiationOptions,
  connection: Connection,
  request: PendingRequest | undefined,
): Promise<Challenged | WithoutLogon | RequestOutcome> {
  const { traits, stats, headersTimeout } = options;
  const tried = new Set<NtlmScheme>();
  for (;;) {
    const { scheme } = traits;
    tried.add(scheme);
    const message = negotiate();
    const added = authorization(scheme, message);
    const leg = request === undefined ? cheapestLeg(options, added) : withoutBody(request, added);
    let pause: NtlmError | undefined;
    const outcome = await exchange(stats, connection, { ...leg, headersTimeout }, request, (status, headers) => {
      pause = traits.notePause(status, headers);
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
      return failed(ntlmNotOffered(outcome.headers['www-authenticate']));
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
