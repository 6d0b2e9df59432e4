import { DatasourceError } from './errors.ts';
import type { RawPayload } from './payload.ts';
import { type Key, type KeyName, payloadKeys } from './payload-keys.ts';
import { bad, type Filter, type Query, readTexts, show, type TimeRange } from './query.ts';
import { type Target, type TargetName, targets } from './targets.ts';

/** Reads the request of a target by the table of the targets. */

const isTargetName = (name: unknown): name is TargetName => typeof name === 'string' && Object.hasOwn(targets, name);

/** @throws DatasourceError with the valid targets */
export function readTargetName(raw: unknown): TargetName {
  if (isTargetName(raw)) return raw;
  throw new DatasourceError(
    'unknown_target',
    `there is no target ${show(raw)}; valid are ${Object.keys(targets).join(', ')}`,
  );
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

/** A query as it was sent, before its values are checked. */
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
