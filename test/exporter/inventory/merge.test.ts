import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FeatureRecord } from '../../../src/base/model/records.ts';
import type { Field, Fields } from '../../../src/base/query-api/field.ts';
import { modelName, recordFields } from '../../../src/base/query-api/records.ts';
import { mergeExpirations, mergeFeatures, mergeProducts } from '../../../src/exporter/inventory/merge.ts';
import { expiration, feature, product } from '../../support/scenario.ts';

const never = Number.POSITIVE_INFINITY;

/** The result for two values, and for a value and an unknown one. */
const expected: Readonly<Partial<Record<Field['merge'], readonly (readonly [unknown, unknown, unknown])[]>>> = {
  sum: [
    [2, 3, 5],
    [2, undefined, undefined],
  ],
  peak: [
    [2, 3, 5],
    [2, undefined, undefined],
  ],
  distinct: [
    [2, 3, 3],
    [2, undefined, 2],
  ],
  maximum: [
    [2, 3, 3],
    [2, undefined, 2],
  ],
  minimum: [
    [2, 3, 2],
    [2, undefined, 2],
  ],
  earliest: [
    [2, 3, 2],
    [2, never, 2],
    [2, undefined, 2],
    [never, undefined, undefined],
  ],
  all: [
    [true, false, false],
    [true, undefined, true],
  ],
  any: [
    [true, false, true],
    [false, undefined, false],
  ],
};

const merged = (fields: Fields) =>
  Object.entries(fields).flatMap(([name, { merge }]) =>
    (expected[merge] ?? []).flatMap(([a, b, both]) => [
      { name: modelName(name), a, b, both },
      { name: modelName(name), a: b, b: a, both },
    ]),
  );

const kinds: readonly (readonly [string, (a: object, b: object) => object])[] = [
  ['GetProducts', (a, b) => mergeProducts(product(a), product(b))],
  ['GetFeatures', (a, b) => mergeFeatures(feature(a), feature(b))],
  ['GetExpirationFeatures', (a, b) => mergeExpirations(expiration(a), expiration(b))],
];

describe('records that are merged', () => {
  it.each(kinds)('of %s have each value by the rule of its row', (endpoint, merge) => {
    const cases = merged(recordFields[endpoint as keyof typeof recordFields]);
    expect(cases.length).toBeGreaterThan(0);
    for (const { name, a, b, both } of cases) {
      const result = merge({ [name]: a }, { [name]: b }) as Readonly<Record<string, unknown>>;
      expect({ name, a, b, both: result[name] }).toEqual({ name, a, b, both });
    }
  });

  it('have the attributes of one record, in any order of the records', () => {
    const attributes = ['licenseType', 'licenseModel', 'tokenPool', 'tokenSource', 'mappedTo'] as const;
    const record = fc
      .record(Object.fromEntries(attributes.map((name) => [name, fc.constantFrom('', 'a', 'b')])))
      .map((texts) => feature(texts));
    const textsOf = (one: FeatureRecord) => attributes.map((name) => one[name]);
    fc.assert(
      fc.property(fc.array(record, { minLength: 2, maxLength: 5 }), (records) => {
        const forwards = textsOf(records.reduce(mergeFeatures));
        expect(forwards).toEqual(textsOf(records.toReversed().reduce(mergeFeatures)));
        // the first by the attributes in this order
        expect(forwards).toEqual(
          records.map(textsOf).sort((x, y) => (JSON.stringify(x) < JSON.stringify(y) ? -1 : 1))[0],
        );
      }),
    );
  });
});

it.each([
  [{ maxAvailable: 99_999 }, { maxAvailable: 99_999 }],
  [{ maxAvailable: 99_999 }, { maxAvailable: 20 }],
  [
    { maxAvailable: 99_999, licenseType: 'node-locked' },
    { maxAvailable: 20, licenseType: 'floating' },
  ],
  [{ licenseType: 'uncounted', maxAvailable: undefined }, { maxAvailable: 20 }],
  [{ licenseType: 'Uncounted', maxAvailable: 7 }, { maxAvailable: undefined }],
])('a record merged with an uncounted one is uncounted, and has no number: %j, %j', (one, other) => {
  const uncounted = { licenseType: 'uncounted', maxAvailable: undefined, available: undefined };
  const both = mergeFeatures(feature(one), feature(other));
  expect(both).toMatchObject(uncounted);
  expect(mergeFeatures(feature(other), feature(one))).toEqual(both);
  expect(mergeFeatures(both, feature({ maxAvailable: 5 }))).toMatchObject(uncounted);
});
