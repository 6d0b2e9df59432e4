/** What each code means: the log field `code` and the table of docs/secure.md. */
export const ntlmCodes = {
  NTLM_CREDENTIALS_REJECTED:
    'The logon was rejected: wrong password, locked or disabled account, a policy that denies the logon, or a reverse proxy that does not keep one connection for each client.',
  NTLM_CREDENTIALS_SUSPENDED:
    'No logon is sent until the time in the message: one was rejected, or the maximum number of logons of the account that were rejected or have no verdict is reached.',
  NTLM_PATH_UNCHECKED:
    'No logon is sent until the analyzer answers again, because the last one got no verdict. The daemon checks this automatically.',
  NTLM_LOGON_NOT_KEPT:
    'No logon is sent, because the logon file was lost or cannot be used. The log and the page of the daemon contain the reason.',
  NTLM_NO_VERDICT: 'The logon was answered with a status that neither accepts nor rejects it, for example 500.',
  NTLM_THROTTLED:
    'The logon was answered with 429, or 503 with Retry-After. The next one is sent after the requested time.',
  NTLM_CONNECTION_NOT_KEPT:
    'The connection is closed between the messages of a logon. Enable keep-alive on the server and on a proxy in front of it.',
  NTLM_REJECTED_BEHIND_PROXY:
    'The logon was rejected, and a reverse proxy is in between. Unless it keeps one connection for each client, every logon fails. Other causes are those of NTLM_CREDENTIALS_REJECTED.',
  NTLM_CONNECTION_SHARED:
    'The logon was rejected just after it was accepted on another connection: a reverse proxy shares connections, the server answers 401 if the account lacks permission, or the password was just changed.',
  NTLM_CHALLENGE_MISSING:
    'NTLM is offered, but NEGOTIATE is answered without a challenge. The usual cause is a reverse proxy that shares its connections between clients.',
  NTLM_CHALLENGE_INVALID: 'The challenge is malformed, or allows less than NTLMv2.',
  NTLM_KERBEROS_ONLY: 'Negotiate is offered, but does not accept NTLM. Allow NTLM for the analyzer.',
  NTLM_NOT_OFFERED:
    'The server requires a logon, but does not offer NTLM. Allow Windows authentication for the analyzer.',
  NTLM_CONNECTION_LOST: 'The connection was lost during the logon.',
  NTLM_CONNECTION_CLOSED: 'The connection was closed before the request was sent.',
  NTLM_BODY_NOT_REPLAYABLE: 'The server requires a new logon, but the request body cannot be sent again.',
  NTLM_CROSS_ORIGIN: 'The request is for a server other than that of the credentials.',
  NTLM_QUEUE_FULL: 'Too many requests wait for a connection.',
  NTLM_CLOSED: 'The program is stopping, or its configuration changed.',
} as const satisfies Record<string, string>;

/** The codes of errors, which docs/secure.md lists. */
export type NtlmCode = keyof typeof ntlmCodes;

/** 401 to the AUTHENTICATE message. */
const rejections = ['NTLM_CREDENTIALS_REJECTED', 'NTLM_REJECTED_BEHIND_PROXY', 'NTLM_CONNECTION_SHARED'] as const;
/** The codes that say that the server did not accept the password. */
export type RejectionCode = (typeof rejections)[number];

/** Whether an error says that the server did not accept the password. */
export const isRejection = (error: Error): boolean =>
  error instanceof NtlmError && rejections.some((code) => code === error.code);

/**
 * A failure of NTLM authentication or of its connection. The message never contains a secret. It is the finding, with the
 * remedy if there is one.
 */
export class NtlmError extends Error {
  override readonly name = 'NtlmError';
  readonly code: NtlmCode;
  /** What is wrong. */
  readonly finding: string;
  declare readonly remedy?: string;
  /** No logon is sent before this time, epoch milliseconds. Set if a logon was rejected, suspended or throttled. */
  declare readonly retryAt?: number;

  constructor(
    code: NtlmCode,
    finding: string,
    options: { readonly cause?: unknown; readonly retryAt?: number; readonly remedy?: string } = {},
  ) {
    const { cause, retryAt, remedy } = options;
    super(remedy === undefined ? finding : `${finding}; ${remedy}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.finding = finding;
    if (remedy !== undefined) this.remedy = remedy;
    if (retryAt !== undefined) this.retryAt = retryAt;
  }
}
