import { explainConnection, explainUnknown, isTlsCode, theAnalyzer } from '../../base/model/connection-failure.ts';
import { type FailureKind, QueryError } from '../../base/model/failure.ts';
import type { Explanation } from '../../base/model/operator-error.ts';
import { type NtlmCode, NtlmError } from '../../base/ntlm/errors.ts';

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
};

const messages: Partial<Record<FailureKind, Explanation>> = {
  timeout: {
    finding: 'the analyzer did not answer in time',
    remedy: 'check its load and its log, or raise analyzer.timeout',
  },
  too_large: {
    finding: 'the answer or its header is larger than allowed',
    remedy: 'check that analyzer.url leads to the Query API',
  },
};

/** What a failure of this kind and code means. */
function explain(kind: FailureKind, code: string, error: unknown): Explanation {
  const connection = explainConnection(code, error, theAnalyzer);
  if (connection !== undefined) return connection;
  const general = messages[kind];
  return general === undefined
    ? explainUnknown(code, theAnalyzer)
    : { ...general, finding: `${general.finding} (${code})` };
}

/** The kind of a code of undici, the system or TLS; `undefined` for a lost connection and anything else. */
export function kindOfCode(code: string): FailureKind | undefined {
  if (codeKinds[code] !== undefined) return codeKinds[code];
  if (code.startsWith('HPE_')) return 'parse';
  return isTlsCode(code) ? 'tls' : undefined;
}

function codeOf(error: unknown): string | undefined {
  const { code, name, message } = (error ?? {}) as Partial<Error> & { code?: unknown };
  // undici has no code for what is not HTTP. An answer that ends too early is no such one
  if (name === 'HTTPParserError' && code === undefined && !message?.includes('EOF'))
    return message?.includes('Content-Length') ? 'HPE_UNEXPECTED_CONTENT_LENGTH' : 'HPE_INVALID';
  return typeof code === 'string' ? code : undefined;
}

/** The error and its causes, outermost first. */
function chain(error: unknown): readonly unknown[] {
  const errors: unknown[] = [];
  for (let at = error; errors.length < 5 && at !== undefined; at = (at as { cause?: unknown } | null)?.cause) {
    errors.push(at);
  }
  return errors;
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
      return new QueryError(ntlmKinds[link.code], link.finding, {
        code: link.code,
        cause: error,
        ...(link.remedy !== undefined && { remedy: link.remedy }),
      });
    }
  }
  let code: string | undefined;
  let last: unknown;
  for (const link of chain(error)) {
    const own = codeOf(link);
    if (own === undefined) continue;
    code = own;
    last = link;
    const kind = kindOfCode(own);
    if (kind !== undefined) return explained(kind, own, link, error);
  }
  if (code !== undefined) return explained('connect', code, last, error);
  const { finding, remedy } = explainUnknown(undefined, theAnalyzer);
  return new QueryError('connect', finding, { cause: error, remedy });
}

function explained(kind: FailureKind, code: string, link: unknown, cause: unknown): QueryError {
  const { finding, remedy } = explain(kind, code, link);
  return new QueryError(kind, finding, { code, cause, remedy });
}
