import { inOneLine } from './operator-error.ts';

/**
 * Why a reading failed. One union for the error's `kind`, the log field `kind`, the metric label `reason` and the table of
 * docs/troubleshoot.md.
 */
export const failureKinds = {
  connect: 'No connection to the analyzer: refused, reset, unreachable or the name does not resolve.',
  tls: 'The TLS handshake failed: unknown authority, wrong host name, expired or missing certificate.',
  timeout: 'The analyzer did not answer in time, or the poll as a whole reached its deadline.',
  auth: 'The analyzer rejected the NTLM logon (401 to the AUTHENTICATE message).',
  auth_suspended:
    'No logon is sent at present, because an earlier one was rejected or got no verdict, or because the count of logons was lost.',
  auth_protocol: 'The analyzer does not offer NTLM, or its challenge is missing or not usable.',
  connection_not_kept:
    'The messages of a logon do not stay on one open connection. The usual cause is a reverse proxy.',
  throttled: 'The analyzer, or a proxy in front of it, asks clients to wait (429, or 503 with Retry-After).',
  status: 'The analyzer answered with an HTTP status other than 200.',
  parse: 'The answer is not the JSON, number or text that the endpoint must return.',
  schema:
    'The answer is well-formed, but has the wrong structure, has no record with its identifying field, or contradicts another good answer.',
  too_large: 'The answer exceeds a limit for size, depth, items or members, or decoding it takes too much memory.',
  queue_full: 'Too many requests were already waiting for a connection.',
  ambiguous_name:
    'The vendor license cannot be requested alone, because its name contains % and also matches another one.',
  aborted: 'The request was canceled, because the program is stopping or its configuration changed.',
} as const satisfies Record<string, string>;

/** The kinds of failed requests, by the label `reason`. */
export type FailureKind = keyof typeof failureKinds;

/** The failure of one reading. `message` is one line without secrets, for logs and pages. */
export interface Failure {
  readonly kind: FailureKind;
  readonly message: string;
  /** A more specific code for the log, for example an NTLM code or `ECONNREFUSED`. */
  readonly code?: string;
}

/** A failure as plain data, which can be sent to another thread. */
export const plainFailure = ({ kind, message, code }: Failure): Failure => ({
  kind,
  message,
  ...(code !== undefined && { code }),
});

/** Thrown by the client for every request without a usable answer. Its message is the finding, with the remedy if there is one. */
export class QueryError extends Error implements Failure {
  override readonly name = 'QueryError';
  readonly kind: FailureKind;
  /** What is wrong. */
  readonly finding: string;
  declare readonly code?: string;
  declare readonly remedy?: string;

  constructor(
    kind: FailureKind,
    finding: string,
    { code, cause, remedy }: { readonly code?: string; readonly cause?: unknown; readonly remedy?: string } = {},
  ) {
    super(remedy === undefined ? finding : inOneLine({ finding, remedy }), { cause });
    this.kind = kind;
    this.finding = finding;
    if (code !== undefined) this.code = code;
    if (remedy !== undefined) this.remedy = remedy;
  }
}

/** Failure code of an answer that contradicts another. Of GetProducts: it lists nothing, and that is not accepted yet. */
export const CONTRADICTION = 'CONTRADICTION';
