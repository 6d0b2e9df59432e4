import { MAX_UNKNOWN_FIELDS } from '../../../base/model/records.ts';

/** Field names come from the analyzer. They are shortened and escaped before they are shown. */

/** Maximum number of characters of a name. */
const NAME_LENGTH = 40;
/** Maximum number of names in one sentence. */
const NAMES_LISTED = 10;

/** Control characters, lone surrogates, and characters that end a line or change its direction. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

function printable(name: string): string {
  const start = [...name.slice(0, 2 * NAME_LENGTH)].slice(0, NAME_LENGTH).join('');
  const shown = start.replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
  return start.length < name.length ? `${shown}…` : shown;
}

/** Describes a record by the names of its fields, without values. */
export function describeFields(record: unknown): string {
  if (record === null) return 'is null';
  if (Array.isArray(record)) return 'is an array';
  if (typeof record !== 'object') return `is a ${typeof record}`;
  const names = Object.keys(record);
  if (names.length === 0) return 'has no fields';
  const more = names.length > NAMES_LISTED ? ` and ${names.length - NAMES_LISTED} more` : '';
  return `has the fields ${names.slice(0, NAMES_LISTED).map(printable).join(', ')}${more}`;
}

/** Collects the names of fields that are not in the specification. One per answer. */
interface UnknownFields {
  /** Adds the name of an unknown field. */
  add(name: string): void;
  names(): readonly string[];
}

/** Collects the names of fields that are not in the specification, up to the limit. */
export function createUnknownFields(): UnknownFields {
  const unknown = new Set<string>();
  return {
    add: (name) => {
      if (unknown.size < MAX_UNKNOWN_FIELDS) unknown.add(name);
    },
    names: () => [...new Set([...unknown].map(printable))],
  };
}
