import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createObservationSchema } from '../../../../src/analyzer/sources/json/code.ts';
import { isLong } from '../../../support/extent.ts';
import { documents, parse, withFeatures } from './documents.ts';

const validate = new Ajv2020({
  allErrors: true,
  allowUnionTypes: true,
  strictRequired: false,
  strictTypes: false,
}).compile(createObservationSchema());

/** Whether the program takes it. */
function isTaken(document: unknown): boolean {
  try {
    parse(document);
    return true;
  } catch {
    return false;
  }
}

/** The document with the value at one of its places replaced, the places counted from the outside. */
function withReplaced(document: unknown, place: number, value: unknown): unknown {
  let left = place;
  const copy = (node: unknown): unknown => {
    left -= 1;
    if (left === -1) return value;
    if (Array.isArray(node)) return node.map(copy);
    if (typeof node !== 'object' || node === null) return node;
    return Object.fromEntries(Object.entries(node).map(([key, below]) => [key, copy(below)]));
  };
  return copy(document);
}

const countPlaces = (node: unknown): number =>
  typeof node === 'object' && node !== null
    ? Object.values(node).reduce<number>((sum, below) => sum + countPlaces(below), 1)
    : 1;

const wrong = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    -1,
    1.5,
    0,
    7,
    1e12,
    '',
    ' ',
    'a;b',
    'tab\there',
    'unknown',
    'uncounted',
    'permanent',
    '2027-06-30',
    true,
    [],
    {},
  ),
  fc.constantFrom<unknown>(
    [null],
    [{}],
    { seconds: 1 },
    { x: 1 },
    { user: 'u', extra: 1 },
    [{ user: 'u' }],
    ['borrowed'],
  ),
);

describe('the JSON Schema of observation documents', () => {
  it('in the repository is what the code makes ("npm run observation-schema" writes it)', () => {
    const text = `${JSON.stringify(createObservationSchema(), undefined, 2)}\n`;
    expect(readFileSync(join(import.meta.dirname, '../../../../deploy/observations.schema.json'), 'utf8')).toBe(text);
  });

  it('takes every document that the program takes', () => {
    fc.assert(
      fc.property(documents, (document) => {
        expect({ taken: isTaken(document), valid: validate(document) }).toEqual({ taken: true, valid: true });
      }),
    );
  });

  it('and the program refuse the same documents', () => {
    let refused = 0;
    fc.assert(
      fc.property(documents, fc.nat(), wrong, (document, at, value) => {
        const changed = withReplaced(document, at % countPlaces(document), value);
        const valid = validate(changed);
        // names that became the same are beyond a JSON Schema
        const isBeyond = typeof value === 'string';
        const taken = isTaken(changed);
        if (!valid) refused += 1;
        if (!isBeyond || !valid) expect({ taken }).toEqual({ taken: valid });
      }),
      { numRuns: isLong ? 500 : 150 },
    );
    expect(refused).toBeGreaterThan(100);
  });

  it.each([
    [{}, 'without anything'],
    [[], 'an array'],
    [{ version: 2, vendor_licenses: [{ server: 's', daemon: 'd', features: [] }] }, 'another version'],
    [{ version: 1, vendor_licenses: [] }, 'no vendor license'],
    [{ version: 1, vendor_licenses: [{ server: 's', daemon: 'd' }] }, 'no features'],
    [{ version: 1, vendor_licenses: [{ server: 's', daemon: 'd', features: null }] }, 'features null'],
    [{ version: 1, vendor_licenses: [{ server: 's;t', daemon: 'd', features: [] }] }, 'a semicolon'],
    [withFeatures([{ feature: 'f', in_use: -1 }]), 'a negative number'],
    [withFeatures([{ feature: 'f', in_use: '3' }]), 'a number as text'],
    [withFeatures([{ feature: 'f', in_use: 2147483647 }]), 'a number that stands for uncounted'],
    [withFeatures([{ feature: 'f', inuse: 1 }]), 'an unknown key'],
    [withFeatures([{ feature: 'f', count: 1, increments: [{ count: 1 }] }]), 'count beside increments'],
    [withFeatures([{ feature: 'f', denials: 1, denials_total: 1 }]), 'both kinds of denials'],
    [withFeatures([{ feature: 'f', increments: [] }]), 'no increment'],
    [withFeatures([{ feature: 'f', checkouts: [{ host: 'h' }] }]), 'a checkout without a user'],
    [withFeatures([{ feature: 'f', checkouts: [{ user: 'u', since: '2026-03-05T12:00:00' }] }]), 'a time without zone'],
    [withFeatures([{ feature: 'f', checkouts: [{ user: 'u', since: 1_772_712_000_000 }] }]), 'milliseconds'],
    [withFeatures([{ feature: 'f', token: { pool: 'p' } }]), 'a token without its cost'],
  ])('refuses %j: %s', (document) => {
    expect({ taken: isTaken(document), valid: validate(document) }).toEqual({ taken: false, valid: false });
  });

  it.each([
    withFeatures([{ feature: 'f', count: null, increments: [{ count: 1 }] }]),
    withFeatures([{ feature: 'f', denials: null, denials_total: 1 }]),
    { version: 1, vendor_licenses: [{ server: 's', daemon: 'd', reachable: false }] },
  ])('takes %j', (document) => {
    expect({ taken: isTaken(document), valid: validate(document) }).toEqual({ taken: true, valid: true });
  });
});
