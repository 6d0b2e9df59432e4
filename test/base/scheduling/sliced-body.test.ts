import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { slicedBody } from '../../../src/base/scheduling/sliced-body.ts';

const MB = 1024 * 1024;

describe('the body of an answer', () => {
  it('is its text up to a megabyte', async () => {
    expect(await slicedBody([])).toBe('');
    expect(await slicedBody(['', 'ä', '', '1'])).toBe('ä1');
    const parts = Array.from({ length: 1000 }, (_, i) => `${i},`.padStart(1000));
    expect(await slicedBody(parts)).toBe(parts.join(''));
  });

  it('is a stream if it is longer, with every part once', async () => {
    const parts = Array.from({ length: 3000 }, (_, i) => `ä${i},`.padStart(1000));
    const body = await slicedBody(parts);
    if (typeof body === 'string') throw new Error('it is no stream');
    expect(await text(body)).toBe(parts.join(''));
  });

  it('fails with the error of a part, also in the stream', async () => {
    const failingAfter = function* (characters: number): Generator<string> {
      for (let written = 0; written < characters; written += 1000) yield 'x'.repeat(1000);
      throw new Error('it fails');
    };
    await expect(slicedBody(failingAfter(2000))).rejects.toThrow('it fails');
    const body = await slicedBody(failingAfter(2 * MB));
    if (typeof body === 'string') throw new Error('it is no stream');
    await expect(text(body)).rejects.toThrow('it fails');
  });

  it('ends with the reason of the signal', async () => {
    const gone = new AbortController();
    gone.abort(new Error('the client is gone'));
    await expect(slicedBody(['a'], gone.signal)).rejects.toThrow('the client is gone');
  });
});
