/** The codes in an error body `{"error": {"code", "message", "parameter"?}}` of the analyzer, with their HTTP status. */
export const errorCodes = {
  missing_parameter: { status: 400, meaning: 'A required parameter is missing or empty.' },
  illegal_value: { status: 400, meaning: 'A parameter has a value that the specification does not allow.' },
  repeated_parameter: { status: 400, meaning: 'A parameter is given more than once.' },
  not_found: { status: 404, meaning: 'The path does not exist. Paths are matched exactly.' },
  method_not_allowed: { status: 405, meaning: 'The endpoint requires another method. See the Allow header.' },
  body_too_large: { status: 413, meaning: 'Content-Length is more than 1 MiB. No endpoint reads a body.' },
  too_many_requests: {
    status: 429,
    meaning: 'The address sends more than embedded_analyzer.limits.requests_per_second. Try again after Retry-After.',
  },
  too_many_logons: {
    status: 429,
    meaning:
      'Too many logons failed for this user, from this address or network; the password was not checked. Try again after Retry-After.',
  },
  internal_error: { status: 500, meaning: 'The request failed. See the log of the analyzer.' },
  history_unavailable: { status: 500, meaning: 'History cannot be read now. See the log of the analyzer.' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly meaning: string }>>;

/** The codes of errors of the embedded analyzer, which docs/query-api.md lists. */
export type ErrorCode = keyof typeof errorCodes;
