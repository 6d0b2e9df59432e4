import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineDecoder } from '../../../../src/analyzer/sources/log/line-decoder.ts';

/** The lines of bytes that arrive in pieces, with a last one that has no end. */
function linesOf(
  bytes: Buffer,
  { encoding, size = bytes.length }: { encoding?: string; size?: number } = {},
): string[] {
  const decoder = new LineDecoder(encoding);
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += size) lines.push(...decoder.push(bytes.subarray(at, at + size)));
  return [...lines, ...decoder.flush()];
}

const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

describe('the lines of a log', () => {
  it.each([
    ['UTF-8', undefined, Buffer.from('Müller\r\n東京\n\nend')],
    [
      'Latin-1 in some lines',
      undefined,
      Buffer.concat([Buffer.from('Müller\n', 'latin1'), Buffer.from('東京\n\nend')]),
    ],
    ['UTF-16', 'utf-16le', Buffer.from('Müller\r\n東京\n\nend', 'utf16le')],
    ['UTF-16 with the high byte first', 'utf-16be', utf16be('Müller\r\n東京\n\nend')],
  ])('are decoded from %s, in pieces of any size', (_, encoding, bytes) => {
    for (const size of [1, 2, 3, 7, 1000])
      expect(linesOf(bytes, { size, ...(encoding === undefined ? {} : { encoding }) })).toEqual([
        'Müller',
        '東京',
        '',
        'end',
      ]);
  });

  it('are decoded from a configured encoding', () => {
    expect(linesOf(Buffer.from([0x93, 0x8c, 0x8b, 0x9e, 10]), { encoding: 'shift_jis' })).toEqual(['東京']);
    expect(() => new LineDecoder('no such encoding')).toThrow(RangeError);
  });

  it('are found in UTF-16 text with bytes that look like line breaks', () => {
    // U+0A00, U+0A0A, U+000A
    for (const [encoding, bytes] of [
      ['utf-16le', Buffer.from('\u0a00\u0a0a\nx', 'utf16le')],
      ['utf-16be', utf16be('\u0a00\u0a0a\nx')],
    ] as const)
      expect(linesOf(bytes, { encoding, size: 3 })).toEqual(['\u0a00\u0a0a', 'x']);
  });

  it('have no zeros, and of one that is too long there is the beginning', () => {
    const bytes = Buffer.concat([Buffer.alloc(100_000), Buffer.from(`first\n${'x'.repeat(20_000)}\nsecond\n`)]);
    for (const size of [1000, 200_000])
      expect(linesOf(bytes, { size })).toEqual(['first', 'x'.repeat(16_384), 'second']);
    const long = Buffer.from(`${'x'.repeat(20_001)}\nsecond\n`, 'utf16le');
    for (const size of [999, 200_000])
      expect(linesOf(long, { size, encoding: 'utf-16le' })).toEqual(['x'.repeat(8192), 'second']);
  });

  it('are cut as soon as they are too long, so that one without an end is not waited for', () => {
    for (const encoding of [undefined, 'utf-16le'] as const) {
      const bytes = (text: string): Buffer => Buffer.from(text, encoding ?? 'latin1');
      const decoder = new LineDecoder(encoding);
      const characters = encoding === undefined ? 16_384 : 8192;
      const pieces = Array.from({ length: 40 }, () => decoder.push(bytes('x'.repeat(1000))));
      expect(pieces.flat()).toEqual(['x'.repeat(characters)]);
      // it is continued in a copy, and ends once
      const copy = decoder.copy();
      expect(copy.push(bytes('xx\nnext\n'))).toEqual(['next']);
      expect(decoder.flush()).toEqual([]);
      expect(decoder.push(bytes('after\n'))).toEqual(['after']);
    }
  });

  it('are the same in pieces of any size', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.constantFrom(undefined, 'utf-16le', 'utf-16be', 'latin1'),
        fc.integer({ min: 1, max: 9 }),
        (bytes, encoding, size) => {
          const all = encoding === undefined ? {} : { encoding };
          expect(linesOf(Buffer.from(bytes), { size, ...all })).toEqual(linesOf(Buffer.from(bytes), all));
        },
      ),
    );
  });
});
