import type { Failure, FailureKind } from '../model/failure.ts';

/** Every error of the Grafana routes: the code of the error body, its HTTP status and when it comes. */
export const datasourceErrors = {
  bad_json: { status: 400, meaning: 'The body is not JSON.' },
  bad_request: { status: 400, meaning: 'The body is JSON, but not a request of this route.' },
  unknown_target: { status: 400, meaning: 'There is no target of this name.' },
  empty_payload: { status: 400, meaning: 'The payload arrived empty, usually because its variables made it bad JSON.' },
  missing_parameter: { status: 400, meaning: 'A key the target needs is not in the payload.' },
  bad_parameter: { status: 400, meaning: 'A key, its value, the time range or an ad-hoc filter cannot be used.' },
  too_many: { status: 400, meaning: 'More targets, combinations or rows than one answer holds.' },
  unauthorized: { status: 401, meaning: 'Name and password of a user in the web config are required.' },
  users_not_served: { status: 403, meaning: 'Names of users are not served here, see `datasource.users`.' },
  not_found: { status: 404, meaning: 'Nothing is served at this path.' },
  method_not_allowed: { status: 405, meaning: 'The path is served, but not with this method.' },
  too_large: { status: 413, meaning: 'The body is larger than 4 MiB.' },
  internal: { status: 500, meaning: 'A bug; the log says more.' },
  upstream_auth: { status: 502, meaning: 'The analyzer rejected the logon, or an earlier rejection is still on hold.' },
  upstream_status: { status: 502, meaning: 'The analyzer answered with another HTTP status than 200.' },
  upstream_json: { status: 502, meaning: 'The answer of the analyzer cannot be used.' },
  upstream_down: { status: 503, meaning: 'The analyzer cannot be reached, or has not been polled yet.' },
  queue_full: { status: 503, meaning: 'Too many requests to the analyzer, or logons, are waiting.' },
  deadline: { status: 504, meaning: 'The analyzer did not answer within `datasource.deadline`.' },
} as const satisfies Record<string, { readonly status: number; readonly meaning: string }>;

export type DatasourceErrorCode = keyof typeof datasourceErrors;

/** Why a request, or one target of it, has no answer. The message is for people and holds no secrets. */
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

/** A failed request to the analyzer as an error of a Grafana route. */
export function fromQueryError({ kind, message }: Failure): DatasourceError {
  const isAway = kind === 'connect' || kind === 'tls';
  return new DatasourceError(codeOfKind[kind], isAway ? `the analyzer cannot be reached: ${message}` : message);
}
