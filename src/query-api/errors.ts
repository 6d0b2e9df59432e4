/** The codes in an error body `{"error": {"code", "message", "parameter"?}}` of the analyzer, with their HTTP status. */
export const errorCodes = {
  missing_parameter: { status: 400, meaning: 'A required parameter is missing or empty.' },
  illegal_value: { status: 400, meaning: 'A parameter has a value outside of what the specification allows.' },
  repeated_parameter: { status: 400, meaning: 'A parameter is given more than once.' },
  not_found: { status: 404, meaning: 'There is nothing at this path; paths are matched exactly.' },
  method_not_allowed: { status: 405, meaning: 'The endpoint takes another method, named in the header Allow.' },
  body_too_large: { status: 413, meaning: 'A body of more than 1 MiB was announced; no endpoint reads one.' },
  too_many_requests: {
    status: 429,
    meaning: 'The address sends more than embedded_analyzer.limits.requests_per_second; try again after Retry-After.',
  },
  too_many_logons: {
    status: 429,
    meaning:
      'Too many logons failed for this user, from this address or network; the password was not looked at, try again after Retry-After.',
  },
  internal_error: { status: 500, meaning: 'The request failed; the log of the analyzer says why.' },
  history_unavailable: { status: 500, meaning: 'History cannot be read now; the log of the analyzer says why.' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly meaning: string }>>;

export type ErrorCode = keyof typeof errorCodes;
