import { expect, it } from 'vitest';
import { type Collection, createSourceCollection, isDown } from '../../../src/analyzer/history/collector.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import type { VendorLicenseObservation } from '../../../src/base/model/observation/observation.ts';
import { eventually } from '../../support/harness.ts';

/** One source while the clock of the host is set. */

const NOW = 1_800_000_000;
const MINUTE = 60;

function create() {
  let now = NOW;
  let reachable = true;
  const moves: number[] = [];
  const recorded: Pick<Collection, 'at' | 'slot'>[] = [];
  const held: (() => void)[] = [];
  let isHeld = false;
  const observation = (): VendorLicenseObservation => ({ server: 'a', daemon: 'd', part: '', reachable, pools: [] });
  const collection = createSourceCollection({
    source: {
      name: 's',
      interval: 300,
      offset: 0,
      read: async () => {
        if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
        return [observation()];
      },
      move: (by) => moves.push(by),
    },
    localTime: createLocalTime('UTC'),
    now: () => now,
    onProblem: (error) => {
      throw error;
    },
    onCollected: async ({ at, slot }) => void recorded.push({ at, slot }),
  });
  return {
    collection,
    moves,
    recorded,
    lose: () => {
      reachable = false;
    },
    hold: (holds: boolean) => {
      isHeld = holds;
      for (const release of held.splice(0)) release();
    },
    pass: (seconds: number) => {
      now += seconds;
    },
    now: () => now,
  };
}

it.each([10_800, -7200])(
  'a clock set by %d s: what is known is as old as before, and is collected again',
  async (by) => {
    const { collection, lose, pass, moves, recorded, now } = create();
    await collection.start();
    lose();
    pass(MINUTE + by);
    collection.move(by);
    const [known] = collection.current();
    expect(known?.collectedAt).toBe(NOW + by);
    expect(known && isDown(known, now())).toBe(false);
    await eventually('collected again', () => recorded.length === 2);
    collection.stop();
    expect(recorded[1]).toEqual({ at: NOW + by + MINUTE, slot: Math.floor((NOW + by + MINUTE) / 300) * 300 });
    expect(moves).toEqual([by]);
    // and down after half an hour, not before
    pass(29 * MINUTE - 1);
    expect(known && isDown(known, now())).toBe(false);
    pass(1);
    expect(known && isDown(known, now())).toBe(true);
  },
);

it('is collected again after a collection that began by the other clock', async () => {
  const { collection, hold, pass, recorded } = create();
  await collection.start();
  hold(true);
  const running = collection.collect();
  pass(10_800);
  collection.move(10_800);
  hold(false);
  await running;
  await eventually('collected again', () => recorded.length === 3);
  collection.stop();
  expect(recorded.map(({ at }) => at)).toEqual([NOW, NOW, NOW + 10_800]);
});

it('what was never collected stays so', async () => {
  const { collection, lose } = create();
  lose();
  await collection.start();
  collection.move(10_800);
  collection.stop();
  expect(collection.current()[0]?.collectedAt).toBe(0);
});

it('what an earlier process collected by a clock that was ahead is of now', () => {
  const { collection } = create();
  const observation: VendorLicenseObservation = { server: 'a', daemon: 'd', part: '', reachable: true, pools: [] };
  const known = (name: string, collectedAt: number) => ({ source: 's', name, collectedAt, observation });
  collection.restore([known('a;d', NOW + 7200), known('b;d', NOW - 60)]);
  expect(collection.current().map(({ collectedAt }) => collectedAt)).toEqual([NOW, NOW - 60]);
});
