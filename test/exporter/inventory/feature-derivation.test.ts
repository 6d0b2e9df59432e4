import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ExpirationRecord, FeatureRecord } from '../../../src/base/model/records.ts';
import { WHOLE } from '../../../src/base/model/snapshot.ts';
import { runAtOnce } from '../../../src/base/scheduling/slices.ts';
import { FeatureDerivation } from '../../../src/exporter/inventory/feature-derivation.ts';
import type { FeatureRow } from '../../../src/exporter/inventory/feature-row.ts';
import { createSelection } from '../../../src/exporter/inventory/selection.ts';
import { expiration, feature } from '../../support/scenario.ts';
import { type AnyRecord, deriveSlowly, type Part, type Poll, valuesOf } from '../../support/slow-derivation.ts';

/** Only the rows of changed records are made again; the obvious way groups and merges all records. */

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
const alone = fc.array(fc.record({ part: owner, records: distinct(featureRecord) }), { maxLength: 3 });
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

const selections = new Map<object, ReturnType<typeof createSelection>>();

/** The same object for the same rules, as in the daemon. */
function selectionOf(rules: Poll['selection']) {
  const selection = selections.get(rules) ?? createSelection(rules);
  selections.set(rules, selection);
  return selection;
}

const derive = (derivation: FeatureDerivation, { features, expirations, products, withheld, selection }: Poll) =>
  runAtOnce(
    derivation.derive({
      features,
      expirations,
      products,
      withheld: new Set(withheld),
      selection: selectionOf(selection),
    }),
  );

describe('FeatureDerivation', () => {
  it('derives what the obvious way derives; a row that shows the same is the same, and a kept one never changes', () => {
    fc.assert(
      fc.property(poll as fc.Arbitrary<Poll>, fc.array(step, { maxLength: 6 }), (first, changes) => {
        const derivation = new FeatureDerivation();
        const kept = new Map<FeatureRow, unknown>();
        let current = first;
        let before: readonly FeatureRow[] = [];
        for (const change of [first, ...changes] as readonly unknown[]) {
          current = next(current, change);
          const { rows, mergedFeatures, mergedExpirations } = derive(derivation, current);
          const expected = deriveSlowly(current);
          expect([mergedFeatures, mergedExpirations]).toEqual(expected.merged);
          expect(rows.map(valuesOf)).toEqual(expected.rows);
          const known = new Set(before);
          for (const row of rows) if (!known.has(row)) kept.set(row, { ...row });
          for (const [row, values] of kept) expect({ ...row }).toEqual(values);
          before = rows;
        }
      }),
    );
  });

  const site = (inUse: number, more: Partial<Poll> = {}): Poll => ({
    features: [{ part: WHOLE, records: [unchanged, feature({ serverName: 's', daemon: 'd', feature: 'b', inUse })] }],
    expirations: [],
    products: ['s;d'],
    withheld: [],
    selection: everything,
    ...more,
  });
  const everything = { shard: { index: 0, total: 1 }, include: [], exclude: [] };
  const unchanged = feature({ serverName: 's', daemon: 'd', feature: 'a' });

  it('keeps the rows of unchanged records, also if others are added', () => {
    const derivation = new FeatureDerivation();
    const [a, b] = derive(derivation, site(1)).rows;
    const second = derive(derivation, site(2)).rows;
    expect([second[0] === a, second[1] === b]).toEqual([true, false]);
    const { features } = site(2);
    const added = { part: 't;d', records: [feature({ feature: 'new' })] };
    const third = derive(derivation, site(2, { features: [...features, added] })).rows;
    expect([third.length, third[0] === a]).toEqual([3, true]);
  });

  it('sorts the features of a large vendor license', () => {
    const count = 5_000;
    // 7,919 and 5,000 have no common divisor
    const records = Array.from({ length: count }, (_, i) =>
      feature({ serverName: 's', daemon: 'd', feature: `f${String((i * 7_919) % count)}` }),
    );
    const derivation = new FeatureDerivation();
    const first = site(1, { features: [{ part: WHOLE, records }] });
    const { rows } = derive(derivation, first);
    expect(rows.map(valuesOf)).toEqual(deriveSlowly(first).rows);
    const removed = site(1, { features: [{ part: WHOLE, records: records.slice(1) }] });
    const without = derive(derivation, removed).rows;
    expect(without).toEqual(rows.filter((row) => row.feature !== 'f0'));
    const known = new Set(rows);
    expect(without.filter((row) => !known.has(row))).toEqual([]);
  });

  it('has the same rows if nothing has changed', () => {
    const derivation = new FeatureDerivation();
    const poll1 = site(1);
    const { rows } = derive(derivation, poll1);
    expect(derive(derivation, poll1).rows).toBe(rows);
    expect(derive(derivation, { ...poll1, products: ['s;d', 'x;y'] }).rows).toBe(rows);
    expect(derive(derivation, { ...poll1, withheld: ['s;d'] }).rows).not.toBe(rows);
  });

  it('merges again only if one of the records has changed', () => {
    const derivation = new FeatureDerivation();
    const pool = (inUse: number) => ({ ...unchanged, inUse });
    const [same, three, four] = [pool(6), pool(3), pool(4)];
    const named = (label: string, inUse = 1) => feature({ serverName: 's', daemon: 'd', feature: label, inUse });
    const rowsOf = (...records: readonly FeatureRecord[]) =>
      derive(derivation, site(1, { features: [{ part: WHOLE, records }] })).rows;
    const [merged] = rowsOf(same, three, named('z'));
    expect(merged?.inUse).toBe(9);
    // another row changes, and one comes before it
    expect(rowsOf(same, three, named('z', 2))[0]).toBe(merged);
    expect(rowsOf(same, named('A'), three, named('z'))[1]).toBe(merged);
    expect(rowsOf(same, named('A'), four, named('z'))[1]?.inUse).toBe(10);
  });
});
