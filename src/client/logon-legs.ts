import { type Challenge, type NtlmScheme, parseChallenges } from '../ntlm/challenges.ts';
import type { IncomingHeaders, Leg } from './connection.ts';
import { isSafe, type PendingRequest } from './pending-request.ts';

/** How the legs of a logon are written, and how the answers to them are read. */

/** The offers of a 401 that can carry NTLM. */
export function offers(headers: IncomingHeaders): Challenge[] {
  return parseChallenges(headers['www-authenticate']);
}

/** Whether a response says that its connection ends with it. */
export const isClosing = (headers: IncomingHeaders): boolean => /\bclose\b/i.test(String(headers.connection ?? ''));

export const authorization = (scheme: NtlmScheme, message: Buffer): Leg['headers'] => ({
  authorization: `${scheme} ${message.toString('base64')}`,
});

/** A request with a message of a logon. */
export function withAuthorization({ path, headers, options }: PendingRequest, added: Leg['headers']): Leg {
  const { method, body, bodyTimeout } = options;
  return { path, method, headers: { ...headers, ...added }, body, bodyTimeout };
}

/** The request as the first leg of a logon, which carries no body. */
export function withoutBody(request: PendingRequest, added: Leg['headers']): Leg {
  const leg = { ...withAuthorization(request, added), body: null };
  if (isSafe(request)) return leg;
  const dropped = ['content-type', 'content-encoding', 'transfer-encoding', 'content-length'];
  const kept = Object.entries(leg.headers).filter(([name]) => !dropped.includes(name.toLowerCase()));
  return { ...leg, headers: { ...Object.fromEntries(kept), 'content-length': '0' } };
}
