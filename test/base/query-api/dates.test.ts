import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDate, parseDate } from '../../../src/base/query-api/dates.ts';

describe('/Date(ms)/', () => {
  it('reads what it writes', () => {
    fc.assert(
      fc.property(fc.integer(), (ms) => {
        expect(parseDate(formatDate(ms))).toBe(ms);
      }),
    );
  });

  it.each([
    ['/Date(1704002399000)/', 1_704_002_399_000],
    ['/Date(-1)/', -1],
    ['/Date(5+0100)/', 5],
    ['/Date()/', undefined],
    ['Date(5)', undefined],
    ['/Date(1e3)/', undefined],
    ['2026-11-21', undefined],
  ])('%s', (text, expected) => {
    expect(parseDate(text)).toBe(expected);
  });
});
