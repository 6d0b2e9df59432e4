import { DatasourceError } from './errors.ts';

/** Reading the bodies of requests, and their payloads. */

/** An object of a request before it is checked. */
export type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value, if it is an object. @param what it is, for the message @throws DatasourceError otherwise */
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

/** A payload value: one text, several, or any other value that was sent. */
export type RawPayload = Readonly<Record<string, unknown>>;

/*
 * simpod-json-datasource puts variables into builder payloads, and into payloads given as objects, in Grafana's regex
 * format: `lic01.ex.com` arrives as `lic01\.ex\.com`, several values as `(a|b)`. The rest of this module reverts it.
 */

const SPECIAL = /[\\^$*+?.()|[\]{}/]/g;
const ESCAPED = /\\([\\^$*+?.()|[\]{}/])/g;

/** Grafana's regex format of a variable's value. */
function regexFormat(value: string | readonly string[]): string {
  const escapeText = (text: string): string => text.replace(SPECIAL, '\\$&');
  if (typeof value === 'string') return escapeText(value);
  const parts = value.map(escapeText);
  return parts.length === 1 ? (parts[0] ?? '') : `(${parts.join('|')})`;
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** Variables in regex format, with their values. */
function variablesOf(scopedVars: unknown): Map<string, string | readonly string[]> {
  const known = new Map<string, string | readonly string[]>();
  if (typeof scopedVars !== 'object' || scopedVars === null) return known;
  for (const variable of Object.values(scopedVars)) {
    const value = (variable as { value?: unknown } | null)?.value;
    if (isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText))) {
      known.set(regexFormat(value), value);
    }
  }
  return known;
}

/** The parts of `(a|b)`, or the text itself, without escaping. */
function unescapePattern(text: string): string | readonly string[] {
  const plain = (part: string): string => part.replace(ESCAPED, '$1');
  if (!text.startsWith('(') || !text.endsWith(')')) return plain(text);
  const parts = text.slice(1, -1).match(/(?:\\.|[^|\\])+/gs) ?? [];
  // Grafana adds no brackets to one value and escapes brackets in values: anything else was typed by a user
  const isList = parts.length > 1 && parts.every((part) => !/[()]/.test(part.replace(/\\./gs, '')));
  return isList ? parts.map(plain) : plain(text);
}

const mapTexts = (payload: RawPayload, change: (text: string) => string | readonly string[]): RawPayload =>
  Object.fromEntries(
    Object.entries(payload).map(([key, value]) => {
      if (isText(value)) return [key, change(value)];
      return [key, Array.isArray(value) ? value.flatMap((item) => (isText(item) ? change(item) : [item])) : value];
    }),
  );

/** Reverts the escaping of variables whose values are known. It is correct in every editor mode. */
export function restoreVariables(payload: RawPayload, scopedVars: unknown): RawPayload {
  const known = variablesOf(scopedVars);
  return known.size === 0 ? payload : mapTexts(payload, (text) => known.get(text) ?? text);
}

/** Reverts the escaping of a builder payload by its pattern, for values that are not known variables. */
export const unescapePayload = (payload: RawPayload): RawPayload => mapTexts(payload, unescapePattern);
