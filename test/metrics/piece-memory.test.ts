import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Deflated } from '../../src/metrics/gzip.ts';
import { PieceMemory } from '../../src/metrics/piece-memory.ts';

const piece = (length: number, byte: number): Deflated => ({
  bytes: new Uint8Array(length).fill(byte),
  crc: byte,
  length,
});

describe('PieceMemory', () => {
  it('keeps the pieces of all versions that are in use', () => {
    const memory = new PieceMemory();
    const first = memory.store(piece(5000, 1));
    memory.close(0);
    memory.retire(first);
    const second = memory.store(piece(5000, 2));
    memory.close(1);
    memory.free(1);
    memory.retire(second);
    const third = memory.store(piece(5000, 3));
    expect([first, second, third].map(({ bytes }) => bytes[4999])).toEqual([1, 2, 3]);
    memory.close(2);
    memory.free(2);
    expect(memory.store(piece(4900, 4)).bytes.buffer).toBe(first.bytes.buffer);
    expect([second, third].map(({ bytes }) => bytes[4999])).toEqual([2, 3]);
  });

  it('fits the memory to pieces of any lengths', () => {
    const updates = fc.array(fc.array(fc.nat(20_000), { maxLength: 5 }), { maxLength: 30 });
    fc.assert(
      fc.property(updates, (lengths) => {
        const memory = new PieceMemory();
        let shown: readonly Deflated[] = [];
        for (const [version, each] of lengths.entries()) {
          memory.free(version - 1);
          expect(memory.spare).toBeLessThanOrEqual(shown.length);
          const next = each.map((length) => memory.store(piece(length, version)));
          for (const { bytes } of shown) expect(bytes.every((byte) => byte === version - 1)).toBe(true);
          for (const { bytes } of next) expect(bytes.buffer.byteLength).toBeLessThan(2 * (bytes.length + 1024));
          for (const old of shown) memory.retire(old);
          memory.close(version - 1);
          shown = next;
        }
      }),
    );
  });
});
