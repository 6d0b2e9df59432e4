import { describe, expect, it } from 'vitest';
import { decodeTrend } from '../../../../src/exporter/inventory/decoding/decode.ts';

const NOW = 1_800_000_000_000;
const DAY = 86_400_000;

const read = (...times: readonly number[]) => {
  const [series] = decodeTrend([{ name: 'Denials', data: times.map((time, i) => [time, i]) }], NOW);
  return { at: [...(series?.at ?? [])], values: [...(series?.values ?? [])], discarded: series?.discarded };
};

describe('the times of a chart', () => {
  it('are in order, with a day for the time zone of the analyzer', () => {
    expect(read(NOW, NOW - 5, NOW + DAY)).toEqual({ at: [NOW - 5, NOW, NOW + DAY], values: [1, 0, 2], discarded: 0 });
    expect(read()).toEqual({ at: [], values: [], discarded: 0 });
  });

  it('are never in the future or before 1990', () => {
    expect(read(4_102_444_800_000, NOW - 5, NOW + DAY + 1, 0)).toEqual({ at: [NOW - 5], values: [1], discarded: 3 });
    expect(read(4_102_444_800_000)).toEqual({ at: [], values: [], discarded: 1 });
  });

  it.each([[[NOW / 1000]], [[NOW / 1000, NOW / 1000 - 60]], [[NOW / 1000, 4_102_444_800_000]]])(
    'are not seconds: %j',
    (times) => {
      expect(() => read(...times)).toThrow('before 1990');
    },
  );
});
