import { describe, expect, it } from 'vitest';
import { findShortfalls } from './floors.ts';

const line = (ratio: number) => ({ what: 'G11 all threads in a poll', ours: 1, peer: 1, unit: 'ms', ratio });

describe('floors', () => {
  it('name each line that is below, and one that was not measured', () => {
    const low = 'G11 all threads in a poll: better by 0.590 ×, which is less than 0.6 ×';
    expect(findShortfalls([line(0.6), line(0.59)], false)).toEqual([low]);
    expect(findShortfalls([line(Number.NaN)], false)).toHaveLength(1);
  });

  it('expect every line only when all benchmarks have run', () => {
    expect(findShortfalls([], false)).toEqual([]);
    expect(findShortfalls([line(9)], true)).toContain('no line for the floor of "G2 gzip scrapes"');
    expect(findShortfalls([line(9)], true)).not.toContain('no line for the floor of "G11 all threads"');
  });
});
