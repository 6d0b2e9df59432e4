import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { KeptText } from '../../../../src/analyzer/sources/flexnet/kept-text.ts';
import { TextBlock } from '../../../../src/analyzer/sources/flexnet/text-block.ts';
import { checkoutsOf, feature, HEAD, parse } from './samples.ts';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** Bytes outside of the heap, without garbage. */
async function externalMemory(): Promise<number> {
  for (let round = 0; round < 3; round += 1) {
    gc();
    await setImmediate();
  }
  return process.memoryUsage().external;
}

/** A text of 8 MB, outside of the heap, as a large output is when it is read. */
function largeText(): string {
  const text = Buffer.from(
    `${HEAD}${feature('solver-with-a-long-name', 5, 1, 'a-user-with-a-long-name a-host.example.com a-display-as-well-as-it (v2026.03180000) (a-server.example.com/27000 123456789012345), start Tue 3/17 9:05, an unknown remark')}`,
  );
  return Buffer.concat([text, Buffer.alloc(8_000_000, '\n')]).toString('latin1');
}

describe('what is kept of a text', () => {
  it('does not keep the text', async () => {
    const before = await externalMemory();
    const report = parse(largeText());
    // a pattern keeps the text that it was used on last
    expect(/b/.exec('abc')).not.toBeNull();
    expect((await externalMemory()) - before).toBeLessThan(4_000_000);
    expect(checkoutsOf(report)).toMatchObject([{ user: 'a-user-with-a-long-name', handle: '123456789012345' }]);
  });

  it('is one string for equal parts, and never another one', () => {
    const kept = new KeptText(0);
    const names = Array.from({ length: 2000 }, (_, at) => `host-number-${at * 7919}`);
    for (const name of [...names, ...names]) {
      const block = new TextBlock(`<${name}>`);
      expect(kept.keep(block, 1, name.length + 1)).toBe(name);
    }
    expect(kept.keep(new TextBlock('abc'), 2, 2)).toBe('');
  });
});
