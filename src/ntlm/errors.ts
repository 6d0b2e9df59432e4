export type NtlmCode =
  | 'NTLM_CREDENTIALS_REJECTED'
  | 'NTLM_CREDENTIALS_SUSPENDED'
  | 'NTLM_PATH_UNCHECKED'
  | 'NTLM_NO_VERDICT'
  | 'NTLM_CONNECTION_SHARED'
  | 'NTLM_LOGON_NOT_KEPT'
  | 'NTLM_CONNECTION_NOT_KEPT'
  | 'NTLM_KERBEROS_ONLY'
  | 'NTLM_THROTTLED'
  | 'NTLM_NOT_OFFERED'
  | 'NTLM_CHALLENGE_MISSING'
  | 'NTLM_CHALLENGE_INVALID'
  | 'NTLM_CONNECTION_LOST'
  | 'NTLM_CONNECTION_CLOSED'
  | 'NTLM_BODY_NOT_REPLAYABLE'
  | 'NTLM_CROSS_ORIGIN'
  | 'NTLM_QUEUE_FULL'
  | 'NTLM_CLOSED';

/** A failure of NTLM authentication or of the connection it is bound to. Its message never holds a secret. */
export class NtlmError extends Error {
  override readonly name = 'NtlmError';
  readonly code: NtlmCode;
  /** Epoch milliseconds before which no logon is sent; on rejected and suspended credentials. */
  declare readonly retryAt?: number;

  constructor(code: NtlmCode, message: string, options: { cause?: unknown; retryAt?: number } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    if (options.retryAt !== undefined) this.retryAt = options.retryAt;
  }
}
