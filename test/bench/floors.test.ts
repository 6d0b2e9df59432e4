import { describe, expect, it } from 'vitest';
import { findShortfalls } from './floors.ts';

const line = (ratio: number) => ({ what: 'G11 all threads in a poll', ours: 1, peer: 1, unit: 'ms', ratio });

const some = { isWhole: false, isBusy: false };
const all = { isWhole: true, isBusy: false };

describe('floors', () => {
  it('name each line that is below, and one that was not measured', () => {
    const low = 'G11 all threads in a poll: better by 0.590 ×, which is less than 0.6 ×';
    expect(findShortfalls([line(0.6), line(0.59)], some)).toEqual([low]);
  });

  it('of a busy host are those of processor time and bytes', () => {
    const timed = { ...line(0.1), what: 'G2 gzip scrapes, 19,000 series' };
    expect(findShortfalls([timed], some)).toHaveLength(1);
    expect(findShortfalls([timed, line(0.6)], { ...some, isBusy: true })).toEqual([]);
    expect(findShortfalls([line(0.59)], { ...some, isBusy: true })).toHaveLength(1);
  });

  it('name each line without a floor that has a figure that is not positive', () => {
    const withoutFloor = { ...line(1), what: 'A8 p99 delay of a collection' };
    expect(findShortfalls([withoutFloor], some)).toEqual([]);
    for (const bad of [{ ours: 0 }, { peer: Number.NaN }, { ratio: -1 }])
      expect(findShortfalls([{ ...withoutFloor, ...bad }], some)).toEqual([
        'A8 p99 delay of a collection: a figure is not positive',
      ]);
    expect(findShortfalls([line(Number.NaN)], some)).not.toEqual([]);
    // a difference between two measurements
    expect(findShortfalls([{ ...line(-0.01), what: 'scaling: main thread', peer: -0.3 }], some)).toEqual([]);
    // no collection happened
    const collection = 'pages of 5000 features: longest garbage collection meanwhile';
    expect(findShortfalls([{ ...line(Infinity), what: collection, ours: 0 }], some)).toEqual([]);
  });

  it('expect every line only when all benchmarks have run', () => {
    expect(findShortfalls([], some)).toEqual([]);
    expect(findShortfalls([line(9)], all)).toContain('no line with "G2 gzip scrapes"');
    expect(findShortfalls([line(9)], all)).toContain('no line with "A8 p99 delay"');
    expect(findShortfalls([line(9)], all)).not.toContain('no line with "G11 all threads"');
  });
});
