import type { Endpoint, Parameter } from './endpoints.ts';
import type { ErrorCode } from './errors.ts';

/** The parameters of a request by name, including defaults, or the first error. */
type ReadParameters =
  | { readonly ok: true; readonly values: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string; readonly parameter: string };

/** Parses a query string. `+` is a space; a malformed percent sequence is kept literally. */
function parseQuery(query: string): [name: string, value: string][] {
  const decode = (text: string): string =>
    text
      .replaceAll('+', ' ')
      .replace(/(?:%[0-9a-fA-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'));
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      return equals === -1 ? [decode(pair), ''] : [decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))];
    });
}

/** Whether a required text can be empty: only the package of the two window endpoints (spec 4.8, 4.9). */
export const mayBeEmpty = (endpoint: Endpoint, { name }: Parameter): boolean =>
  name === 'package' && (endpoint.answer === 'efficiency' || endpoint.answer === 'heat-map');

function problemOf(
  endpoint: Endpoint,
  parameter: Parameter,
  value: string | undefined,
): [ErrorCode, string] | undefined {
  const { name, required, allowed, integer } = parameter;
  if (value === undefined) return required ? ['missing_parameter', `${name} is required`] : undefined;
  if (value === '') {
    return required && !mayBeEmpty(endpoint, parameter)
      ? ['missing_parameter', `${name} must not be empty`]
      : undefined;
  }
  if (allowed !== undefined && !allowed.includes(value)) {
    return ['illegal_value', `${name} must be one of ${allowed.join(', ')}`];
  }
  if (integer !== undefined) {
    const [min, max] = integer;
    // a month can have a leading zero; a year cannot have five digits
    const number = /^\d+$/.test(value) && value.length <= String(max).length ? Number(value) : Number.NaN;
    if (!(number >= min && number <= max)) return ['illegal_value', `${name} must be an integer from ${min} to ${max}`];
  }
  return undefined;
}

/**
 * Reads the query string of a request by the endpoint's table. Unknown and empty optional parameters are ignored.
 */
export function readParameters(endpoint: Endpoint, query: string): ReadParameters {
  const given = new Map<string, string>();
  const known = new Set(endpoint.parameters.map(({ name }) => name));
  for (const [name, value] of parseQuery(query)) {
    if (!known.has(name)) continue;
    if (given.has(name)) {
      return { ok: false, code: 'repeated_parameter', message: `${name} is given more than once`, parameter: name };
    }
    given.set(name, value);
  }
  const values: Record<string, string> = {};
  for (const parameter of endpoint.parameters) {
    const value = given.get(parameter.name);
    const problem = problemOf(endpoint, parameter, value);
    if (problem !== undefined) {
      return { ok: false, code: problem[0], message: problem[1], parameter: parameter.name };
    }
    const used = value === '' && !parameter.required ? undefined : value;
    const effective = used ?? parameter.default;
    if (effective !== undefined) values[parameter.name] = effective;
  }
  return { ok: true, values };
}

/** Returns the query string with its `?`; empty without parameters. Every reserved character is encoded. */
export function writeQuery(endpoint: Endpoint, values: Readonly<Record<string, string | undefined>>): string {
  const pairs = endpoint.parameters.flatMap(({ name }) => {
    const value = values[name];
    return value === undefined ? [] : [`${name}=${encodeURIComponent(value.toWellFormed())}`];
  });
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
