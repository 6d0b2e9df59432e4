import { editDistance } from '../../../base/settings/names.ts';

/** Problems of an observation document. No value of it is repeated but numbers and names of keys: the rest may be a user. */

/** Problems that are named; the others are counted. */
const MAX_NAMED = 20;
/** Longer keys are neither repeated nor compared. */
const MAX_KEY = 40;

/** Where a value is in a document: the keys and indexes that lead to it. */
export type DocumentPath = readonly (string | number)[];

/** `vendor_licenses[0].features[3].in_use`; empty for the document itself. */
function pathText(path: DocumentPath): string {
  let text = '';
  for (const step of path) text += typeof step === 'number' ? `[${step}]` : text === '' ? step : `.${step}`;
  return text;
}

/** Counts the problems of a document and keeps the sentences of the first ones. */
export class DocumentProblems {
  readonly #named: string[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** @param message written only if the problem is named */
  add(path: DocumentPath, message: () => string): void {
    this.#count += 1;
    if (this.#named.length === MAX_NAMED) return;
    const place = pathText(path);
    this.#named.push(place === '' ? message() : `${place}: ${message()}`);
  }

  /** All in one line. */
  get text(): string {
    const more = this.#count - this.#named.length;
    return this.#named.join('; ') + (more > 0 ? `; and ${more} more` : '');
  }
}

/** What a value is, without its content. */
function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return 'the string';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

interface Issue {
  readonly input?: unknown;
}

const REQUIRED = 'is required';

/** The message for a wrong value, with what is allowed. Numbers are repeated. */
export const isNot =
  (allowed: string, hint: (input: unknown) => string = () => '') =>
  ({ input }: Issue): string => {
    if (input === undefined) return REQUIRED;
    return `${typeof input === 'number' ? input : kindOf(input)} is not ${allowed}${hint(input)}`;
  };

/** The same for a value that may be a user or a host: a number is not repeated either. */
export const isNotPersonal =
  (allowed: string) =>
  ({ input }: Issue): string =>
    input === undefined ? REQUIRED : `${kindOf(input)} is not ${allowed}`;

/** The known name that is probably meant. */
function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_KEY) return undefined;
  // `inUse` and `In Use` mean `in_use`
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  const [best] = known
    .map((candidate) => ({ candidate, far: editDistance(plain(name), plain(candidate)) }))
    .sort((a, b) => a.far - b.far);
  return best !== undefined && best.far <= Math.max(1, Math.floor(name.length / 3)) ? best.candidate : undefined;
}

/** `, did you mean …?` of a text, which is not repeated. */
export const meant =
  (known: readonly string[]) =>
  (input: unknown): string => {
    const near = typeof input === 'string' ? nearest(input, known) : undefined;
    return near === undefined ? '' : `, did you mean ${near}?`;
  };

/**
 * The message for an unknown key. A script that has mixed up keys and values writes users as keys, so that the key is
 * repeated only if it is much like a known one.
 */
export function unknownKey(key: string, known: readonly string[]): string {
  const near = nearest(key, known);
  return near === undefined
    ? `has an unknown key; valid are ${known.join(', ')}`
    : `unknown key ${key}, did you mean ${near}?`;
}
