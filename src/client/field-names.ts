import { MAX_UNKNOWN_FIELDS } from '../model/records.ts';
import type { Fields } from '../query-api/field.ts';

/** Names of the fields that records have. They come from the analyzer: shortened and escaped before anybody sees them. */

/** Characters of a name that are shown. */
const NAME_LENGTH = 40;
/** Names that one sentence lists. */
const NAMES_LISTED = 10;

/** Control characters, half characters and what turns a line around or ends it. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

function printable(name: string): string {
  const start = [...name.slice(0, 2 * NAME_LENGTH)].slice(0, NAME_LENGTH).join('');
  const shown = start.replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
  return start.length < name.length ? `${shown}…` : shown;
}

/** What a record is made of, in words, without a single value. */
export function describeFields(record: unknown): string {
  if (record === null) return 'is null';
  if (Array.isArray(record)) return 'is an array';
  if (typeof record !== 'object') return `is a ${typeof record}`;
  const names = Object.keys(record);
  if (names.length === 0) return 'has no fields';
  const more = names.length > NAMES_LISTED ? ` and ${names.length - NAMES_LISTED} more` : '';
  return `has the fields ${names.slice(0, NAMES_LISTED).map(printable).join(', ')}${more}`;
}

/** Collects the names of fields that the specification does not name. One per answer. */
export interface UnknownFields {
  /** Adds the name of a field that is not specified. */
  add(name: string): void;
  /** Adds those of a record. */
  addFrom(record: object): void;
  names(): readonly string[];
}

export function createUnknownFields(specified: Fields): UnknownFields {
  const known = new Set(Object.keys(specified));
  const unknown = new Set<string>();
  const add = (name: string): void => {
    if (unknown.size < MAX_UNKNOWN_FIELDS) unknown.add(name);
  };
  return {
    add,
    addFrom: (record) => {
      for (const name in record) if (!known.has(name)) add(name);
    },
    names: () => [...new Set([...unknown].map(printable))],
  };
}
