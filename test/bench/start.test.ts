import { expect, it } from 'vitest';
import { benchStart } from './start.ts';

it('the demo and a bare program are measured up to their first good scrape', { timeout: 120_000 }, async () => {
  const lines = await benchStart(1);
  expect(lines.map(({ what }) => what.replace(/.*, /, ''))).toEqual(['compile cache empty', 'compile cache filled']);
  for (const { ours, peer, ratio } of lines) {
    expect(peer).toBeGreaterThan(0);
    expect(ratio).toBe(peer / ours);
  }
});
