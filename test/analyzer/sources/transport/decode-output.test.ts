import { array, check, integer, oneof, property, uint8Array } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeOutput } from '../../../../src/analyzer/sources/transport/decode-output.ts';

const bytes = (...values: readonly number[]): Uint8Array => Uint8Array.from(values);

describe('the text of an output', () => {
  it.each<readonly [what: string, bytes: Uint8Array, encoding: string | undefined, text: string]>([
    ['nothing', bytes(), undefined, ''],
    ['UTF-8', bytes(0xc3, 0xa4, 0xe2, 0x82, 0xac), undefined, 'ä€'],
    ['UTF-8 with a byte order mark', bytes(0xef, 0xbb, 0xbf, 0x61), undefined, 'a'],
    ['a byte order mark, and bytes that are not UTF-8', bytes(0xef, 0xbb, 0xbf, 0x61, 0xe4), undefined, 'a\ufffd'],
    ['Latin-1', bytes(0x61, 0xe4, 0x62), undefined, 'aäb'],
    ['Latin-1 as Windows has it', bytes(0x80, 0x93), undefined, '€“'],
    ['UTF-16, little endian', bytes(0xff, 0xfe, 0x61, 0x00, 0xac, 0x20), undefined, 'a€'],
    ['UTF-16, big endian', bytes(0xfe, 0xff, 0x00, 0x61, 0x20, 0xac), undefined, 'a€'],
    ['UTF-16 although another one is configured', bytes(0xff, 0xfe, 0x61, 0x00), 'cp932', 'a'],
    ['a configured encoding', bytes(0xe4), 'iso-8859-5', 'ф'],
    ['a configured encoding that the bytes do not have', bytes(0xff, 0x61), 'utf-8', '\ufffda'],
    ['cp932', bytes(0x83, 0x65), 'CP932', 'テ'],
    ['cp936', bytes(0xc4, 0xe3), 'cp936', '你'],
    ['cp949', bytes(0xb0, 0xa1), 'cp949', '가'],
    ['cp950', bytes(0xa7, 0x41), 'cp950', '你'],
    ['cp1252', bytes(0x80), 'cp1252', '€'],
  ])('is %s', (_what, output, encoding, text) => {
    expect(decodeOutput(output, encoding)).toBe(text);
  });

  it('has an encoding that exists', () => {
    expect(() => decodeOutput(bytes(0x61), 'klingon')).toThrow(RangeError);
  });

  it('is what was encoded, for every text', () => {
    const letters = array(oneof(integer({ max: 0xd7ff, min: 1 }), integer({ min: 0xe000, max: 0x10ffff })));
    const result = check(
      property(letters, (points) => {
        const text = String.fromCodePoint(...points);
        return decodeOutput(new TextEncoder().encode(text)) === text.replace(/^\ufeff/, '');
      }),
    );
    expect(result.failed).toBe(false);
  });

  it('is never refused, for any bytes', () => {
    const result = check(property(uint8Array({ maxLength: 200 }), (any) => typeof decodeOutput(any) === 'string'));
    expect(result.failed).toBe(false);
  });
});
