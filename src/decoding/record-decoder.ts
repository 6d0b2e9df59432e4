import { QueryError } from '../model/failure.ts';
import type { Discarded } from '../model/records.ts';
import { describeFields } from './field-names.ts';
import type { RecordKind } from './record-kinds.ts';
import type { PresentFields, Raw } from './record-reader.ts';
import { createWireValues, type WireValues } from './wire-values.ts';

/** Whether an item of an answer can be a record. */
export const isObject = (raw: unknown): raw is Raw => typeof raw === 'object' && raw !== null && !Array.isArray(raw);

/** Decodes the records of one answer, and counts what it discards. */
export class RecordDecoder<R> {
  readonly #kind: RecordKind<R>;
  readonly #values: WireValues;
  readonly #onUnknown: (name: string) => void;
  readonly #read: (raw: Raw) => R;
  readonly #present: PresentFields = { bits: 0 };

  /**
   * @param permanentAfter a license that expires at this time or later is permanent, epoch seconds
   * @param onUnknown gets the names of fields that are not in the specification, in the order of the record
   */
  constructor(kind: RecordKind<R>, permanentAfter: number, onUnknown: (name: string) => void) {
    this.#kind = kind;
    this.#values = createWireValues(permanentAfter);
    this.#onUnknown = onUnknown;
    this.#read = kind.reader(this.#values, onUnknown, this.#present);
  }

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
    if (isObject(raw) && isUsable(raw[identity], this.#values)) return this.#read(raw);
    this.#values.discarded.bad_record += 1;
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
