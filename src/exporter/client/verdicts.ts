import { toWall } from '../../base/model/steady-clock.ts';
import { NtlmError } from '../../base/ntlm/errors.ts';
import type { Rejection } from './credential-gate.ts';
import type { IncomingHeaders } from './leg.ts';

/** Reads what a server, or a proxy in front of it, answers to a logon, and writes the error messages for it. */

/** Statuses that are sent only to authenticated requests. */
const GOOD = new Set([403, 404, 405]);

/** The verdict of a response to an AUTHENTICATE message; `none` if it neither accepts nor rejects the credentials. */
export function verdictOf(status: number): 'good' | 'rejected' | 'none' {
  if (status === 401) return 'rejected';
  return (status >= 200 && status < 300) || GOOD.has(status) ? 'good' : 'none';
}

const DEFAULT_WAIT_MS = 30_000;
const MAX_WAIT_MS = 300_000;

/**
 * How long a response asks the client to wait, in milliseconds, at most 5 minutes. A 429 asks for it, and a 503 with
 * Retry-After (RFC 9110 section 10.2.3); `undefined` for other responses.
 */
export function retryAfter(status: number, headers: IncomingHeaders): number | undefined {
  const header = headers['retry-after'];
  if (status !== 429 && (status !== 503 || header === undefined)) return undefined;
  const text = String(header ?? '').trim();
  const wait = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(wait) ? DEFAULT_WAIT_MS : Math.min(Math.max(wait, 0), MAX_WAIT_MS);
}

/** @param until epoch milliseconds of the steady clock */
export function throttled(status: number, until: number): NtlmError {
  const message = `the analyzer, or a proxy in front of it, answered ${status} and asks clients to wait until ${new Date(toWall(until)).toISOString()}`;
  return new NtlmError('NTLM_THROTTLED', message, { retryAt: until });
}

/** What a reverse proxy must do for NTLM, which authenticates connections. */
export const KEEP_CONNECTIONS =
  'configure the proxy to keep one connection to the analyzer for each client connection, or point analyzer.url directly at the analyzer';

/**
 * The error when no AUTHENTICATE message can be sent, because it would not arrive on the connection of its challenge.
 *
 * @param code `NTLM_CHALLENGE_MISSING` if the server answers NEGOTIATE without a challenge, as it does on a connection
 *   that a proxy shares between clients
 */
export function connectionNotKept(
  code: 'NTLM_CONNECTION_NOT_KEPT' | 'NTLM_CHALLENGE_MISSING' = 'NTLM_CONNECTION_NOT_KEPT',
): NtlmError {
  const what =
    code === 'NTLM_CHALLENGE_MISSING'
      ? 'the server offers NTLM, but answers NEGOTIATE without a challenge'
      : 'the connection is closed after the challenge (HTTP/1.0, Connection: close, or no keep-alive)';
  return new NtlmError(code, `${what}; the usual cause is a reverse proxy in between`, { remedy: KEEP_CONNECTIONS });
}

/** The error of a server that takes no NTLM in Negotiate. */
export function kerberosOnly(): NtlmError {
  const finding = 'the server offers Negotiate, but does not accept NTLM in it: it is configured for Kerberos only';
  return new NtlmError('NTLM_KERBEROS_ONLY', finding, { remedy: 'allow NTLM for the analyzer' });
}

/** @param header the `WWW-Authenticate` header of a 401 without NTLM */
export function ntlmNotOffered(header: string | readonly string[] | undefined): NtlmError {
  const schemes = [header ?? []].flat().flatMap((line) => /^\s*([\w-]{1,20})/.exec(line)?.[1] ?? []);
  const instead = schemes.length === 0 ? '' : ` (it offers ${schemes.join(', ')})`;
  const finding = `the server requires a logon, but does not offer NTLM${instead}`;
  const remedy =
    'enable Windows authentication (NTLM) for the analyzer; if a reverse proxy in front of it asks for this logon, exempt the exporter there, or point analyzer.url directly at the analyzer';
  return new NtlmError('NTLM_NOT_OFFERED', finding, { remedy });
}

/** Names of proxies in the `Server` header. Servers of the API do not send them. */
const PROXIES = /nginx|openresty|haproxy|envoy|traefik|cloudflare|varnish|squid|caddy|BigIP|awselb/i;

/** The reverse proxy that a response names, if any. */
export function proxyOf(headers: IncomingHeaders): string | undefined {
  const name = PROXIES.exec(String(headers.server ?? ''))?.[0];
  return (
    name ??
    (headers.via === undefined
      ? undefined
      : String(headers.via)
          .slice(0, 60)
          .replaceAll(/[^\x20-\x7e]/g, '?'))
  );
}

/**
 * The most likely cause of a rejected logon.
 *
 * @param headers headers of the rejection
 * @param isJustProven whether the same credentials were accepted on another connection a moment ago
 */
export function explainRejection(headers: IncomingHeaders, isJustProven: boolean): Rejection {
  const proxy = proxyOf(headers);
  if (isJustProven) {
    const through = proxy === undefined ? '' : ` (${proxy} is in between)`;
    const message = `the logon was rejected just after it was accepted on another connection${through}: the password was just changed, the server answers 401 if the account lacks permission, or a reverse proxy shares its connections between clients`;
    return { code: 'NTLM_CONNECTION_SHARED', message, remedy: `in the last case, ${KEEP_CONNECTIONS}` };
  }
  if (proxy !== undefined) {
    const message = `the logon was rejected, and a reverse proxy (${proxy}) is in between. Unless it keeps one connection for each client, every logon fails, even with the right password`;
    const remedy = `${KEEP_CONNECTIONS}. Other causes: wrong password, locked or disabled account, or a policy that denies the logon`;
    return { code: 'NTLM_REJECTED_BEHIND_PROXY', message, remedy };
  }
  const message =
    'the analyzer rejected the logon: wrong password, locked or disabled account, a policy that denies the logon, or a reverse proxy in between that does not keep one connection for each client';
  return { code: 'NTLM_CREDENTIALS_REJECTED', message };
}
