import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCodes, createCounts, fixedCodes, type SymbolCounts } from '../../src/metrics/deflate-codes.ts';
import { LineDeflater } from '../../src/metrics/line-deflate.ts';

/** Describes each line by the one before: its beginning and its end are the same, or nothing is. */
function encode(
  deflater: LineDeflater,
  lines: readonly Buffer[],
  from = 0,
  codes = fixedCodes,
  counts?: SymbolCounts,
): Uint8Array {
  const text = Buffer.concat(lines);
  deflater.start(Buffer.concat([Buffer.alloc(from, 'x'), text]), from, text.length, codes, counts);
  for (const [i, line] of lines.entries()) {
    const before = lines[i - 1] ?? Buffer.alloc(0);
    const limit = Math.min(line.length, before.length);
    let same = 0;
    while (same < limit && line[same] === before[same]) same += 1;
    let sameEnd = 0;
    while (sameEnd < limit - same && line.at(-1 - sameEnd) === before.at(-1 - sameEnd)) sameEnd += 1;
    deflater.copy(before.length, same);
    deflater.literals(line.length - same - sameEnd);
    deflater.copy(line.length, sameEnd);
  }
  return deflater.finish();
}

const inflate = (bytes: Uint8Array): Buffer => inflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });

const line = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(fc.nat(99), fc.nat(9999)).map(([a, b]) => `name{label="value-${a}",end="x"} ${b}\n`),
  },
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.nat(900).map((length) => 'long '.repeat(length)),
  fc.constantFrom('', 'x'.repeat(40_000), 'x'.repeat(40_001), 'y'.repeat(257), 'y'.repeat(258), 'y'.repeat(261)),
);

describe('LineDeflater', () => {
  it('writes what zlib inflates to the same text', () => {
    const deflater = new LineDeflater();
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), fc.nat(100), (texts, from) => {
        const lines = texts.map((text) => Buffer.from(text));
        expect(inflate(encode(deflater, lines, from)).equals(Buffer.concat(lines))).toBe(true);
      }),
    );
  });

  it('writes every byte', () => {
    const bytes = Buffer.from(Uint8Array.from({ length: 256 }, (_, i) => i));
    expect(inflate(encode(new LineDeflater(), [bytes])).equals(bytes)).toBe(true);
  });

  it('writes matches of every length and distance', () => {
    const deflater = new LineDeflater();
    for (let length = 1; length < 1200; length += 1) {
      const lines = [Buffer.alloc(length, 'ab'), Buffer.alloc(length, 'ab')];
      expect(inflate(encode(deflater, lines)).equals(Buffer.concat(lines))).toBe(true);
    }
  });

  it('writes pieces that can be joined, and closed by zlib', () => {
    const deflater = new LineDeflater();
    const texts = ['a line\na line\n', '', 'another\n'].map((text) => Buffer.from(text));
    const pieces = texts.map((text) => encode(deflater, [text]));
    const stream = Buffer.concat([...pieces, deflateRawSync('end')]);
    expect(inflateRawSync(stream).toString()).toBe(`${texts.join('')}end`);
  });
});

describe('codes of their own', () => {
  const count = fc.oneof(fc.constant(0), fc.nat(9), fc.nat(2 ** 31));
  const counts = fc.record({
    symbols: fc.array(count, { minLength: 286, maxLength: 286 }).map((all) => Uint32Array.from(all)),
    distances: fc.array(count, { minLength: 30, maxLength: 30 }).map((all) => Uint32Array.from(all)),
  });

  it('write every text, also one they were not counted in', () => {
    const deflater = new LineDeflater();
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), counts, (texts, seen) => {
        const lines = texts.map((text) => Buffer.from(text));
        const bytes = encode(deflater, lines, 0, createCodes(seen));
        expect(inflate(bytes).equals(Buffer.concat(lines))).toBe(true);
      }),
    );
  });

  it('are limited to the size that the format allows', () => {
    const doubling = { symbols: new Uint32Array(286), distances: new Uint32Array(30) };
    for (let i = 0; i < 31; i += 1) doubling.symbols[i] = 2 ** i;
    const bytes = Buffer.from(Uint8Array.from({ length: 256 }, (_, i) => i));
    expect(inflate(encode(new LineDeflater(), [bytes], 0, createCodes(doubling))).equals(bytes)).toBe(true);
  });

  it('make a text shorter that is like the one they were counted in', () => {
    const lines = Array.from({ length: 1000 }, (_, i) => Buffer.from(`a name with a long label and a value ${i}\n`));
    const seen = createCounts();
    const deflater = new LineDeflater();
    const fixed = encode(deflater, lines, 0, fixedCodes, seen);
    expect(encode(deflater, lines, 0, createCodes(seen)).length).toBeLessThan(fixed.length * 0.7);
  });
});
