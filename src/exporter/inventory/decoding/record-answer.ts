import { QueryError } from '../../../base/model/failure.ts';
import {
  type Answer,
  type Discarded,
  type DiscardReason,
  MAX_UNKNOWN_FIELDS,
  noDiscards,
  type OwnerFields,
} from '../../../base/model/records.ts';
import { canonical, parseVendorLicense } from '../../../base/model/vendor-license.ts';
import type { Field, Fields } from '../../../base/query-api/field.ts';
import type { PresentFields, Raw, RecordKind } from './record-kinds.ts';
import { fieldsOfBits, unionOfBits } from './record-kinds.ts';
import { createWireValues, type WireValues } from './wire-values.ts';

/** Reads the items of an answer, and counts what is unusable. Field names come from the analyzer: they are shortened and escaped. */

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
function describeFields(record: unknown): string {
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
function createUnknownFields(): UnknownFields {
  const unknown = new Set<string>();
  return {
    add: (name) => {
      if (unknown.size < MAX_UNKNOWN_FIELDS) unknown.add(name);
    },
    names: () => [...new Set([...unknown].map(printable))],
  };
}

/** Collects which fields the records of each vendor license of an answer have. */
class FieldsByOwner {
  readonly #fields: Fields;
  readonly #bits = new Map<string, number>();
  /** Nearly all records of a vendor license follow each other, and have the same fields. */
  #last = { owner: '', bits: -1 };

  constructor(fields: Fields) {
    this.#fields = fields;
  }

  /** Adds a record, by the bits of its fields. */
  add(owner: string, bits: number): void {
    if (this.#last.bits === bits && this.#last.owner === owner) return;
    this.#last = { owner, bits };
    this.#bits.set(owner, unionOfBits(this.#bits.get(owner) ?? 0, bits));
  }

  /** Vendor licenses with the same fields share their list, so that it is sent to another thread only once. */
  list(): readonly OwnerFields[] {
    const lists = new Map<number, readonly string[]>();
    return [...this.#bits].map(([owner, bits]) => {
      const names = lists.get(bits) ?? fieldsOfBits(this.#fields, bits);
      lists.set(bits, names);
      return { owner, names };
    });
  }
}

/** Whether an item of an answer can be a record. */
export const isObject = (raw: unknown): raw is Raw => typeof raw === 'object' && raw !== null && !Array.isArray(raw);

/** The vendor license of a record, lower case; empty unless it has both parts. */
function vendorLicenseOf(server = '', daemon = ''): string {
  const name = canonical(`${server};${daemon}`);
  return name.startsWith(';') || name.endsWith(';') ? '' : name;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Whether a value can be part of the identity of a record. A missing one is empty. */
const isName = (value: unknown): boolean =>
  value === undefined || value === null || typeof value === 'string' || typeof value === 'number';

/** What is known of a record beside its values. Nearly all records of an answer share a few objects. */
interface RecordTraits {
  readonly discarded: Discarded;
  /** Names of fields that are not in the specification, in the order of the record. */
  readonly unknownFields: readonly string[];
  /** The fields that it has, as `fieldBits`. */
  readonly present: number;
  /** Of an unusable record: its vendor license in lower case, empty where it does not say it. */
  readonly incomplete?: string;
}

export interface DecodedItem<R> {
  /** `undefined` for an unusable one. */
  readonly record: R | undefined;
  readonly traits: RecordTraits;
  /** The vendor license that it names, as it spells it. */
  readonly owner: string;
}

/** More different traits are not shared. */
const MAX_TRAITS = 4096;

/** Decodes the records of one answer. */
class RecordDecoder<R> {
  readonly #kind: RecordKind<R>;
  readonly #values: WireValues;
  readonly #read: (raw: Raw) => R;
  readonly #present: PresentFields = { bits: 0 };
  /** The fields that are parts of the identity. */
  readonly #identity: readonly string[];
  readonly #traits = new Map<string, RecordTraits>();
  #unknownFields: string[] = [];

  /** @param permanentAfter a license that expires at this time or later is permanent, epoch seconds */
  constructor(kind: RecordKind<R>, permanentAfter: number) {
    this.#kind = kind;
    this.#values = createWireValues(permanentAfter);
    const identity = Object.entries<Field>(kind.fields).filter(([, { merge }]) => merge === 'identity');
    this.#identity = identity.map(([name]) => name);
    this.#read = kind.reader(this.#values, (name) => this.#unknownFields.push(name), this.#present);
  }

  decode(raw: unknown): DecodedItem<R> {
    const { identity, isUsable, ownerOf } = this.#kind;
    this.#unknownFields = [];
    const isReadable = isObject(raw) && this.#identity.every((name) => isName(raw[name]));
    if (!isReadable || !isUsable(raw[identity], this.#values))
      return { record: undefined, traits: this.#refuse(raw), owner: '' };
    const record = this.#read(raw);
    const traits = this.#share({ ...this.#found(), present: this.#present.bits });
    return { record, traits, owner: ownerOf?.(record) ?? '' };
  }

  /** What was discarded since the last call, and which fields are unknown. */
  #found(): Pick<RecordTraits, 'discarded' | 'unknownFields'> {
    const discarded = { ...this.#values.discarded };
    Object.assign(this.#values.discarded, noDiscards());
    return { discarded, unknownFields: this.#unknownFields };
  }

  #refuse(raw: unknown): RecordTraits {
    const { fields } = this.#kind;
    const { discarded } = this.#found();
    const names = isObject(raw) ? Object.keys(raw).filter((name) => !Object.hasOwn(fields, name)) : [];
    const incomplete = isObject(raw) ? vendorLicenseOf(textOf(raw.ServerName), textOf(raw.Daemon)) : '';
    return this.#share({
      discarded: { ...discarded, bad_record: discarded.bad_record + 1 },
      unknownFields: names,
      present: 0,
      incomplete,
    });
  }

  #share(traits: RecordTraits): RecordTraits {
    const key = JSON.stringify(traits);
    const known = this.#traits.get(key);
    if (known === undefined && this.#traits.size < MAX_TRAITS) this.#traits.set(key, traits);
    return known ?? traits;
  }
}

/** The error for an answer whose records are all bad. */
const noUsableRecord = ({ identity }: Pick<RecordKind<unknown>, 'identity'>, first: unknown): QueryError =>
  new QueryError(
    'schema',
    `no record of the answer has a usable ${identity}; the first record ${describeFields(first)}`,
  );

/** Whether a vendor license has both of its parts. */
function isWhole(name: string): boolean {
  const { server, daemon } = parseVendorLicense(name);
  return server !== '' && daemon !== '';
}

/** An answer that consists of records, from its items in their order. Bad records are left out and counted. */
export class RecordAnswer<R> {
  readonly #kind: RecordKind<R>;
  readonly #decoder: RecordDecoder<R>;
  readonly #records: R[] = [];
  readonly #owners: string[] = [];
  readonly #traits = new Map<RecordTraits, number>();
  readonly #fields: FieldsByOwner;
  #items = 0;
  #duplicates = 0;
  /** The item that was decoded first. */
  #first: { readonly raw: unknown } | undefined;

  /** @param permanentAfter a license that expires at this time or later is permanent, epoch seconds */
  constructor(kind: RecordKind<R>, permanentAfter: number) {
    this.#kind = kind;
    this.#decoder = new RecordDecoder(kind, permanentAfter);
    this.#fields = new FieldsByOwner(kind.fields);
  }

  decode(raw: unknown): DecodedItem<R> {
    this.#first ??= { raw };
    return this.#decoder.decode(raw);
  }

  /** Adds the next item. @param isRepeated whether it is equal to an earlier one: it is about the same thing then, and is counted */
  add({ record, traits, owner }: DecodedItem<R>, isRepeated: boolean): void {
    const { mayRepeat, ownerOf } = this.#kind;
    this.#items += 1;
    if (record !== undefined && isRepeated && mayRepeat !== true) {
      this.#duplicates += 1;
      return;
    }
    this.#traits.set(traits, (this.#traits.get(traits) ?? 0) + 1);
    if (record === undefined) return;
    this.#records.push(record);
    if (ownerOf === undefined) return;
    this.#owners.push(owner);
    this.#fields.add(owner, traits.present);
  }

  /**
   * @param first the first item, if it was not the first to be decoded
   * @throws QueryError of kind `schema` when there are items, but none is usable: that is not an empty answer
   */
  finish(first = this.#first): Answer<R> {
    if (this.#records.length === 0 && this.#items > 0) throw noUsableRecord(this.#kind, first?.raw);
    const discarded = noDiscards();
    const unknownFields = createUnknownFields();
    const incomplete = new Set<string>();
    for (const [traits, count] of this.#traits) {
      for (const [reason, each] of Object.entries(traits.discarded)) {
        discarded[reason as Exclude<DiscardReason, 'unknown_field'>] += count * each;
      }
      traits.unknownFields.forEach(unknownFields.add);
      if (traits.incomplete !== undefined) incomplete.add(traits.incomplete);
    }
    discarded.duplicate += this.#duplicates;
    const { records, fields } = this.#owned();
    if (records.length < this.#records.length) incomplete.add('');
    discarded.bad_record += this.#records.length - records.length;
    return {
      records,
      discarded,
      unknownFields: unknownFields.names(),
      ...(incomplete.size > 0 && { incomplete: [...incomplete] }),
      ...(this.#kind.ownerOf !== undefined && { fields }),
    };
  }

  /** Where some records name their vendor license, one that does not could be about any: it is not usable. */
  #owned(): Required<Pick<Answer<R>, 'records' | 'fields'>> {
    const all = { records: this.#records, fields: this.#fields.list() };
    if (this.#kind.needsOwner !== true) return all;
    const unnamed = new Set(all.fields.map(({ owner }) => owner).filter((owner) => !isWhole(owner)));
    if (unnamed.size === 0 || unnamed.size === all.fields.length) return all;
    return {
      records: this.#records.filter((_, i) => !unnamed.has(this.#owners[i] as string)),
      fields: all.fields.filter(({ owner }) => !unnamed.has(owner)),
    };
  }
}
