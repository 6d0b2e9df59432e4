import { type FailureKind, QueryError } from '../model/failure.ts';
import { type NtlmCode, NtlmError } from '../ntlm/errors.ts';

/** Failure kind of each NTLM code. */
export const ntlmKinds: Readonly<Record<NtlmCode, FailureKind>> = {
  NTLM_CREDENTIALS_REJECTED: 'auth',
  NTLM_CREDENTIALS_SUSPENDED: 'auth_suspended',
  NTLM_PATH_UNCHECKED: 'auth_suspended',
  NTLM_LOGON_NOT_KEPT: 'auth_suspended',
  NTLM_NO_VERDICT: 'status',
  NTLM_THROTTLED: 'throttled',
  NTLM_CONNECTION_NOT_KEPT: 'connection_not_kept',
  NTLM_REJECTED_BEHIND_PROXY: 'connection_not_kept',
  NTLM_CONNECTION_SHARED: 'connection_not_kept',
  NTLM_CHALLENGE_MISSING: 'connection_not_kept',
  NTLM_CHALLENGE_INVALID: 'auth_protocol',
  NTLM_KERBEROS_ONLY: 'auth_protocol',
  NTLM_NOT_OFFERED: 'auth_protocol',
  NTLM_CONNECTION_LOST: 'connect',
  NTLM_CONNECTION_CLOSED: 'connect',
  NTLM_BODY_NOT_REPLAYABLE: 'auth_protocol',
  NTLM_CROSS_ORIGIN: 'connect',
  NTLM_QUEUE_FULL: 'queue_full',
  NTLM_CLOSED: 'aborted',
};

const codeKinds: Readonly<Record<string, FailureKind>> = {
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  ETIMEDOUT: 'timeout',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'too_large',
  HPE_HEADER_OVERFLOW: 'too_large',
  UND_ERR_HEADERS_OVERFLOW: 'too_large',
  EPROTO: 'tls',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls',
  UNABLE_TO_GET_ISSUER_CERT: 'tls',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls',
  HOSTNAME_MISMATCH: 'tls',
};

const messages: Partial<Record<FailureKind, string>> = {
  timeout: 'the analyzer did not answer in time: check its load and the network, or raise analyzer.timeout',
  too_large: 'the answer or its header is larger than allowed',
  tls: 'the TLS connection could not be established: check the certificate of the analyzer, and the settings analyzer.tls',
  connect: 'the connection failed, or was closed before the answer was complete',
};

/** Messages of codes whose cause is clear. */
const codeMessages: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at the host and port of analyzer.url: check that the analyzer runs',
  ENOTFOUND: 'the host of analyzer.url has no address: check its name and DNS',
  EAI_AGAIN: 'the host of analyzer.url has no address: check its name and DNS',
  EHOSTUNREACH: 'there is no route to the host of analyzer.url: check network and firewall',
  ENETUNREACH: 'there is no route to the host of analyzer.url: check network and firewall',
};

function kindOfCode(code: string): FailureKind | undefined {
  if (codeKinds[code] !== undefined) return codeKinds[code];
  if (code.startsWith('HPE_')) return 'parse';
  return /^(ERR_TLS|ERR_SSL|CERT_|CRL_)/.test(code) ? 'tls' : undefined;
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** The error and its causes, outermost first. */
function* chain(error: unknown): Generator<unknown> {
  let current = error;
  for (let depth = 0; depth < 5 && current !== undefined; depth += 1) {
    yield current;
    current = (current as { cause?: unknown } | null)?.cause;
  }
}

/**
 * Converts any error of a request to a `QueryError`. NTLM codes are mapped by the table above, codes of undici and the
 * system by their meaning, and everything else to `connect`. The whole chain of causes is searched.
 */
export function toQueryError(error: unknown): QueryError {
  for (const link of chain(error)) {
    if (link instanceof QueryError) return link;
    // the cause of a lost connection is more specific
    if (link instanceof NtlmError && ntlmKinds[link.code] !== 'connect') {
      return new QueryError(ntlmKinds[link.code], link.message, { code: link.code, cause: error });
    }
  }
  let code: string | undefined;
  for (const link of chain(error)) {
    const own = codeOf(link);
    code = own ?? code;
    const kind = own === undefined ? undefined : kindOfCode(own);
    if (kind !== undefined && own !== undefined) {
      return new QueryError(kind, `${messages[kind] ?? kind} (${own})`, { code: own, cause: error });
    }
  }
  const message = codeMessages[code ?? ''] ?? messages.connect;
  return new QueryError('connect', code === undefined ? `${message}` : `${message} (${code})`, {
    ...(code !== undefined && { code }),
    cause: error,
  });
}
