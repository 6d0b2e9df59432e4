import type { Discarded } from '../../model/records.ts';
import type { RecordStore } from '../columns/record-store.ts';

/** The records of one answer in a store, in the order of the answer. Each has one reference. */
export interface StoredRecords {
  /** The usable records, and after them those that are kept. */
  readonly slots: Uint32Array;
  /** Names that the answer may lack, by slot: since when, seconds of a clock that is never set. */
  readonly kept: ReadonlyMap<number, number>;
  /** As in `StoredAnswer`. */
  readonly incomplete: readonly string[];
  readonly discarded: Discarded;
  /** As in `Answer`. */
  readonly unknownFields: readonly string[];
  /** What the next answer is compared with. */
  readonly items: StoredItems;
}

/** The reasons that are about the values of one record. */
export const valueReasons = [
  'nan',
  'not_a_number',
  'negative',
  'not_an_integer',
] as const satisfies readonly (keyof Discarded)[];

/** What is known of an item beside its bytes and its record. */
export interface ItemTraits {
  /** Structure in it, as `JsonScan` counts it. */
  readonly items: number;
  readonly members: number;
  readonly discarded: Discarded;
  /** Not shortened. */
  readonly unknownFields: readonly string[];
}

/** The items of an answer, bad records included. */
export interface StoredItems {
  /** Items of two answers are compared only if both were decoded in the same way. */
  readonly decodedAs: string;
  /** Bytes. 0: the item is not compared. */
  readonly lengths: Uint32Array;
  /** Four numbers by item. */
  readonly hashes: Int32Array;
  /** -1 for a bad record, and for one that is equal to an earlier one. */
  readonly slots: Int32Array;
  /** Position in `traits`. */
  readonly traitIds: Uint16Array;
  /** Nearly all items share a few. */
  readonly traits: readonly ItemTraits[];
}

/** The records without those that are kept. */
export const usableSlots = ({ slots, kept }: StoredRecords): Uint32Array => slots.subarray(0, slots.length - kept.size);

/** Releases the records of an answer that is no longer needed. */
export function releaseRecords({ slots }: StoredRecords, store: RecordStore): void {
  for (const slot of slots) store.release(slot);
}
