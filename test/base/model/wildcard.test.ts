import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPattern } from '../../../src/base/model/wildcard.ts';

/** A simple matcher: recursion over both texts. */
function slowMatch(pattern: string, value: string): boolean {
  if (pattern === '') return value === '';
  if (pattern.startsWith('%')) {
    return slowMatch(pattern.slice(1), value) || (value !== '' && slowMatch(pattern, value.slice(1)));
  }
  return pattern[0] === value[0] && value !== '' && slowMatch(pattern.slice(1), value.slice(1));
}

describe('createPattern', () => {
  it.each([
    ['%', '', true],
    ['%', 'anything', true],
    ['lic01;%', 'lic01;cdslmd', true],
    ['lic01;%', 'Lic01;cdslmd', false],
    ['a%a', 'a', false],
    ['a%a', 'aa', true],
    ['%b%', 'abc', true],
    ['a%%c', 'abc', true],
    ['a.c', 'abc', false],
    ['', '', true],
    ['', 'a', false],
  ])('%j against %j is %j', (pattern, value, expected) => {
    expect(createPattern(pattern, { ignoreCase: false })(value)).toBe(expected);
  });

  it('can ignore case', () => {
    expect(createPattern('LIC%', { ignoreCase: true })('lic01')).toBe(true);
  });

  it('equals the simple matcher', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '%'), maxLength: 8 });
    const value = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 });
    fc.assert(
      fc.property(text, value, (pattern, candidate) => {
        expect(createPattern(pattern, { ignoreCase: false })(candidate)).toBe(slowMatch(pattern, candidate));
      }),
    );
  });

  it('does not take long for a malicious pattern', () => {
    const matches = createPattern(`${'%a'.repeat(2000)}%b`, { ignoreCase: false });
    expect(matches('a'.repeat(10_000))).toBe(false);
  });
});
