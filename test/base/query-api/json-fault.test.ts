import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultIn, lineAndColumn, textAround } from '../../../src/base/query-api/json-fault.ts';

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('the place at which a text stops being JSON', () => {
  it.each([
    ['[1 2]', 3],
    ['[01]', 1],
    ['{"a":1,}', 7],
    ['{"a" 1}', 5],
    ['{"a":jdoe}', 5],
    ['["C:\\x"]', 4],
    ['["a\nb"]', 3],
    ['[1]]', 3],
    ['[}', 1],
    ['[1,\n 2,\n NaN]', 9],
    // only beginnings
    ['{"a":tr', 7],
    ['{"a":-', 6],
    ['["\\u12', 6],
    ['["jdoe', 6],
    ['', 0],
  ])('of %j is %d', (text, at) => {
    expect(faultIn(text)?.at).toBe(at);
  });

  it('exists for each text that is not JSON', () => {
    const parts = fc.constantFrom(
      '"',
      '\\',
      ':',
      ',',
      '{',
      '}',
      '[',
      ']',
      'a',
      '1',
      ' ',
      'true',
      '"x"',
      '-',
      '.',
      'e',
      '\n',
    );
    fc.assert(fc.property(fc.json(), (text) => faultIn(text) === undefined));
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), (text) => {
        expect(faultIn(text.join('')) === undefined).toBe(isJson(text.join('')));
      }),
      { numRuns: 2000 },
    );
  });

  it('is within or before what was put into JSON', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (text, seed) => {
        const cut = seed % (text.length + 1);
        const broken = `${text.slice(0, cut)}\u0001${text.slice(cut)}`;
        expect(faultIn(broken)?.at).toBeLessThanOrEqual(cut);
      }),
    );
  });

  it('has the objects of arrays that end before it', () => {
    expect(faultIn('[[{"a":{}},{"a":1}],[{"b":x}]]')?.objects).toBe(2);
    expect(faultIn('{"data":[{"a":1},{"a":1},{"a" 1}]}')?.objects).toBe(2);
  });

  it('is written with its line and its column', () => {
    expect(lineAndColumn('a\nbc\nd', 4)).toBe('line 2 column 3');
  });

  it('is shown without values: they can be users', () => {
    const text = '[{"Feature":"jdoe","jdoe":4711,"InUse":jdoe,"Ü":1}]';
    const shown = textAround(text, text.indexOf('jdoe,'), (name) => name === 'Feature' || name === 'InUse');
    expect(shown).toBe('after [{"Feature":"xxxx","xxxx":xxxx,"InUse": comes xxxx,"x":x}]');
  });
});
