import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LazyList } from '../../../src/site/grafana/answers/panel-data.ts';
import { answerBody, answerParts } from '../../../src/site/grafana/protocols/answer-text.ts';

/** Answers are written in slices, with the same text as `JSON.stringify` returns. */

const never = new AbortController().signal;
const lazy = <T>(items: readonly T[]): LazyList<T> => new LazyList(() => items.values());

it('is the text of JSON.stringify', () => {
  const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(undefined, Number.NaN, -0));
  const items = fc.array(value, { maxLength: 200 });
  const list = fc.oneof(items, items.map(lazy));
  const member = fc.oneof(value, list);
  const item = fc.oneof(value, fc.dictionary(fc.string(), member));
  const answer = fc.oneof(item, fc.array(item), fc.array(item).map(lazy));
  fc.assert(
    fc.property(answer, (drawn) => {
      expect([...answerParts(drawn)].join('')).toBe(JSON.stringify(drawn) ?? 'null');
    }),
  );
});

it('is written in small parts, for each of which few items are made', () => {
  let made = 0;
  const rows = new LazyList(function* () {
    for (; made < 10_000; made += 1) yield ['row', made];
  });
  let before = 0;
  let parts = 0;
  for (const _ of answerParts([{ name: 'long', rows }])) {
    expect(made - before).toBeLessThanOrEqual(64);
    before = made;
    parts += 1;
  }
  expect(parts).toBeGreaterThan(100);
});

it('is a stream when it is long', async () => {
  const answer = (count: number) => [{ rows: lazy(Array.from({ length: count }, (_, i) => [i, 'ü'])) }];
  expect(await answerBody(answer(100), never)).toBe(JSON.stringify(answer(100)));
  const long = await answerBody(answer(200_000), never);
  expect(await text(long as Readable)).toBe(JSON.stringify(answer(200_000)));
});

it('is not written when nobody waits for it', async () => {
  const gone = AbortSignal.abort(new Error('gone'));
  await expect(answerBody([1], gone)).rejects.toThrow('gone');
});
