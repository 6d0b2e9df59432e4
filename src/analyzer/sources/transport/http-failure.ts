import {
  openFilesFailure,
  SourceFailure,
  type SourceFailureKind,
} from '../../../base/model/observation/source-failure.ts';

/** What went wrong with a request, as sentences. */

const CA_CODES: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

interface Problem {
  readonly kind: SourceFailureKind;
  /** What follows the address. */
  readonly says: string;
}

const unreachable = (says: string): Problem => ({ kind: 'unreachable', says });
const refused = (says: string): Problem => ({ kind: 'refused', says });
const protocol = (says: string): Problem => ({ kind: 'protocol', says });

/** Where a redirect leads, without its query, which may contain a token. */
function originOf(location: string | undefined, url: URL): string {
  const target = location === undefined ? null : URL.parse(location, url.href);
  return target === null ? 'another address' : `${target.origin}${target.pathname}`;
}

function statusProblem(status: number, location: string | undefined, url: URL): Problem {
  if (status === 401) return refused('answered 401: it does not accept the token, or needs one; check token_file');
  if (status === 403)
    return refused('answered 403: it does not allow this client to read; check the rights of the token');
  if (status === 404 || status === 410)
    return { kind: 'missing_tool', says: `answered ${status}: it does not know the path; correct the URL` };
  if (status >= 300 && status < 400)
    return refused(
      `answered ${status} with a redirect to ${originOf(location, url)}, which is not followed because it would get the token; set the final URL (a redirect often leads to a logon page)`,
    );
  if (status === 429) return unreachable('answered 429: too many requests; set a longer interval');
  if (status >= 500) return unreachable(`answered ${status}: the server has a problem; check its log`);
  if (status >= 400) return refused(`answered ${status}: it refuses the request; check the URL`);
  return protocol(`answered ${status} instead of 200; check the URL`);
}

/** @param name scheme, host, port and path of the URL */
export function statusFailure(name: string, status: number, location: string | undefined): SourceFailure {
  const { kind, says } = statusProblem(status, location, new URL(name));
  return new SourceFailure(kind, `${name} ${says}`);
}

const BAD_LENGTH = 'HPE_UNEXPECTED_CONTENT_LENGTH';

/** The code of an error; of an attempt on several addresses, that of the first one. */
function codeOf(error: unknown): string {
  const { name, code, message, cause, errors } = error as Error & { code?: unknown; errors?: unknown[] };
  // undici has no code for them
  if (name === 'HTTPParserError' && message.includes('Content-Length')) return BAD_LENGTH;
  if (name === 'HTTPParserError') return message.includes('EOF') ? 'HPE_INVALID_EOF_STATE' : 'HPE_INVALID';
  const inner = errors?.[0] ?? cause;
  if (typeof code === 'string' && code !== 'UND_ERR_SOCKET') return code;
  return inner === undefined || inner === null ? String(code ?? 'unknown error') : codeOf(inner);
}

function tlsProblem(code: string): Problem | undefined {
  if (CA_CODES.has(code))
    return unreachable(
      `has a certificate of an unknown authority (${code}); set tls.ca_file to the certificate of the authority`,
    );
  if (code === 'CERT_HAS_EXPIRED') return unreachable('has a certificate that has expired; renew it');
  if (code === 'CERT_NOT_YET_VALID')
    return unreachable('has a certificate that is not valid yet; check the clocks of both hosts');
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return unreachable('has a certificate for another name; use that name in the URL, or set tls.server_name');
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG')
    return protocol('does not speak TLS; use http:// or the port of HTTPS');
  if (/^(ERR_SSL|ERR_TLS|EPROTO|CERT_|UNABLE_TO_)/.test(code))
    return unreachable(`refuses the TLS connection (${code}); check the certificates of both sides`);
  return undefined;
}

function connectionProblem(code: string, { hostname, port, protocol: scheme }: URL): Problem {
  const at = port === '' ? (scheme === 'https:' ? 'port 443' : 'port 80') : `port ${port}`;
  switch (code) {
    case 'ENOTFOUND':
      return unreachable(`cannot be reached: the name ${hostname} does not exist; correct the URL, or check DNS`);
    case 'EAI_AGAIN':
      return unreachable(`cannot be reached: DNS does not answer for ${hostname}; check DNS of this host`);
    case 'ECONNREFUSED':
      return unreachable(
        `cannot be reached: nothing listens on ${at} of ${hostname}; start the agent there, or correct the port`,
      );
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ETIMEDOUT':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return unreachable(
        `cannot be reached: no connection to ${at} of ${hostname} (${code}); check network and firewall`,
      );
    case 'UND_ERR_HEADERS_OVERFLOW':
      return protocol('answered with headers that are too long; check that the URL is that of an agent');
  }
  if (code === BAD_LENGTH)
    return protocol(
      'answers with two lengths (two headers Content-Length, or one beside Transfer-Encoding), or with one that is no number; correct the server, or the proxy that adds a header',
    );
  if (code === 'HPE_INVALID')
    return protocol(`does not answer in HTTP (${code}); check the port, and whether it needs https://`);
  if (code.startsWith('Z_') || code === 'ERR_ZLIB')
    return protocol(`sent a compressed answer that is damaged or incomplete (${code}); check the server`);
  return unreachable(
    `closed the connection before the answer was complete (${code}); check its log and proxies on the way${scheme === 'http:' ? ', and whether it needs https://' : ''}`,
  );
}

/** Why a request has no answer: of one whose headers have a length, undici says only that the length is wrong. */
export const answerFailure = (name: string, error: unknown): SourceFailure =>
  requestFailure(
    name,
    codeOf(error) === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' ? { code: BAD_LENGTH, cause: error } : error,
  );

/** Why a request has no complete answer. Its message has the code of the error and nothing else of it. */
export function requestFailure(name: string, error: unknown): SourceFailure {
  if (error instanceof SourceFailure) return error;
  const tooMany = openFilesFailure(name, error);
  if (tooMany !== undefined) return tooMany;
  const code = codeOf(error);
  const { kind, says } = tlsProblem(code) ?? connectionProblem(code, new URL(name));
  return new SourceFailure(kind, `${name} ${says}`);
}
