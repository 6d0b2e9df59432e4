import { describe, expect, it } from 'vitest';
import type { Field } from '../../../../src/base/query-api/field.ts';
import { modelName, recordFields } from '../../../../src/base/query-api/records.ts';
import { decodeAnswer } from '../../../../src/exporter/inventory/decoding/decode.ts';

type Endpoint = keyof typeof recordFields;

const identities: Readonly<Record<Endpoint, object>> = {
  GetProducts: { Product: 'lic01;cdslmd' },
  GetFeatures: { Feature: 'base', ServerName: 'lic01', Daemon: 'cdslmd' },
  GetUsers: { UserName: 'eve' },
  GetServerDown: { Label: 'lic01;cdslmd' },
  GetExpirationFeatures: { Feature: 'base' },
};

function decode(endpoint: Endpoint, text: string) {
  const body = endpoint === 'GetUsers' ? `{"data":[${text}]}` : `[${text}]`;
  const { records, discarded } = decodeAnswer(endpoint, Buffer.from(body), Number.POSITIVE_INFINITY);
  return { records: records as unknown as readonly Readonly<Record<string, unknown>>[], discarded };
}

const withField = (endpoint: Endpoint, name: string, value: string): string =>
  `${JSON.stringify(identities[endpoint]).slice(0, -1)},"${name}":${value}}`;

const counts = Object.entries(recordFields).flatMap(([endpoint, fields]) =>
  Object.entries<Field>(fields)
    .filter(([, { type }]) => type === 'count')
    .map(([name]): [Endpoint, string] => [endpoint as Endpoint, name]),
);

/** JSON that is no count, and the reason for which it is discarded. */
const notCounts: readonly (readonly [string, string])[] = [
  ['13.7', 'not_an_integer'],
  ['"13.7"', 'not_an_integer'],
  ['"99.999"', 'not_an_integer'],
  ['"1e3"', 'not_an_integer'],
  ['" 13"', 'not_an_integer'],
  ['"13\\n"', 'not_an_integer'],
  ['9007199254740993', 'not_an_integer'],
  ['"123456789012345678901234567890"', 'not_an_integer'],
  ['"0x1F"', 'not_a_number'],
  ['"0b11"', 'not_a_number'],
  ['"+13"', 'not_a_number'],
  ['"1,000"', 'not_a_number'],
  ['"1 000"', 'not_a_number'],
  ['"13 of 20"', 'not_a_number'],
  ['"Infinity"', 'not_a_number'],
  ['"\\u0661"', 'not_a_number'],
  ['true', 'not_a_number'],
  ['null', 'not_a_number'],
  ['[13]', 'not_a_number'],
  ['{"value":13}', 'not_a_number'],
  ['NaN', 'nan'],
  ['"NaN"', 'nan'],
  ['""', 'nan'],
  ['1e999', 'nan'],
  ['-13', 'negative'],
  ['"-13"', 'negative'],
];

describe.each(counts)('%s.%s', (endpoint, name) => {
  it.each(notCounts)('%s is unknown and counted as %s', (value, reason) => {
    const { records, discarded } = decode(endpoint, withField(endpoint, name, value));
    expect(records[0]?.[modelName(name)]).toBeUndefined();
    expect(Object.entries(discarded).filter(([, count]) => count > 0)).toEqual([[reason, 1]]);
  });

  it.each([
    ['0', 0],
    ['13', 13],
    ['"13"', 13],
    ['"0013"', 13],
    ['1e3', 1000],
  ])('%s is a count', (value, count) => {
    const { records, discarded } = decode(endpoint, withField(endpoint, name, value));
    expect(records[0]?.[modelName(name)]).toBe(count);
    expect(Object.values(discarded).every((discards) => discards === 0)).toBe(true);
  });
});

describe.each(Object.keys(recordFields) as Endpoint[])('equal records of %s', (endpoint) => {
  const record = JSON.stringify({ ...identities[endpoint], Extra: 'a longer text' });

  it('count once, but for checkouts', () => {
    const { records, discarded } = decode(endpoint, [record, record, record].join());
    // two checkouts of one user can be equal
    expect([records.length, discarded.duplicate]).toEqual(endpoint === 'GetUsers' ? [3, 0] : [1, 2]);
  });

  it('are not those that differ in a field that is not in the specification', () => {
    const { records, discarded } = decode(endpoint, [record, record.replace('longer', 'shorter')].join());
    expect([records.length, discarded.duplicate]).toEqual([2, 0]);
  });
});
