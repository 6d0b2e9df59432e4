import type { Failure, FailureKind } from '../../../base/model/failure.ts';

/** Every error of the Grafana routes: the code in the body, the HTTP status and the meaning. */
export const datasourceErrors = {
  bad_json: { status: 400, meaning: 'The body is not JSON.' },
  bad_request: { status: 400, meaning: 'The body is JSON, but not a valid request for this route.' },
  unknown_target: { status: 400, meaning: 'There is no target of this name.' },
  empty_payload: { status: 400, meaning: 'The payload is empty, usually because its variables made it invalid JSON.' },
  missing_parameter: { status: 400, meaning: 'The payload lacks a key that the target requires.' },
  bad_parameter: { status: 400, meaning: 'A key, a value, the time range or an ad-hoc filter is invalid.' },
  too_many: { status: 400, meaning: 'Too many targets, combinations or rows for one answer.' },
  unauthorized: { status: 401, meaning: 'Name and password of a user in the web config are required.' },
  wrong_host: {
    status: 403,
    meaning: 'The request names a user, and its Host header is no name of the daemon, see `web.external_url`.',
  },
  users_not_served: { status: 403, meaning: 'Names of users are not served, see `access.names`.' },
  not_found: { status: 404, meaning: 'There is nothing at this path.' },
  method_not_allowed: { status: 405, meaning: 'The path exists, but not for this method.' },
  too_large: { status: 413, meaning: 'The body is larger than 4 MiB.' },
  internal: { status: 500, meaning: 'A bug. See the log for details.' },
  upstream_auth: {
    status: 502,
    meaning: 'The analyzer rejected the logon, or logons are suspended after an earlier rejection.',
  },
  upstream_status: { status: 502, meaning: 'The analyzer answered with an HTTP status other than 200.' },
  upstream_json: { status: 502, meaning: 'The answer of the analyzer cannot be used.' },
  upstream_down: { status: 503, meaning: 'The analyzer cannot be reached, or has not been polled yet.' },
  not_ready: { status: 503, meaning: 'The first pass of right-sizing has not finished yet.' },
  people_not_known: { status: 503, meaning: 'It is not known who waited, or not on all days, see `people`.' },
  queue_full: { status: 503, meaning: 'Too many requests to the analyzer or logons are waiting.' },
  deadline: { status: 504, meaning: 'The analyzer did not answer within `datasource.deadline`.' },
} as const satisfies Record<string, { readonly status: number; readonly meaning: string }>;

/** The codes of errors, which scripts may rely on: docs/grafana.md lists them. */
export type DatasourceErrorCode = keyof typeof datasourceErrors;

/** Why a request, or one of its targets, has no answer. The message is for users and contains no secrets. */
export class DatasourceError extends Error {
  override readonly name = 'DatasourceError';
  readonly code: DatasourceErrorCode;

  constructor(code: DatasourceErrorCode, message: string) {
    super(message);
    this.code = code;
  }

  get status(): number {
    return datasourceErrors[this.code].status;
  }
}

const codeOfKind: Readonly<Record<FailureKind, DatasourceErrorCode>> = {
  connect: 'upstream_down',
  tls: 'upstream_down',
  connection_not_kept: 'upstream_down',
  throttled: 'upstream_down',
  aborted: 'upstream_down',
  timeout: 'deadline',
  auth: 'upstream_auth',
  auth_suspended: 'upstream_auth',
  auth_protocol: 'upstream_auth',
  status: 'upstream_status',
  parse: 'upstream_json',
  schema: 'upstream_json',
  too_large: 'upstream_json',
  ambiguous_name: 'bad_parameter',
  queue_full: 'queue_full',
};

/** Converts a failed request to the analyzer into an error of a Grafana route. */
export function fromQueryError({ kind, message }: Failure): DatasourceError {
  const isAway = kind === 'connect' || kind === 'tls';
  return new DatasourceError(codeOfKind[kind], isAway ? `the analyzer cannot be reached: ${message}` : message);
}
