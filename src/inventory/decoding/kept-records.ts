import { KEEP_NOT_LISTED } from '../../model/snapshot.ts';
import type { RecordFields } from '../columns/record-fields.ts';
import { PRESENT_FIELDS } from '../columns/record-fields.ts';
import type { RecordStore } from '../columns/record-store.ts';
import type { TextTable } from '../columns/text-table.ts';
import { vendorLicenseOf } from './record-decoder.ts';
import type { StoredRecords } from './stored-records.ts';

/**
 * What an answer with unusable records lacks. Any of these can be about a record that the answer before had, so that nothing is
 * known to be gone: its name is kept for a day, without its values.
 */

/** Where the records of an endpoint are. */
interface RecordPlace {
  readonly fields: RecordFields;
  readonly store: RecordStore;
  readonly texts: TextTable;
}

/** The parts of the identity that name the vendor license. */
const ownerFields = ['serverName', 'daemon'];

/** Reads the names of records: two records with the same name are about the same feature. */
class RecordNames {
  readonly #place: RecordPlace;
  readonly #columns: readonly number[];
  /** The columns of the vendor license; `undefined` where records do not name it. */
  readonly #owner: { readonly server: number; readonly daemon: number } | undefined;
  readonly #owners = new Map<number, string>();
  /** Most records have the owner of the one before. */
  #last = { pair: -1, owner: '' };

  constructor(place: RecordPlace) {
    const { store, fields } = place;
    this.#place = place;
    const names = fields.identity.filter((name) => !ownerFields.includes(name));
    this.#columns = names.map((name) => store.textColumn(name));
    this.#owner = fields.has('serverName')
      ? { server: store.textColumn('serverName'), daemon: store.textColumn('daemon') }
      : undefined;
  }

  /** Whether records name their vendor license. */
  get haveOwners(): boolean {
    return this.#owner !== undefined;
  }

  /** The vendor license, lower case; empty if the record does not name it. It is read for each record of each answer. */
  ownerOf(slot: number): string {
    if (this.#owner === undefined) return '';
    const { store, texts } = this.#place;
    const server = store.text(slot, this.#owner.server);
    const daemon = store.text(slot, this.#owner.daemon);
    const pair = server * 2 ** 26 + daemon;
    if (pair === this.#last.pair) return this.#last.owner;
    const owner = this.#owners.get(pair) ?? vendorLicenseOf(texts.string(server), texts.string(daemon));
    this.#owners.set(pair, owner);
    this.#last = { pair, owner };
    return owner;
  }

  /** A text that only records about the same feature have. */
  keyOf(slot: number): string {
    return [this.ownerOf(slot), ...this.#columns.map((column) => this.#place.store.text(slot, column))].join();
  }
}

/** Where some records name their vendor license, one that does not could be about any: it is not usable. */
function dropUnowned(records: StoredRecords, names: RecordNames, store: RecordStore): StoredRecords {
  const { slots, items, discarded } = records;
  const unowned = new Set(slots.filter((slot) => names.ownerOf(slot) === ''));
  if (unowned.size === 0 || unowned.size === slots.length) return records;
  for (const [at, slot] of items.slots.entries()) {
    if (!unowned.has(slot)) continue;
    items.slots[at] = -1;
    items.lengths[at] = 0;
    store.release(slot);
  }
  return {
    ...records,
    slots: slots.filter((slot) => !unowned.has(slot)),
    discarded: { ...discarded, bad_record: discarded.bad_record + unowned.size },
    incomplete: [...new Set([...records.incomplete, ''])],
  };
}

/** A record with the names and attributes of another one, and no values. */
function blankOf(slot: number, { fields, store, texts }: RecordPlace): number {
  const known = Object.entries(fields.read(slot, store, texts)).filter(([, value]) => typeof value === 'string');
  const blank = store.allocate();
  fields.write(blank, Object.fromEntries(known), store, texts);
  store.setNumber(blank, store.numberColumn(PRESENT_FIELDS), Number.NaN);
  return blank;
}

/**
 * Completes the records of an answer by those that it may lack.
 *
 * @param previous the answer before, not released yet
 * @param now seconds of a clock that is never set
 */
export function keepLacking(
  answer: StoredRecords,
  previous: StoredRecords | undefined,
  place: RecordPlace,
  now: number,
): StoredRecords {
  const names = new RecordNames(place);
  const records = names.haveOwners ? dropUnowned(answer, names, place.store) : answer;
  const incomplete = new Set(records.incomplete);
  if (incomplete.size === 0 || previous === undefined) return records;
  const mayBeLacking = (slot: number): boolean => incomplete.has('') || incomplete.has(names.ownerOf(slot));
  const listed = new Map<string, number>();
  for (const slot of records.slots) {
    if (!mayBeLacking(slot)) continue;
    const key = names.keyOf(slot);
    listed.set(key, (listed.get(key) ?? 0) + 1);
  }
  const kept = new Map<number, number>();
  for (const slot of previous.slots) {
    if (!mayBeLacking(slot)) continue;
    const key = names.keyOf(slot);
    const count = listed.get(key) ?? 0;
    if (count > 0) listed.set(key, count - 1);
    else {
      const since = previous.kept.get(slot) ?? now;
      if (now - since >= KEEP_NOT_LISTED) continue;
      if (previous.kept.has(slot)) place.store.retain(slot);
      kept.set(previous.kept.has(slot) ? slot : blankOf(slot, place), since);
    }
  }
  return { ...records, slots: Uint32Array.from([...records.slots, ...kept.keys()]), kept };
}
