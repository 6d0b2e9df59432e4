import { type ErrorCode, errorCodes } from '../../base/query-api/errors.ts';

/** An answer as HTTP sends it. */
export interface Reply {
  readonly status: number;
  readonly body: readonly Buffer[];
  /** Media type; none without a body. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The Content-Type of every list and chart. */
export const JSON_TYPE = 'application/json';
/** The Content-Type of the plain answers: a name, a number. */
export const TEXT_TYPE = 'text/plain; charset=utf-8';

/** An error body, with the status of its code. */
export function failure(
  code: ErrorCode,
  message: string,
  { parameter, headers }: { parameter?: string; headers?: Readonly<Record<string, string>> } = {},
): Reply {
  const body = JSON.stringify({ error: { code, message, ...(parameter !== undefined && { parameter }) } });
  const { status } = errorCodes[code];
  return { status, body: [Buffer.from(body)], type: JSON_TYPE, ...(headers !== undefined && { headers }) };
}

/** 405 with the methods that a path takes. @param what the path is, for the message */
export const methodNotAllowed = (what: string, method: string): Reply =>
  failure('method_not_allowed', `${what} takes ${method}`, { headers: { allow: method } });

/** @param retryAfter seconds */
export const tooMany = (code: 'too_many_requests' | 'too_many_logons', message: string, retryAfter: number): Reply =>
  failure(code, message, { headers: { 'retry-after': String(retryAfter) } });
