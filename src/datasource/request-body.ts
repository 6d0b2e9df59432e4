import { DatasourceError } from './errors.ts';
import type { RawPayload } from './unescape.ts';

/** Reading the bodies of requests. */

export type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function requireObject(body: unknown, what: string): Json {
  if (isObject(body)) return body;
  throw new DatasourceError('bad_request', `${what} is not a JSON object`);
}

/** The payload of a request: an object, or a string with JSON. */
export function payloadOf(raw: unknown, what: string): RawPayload {
  if (raw === undefined || raw === null || raw === '') return {};
  if (isObject(raw)) return raw;
  try {
    const parsed: unknown = typeof raw === 'string' ? JSON.parse(raw) : undefined;
    if (isObject(parsed)) return parsed;
  } catch {
    // reported below
  }
  throw new DatasourceError('bad_parameter', `${what} is not a JSON object`);
}
