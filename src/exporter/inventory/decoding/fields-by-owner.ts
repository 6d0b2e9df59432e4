import type { OwnerFields } from '../../../base/model/records.ts';
import type { Fields } from '../../../base/query-api/field.ts';
import { fieldsOfBits, unionOfBits } from '../../../base/query-api/present-fields.ts';

/** Collects which fields the records of each vendor license of an answer have. */
export class FieldsByOwner {
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
