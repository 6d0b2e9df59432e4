import { z } from 'zod';
import { mayMean, nearest, unknownName } from './names.ts';
import { isNot, REQUIRED } from './values.ts';

/** Schemas of maps and lists, and the problems of a value with their paths. */

/** A text in place of a map is not repeated: it may be a secret. */
const isNoMap = (input: unknown): string =>
  typeof input === 'string' ? 'a string is not a map' : isNot('a map')({ input });

/**
 * A map with these keys and no others.
 *
 * @param refused keys that are not accepted, with the reason
 */
export function mapOf<S extends z.core.$ZodLooseShape>(shape: S, refused: Readonly<Record<string, string>> = {}) {
  const known = Object.keys(shape);
  const messageOf = (key: string): string =>
    (Object.hasOwn(refused, key) ? refused[key] : undefined) ?? unknownName(nearest(key, known), known);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? (issue.keys as string[]).map(messageOf).join('\n') : isNoMap(issue.input),
  });
}

/** A map that may be empty: YAML reads an empty value as `null`. */
export const orEmpty = <S extends z.ZodType>(schema: S) => z.preprocess((raw) => raw ?? {}, schema);

/** The message for a secret in the file. */
export const secretInFile = (key: string): string => `a secret must not be in the file; use ${key}_file`;

/** A list. In environment variables and flags, values are separated by commas. */
export function listOf<S extends z.ZodType>(item: S) {
  const split = (raw: unknown): unknown => {
    // the entry then says what it must be
    if (typeof raw === 'number') return [raw];
    if (typeof raw !== 'string') return raw ?? [];
    return raw
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
  };
  return z.preprocess(split, z.array(item, { error: isNot('a list') }).meta({ type: ['array', 'string'] }));
}

/** A list, or one entry as a text, which may contain commas. */
export const oneOrMore = <S extends z.ZodType>(item: S) =>
  z.preprocess(
    (raw) => (typeof raw === 'string' && raw.trim() !== '' ? [raw] : raw || []),
    z.array(item, { error: isNot('a list') }).meta({ type: ['array', 'string'] }),
  );

/** A list that only the file can contain. */
export const strictListOf = <S extends z.ZodType>(item: S) => z.array(item, { error: isNot('a list') });

/**
 * A map with keys that are not known before. `__proto__` is no key: zod would leave it out without a word.
 *
 * @param error of a value that is no map
 */
export const recordOf = <V extends z.ZodType>(
  key: z.core.$ZodRecordKey,
  value: V,
  error: ReturnType<typeof isNot>,
  noKey: string,
) =>
  z.preprocess(
    (raw, context) => {
      if (typeof raw === 'object' && raw !== null && Object.hasOwn(raw, '__proto__')) {
        context.addIssue({ code: 'custom', path: ['__proto__'], message: noKey });
      }
      return raw ?? {};
    },
    z.record(key, value, { error }),
  );

const EITHER = 'either';

/** A text or a map. Reports the problems of the type that is used. */
export const textOrMap = <A extends z.ZodType<unknown, string>, B extends z.ZodType>(written: A, map: B) =>
  z.union([written, map], { error: EITHER });

/** A list of maps, or one of them. Reports the problems of the type that is used. */
export const oneOrMoreMaps = <M extends z.ZodType>(map: M) =>
  z.union([z.array(map), map.transform((one) => [one])], { error: EITHER });

/** A problem of a part of a value. */
interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly isUnknownKey?: boolean;
}

function issuesOf(issue: z.core.$ZodIssue, before: readonly PropertyKey[]): Issue[] {
  const path = [...before, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    const messages = issue.message.split('\n');
    return issue.keys.map((key, i) => ({ path: [...path, key], message: messages[i] ?? '', isUnknownKey: true }));
  }
  if (issue.code === 'invalid_key') return [{ path, message: issue.issues[0]?.message ?? issue.message }];
  if (issue.code === 'invalid_union' && issue.message === EITHER) {
    const isOfOtherType = ([first]: z.core.$ZodIssue[]): boolean =>
      first?.code === 'invalid_type' && first.path.length === 0;
    const branch = issue.errors.find((errors) => !isOfOtherType(errors)) ?? issue.errors.at(-1) ?? [];
    return branch.flatMap((nested) => issuesOf(nested, path));
  }
  return [{ path, message: issue.message }];
}

/** Whether a problem only follows from another one: a key is missing because it is misspelt, or because the secret itself is set. */
function followsFrom(other: Issue, { path, message, isUnknownKey }: Issue): boolean {
  if (!other.isUnknownKey || isUnknownKey) return false;
  const map = shownPath(other.path.slice(0, -1));
  // a map as a whole is only invalid because a key is missing
  if (shownPath(path) === map) return true;
  const [written, missing] = [String(other.path.at(-1)), String(path.at(-1))];
  const isMissing = message === REQUIRED && shownPath(path.slice(0, -1)) === map;
  return isMissing && mayMean(written, missing);
}

/** The value that a raw value stands for, or all problems of it. */
export function read<S extends z.ZodType>(
  schema: S,
  raw: unknown,
): { readonly value: z.output<S>; readonly issues?: undefined } | { readonly issues: readonly Issue[] } {
  const result = schema.safeParse(raw);
  if (result.success) return { value: result.data };
  const issues = result.error.issues.flatMap((issue) => issuesOf(issue, []));
  return { issues: issues.filter((issue) => !issues.some((other) => followsFrom(other, issue))) };
}

/** `alerting.rules.LicenseExpired.overrides[0].feature`. */
export const shownPath = (path: readonly PropertyKey[]): string =>
  path
    .map((step, i) => {
      if (typeof step === 'number') return `[${step}]`;
      const name = String(step);
      return `${i === 0 ? '' : '.'}${/^[\w.-]+$/.test(name) ? name : JSON.stringify(name)}`;
    })
    .join('');
