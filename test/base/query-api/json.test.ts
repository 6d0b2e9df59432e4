import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isNoNumber, readJson, writeJson } from '../../../src/base/query-api/json.ts';
import { isLong } from '../../support/extent.ts';

const read = (text: string): unknown => readJson(Buffer.from(text));

const adversarial = [
  'NaN',
  'a:NaN,b',
  'q":NaN,x',
  ':NaN',
  '"LogActive":NaN,',
  '"LogActive" : NaN',
  'back\\',
  'back\\":NaN',
  '\\"LogActive":NaN',
  '[NaN,NaN]',
  '設計 NaN ✓',
  '\u2028NaN',
  'NaN"',
];

const name = fc.oneof(
  fc.constantFrom(...adversarial),
  fc.string({ unit: 'grapheme' }),
  fc
    .array(fc.constantFrom('"', '\\', ':', ',', 'NaN', 'x', ' ', '[', '{'), { maxLength: 8 })
    .map((parts) => parts.join('')),
);
const number = fc.oneof(fc.integer(), fc.double({ noDefaultInfinity: true }), fc.constant(Number.NaN));
const key = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/).filter((text) => text !== '__proto__');
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    name,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(key, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  ),
}));

/** The expected result of reading a value: NaN as the empty string, everything else unchanged. */
function expected(given: unknown): unknown {
  if (typeof given === 'number') return Number.isNaN(given) ? '' : given === 0 ? 0 : given;
  if (Array.isArray(given)) return given.map(expected);
  if (typeof given !== 'object' || given === null) return given;
  return Object.fromEntries(Object.entries(given).map(([k, v]) => [k, expected(v)]));
}

describe('readJson', () => {
  it('reads bytes that are not UTF-8 as Windows-1252, so that no two texts become one', () => {
    fc.assert(
      fc.property(fc.uint8Array({ min: 0x80, maxLength: 6 }), fc.uint8Array({ min: 0x80, maxLength: 6 }), (a, b) => {
        const [one, other] = [a, b].map((bytes) =>
          readJson(Buffer.concat([Buffer.from('"T'), bytes, Buffer.from('R"')])),
        );
        if (Buffer.compare(a, b) !== 0) expect(one).not.toBe(other);
        expect(one).not.toContain('\ufffd');
      }),
    );
    expect(readJson(Buffer.from('{"Feature":"T\u00dcR"}', 'latin1'))).toEqual({ Feature: 'TÜR' });
    expect(readJson(Buffer.from('{"Feature":"TÜR"}'))).toEqual({ Feature: 'TÜR' });
  });

  it('reads the bare literal as the empty string, with any white space around it', () => {
    expect(read('{"LogActive":NaN,"LogInUse" :\r\n\t NaN }')).toEqual({ LogActive: '', LogInUse: '' });
    expect(read('[{"a":NaN},{"a":1}]')).toEqual([{ a: '' }, { a: 1 }]);
  });

  it('reads it as an array item, at the top level, and after a key that is not an identifier', () => {
    expect(read('[[1000,NaN],[ NaN ,2],NaN]')).toEqual([[1000, ''], ['', 2], '']);
    expect(read('NaN')).toBe('');
    expect(read('{"Total Duration":NaN,"":NaN,"größe":NaN}')).toEqual({ 'Total Duration': '', '': '', größe: '' });
  });

  it.each([
    ...['nan', 'NAN', '-nan', '+NaN', '-nan(ind)', 'nan(snan)', 'Infinity', '-Infinity', 'inf', '-INF'],
    ...['1.#QNAN', '-1.#IND', '1.#INF00', '-1.#IND00', '1.#J', '1.#SNAN'],
  ])('reads %s as the bare literal, wherever a value stands', (token) => {
    expect(read(`{"LogActive":${token},"Feature":"${token}","LogInUse" : ${token} }`)).toEqual({
      LogActive: '',
      Feature: token,
      LogInUse: '',
    });
    expect(read(`[[1.5,${token}],[ ${token},-2],${token}]`)).toEqual([[1.5, ''], ['', -2], '']);
    expect(isNoNumber(token)).toBe(true);
    expect(isNoNumber(`${token}1 `)).toBe(false);
    expect(() => read(`{${token}:1}`)).toThrow(SyntaxError);
  });

  it.each(adversarial)('does not change the text %j', (text) => {
    const record = { Feature: text, LogActive: 1 };
    expect(read(JSON.stringify(record))).toEqual(record);
    expect(read(`{"Feature":${JSON.stringify(text)},"LogActive":NaN}`)).toEqual({ Feature: text, LogActive: '' });
    expect(read(`[NaN,${JSON.stringify(text)},{${JSON.stringify(text)}:NaN}]`)).toEqual(['', text, { [text]: '' }]);
  });

  it('skips a byte order mark', () => {
    expect(read('\ufeff{"a":NaN}')).toEqual({ a: '' });
    expect(read('\ufeff[NaN]')).toEqual(['']);
  });

  it.each([
    '',
    '{',
    '{"a":NaNa}',
    '{"a":--NaN}',
    '{"a":nane}',
    '{"a":nan(ind}',
    '{"a":Infinite}',
    '{"a":1.#QNAN5x}',
    '{"a":01}',
    '[NaN1]',
    '{"a":aNaN}',
    '{"a":+1}',
    '{"a":None}',
    '{"a":"NaN}',
    '{NaN:1}',
  ])('refuses %j', (text) => {
    expect(() => read(text)).toThrow(SyntaxError);
  });

  it('reads text without NaN like JSON.parse', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(read(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('throws only SyntaxError on any bytes', () => {
    const bytes = fc.array(fc.constantFrom('NaN', '"', '\\', ':', ',', '{', '}', '[', ']', 'a', '1', ' ', 'é'), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(bytes, (parts) => {
        try {
          read(parts.join(''));
        } catch (error) {
          expect(error).toBeInstanceOf(SyntaxError);
        }
      }),
      { numRuns: isLong ? 1000 : 200 },
    );
  });
});

describe('writeJson', () => {
  it('writes NaN as the bare literal', () => {
    expect(writeJson([{ a: Number.NaN, b: 'NaN', c: null }])).toBe('[{"a":NaN,"b":"NaN","c":null}]');
    expect(writeJson([[1000, Number.NaN], Number.NaN])).toBe('[[1000,NaN],NaN]');
    expect(writeJson(Number.NaN)).toBe('NaN');
  });

  it('leaves out undefined members, as JSON.stringify does', () => {
    expect(writeJson({ a: undefined, b: { c: undefined, d: Number.NaN } })).toBe('{"b":{"d":NaN}}');
  });

  it('writes values without NaN like JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        expect(writeJson(json)).toBe(JSON.stringify(json));
      }),
    );
  });

  it('writes what readJson reads', () => {
    fc.assert(
      fc.property(value, (given) => {
        expect(read(writeJson(given))).toEqual(expected(given));
      }),
      { numRuns: isLong ? 1000 : 200 },
    );
  });
});
