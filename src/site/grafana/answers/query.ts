import { createPattern } from '../../../base/model/wildcard.ts';
import { DatasourceError } from './errors.ts';
import { durationNames, type KeyName } from './payload-keys.ts';

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
export interface Filter {
  readonly key: FilterKey;
  readonly equal: boolean;
  readonly value: string;
}

/** A query of a panel after it was checked: every value has its type, and nothing is unknown. */
export interface Query {
  /** The name of its target. */
  readonly target: string;
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

/** The keys that a user can filter a whole dashboard by. */
export const adHocKeys: readonly string[] = filterKeys;

/** The error of a wrong value. */
export const bad = (message: string): DatasourceError => new DatasourceError('bad_parameter', message);

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
