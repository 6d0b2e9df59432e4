import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Leaders } from '../../../src/site/grafana/answers/site-figures.ts';

describe('leaders', () => {
  it('are what a sort would begin with, and count everything', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -5, max: 5 })), fc.integer({ min: 1, max: 8 }), (ranks, most) => {
        const leaders = new Leaders<string>(most);
        for (const [i, rank] of ranks.entries()) if (leaders.counts(rank)) leaders.add(rank, `${rank} ${i}`);
        const sorted = [...ranks.entries()].sort((a, b) => a[1] - b[1]).map(([i, rank]) => `${rank} ${i}`);
        expect([leaders.values(), leaders.count]).toEqual([sorted.slice(0, most), ranks.length]);
      }),
    );
  });
});
