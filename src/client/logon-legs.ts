import { type Challenge, type NtlmScheme, parseChallenges } from '../ntlm/challenges.ts';
import type { IncomingHeaders, Leg } from './leg.ts';
import { isSafe, type PendingRequest } from './pending-request.ts';

/** Builds the requests of a logon and reads the responses. */

/** The offers in a 401 that support NTLM. */
export function offers(headers: IncomingHeaders): Challenge[] {
  return parseChallenges(headers['www-authenticate']);
}

/** Whether the server closes the connection after this response. */
export const isClosing = (headers: IncomingHeaders): boolean => /\bclose\b/i.test(String(headers.connection ?? ''));

export const authorization = (scheme: NtlmScheme, message: Buffer): Leg['headers'] => ({
  authorization: `${scheme} ${message.toString('base64')}`,
});

/** The request with an NTLM message added. */
export function withAuthorization({ path, headers, options }: PendingRequest, added: Leg['headers']): Leg {
  const { method, body, bodyTimeout } = options;
  return { path, method, headers: { ...headers, ...added }, body, bodyTimeout };
}

/** The request as the first leg of a logon, without its body. */
export function withoutBody(request: PendingRequest, added: Leg['headers']): Leg {
  const leg = { ...withAuthorization(request, added), body: null };
  if (isSafe(request)) return leg;
  const dropped = ['content-type', 'content-encoding', 'transfer-encoding', 'content-length'];
  const kept = Object.entries(leg.headers).filter(([name]) => !dropped.includes(name.toLowerCase()));
  return { ...leg, headers: { ...Object.fromEntries(kept), 'content-length': '0' } };
}
