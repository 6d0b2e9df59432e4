import { describe, expect, it } from 'vitest';
import { createLatestOnly } from '../../../src/base/scheduling/limit.ts';

describe('work of which only the newest request counts', () => {
  it('runs one at a time, and once more for all calls meanwhile', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let runs = 0;
    const run = createLatestOnly(() => {
      runs += 1;
      return runs === 1 ? promise : Promise.resolve();
    });
    const calls = [run(), run(), run()];
    expect(runs).toBe(1);
    resolve();
    await Promise.all(calls);
    expect(runs).toBe(2);
  });

  it('runs again, and not within itself, when the work asks for it as it begins', async () => {
    const order: string[] = [];
    const run = createLatestOnly(async () => {
      order.push('begin');
      if (order.length === 1) void run();
      order.push('end');
    });
    await run();
    expect(order).toEqual(['begin', 'end', 'begin', 'end']);
  });

  it('rejects with what the work threw, and runs again at the next call', async () => {
    let isBroken = true;
    const run = createLatestOnly(async () => {
      if (isBroken) throw new Error('a bug');
    });
    await expect(run()).rejects.toThrow('a bug');
    isBroken = false;
    await run();
  });
});
