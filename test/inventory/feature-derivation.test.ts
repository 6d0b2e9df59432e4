import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expirationRecords, featureRecords } from '../../src/inventory/columns/record-fields.ts';
import { RecordStore } from '../../src/inventory/columns/record-store.ts';
import { TextTable } from '../../src/inventory/columns/text-table.ts';
import type { FeatureColumns } from '../../src/inventory/feature-columns.ts';
import { FeatureDerivation } from '../../src/inventory/feature-derivation.ts';
import { createFeatureTable } from '../../src/inventory/feature-table.ts';
import type { FeaturesRequest, PartRecords } from '../../src/inventory/features-request.ts';
import type { ExpirationRecord, FeatureRecord } from '../../src/model/records.ts';
import { WHOLE } from '../../src/model/snapshot.ts';
import { expiration, feature } from '../support/scenario.ts';
import {
  type AnyRecord,
  deriveSlowly,
  type Expected,
  type Part,
  type Poll,
  valuesOf,
} from '../support/slow-derivation.ts';

/** Features are derived from slots, and only changed slots are replaced; the obvious way groups and merges the records. */

/** Answers in columns. A record that is the same object as in the previous answer of its part keeps its slot. */
class Answers {
  readonly texts = new TextTable();
  readonly features: RecordStore = new RecordStore(featureRecords.layout, (slot) =>
    featureRecords.releaseTexts(slot, this.features, this.texts),
  );
  readonly expirations: RecordStore = new RecordStore(expirationRecords.layout, (slot) =>
    expirationRecords.releaseTexts(slot, this.expirations, this.texts),
  );
  readonly slots = new Map<number, Uint32Array>();
  #handles = 0;
  #last = new Map<string, { handle: number; slots: Map<AnyRecord, number> }>();

  store(kind: 'features' | 'expirations', parts: readonly Part<AnyRecord>[]): readonly PartRecords[] {
    const before = this.#last;
    const stored = parts.map(({ part, only, records }, i): PartRecords => {
      const known = before.get(`${kind} ${i}`)?.slots ?? new Map<AnyRecord, number>();
      const slots = new Map(records.map((record) => [record, this.#slot(kind, record, known.get(record))]));
      this.#handles += 1;
      this.slots.set(
        this.#handles,
        Uint32Array.from(records, (record) => slots.get(record) as number),
      );
      before.set(`${kind} ${i}`, { handle: this.#handles, slots });
      // the references of the answer before it
      for (const slot of known.values()) this[kind].release(slot);
      return { part, handle: this.#handles, ...(only !== undefined && { only }) };
    });
    for (const [name, { slots }] of before) {
      if (!name.startsWith(kind) || Number(name.split(' ')[1]) < parts.length) continue;
      for (const slot of slots.values()) this[kind].release(slot);
      before.delete(name);
    }
    return stored;
  }

  #slot(kind: 'features' | 'expirations', record: AnyRecord, known: number | undefined): number {
    const store = this[kind];
    if (known !== undefined) {
      store.retain(known);
      return known;
    }
    const slot = store.allocate();
    const fields = kind === 'features' ? featureRecords : expirationRecords;
    fields.write(slot, record as unknown as Record<string, unknown>, store, this.texts);
    return slot;
  }
}

const name = fc.constantFrom('a', 'b', 'B', 'ü"\\', '\ud83d\ude00');
const owner = fc.constantFrom('s;d', 'S;D', 't;d', 'u;d;part', 'x;y');
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const featureRecord = fc
  .record({
    owner,
    feature: name,
    version: fc.constantFrom('', '1'),
    inUse: optional(fc.nat(5)),
    maxAvailable: fc.nat(9),
    mappedTo: name,
  })
  .map(({ owner: own, ...fields }) => {
    const [serverName = '', daemon = ''] = own.split(';');
    return feature({ ...fields, serverName, daemon } as Partial<FeatureRecord>);
  });
const expirationRecord = fc
  .record({
    feature: name,
    version: fc.constantFrom('', '1'),
    licenseExpiration: optional(fc.constantFrom(5, 7, Number.POSITIVE_INFINITY)),
  })
  .map((fields) => expiration(fields as Partial<ExpirationRecord>));
const distinct = <T>(items: fc.Arbitrary<T>) => fc.array(items, { maxLength: 8 });
const whole = distinct(featureRecord).map((records) => [{ part: WHOLE, records }]);
const alone = fc.array(
  fc.record({ part: owner, records: distinct(featureRecord), only: fc.constantFrom(undefined, 's;d', 'u;d') }),
  { maxLength: 3 },
);
const poll = fc.record({
  features: fc.oneof(whole, alone) as fc.Arbitrary<readonly Part<FeatureRecord>[]>,
  expirations: fc.array(fc.record({ part: owner, records: distinct(expirationRecord) }), { maxLength: 2 }),
  products: fc.subarray(['s;d', 't;D', 'U;d;part']),
  withheld: fc.subarray(['s;d', 't;D', 't;d']),
  selection: fc.constantFrom(
    { shard: { index: 0, total: 1 }, include: [], exclude: [] },
    { shard: { index: 0, total: 1 }, include: [/^[st]/i], exclude: [/^b$/] },
  ),
});

/** How a poll differs from the one before: everything, or some records, with the same labels or not. */
const step = fc.oneof(
  poll,
  fc.record({ at: fc.nat(), record: featureRecord, keepsLabels: fc.boolean() }),
  fc.record({ at: fc.nat(), expiry: expirationRecord, keepsLabels: fc.boolean() }),
);

function replaceOne<R extends AnyRecord>(
  parts: readonly Part<R>[],
  at: number,
  record: R,
  keepsLabels: boolean,
): readonly Part<R>[] {
  const total = parts.reduce((sum, { records }) => sum + records.length, 0);
  if (total === 0) return parts;
  let left = at % total;
  return parts.map((part) => ({
    ...part,
    records: part.records.map((old) => {
      left -= 1;
      if (left !== -1) return old;
      const { feature: feat, version, package: pkg, featureType } = old;
      const ownerOfOld = 'serverName' in old ? { serverName: old.serverName, daemon: old.daemon } : {};
      return keepsLabels ? { ...record, feature: feat, version, package: pkg, featureType, ...ownerOfOld } : record;
    }),
  }));
}

function next(before: Poll, change: unknown): Poll {
  const {
    at = 0,
    record,
    expiry,
    keepsLabels = false,
    ...others
  } = change as Partial<Poll> & {
    at?: number;
    record?: FeatureRecord;
    expiry?: ExpirationRecord;
    keepsLabels?: boolean;
  };
  if (record !== undefined) return { ...before, features: replaceOne(before.features, at, record, keepsLabels) };
  if (expiry !== undefined) return { ...before, expirations: replaceOne(before.expirations, at, expiry, keepsLabels) };
  return others as Poll;
}

describe('FeatureDerivation', () => {
  it('derives what the obvious way derives, and leaves older generations as they are', () => {
    fc.assert(
      fc.property(poll as fc.Arbitrary<Poll>, fc.array(step, { maxLength: 6 }), fc.nat(2), (first, changes, kept) => {
        const answers = new Answers();
        const derivation = new FeatureDerivation(answers);
        const shown: { columns: FeatureColumns; rows: Expected['rows'] }[] = [];
        let current = first;
        for (const change of [first, ...changes] as readonly unknown[]) {
          current = next(current, change);
          const { products, withheld, selection } = current;
          const request: FeaturesRequest = {
            features: answers.store('features', current.features),
            expirations: answers.store('expirations', current.expirations),
            products,
            withheld,
            selection,
          };
          const oldest = shown[0]?.columns.generation ?? 0;
          const slotsOf = (handle: number) => answers.slots.get(handle) as Uint32Array;
          const { columns, mergedFeatures, mergedExpirations } = derivation.derive(request, slotsOf, oldest);
          const expected = deriveSlowly(current);
          expect([mergedFeatures, mergedExpirations]).toEqual(expected.merged);
          shown.push({ columns, rows: expected.rows });
          for (const { columns: each, rows } of shown) {
            expect([...createFeatureTable(each)].map(valuesOf)).toEqual(rows);
          }
          while (shown.length > kept + 1) shown.shift();
        }
      }),
    );
  });
});
