import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runSliced } from '../../../src/base/scheduling/slices.ts';

/** Takes a millisecond for each step. */
function* busy(steps: number, onStep: () => void): Generator<void, number> {
  for (let i = 0; i < steps; i += 1) {
    vi.advanceTimersByTime(1);
    onStep();
    yield;
  }
  return steps;
}

describe('sliced work', () => {
  // a clock that other programs cannot hold up
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('holds up others for one slice in all, however much of it there is', async () => {
    let steps = 0;
    let most = 0;
    let isOver = false;
    const watch = async (): Promise<void> => {
      while (!isOver) {
        const before = steps;
        await setImmediate();
        most = Math.max(most, steps - before);
      }
    };
    const watching = watch();
    await Promise.all(Array.from({ length: 20 }, () => runSliced(busy(20, () => (steps += 1)))));
    isOver = true;
    await watching;
    expect(steps).toBe(400);
    // a slice of 4 ms has at most four such steps, and one more where two turns meet
    expect(most).toBeLessThanOrEqual(9);
  });

  it('gives each the same share', async () => {
    const done = [0, 0, 0];
    const ended: number[] = [];
    const run = async (of: number): Promise<void> => {
      await runSliced(busy(30, () => (done[of] = (done[of] ?? 0) + 1)));
      ended.push(Math.min(...done));
    };
    await Promise.all(done.map((_, of) => run(of)));
    // when the first one ends, none is more than two slices behind
    expect(ended[0]).toBeGreaterThanOrEqual(30 - 8);
  });

  it('runs short work at once, and goes on after work that fails', async () => {
    let steps = 0;
    const work = runSliced(busy(1, () => (steps += 1)));
    expect(steps).toBe(1);
    await work;
    const failing = runSliced(
      (function* (): Generator<void, void> {
        yield* busy(8, () => undefined);
        throw new Error('it fails');
      })(),
    );
    const others = [runSliced(busy(8, () => undefined)), runSliced(busy(8, () => undefined))];
    await expect(failing).rejects.toThrow('it fails');
    expect(await Promise.all(others)).toEqual([8, 8]);
  });
});
