import { sourceFailureKinds } from '../../model/observation/source-failure.ts';
import type { FreeText } from './free-text.ts';
import { isNumber, type Role, type StandIns } from './stand-ins.ts';

/** What a capture has of a JSON document, or of a text that should be one: users and hosts are replaced, figures stay. */

const roles: Readonly<Record<string, Role>> = {
  user: 'user',
  host: 'host',
  display: 'display',
  holder: 'group',
  handle: 'word',
  share_handle: 'word',
};
const names = new Set(['feature', 'package', 'daemon', 'pool', 'mapped_to']);
/** Keys of observation documents with values that are no names. */
const plain = new Set([
  ...[
    'version',
    'time',
    'vendor_licenses',
    'members',
    'problems',
    'server',
    'part',
    'reachable',
    'reports',
    'features',
  ],
  ...['feature_type', 'license_type', 'license_model', 'token', 'source', 'cost', 'count', 'expires', 'increments'],
  ...['in_use', 'available', 'reservations', 'unused_reserve', 'used_reserve', 'reserved', 'checkouts', 'licenses'],
  ...['checkouts_complete', 'queued', 'denials', 'denials_total', 'used', 'since', 'borrowed', 'status', 'state'],
  ...['seconds', 'up', 'master', 'kind', 'message'],
]);
/** Values of documents that are words of the format. */
const WORDS =
  /^(?:feature|package|component|floating|node-locked|uncounted|concurrent|token|named|unknown|permanent|borrowed|status|(?:in)?active|suspended|terminated|blocked)$/;
const enumerations = new Set(['feature_type', 'license_type', 'license_model', 'token', 'count', 'expires', 'state']);
enumerations.add('reports');

const isKey = (key: string): boolean => key in roles || names.has(key) || plain.has(key);

/** Strings, what is between them, and whether a string is a key. */
const STRING = /"((?:[^"\\]|\\.)*)"(\s*:)?/gs;

const decoded = (written: string): string => {
  try {
    return String(JSON.parse(`"${written}"`));
  } catch {
    return written;
  }
};

interface JsonString {
  /** The key that the value has, the last one before it. */
  readonly key: string;
  readonly text: string;
}

/** The values of a text that are strings. */
export function* jsonStrings(text: string): Generator<JsonString, void> {
  let key = '';
  for (const [, written = '', colon] of text.matchAll(STRING)) {
    if (colon !== undefined) key = decoded(written);
    else yield { key, text: decoded(written) };
  }
}

export const jsonRole = (key: string): Role | undefined => (Object.hasOwn(roles, key) ? roles[key] : undefined);
export const isJsonName = (key: string): boolean => names.has(key);

export function jsonText(text: string, free: FreeText, standIns: StandIns): string {
  let key = '';
  let end = 0;
  let result = '';
  const between = (to: number): string => {
    const gap = text.slice(end, to);
    // another key can have the number of an employee
    return plain.has(key)
      ? gap.replace(/[^\s{}[\],:\d.+-][^\s{}[\],:]*/g, (word) => free.of(word, false))
      : gap
          .replace(/\d+/g, (digits) => standIns.numberFor(digits))
          .replace(/[^\s{}[\],:\d.+-][^\s{}[\],:]*/g, (word) => free.of(word, false));
  };
  for (const match of text.matchAll(STRING)) {
    const [whole, written = '', colon] = match;
    result += between(match.index);
    end = match.index + whole.length;
    const string = decoded(written);
    if (colon !== undefined) key = string;
    const shown = colon === undefined ? shownValue(key, string, free) : isKey(string) ? string : free.of(string, false);
    result += `${shown === written ? `"${written}"` : JSON.stringify(shown)}${colon ?? ''}`;
  }
  return result + between(text.length);
}

function shownValue(key: string, text: string, free: FreeText): string {
  const role = jsonRole(key);
  if (role !== undefined) return isNumber(text) && role === 'word' ? text : free.who(text, role);
  if (names.has(key)) return free.name(text);
  if (key === 'version') return free.version(text);
  if (key === 'server') return serverOf(text, free);
  if (enumerations.has(key) && WORDS.test(text)) return text;
  if (key === 'kind' && Object.hasOwn(sourceFailureKinds, text)) return text;
  return free.of(text, false);
}

/** `port@host`, or with a vendor license `port@host;daemon`. */
function serverOf(text: string, free: FreeText): string {
  const at = text.indexOf('@');
  const port = text.slice(0, Math.max(at, 0));
  return at > 0 && /^\d{1,5}$/.test(port) ? `${port}@${free.server(text.slice(at + 1))}` : free.server(text);
}
