/** What each code means: the log field `code` and the table of docs/logons.md. */
export const ntlmCodes = {
  NTLM_CREDENTIALS_REJECTED:
    'The logon was rejected: wrong password, locked or disabled account, a policy against it, or a reverse proxy that does not keep one connection for each client.',
  NTLM_CREDENTIALS_SUSPENDED:
    'No logon is sent until the time in the message: one was rejected, or as many as the budget allows got no verdict.',
  NTLM_PATH_UNCHECKED:
    'No logon is sent until the analyzer is seen to answer again: the last one got no verdict. The daemon checks by itself.',
  NTLM_LOGON_NOT_KEPT: 'No logon is sent, because the file that counts logons cannot be used; the message says why.',
  NTLM_NO_VERDICT: 'The logon was answered with a status that says nothing about the credentials, for instance 500.',
  NTLM_THROTTLED:
    'The logon was answered with 429, or 503 with Retry-After. No other one is sent for as long as it asks.',
  NTLM_CONNECTION_NOT_KEPT:
    'The connection is closed between the messages of a logon. Let the server, and a proxy in front of it, keep connections alive.',
  NTLM_REJECTED_BEHIND_PROXY:
    'The logon was rejected, and a reverse proxy is in between. One that does not keep one connection for each client makes every logon fail; otherwise as NTLM_CREDENTIALS_REJECTED.',
  NTLM_CONNECTION_SHARED:
    'The logon was rejected moments after it was accepted on another connection: a reverse proxy shares connections, the server answers 401 to what the account may not read, or the password was just changed.',
  NTLM_CHALLENGE_MISSING:
    'NTLM is offered, but NEGOTIATE is answered without a challenge. Often a reverse proxy shares its connections between clients.',
  NTLM_CHALLENGE_INVALID: 'The challenge is malformed, or allows less than NTLMv2.',
  NTLM_KERBEROS_ONLY: 'Negotiate is offered, but takes no NTLM. Allow NTLM for the analyzer.',
  NTLM_NOT_OFFERED: 'A logon is asked for, but NTLM is not offered. Allow Windows authentication for the analyzer.',
  NTLM_CONNECTION_LOST: 'The connection was lost during the logon.',
  NTLM_CONNECTION_CLOSED: 'The connection was closed before the request was sent.',
  NTLM_BODY_NOT_REPLAYABLE: 'A new logon is asked for, and the body of the request cannot be sent again.',
  NTLM_CROSS_ORIGIN: 'The request is for another server than the credentials.',
  NTLM_QUEUE_FULL: 'Too many requests wait for a connection.',
  NTLM_CLOSED: 'The program is stopping, or its configuration changed.',
} as const satisfies Record<string, string>;

export type NtlmCode = keyof typeof ntlmCodes;

/** 401 to the AUTHENTICATE message. */
const rejections = ['NTLM_CREDENTIALS_REJECTED', 'NTLM_REJECTED_BEHIND_PROXY', 'NTLM_CONNECTION_SHARED'] as const;
export type RejectionCode = (typeof rejections)[number];

export const isRejection = (error: Error): boolean =>
  error instanceof NtlmError && rejections.some((code) => code === error.code);

/** A failure of NTLM authentication or of the connection it is bound to. Its message never holds a secret. */
export class NtlmError extends Error {
  override readonly name = 'NtlmError';
  readonly code: NtlmCode;
  /** Epoch milliseconds before which no logon is sent; where one is rejected, suspended or throttled. */
  declare readonly retryAt?: number;

  constructor(code: NtlmCode, message: string, options: { cause?: unknown; retryAt?: number } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    if (options.retryAt !== undefined) this.retryAt = options.retryAt;
  }
}
