import { type Challenge, type NtlmScheme, parseChallenges } from '../../base/ntlm/challenges.ts';
import { decodeToken, negotiate } from '../../base/ntlm/client-codec.ts';
import { NtlmError } from '../../base/ntlm/errors.ts';
import type { Connection } from './connection.ts';
import type { Disposition, IncomingHeaders, Leg, LegOutcome } from './leg.ts';
import { isSafe, type PendingRequest } from './pending-request.ts';
import { failed, lostDuringLogon, type RequestOutcome, retry } from './request-outcome.ts';
import type { ServerTraits } from './server-traits.ts';
import type { NtlmStats } from './stats.ts';
import { connectionNotKept, kerberosOnly, ntlmNotOffered } from './verdicts.ts';

/** Makes and counts one round trip, for a pending request or only for the logon of a connection. */
export function exchange(
  stats: NtlmStats,
  connection: Connection,
  leg: Leg,
  request: PendingRequest | undefined,
  onResponse: (status: number, headers: IncomingHeaders) => Disposition,
): Promise<LegOutcome> {
  stats.roundTrips += 1;
  if (request === undefined) return connection.exchange(leg, { onResponse });
  const { controller, handler } = request;
  return connection.exchange(leg, { onResponse, caller: { controller, sink: handler } });
}

/** Builds the requests of a logon and reads the responses. */

/** The offers in a 401 that support NTLM. */
export function offers(headers: IncomingHeaders): Challenge[] {
  return parseChallenges(headers['www-authenticate']);
}

/** Whether the server closes the connection after this response. */
export const isClosing = (headers: IncomingHeaders): boolean => /\bclose\b/i.test(String(headers.connection ?? ''));

/** The header field that carries an NTLM message. */
export const authorization = (scheme: NtlmScheme, message: Buffer): Leg['headers'] => ({
  authorization: `${scheme} ${message.toString('base64')}`,
});

/** The request with an NTLM message added. */
export function withAuthorization({ path, headers, options }: PendingRequest, added: Leg['headers']): Leg {
  const { method, body, bodyTimeout } = options;
  return { path, method, headers: { ...headers, ...added }, body, bodyTimeout };
}

/** The request as the first leg of a logon, without its body. */
function withoutBody(request: PendingRequest, added: Leg['headers']): Leg {
  const leg = { ...withAuthorization(request, added), body: null };
  if (isSafe(request)) return leg;
  const dropped = ['content-type', 'content-encoding', 'transfer-encoding', 'content-length'];
  const kept = Object.entries(leg.headers).filter(([name]) => !dropped.includes(name.toLowerCase()));
  return { ...leg, headers: { ...Object.fromEntries(kept), 'content-length': '0' } };
}

/** How a logon is spoken: the path that carries it, its timeouts, and what is known of the server. */
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
