import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fillLists, packAnswer } from '../../../../src/exporter/inventory/decoding/paged-lists.ts';

/** Long lists travel as bytes and are read in small steps. */

/** The message as the other thread receives it. */
const received = (answer: object) => {
  const { lists, memory } = packAnswer(answer);
  return structuredClone({ answer, lists }, { transfer: memory });
};

it('returns what was packed', () => {
  const list = fc.array(fc.oneof(fc.string(), fc.double(), fc.constant(undefined)), { maxLength: 12_000, size: 'max' });
  fc.assert(
    fc.property(list, list, (first, second) => {
      const answer = () => ({
        first: [...first],
        series: [{ second: [...second], values: Float64Array.of(1, Number.NaN) }],
      });
      const message = received(answer());
      for (const _ of fillLists(message.lists));
      expect(message.answer).toEqual(answer());
    }),
    { numRuns: 20 },
  );
});

it('hands over columns, and reads at most 100 items in a step', () => {
  const values = Float64Array.of(1, 2);
  const message = received({ values, records: Array.from({ length: 12_345 }, (_, i) => ({ i })) });
  expect(values.length).toBe(0);
  const { records } = message.answer as { records: unknown[] };
  expect(records).toHaveLength(0);
  let before = 0;
  for (const _ of fillLists(message.lists)) {
    expect(records.length - before).toBeLessThanOrEqual(100);
    before = records.length;
  }
  expect(records).toHaveLength(12_345);
});
