import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRecordWriter } from '../../../src/analyzer/server/query-answers.ts';
import type { Field, Fields } from '../../../src/base/query-api/field.ts';
import { writeJson } from '../../../src/base/query-api/json.ts';
import { recordFields } from '../../../src/base/query-api/records.ts';

const text = fc.oneof(
  fc.constantFrom(
    '',
    'null',
    ':null',
    '"LogActive":null',
    'LogActive":null',
    '\\":null',
    '"',
    '\\',
    'NaN',
    '\u2028',
    '設計',
  ),
  fc
    .array(fc.constantFrom('"', '\\', ':', ',', 'null', 'LogActive', 'NaN', 'é', '\ud800', '\n'), { maxLength: 8 })
    .map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme' }),
);
const number = fc.oneof(fc.nat(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(-0));

function anyOf({ type, unknown }: Field): fc.Arbitrary<unknown> {
  const known = {
    text,
    date: text,
    flag: fc.boolean(),
    scalar: fc.oneof(text, number, fc.boolean()),
    count: number,
    quantity: number,
    number,
    time: number,
    expiration: number,
  }[type];
  if (unknown === 'never') return known;
  return fc.oneof(known, fc.constant({ absent: undefined, NaN: Number.NaN, null: null }[unknown]));
}

const recordOf = (fields: Fields): fc.Arbitrary<object> =>
  fc.record(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, anyOf(field)])));

describe.each(Object.entries(recordFields))('the writer of records of %s', (_, fields: Fields) => {
  it('writes what writeJson writes, byte for byte', () => {
    const write = createRecordWriter(fields);
    fc.assert(
      fc.property(fc.array(recordOf(fields), { maxLength: 3 }), (records) => {
        expect(write(records)).toBe(writeJson(records));
      }),
      { numRuns: 300 },
    );
  });
});

it('writes NaN for the fields that can be NaN, and null for others', () => {
  const write = createRecordWriter(recordFields.GetFeatures);
  const record = { Feature: '"LogActive":null', MappedTo: null, LogActive: Number.NaN, LogInactive: 0 };
  expect(write([record])).toBe('[{"Feature":"\\"LogActive\\":null","MappedTo":null,"LogActive":NaN,"LogInactive":0}]');
});
