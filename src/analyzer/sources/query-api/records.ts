import type { Field, Fields } from '../../../base/query-api/field.ts';
import { readJson } from '../../../base/query-api/json.ts';
import { recordFields, type WireFeature, type WireProduct } from '../../../base/query-api/records.ts';
import { DiagnosticsCount, type OnUnread } from '../lines.ts';

/** The answers of another analyzer, record by record. A record stays as it is: only its fields get the types that they are written with. */

/** A record with its fields, whose names are those of the table. */
type Raw = Readonly<Record<string, unknown>>;

/** One user of a feature (spec 2.3). */
export type RawUser = Raw;

const isObject = (value: unknown): value is Raw => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The records of an answer, in however many arrays (spec 4.2). */
function* recordsIn(value: unknown): Generator<unknown, void> {
  if (!Array.isArray(value)) {
    if (value !== undefined && value !== null) yield value;
    return;
  }
  for (const item of value) yield* recordsIn(item);
}

/** An integer or a decimal number, as a number or in a text. `undefined` for NaN, which is an empty text here. */
function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\s*-?\d/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** A value in the type of its field; `undefined` if it is not known. */
function typed(value: unknown, { type, unknown }: Field): unknown {
  if (type === 'text' || type === 'date') {
    if (value === null && unknown === 'null') return null;
    return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
  }
  if (type === 'scalar') return value === undefined || typeof value === 'object' ? null : value;
  if (type === 'flag') {
    if (typeof value === 'boolean') return value;
    return /^(?:true|1)$/i.test(String(value)) ? true : /^(?:false|0)$/i.test(String(value)) ? false : undefined;
  }
  // null stands for permanent
  const number = type === 'expiration' && value === null ? 0 : numberOf(value);
  return number ?? (unknown === 'NaN' ? Number.NaN : undefined);
}

function recordOf(raw: Raw, fields: Fields): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, typed(raw[name], field)]));
}

/** The answer about one vendor license: records of features have no third part of its name. */
export const FEATURES_OF = 'GetFeatures of ';

/** What an analyzer answered at one time. */
export interface Answered {
  readonly products: readonly WireProduct[];
  /** Of all vendor licenses; those that only a part tells apart are in `featuresOf`. */
  readonly features: readonly WireFeature[];
  /** By vendor license in lower case. */
  readonly featuresOf: ReadonlyMap<string, readonly WireFeature[]>;
  /** Names of vendor licenses. */
  readonly down: ReadonlySet<string>;
  readonly diagnostics: DiagnosticsCount;
}

/**
 * Reads the answers `{"GetProducts": …, "GetServerDown": …, "GetFeatures": …, "GetFeatures of NAME": …}`.
 *
 * @throws SyntaxError for a text that is not JSON
 */
export function readAnswers(text: string, onUnread?: OnUnread): Answered {
  const answers = readJson(Buffer.from(text));
  const diagnostics = new DiagnosticsCount(onUnread);
  const read = <R>(
    endpoint: 'GetProducts' | 'GetFeatures',
    isNamed: (record: Raw) => boolean,
    key: string = endpoint,
  ): R[] => {
    const found: R[] = [];
    for (const raw of recordsIn(isObject(answers) ? answers[key] : undefined)) {
      if (isObject(raw) && isNamed(raw)) found.push(recordOf(raw, recordFields[endpoint]) as R);
      else diagnostics.addUnparsed(`a record of ${endpoint}`);
    }
    return found;
  };
  const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
  const down = new Set<string>();
  for (const raw of recordsIn(isObject(answers) ? answers['GetServerDown'] : undefined)) {
    if (isObject(raw) && isText(raw['Label'])) down.add(String(raw['Label']).toLowerCase());
    else diagnostics.addUnparsed('a record of GetServerDown');
  }
  const isFeature = ({ Feature, ServerName, Daemon }: Raw): boolean =>
    isText(Feature) && isText(ServerName) && isText(Daemon);
  const apart = Object.keys(isObject(answers) ? answers : {}).filter((key) => key.startsWith(FEATURES_OF));
  return {
    products: read<WireProduct>('GetProducts', ({ Product }) => isText(Product)),
    features: read<WireFeature>('GetFeatures', isFeature),
    featuresOf: new Map(
      apart.map((key) => [
        key.slice(FEATURES_OF.length).toLowerCase(),
        read<WireFeature>('GetFeatures', isFeature, key),
      ]),
    ),
    down,
    diagnostics,
  };
}

/** The users in an answer of GetUsers, of either form. @throws SyntaxError for a text that is not JSON */
export function readUsers(text: string): readonly RawUser[] {
  const answer = readJson(Buffer.from(text));
  return [...recordsIn(isObject(answer) ? answer['data'] : answer)].filter(isObject);
}
