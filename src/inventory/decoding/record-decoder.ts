import { QueryError } from '../../model/failure.ts';
import type { Discarded } from '../../model/records.ts';
import { canonical } from '../../model/vendor-license.ts';
import type { Field } from '../../query-api/field.ts';
import { describeFields } from './field-names.ts';
import type { PresentFields, Raw, RecordKind } from './record-kinds.ts';
import { createWireValues, type WireValues } from './wire-values.ts';

/** Whether an item of an answer can be a record. */
export const isObject = (raw: unknown): raw is Raw => typeof raw === 'object' && raw !== null && !Array.isArray(raw);

/** The vendor license of a record, lower case; empty unless it has both parts. */
export function vendorLicenseOf(server = '', daemon = ''): string {
  const name = canonical(`${server};${daemon}`);
  return name.startsWith(';') || name.endsWith(';') ? '' : name;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Whether a value can be part of the identity of a record. A missing one is empty. */
const isName = (value: unknown): boolean =>
  value === undefined || value === null || typeof value === 'string' || typeof value === 'number';

/** Decodes the records of one answer, and counts what it discards. */
export class RecordDecoder<R> {
  readonly #kind: RecordKind<R>;
  readonly #values: WireValues;
  readonly #onUnknown: (name: string) => void;
  readonly #read: (raw: Raw) => R;
  readonly #present: PresentFields = { bits: 0 };
  /** The fields that are parts of the identity. */
  readonly #names: readonly string[];

  /**
   * @param permanentAfter a license that expires at this time or later is permanent, epoch seconds
   * @param onUnknown gets the names of fields that are not in the specification, in the order of the record
   */
  constructor(kind: RecordKind<R>, permanentAfter: number, onUnknown: (name: string) => void) {
    this.#kind = kind;
    this.#values = createWireValues(permanentAfter);
    this.#onUnknown = onUnknown;
    const identities = Object.entries<Field>(kind.fields).filter(([, { merge }]) => merge === 'identity');
    this.#names = identities.map(([name]) => name);
    this.#read = kind.reader(this.#values, onUnknown, this.#present);
  }

  /** The vendor licenses of unusable records, as in `StoredAnswer`. */
  readonly incomplete = new Set<string>();

  /** The numbers of all records so far. */
  get discarded(): Discarded {
    return this.#values.discarded;
  }

  /** The fields of the last usable record, as `fieldBits`. */
  get present(): number {
    return this.#present.bits;
  }

  /** Counts records that are equal to an earlier one. */
  countDuplicates(count: number): void {
    this.#values.discarded.duplicate += count;
  }

  /** The record; `undefined` for a bad one, which is counted. */
  decode(raw: unknown): R | undefined {
    const { fields, identity, isUsable } = this.#kind;
    const isReadable = isObject(raw) && this.#names.every((name) => isName(raw[name]));
    if (isReadable && isUsable(raw[identity], this.#values)) return this.#read(raw);
    this.#values.discarded.bad_record += 1;
    this.incomplete.add(isObject(raw) ? vendorLicenseOf(textOf(raw.ServerName), textOf(raw.Daemon)) : '');
    if (isObject(raw)) {
      for (const name in raw) if (!Object.hasOwn(fields, name)) this.#onUnknown(name);
    }
    return undefined;
  }
}

/** The error for an answer whose records are all bad. */
export const noUsableRecord = ({ identity }: RecordKind<unknown>, first: unknown): QueryError =>
  new QueryError(
    'schema',
    `no record of the answer has a usable ${identity}; the first record ${describeFields(first)}`,
  );
