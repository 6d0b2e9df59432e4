import { createPattern } from '../model/wildcard.ts';
import { DatasourceError } from './errors.ts';
import {
  durationNames,
  type Key,
  type KeyName,
  payloadKeys,
  type Target,
  type TargetName,
  targets,
} from './targets.ts';
import type { RawPayload } from './unescape.ts';

/** The checked request of a target: its payload, time range and ad-hoc filters. */

/** Epoch milliseconds; `undefined` if the request has no such bound. */
export interface TimeRange {
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** The values of a payload. A key that can have several is in `lists`, or is `product` or `feature`. */
export type Values = Readonly<Partial<Record<KeyName, string>>> & {
  readonly products: readonly string[];
  readonly features: readonly string[];
  /** Without an entry for a key that the payload does not set. */
  readonly lists: Readonly<Partial<Record<KeyName, readonly string[]>>>;
};

const filterKeys = ['product', 'feature', 'package'] as const;
type FilterKey = (typeof filterKeys)[number];

/** An ad-hoc filter of the dashboard. */
interface Filter {
  readonly key: FilterKey;
  readonly equal: boolean;
  readonly value: string;
}

export interface Query {
  readonly target: TargetName;
  readonly shape: string;
  /** Whether the answer is flat rows, which have numbers in every column of numbers, and no frames. */
  readonly isForRows: boolean;
  readonly values: Values;
  readonly range: TimeRange;
  /** Whether `%` in a name of the payload stands for any text. */
  readonly isPattern: (text: string) => boolean;
  /** Whether a name passes the ad-hoc filters of the dashboard. */
  readonly allows: (key: FilterKey, name: string) => boolean;
  /** Whether there is an ad-hoc filter on a key. */
  readonly isFiltered: (key: FilterKey) => boolean;
}

export const adHocKeys: readonly string[] = filterKeys;

const bad = (message: string): DatasourceError => new DatasourceError('bad_parameter', message);

/** Epoch milliseconds of an ISO 8601 text, or NaN. `Date.parse` alone would take "Week 44" for a year. */
export const parseIsoTime = (text: string): number =>
  /^\d{4}-\d{2}-\d{2}([T ]|$)/.test(text) ? Date.parse(text) : Number.NaN;

/** A time: ISO 8601, or epoch milliseconds as a number or string. */
function readTime(raw: unknown, what: string): number | undefined {
  if (raw === undefined || raw === null || raw === '') return undefined;
  const digits = typeof raw === 'string' && /^-?\d+$/.test(raw);
  const at = typeof raw === 'number' || digits ? Number(raw) : typeof raw === 'string' ? parseIsoTime(raw) : Number.NaN;
  // the range of Date
  if (!(Math.abs(at) <= 8.64e15)) throw bad(`${what} is not a time; use ISO 8601 or epoch milliseconds`);
  return at;
}

/** @throws DatasourceError if a bound is not a time, or if the range ends before it starts */
export function readRange(
  raw: { readonly from?: unknown; readonly to?: unknown } | undefined,
  what: string,
): TimeRange {
  if (raw !== undefined && (typeof raw !== 'object' || raw === null)) throw bad('range is not an object');
  const range = { from: readTime(raw?.from, `${what}from`), to: readTime(raw?.to, `${what}to`) };
  if (range.from !== undefined && range.to !== undefined && range.from > range.to) {
    throw bad(`${what}from is later than ${what}to`);
  }
  return range;
}

/** @throws DatasourceError for an unknown key or operator */
export function readFilters(raw: unknown): readonly Filter[] {
  if (raw === undefined || raw === null) return [];
  if (!Array.isArray(raw)) throw bad('filters is not an array');
  return raw.map((item): Filter => {
    const { key, operator, value } = (item ?? {}) as { key?: unknown; operator?: unknown; value?: unknown };
    const known = filterKeys.find((name) => name === key);
    if (known === undefined) throw bad(`the ad-hoc filter key ${show(key)} is not one of ${filterKeys.join(', ')}`);
    if (operator !== '=' && operator !== '!=') {
      throw bad(`the ad-hoc filter operator ${show(operator)} is not supported; use = or !=`);
    }
    return { key: known, equal: operator === '=', value: readText(known, value) };
  });
}

/** A received value for a message: short, on one line. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

const isTargetName = (name: unknown): name is TargetName => typeof name === 'string' && Object.hasOwn(targets, name);

/** @throws DatasourceError with the valid targets */
export function readTargetName(raw: unknown): TargetName {
  if (isTargetName(raw)) return raw;
  throw new DatasourceError(
    'unknown_target',
    `there is no target ${show(raw)}; valid are ${Object.keys(targets).join(', ')}`,
  );
}

/** Names can begin and end with a space. */
const nameKeys: readonly string[] = ['product', 'feature', 'package', 'filters'] satisfies KeyName[];

function readText(name: string, raw: unknown): string {
  if (typeof raw === 'string') return nameKeys.includes(name) && raw.trim() !== '' ? raw : raw.trim();
  if (typeof raw === 'number' || typeof raw === 'boolean') return String(raw);
  throw bad(`${name} is ${show(raw)}, not a string`);
}

/** The values of a key. Empty ones are ignored. @throws DatasourceError if a value is no text, or if there are several of a key with one */
export function readTexts(name: string, raw: unknown, several: boolean): readonly string[] {
  if (raw === undefined || raw === null) return [];
  const all = (Array.isArray(raw) ? raw : [raw]).map((item) => readText(name, item)).filter((text) => text !== '');
  if (all.length > 1 && !several) throw bad(`${name} has ${all.length} values, but only one is allowed`);
  return [...new Set(all)];
}

function check(name: string, value: string, { options, integer }: Key): string {
  if (options !== undefined && !options.includes(value)) {
    throw bad(`${name} is ${show(value)}, not one of ${options.join(', ')}`);
  }
  if (integer === undefined) return value;
  const [min, max] = integer;
  const number = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= min && number <= max)) throw bad(`${name} is ${show(value)}, not an integer from ${min} to ${max}`);
  return String(number);
}

export interface QueryInput {
  readonly target: TargetName;
  readonly payload: RawPayload;
  readonly range: TimeRange;
  readonly filters: readonly Filter[];
  /** The prefix of keys in messages: `payload.` or nothing. */
  readonly prefix: string;
  /** Added to the message of a missing parameter. */
  readonly hint?: string;
  /** Whether the answer is flat rows: they have shapes of their own. */
  readonly isForRows?: boolean;
}

/**
 * Checks the request of a target. Keys of other targets are ignored, because the builder form keeps them when another target
 * is selected.
 *
 * @throws DatasourceError with the target, the key and the valid values
 */
export function readQuery(input: QueryInput): Query {
  const { target, payload, range, filters, prefix, hint = '', isForRows = false } = input;
  const definition: Target = targets[target];
  const shapes = isForRows ? definition.rowShapes : definition.shapes;
  const named = (message: string): DatasourceError => bad(`${target}: ${prefix}${message}`);
  const unknown = Object.keys(payload).find((name) => !Object.hasOwn(payloadKeys, name));
  if (unknown !== undefined) {
    throw named(`${show(unknown).slice(1, -1)} is unknown; ${target} accepts ${definition.keys.join(', ')}`);
  }
  const equal = (key: KeyName): readonly string[] =>
    filters.filter((filter) => filter.equal && filter.key === key).map(({ value }) => value);

  const values: Partial<Record<KeyName, string>> = {};
  const lists: Partial<Record<KeyName, readonly string[]>> = {};
  // rows refuse a shape that they cannot give, also where there is only one
  for (const name of isForRows ? new Set<KeyName>([...definition.keys, 'shape']) : definition.keys) {
    const key: Key = name === 'shape' ? { ...payloadKeys.shape, options: shapes } : payloadKeys[name];
    let given: readonly string[];
    try {
      given = readTexts(name, payload[name], key.several === true).map((value) => check(name, value, key));
    } catch (error) {
      throw error instanceof DatasourceError ? named(error.message) : error;
    }
    // an ad-hoc filter replaces a missing value
    if (given.length === 0) given = equal(name).slice(0, 1);
    if (given.length === 0 && definition.required.includes(name)) {
      throw new DatasourceError('missing_parameter', `${target}: ${prefix}${name} is required${hint}`);
    }
    if (given[0] === undefined) continue;
    if (key.several === true) lists[name] = given;
    else values[name] = given[0];
  }
  return {
    target,
    shape: values.shape ?? shapes[0] ?? '',
    isForRows,
    values: { ...values, products: lists.product ?? [], features: lists.feature ?? [], lists },
    range,
    isPattern: hasPercent,
    allows: (key, name) => filters.every((filter) => filter.key !== key || (filter.value === name) === filter.equal),
    isFiltered: (key) => filters.some((filter) => filter.key === key),
  };
}

const hasPercent = (text: string): boolean => text.includes('%');

/**
 * Whether a name matches one of the values of a payload. Without values, every name matches.
 *
 * @param isPattern see `Query`
 */
export function matcherOf(texts: readonly string[], isPattern: Query['isPattern']): (name: string) => boolean {
  if (texts.length === 0 || texts.includes('%')) return () => true;
  const names = new Set(texts.filter((text) => !isPattern(text)));
  const patterns = texts.filter(isPattern).map((text) => createPattern(text, { ignoreCase: false }));
  return (name) => names.has(name) || patterns.some((matches) => matches(name));
}

/** The code of a duration; `undefined` for `auto`. */
export function durationCode(last: string | undefined): string | undefined {
  return last === undefined || last === 'auto' ? undefined : (durationNames[last] ?? last);
}
