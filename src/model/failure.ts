/**
 * Why a reading failed. One union for the error's `kind`, the log field `kind`, the metric label `reason` and the table of
 * docs/failures.md.
 */
export const failureKinds = {
  connect: 'No connection to the analyzer: refused, reset, unreachable or the name does not resolve.',
  tls: 'The TLS handshake failed: unknown authority, wrong host name, expired or missing certificate.',
  timeout: 'The analyzer did not answer in time, or the poll as a whole reached its deadline.',
  auth: 'The analyzer rejected the NTLM logon (401 to the AUTHENTICATE message).',
  auth_suspended:
    'No logon is sent at present, because an earlier one was rejected or got no verdict, or because logons cannot be counted.',
  auth_protocol: 'The analyzer does not offer NTLM, or its challenge is missing or not usable.',
  connection_not_kept:
    'The connection does not stay open, or does not stay one connection, between the messages of a logon. Often a reverse proxy is the cause.',
  throttled:
    'The analyzer, or a proxy in front of it, asks to be left alone for a while (429, or 503 with Retry-After).',
  status: 'The analyzer answered with another HTTP status than 200.',
  parse: 'The answer is not the JSON, number or text that the endpoint promises.',
  schema:
    'The answer is well-formed, but not of the shape that the endpoint promises, none of its records has the field that names it, or it contradicts another good answer.',
  too_large:
    'The answer is over one of the limits for its size, depth, items and members, or decoding it takes too much memory.',
  queue_full: 'Too many requests were already waiting for a connection.',
  ambiguous_name: 'The vendor license cannot be asked for alone: its name contains % and matches another one.',
  aborted: 'The request was given up because the program is stopping or its configuration changed.',
} as const satisfies Record<string, string>;

export type FailureKind = keyof typeof failureKinds;

/** What went wrong with one reading. `message` is one line, fit for a log and a page, without secrets. */
export interface Failure {
  readonly kind: FailureKind;
  readonly message: string;
  /** Finer code for the log, for instance an NTLM code or `ECONNREFUSED`. */
  readonly code?: string;
}

/** Thrown by the client for every request that gave no usable answer. */
export class QueryError extends Error implements Failure {
  override readonly name = 'QueryError';
  readonly kind: FailureKind;
  declare readonly code?: string;

  constructor(kind: FailureKind, message: string, options: { code?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.kind = kind;
    if (options.code !== undefined) this.code = options.code;
  }
}
