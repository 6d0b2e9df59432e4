import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCutInLabels, labelValue } from '../../../src/base/model/label-value.ts';

describe('the value of a label', () => {
  it('is the text, up to 1,000 bytes', () => {
    for (const text of ['', 'abaqus', 'a'.repeat(1000), 'ü'.repeat(500), '設'.repeat(333)]) {
      expect([labelValue(text), isCutInLabels(text)]).toEqual([text, false]);
    }
  });

  it('is the beginning of a longer text, with a hash of the whole', () => {
    const cut = labelValue('a'.repeat(100_000));
    expect(cut).toMatch(/^a{981}…[0-9a-f]{16}$/);
    expect(labelValue('a'.repeat(100_001))).not.toBe(cut);
    expect(isCutInLabels('a'.repeat(1001))).toBe(true);
  });

  it('is not too long, whole characters, and the same when it is cut again', () => {
    const long = fc.string({ unit: 'grapheme', minLength: 300, maxLength: 1500, size: 'max' });
    fc.assert(
      fc.property(long, (text) => {
        const value = labelValue(text.toWellFormed());
        expect(Buffer.byteLength(value)).toBeLessThanOrEqual(1000);
        expect(value).not.toContain('\ufffd');
        expect(labelValue(value)).toBe(value);
        expect(text.startsWith(value.replace(/…[0-9a-f]{16}$/, ''))).toBe(true);
      }),
    );
  });
});
