import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_UNKNOWN_FIELDS, noDiscards } from '../../../../src/base/model/records.ts';
import { recordFields } from '../../../../src/base/query-api/records.ts';
import { decodeAnswer } from '../../../../src/exporter/inventory/decoding/decode.ts';

/** Which answers are not usable, what is left out of the others, and when licenses expire. */

const PERMANENT = 2_147_483_647;
const COLLECTED = 1_790_000_000;
const END = 1_800_000_000;

type Bulk = 'GetProducts' | 'GetFeatures' | 'GetUsers' | 'GetServerDown' | 'GetExpirationFeatures';

const decode = <E extends Bulk>(endpoint: E, value: unknown) =>
  decodeAnswer(endpoint, Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)), PERMANENT - 6);

const failureOf = (endpoint: Bulk, value: unknown): unknown => {
  try {
    return decode(endpoint, value);
  } catch (error) {
    const { kind, message } = error as { kind: string; message: string };
    return `${kind}: ${message}`;
  }
};

describe('an answer without a usable record', () => {
  it.each<[Bulk, unknown, string]>([
    [
      'GetServerDown',
      [{ error: 'database timeout' }],
      'no record of the answer has a usable Label; the first record has the fields error',
    ],
    [
      'GetServerDown',
      [{ label: 'a;b' }],
      'no record of the answer has a usable Label; the first record has the fields label',
    ],
    [
      'GetServerDown',
      [{ Label: ' ' }, {}],
      'no record of the answer has a usable Label; the first record has the fields Label',
    ],
    ...['database timeout', 'lic01', 'lic01; ', ';', ' ; ; ', 0, false].map((Label): [Bulk, unknown, string] => [
      'GetServerDown',
      [{ Label }],
      'no record of the answer has a usable Label; the first record has the fields Label',
    ]),
    ...[';', 7, true].map((Product): [Bulk, unknown, string] => [
      'GetProducts',
      [{ Product }],
      'no record of the answer has a usable Product; the first record has the fields Product',
    ]),
    ['GetServerDown', [{}], 'no record of the answer has a usable Label; the first record has no fields'],
    ['GetServerDown', [null], 'no record of the answer has a usable Label; the first record is null'],
    ['GetServerDown', ['secret'], 'no record of the answer has a usable Label; the first record is a string'],
    ['GetProducts', [[]], 'no record of the answer has a usable Product; the first record is an array'],
    [
      'GetProducts',
      [{ product: 'a;b', active: 1 }],
      'no record of the answer has a usable Product; the first record has the fields product, active',
    ],
    [
      'GetFeatures',
      [[{ Message: 'no' }]],
      'no record of the answer has a usable Feature; the first record has the fields Message',
    ],
    [
      'GetExpirationFeatures',
      [{ Message: 'no' }],
      'no record of the answer has a usable Feature; the first record has the fields Message',
    ],
    [
      'GetUsers',
      { totalCount: 1, data: [{ user: 'jdoe' }] },
      'no record of the answer has a usable UserName; the first record has the fields user',
    ],
  ])('is not a good answer: %s %j', (endpoint, value, message) => {
    expect(failureOf(endpoint, value)).toBe(`schema: ${message}`);
  });

  it.each<[Bulk, unknown]>([
    ['GetServerDown', []],
    ['GetProducts', []],
    ['GetFeatures', [[]]],
    ['GetFeatures', []],
    ['GetExpirationFeatures', []],
    ['GetUsers', { totalCount: 0, data: [] }],
  ])('is good when it is empty: %s %j', (endpoint, value) => {
    expect(decode(endpoint, value)).toMatchObject({
      records: [],
      discarded: noDiscards(),
      unknownFields: [],
    });
  });

  it('shows names of fields shortened and escaped, and never a value', () => {
    const names = ['a\nb', '\u202eevil', '\u{1f600}'.repeat(60), ...Array.from({ length: 20 }, (_, i) => `f${i}`)];
    const record = Object.fromEntries(names.map((name) => [name, 'S3cret']));
    expect(failureOf('GetProducts', [record])).toBe(
      `schema: no record of the answer has a usable Product; the first record has the fields a\\u{a}b, \\u{202e}evil, ${'\u{1f600}'.repeat(40)}…, f0, f1, f2, f3, f4, f5, f6 and 13 more`,
    );
  });

  it('is never good for any records, and its message is one short line', () => {
    const nameless = fc.oneof(
      fc.constantFrom(null, 1, 'a', true, [], ['Label']),
      fc.dictionary(
        fc.string({ unit: 'binary' }).filter((name) => name !== 'Label'),
        fc.jsonValue(),
      ),
      fc.record({ Label: fc.constantFrom('', ' ', null, {}, []) }),
    );
    fc.assert(
      fc.property(fc.array(nameless, { minLength: 1 }), (records) => {
        const failure = String(failureOf('GetServerDown', records));
        expect(failure).toMatch(/^schema: no record of the answer has a usable Label; the first record [\P{C}]*$/u);
        expect(failure.length).toBeLessThan(5000);
      }),
    );
  });
});

describe('a boolean value', () => {
  it.each([
    [true, true],
    ['True', true],
    ['FALSE', false],
    [0, false],
    ['no', undefined],
  ])('%j is %s', (IsCurrent, expected) => {
    expect(decode('GetProducts', [{ Product: 'a;b', IsCurrent }]).records[0]?.isCurrent).toBe(expected);
  });
});

describe('a mixed answer', () => {
  it('returns what is usable and counts the rest', () => {
    const { records, discarded } = decode('GetServerDown', [{ Label: 'a;b' }, { error: 'x' }, 7]);
    expect(records).toEqual([{ label: 'a;b' }]);
    expect(discarded.bad_record).toBe(2);
  });

  it('lists every unknown field once, including those of bad records', () => {
    const { unknownFields } = decode('GetProducts', [
      { Product: 'a;b', maxAvailable: 3, active: 1 },
      { Product: 'a;c', maxAvailable: 3, active: 1 },
      { Product: 'a;d', Active: 1 },
      { product: 'a;e', maxAvailable: 3 },
    ]);
    expect(unknownFields).toEqual(['maxAvailable', 'active', 'product']);
  });

  it('has no unknown fields if it is as specified, in any order', () => {
    const names = Object.keys(recordFields.GetFeatures);
    const record = (fields: readonly string[]) => ({
      ...Object.fromEntries(fields.map((name) => [name, 1])),
      Feature: 'f',
    });
    expect(
      decode('GetFeatures', [[record(names), record(names.toReversed()), record(['Feature'])]]).unknownFields,
    ).toEqual([]);
  });

  it('keeps a limited number of names of unknown fields, and shortens them', () => {
    const record = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`${i}${'x'.repeat(i % 90)}`, 1]));
    const { unknownFields } = decode('GetProducts', [
      { Product: 'a;b', ...record },
      { Product: 'a;c', other: 1 },
    ]);
    expect(unknownFields).toHaveLength(MAX_UNKNOWN_FIELDS);
    expect(Math.max(...unknownFields.map(({ length }) => length))).toBeLessThanOrEqual(41);
  });

  it('finds the same unknown fields as a slow comparison', () => {
    const name = fc.oneof(
      fc.constantFrom(...Object.keys(recordFields.GetProducts)),
      fc.constantFrom('a', 'b', 'constructor', 'toString'),
    );
    const record = fc
      .uniqueArray(name)
      .map((names) => Object.fromEntries([['Product', 'p'], ...names.map((n) => [n, 'x'])]));
    fc.assert(
      fc.property(fc.array(record, { minLength: 1 }), (records) => {
        const expected = new Set(
          records.flatMap(Object.keys).filter((n) => !Object.keys(recordFields.GetProducts).includes(n)),
        );
        expect(new Set(decode('GetProducts', records).unknownFields)).toEqual(expected);
      }),
    );
  });
});

describe('a checkout of GetUsers', () => {
  it('has its server and its end only where the analyzer says them', () => {
    const said = { Server: 'flexnet:27000@lica', Until: END };
    const { records, unknownFields } = decode('GetUsers', {
      data: [{ UserName: 'ada', ...said }, { UserName: 'bob' }, { UserName: 'cid', Server: null, Until: 0 }],
    });
    expect(records.map(({ server, until }) => [server, until])).toEqual([
      ['flexnet:27000@lica', END],
      ['', undefined],
      ['', undefined],
    ]);
    expect(unknownFields).toEqual([]);
  });
});

describe('the expiry of a license', () => {
  const expiration = (fields: object) =>
    decode('GetExpirationFeatures', [{ Feature: 'f', ...fields }]).records[0]?.licenseExpiration;
  const at = (seconds: number): string => `/Date(${seconds * 1000})/`;

  it.each<[string, object, number | undefined]>([
    ['a date', { LicenseExpiration: END }, END],
    ['a date in ms', { LicenseExpiration: END * 1000 }, END],
    ['a date, and a different one as text', { LicenseExpiration: END, LicenseExpirationToDate: at(END + 5) }, END],
    [
      'permanent, with a date as text',
      { LicenseExpiration: PERMANENT, LicenseExpirationToDate: at(END) },
      Number.POSITIVE_INFINITY,
    ],
    ['the last second of 19-jan-2038', { LicenseExpiration: 2_147_558_399 }, 2_147_558_399],
    ['a date of 2099', { LicenseExpiration: 4_102_444_799 }, 4_102_444_799],
    [
      '0 with the year 9999',
      { LicenseExpiration: 0, LicenseExpirationToDate: at(253_402_300_799) },
      Number.POSITIVE_INFINITY,
    ],
    ['0', { LicenseExpiration: 0 }, Number.POSITIVE_INFINITY],
    ['null', { LicenseExpiration: null }, Number.POSITIVE_INFINITY],
    ['-1', { LicenseExpiration: -1 }, Number.POSITIVE_INFINITY],
    ['0 with a date', { LicenseExpiration: 0, LicenseExpirationToDate: at(END) }, END],
    ['null with a date', { LicenseExpiration: null, LicenseExpirationToDate: at(END) }, END],
    ['-1 with a date', { LicenseExpiration: -1, LicenseExpirationToDate: at(END) }, END],
    ['nothing with a date', { LicenseExpirationToDate: at(END) }, END],
    ['NaN with a date', { LicenseExpiration: '', LicenseExpirationToDate: at(END) }, END],
    [
      '0 with a permanent date',
      { LicenseExpiration: 0, LicenseExpirationToDate: at(PERMANENT) },
      Number.POSITIVE_INFINITY,
    ],
    ['0 with 1970', { LicenseExpiration: 0, LicenseExpirationToDate: '/Date(0)/' }, Number.POSITIVE_INFINITY],
    [
      '0 with the year 1',
      { LicenseExpiration: 0, LicenseExpirationToDate: '/Date(-62135596800000)/' },
      Number.POSITIVE_INFINITY,
    ],
    ['0 with 1990-01-01', { LicenseExpiration: 0, LicenseExpirationToDate: at(631_152_000) }, Number.POSITIVE_INFINITY],
    ['0 with the second after', { LicenseExpiration: 0, LicenseExpirationToDate: at(631_152_001) }, 631_152_001],
    ['0 with an invalid date', { LicenseExpiration: 0, LicenseExpirationToDate: 'never' }, Number.POSITIVE_INFINITY],
    ['nothing with 1970', { LicenseExpirationToDate: '/Date(0)/' }, undefined],
    ['nothing', {}, undefined],
    ['NaN', { LicenseExpiration: '' }, undefined],
    ['midnight of 1970 in New York', { LicenseExpiration: 18_000 }, undefined],
    ['the same with a date', { LicenseExpiration: 18_000, LicenseExpirationToDate: at(END) }, END],
  ])('%s', (_, fields, end) => {
    expect(expiration(fields)).toBe(end);
  });

  it('counts impossible dates, and texts that are not dates', () => {
    const { discarded } = decode('GetExpirationFeatures', [
      { Feature: 'a', LicenseExpiration: 18_000 },
      { Feature: 'b', LicenseExpiration: 0, LicenseExpirationToDate: 'soon' },
      { Feature: 'c', LicenseExpiration: END, LicenseExpirationToDate: 'not read' },
    ]);
    expect(discarded).toEqual({ ...noDiscards(), not_a_number: 2 });
  });

  it.each<[object, number | undefined]>([
    [{ LicenseExpiration: END, MinLicenseExpiration: END - 5 }, END - 5],
    [{ LicenseExpiration: END, MinLicenseExpiration: 0 }, undefined],
    [{ LicenseExpiration: 0, LicenseExpirationToDate: at(END), MinLicenseExpiration: null }, undefined],
    [{ LicenseExpiration: 0, MinLicenseExpiration: 0 }, Number.POSITIVE_INFINITY],
    [{ MinLicenseExpiration: 0 }, undefined],
    [{ LicenseExpiration: END }, undefined],
  ])('related licenses are not permanent if one of them expires: %j', (fields, end) => {
    expect(decode('GetExpirationFeatures', [{ Feature: 'f', ...fields }]).records[0]?.minLicenseExpiration).toBe(end);
  });

  it.each<[object, number | undefined, number | undefined]>([
    [{ CollectionTime: COLLECTED, MinLicenseExpiration: END }, COLLECTED, END],
    [{ CollectionTime: COLLECTED, MinLicenseExpiration: 0 }, COLLECTED, Number.POSITIVE_INFINITY],
    [{ CollectionTime: COLLECTED }, COLLECTED, undefined],
    [{ CollectionTime: 0, MinLicenseExpiration: PERMANENT }, undefined, undefined],
    [{ CollectionTime: 0, MinLicenseExpiration: 0 }, undefined, undefined],
    [{ MinLicenseExpiration: 0 }, undefined, undefined],
    [{ CollectionTime: 3600, MinLicenseExpiration: 0 }, undefined, undefined],
  ])('the expiry is not known before the first collection of a server: %j', (fields, collected, end) => {
    const [record] = decode('GetProducts', [{ Product: 'a;b', ...fields }]).records;
    expect([record?.collectionTime, record?.minLicenseExpiration]).toEqual([collected, end]);
  });
});

describe('an uncounted feature', () => {
  const decoded = (fields: object) => {
    const body = Buffer.from(JSON.stringify([[{ Feature: 'a', Available: 99_990, LogAvailable: 5, ...fields }]]));
    const [record] = decodeAnswer('GetFeatures', body, PERMANENT).records;
    return [record?.licenseType, record?.maxAvailable, record?.available, record?.logAvailable];
  };

  it.each([
    { MaxAvailable: 99_999, LicenseType: 'floating' },
    { MaxAvailable: '99999', LicenseType: 'node-locked' },
    { MaxAvailable: 99_999 },
    { MaxAvailable: 4, LicenseType: 'uncounted' },
    { LicenseType: 'Uncounted' },
  ])('has its type, and no number of licenses: %j', (fields) => {
    expect(decoded(fields)).toEqual(['uncounted', undefined, undefined, undefined]);
  });

  it.each([99_998, 100_000])('is not one that has %j licenses', (most) => {
    expect(decoded({ MaxAvailable: most, LicenseType: 'floating' })).toEqual(['floating', most, 99_990, 5]);
  });
});
