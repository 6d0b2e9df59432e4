import { describe, expect, it } from 'vitest';
import { createCollector, DOWN_AFTER, isDown } from '../../src/analyzer/collector.ts';
import { createSlots, type Slots } from '../../src/analyzer/slots.ts';
import { createLocalTime } from '../../src/model/local-time.ts';
import type { VendorLicenseObservation } from '../../src/observation/observation.ts';
import type { Source } from '../../src/observation/source.ts';

const NOW = 1_800_000_000;

const slotsOf = (interval: number): Slots => createSlots(createLocalTime('UTC'), interval);

const observation = (server: string, more: Partial<VendorLicenseObservation> = {}): VendorLicenseObservation => ({
  server,
  daemon: 'd',
  part: '',
  reachable: true,
  pools: [],
  ...more,
});

/** A source with answers set by the test. */
function scripted(): { source: Source; say: (...observations: VendorLicenseObservation[]) => void } {
  let answer: VendorLicenseObservation[] = [];
  return {
    source: { name: 'scripted', interval: 60, offset: 0, read: () => Promise.resolve(answer) },
    say: (...observations) => {
      answer = observations;
    },
  };
}

describe('collector', () => {
  it('keeps the last data of a vendor license that is unreachable, and its time', async () => {
    let now = NOW;
    const { source, say } = scripted();
    const collector = createCollector({ source, slots: slotsOf(60), now: () => now, onProblem: () => {} });
    const good = observation('a');
    say(good, observation('b'));
    await collector.collect();
    now += 60.9;
    say(observation('a', { reachable: false }), observation('b'));
    await collector.collect();
    expect(collector.current()).toEqual([
      { name: 'a;d', collectedAt: NOW, observation: good },
      { name: 'b;d', collectedAt: NOW + 60, observation: observation('b') },
    ]);
  });

  it('has time 0 for what was never reached, and forgets what the source no longer lists', async () => {
    const { source, say } = scripted();
    const collector = createCollector({ source, slots: slotsOf(60), now: () => NOW, onProblem: () => {} });
    say(observation('a', { reachable: false, part: 'x;y' }), observation('b'));
    await collector.collect();
    expect(collector.current().map(({ name, collectedAt }) => [name, collectedAt])).toEqual([
      ['a;d;x;y', 0],
      ['b;d', NOW],
    ]);
    say(observation('b'));
    await collector.collect();
    expect(collector.current().map(({ name }) => name)).toEqual(['b;d']);
  });

  it('calls a vendor license down from 30 minutes without data', () => {
    const collected = { name: 'a;d', collectedAt: NOW, observation: observation('a') };
    expect(isDown(collected, NOW + DOWN_AFTER - 1)).toBe(false);
    expect(isDown(collected, NOW + DOWN_AFTER)).toBe(true);
    expect(DOWN_AFTER).toBe(1800);
  });

  it('has collected once when start resolves, goes on by itself, and stops', async () => {
    let reads = 0;
    let again = (): void => {};
    const thrice = new Promise<void>((resolve) => {
      again = resolve;
    });
    const source: Source = {
      name: 'counting',
      interval: 60,
      offset: 0,
      read: () => {
        reads += 1;
        if (reads === 3) again();
        return Promise.resolve([observation('a')]);
      },
    };
    const collector = createCollector({ source, slots: slotsOf(0.005), now: () => NOW, onProblem: () => {} });
    await collector.start();
    expect(reads).toBe(1);
    expect(collector.current()).toHaveLength(1);
    await thrice;
    collector.stop();
  });

  it('keeps what it has when a later collection fails, and reports it', async () => {
    const problems = new Promise<unknown>((resolve) => {
      let reads = 0;
      const source: Source = {
        name: 'failing',
        interval: 60,
        offset: 0,
        read: () => {
          reads += 1;
          return reads === 1 ? Promise.resolve([observation('a')]) : Promise.reject(new Error('no'));
        },
      };
      const collector = createCollector({
        source,
        slots: slotsOf(0.005),
        now: () => NOW,
        onProblem: (error) => {
          collector.stop();
          expect(collector.current()).toHaveLength(1);
          resolve(error);
        },
      });
      void collector.start();
    });
    expect(await problems).toEqual(new Error('no'));
  });

  it('does not read twice at once, and gives up a running read at stop without reporting a problem', async () => {
    let reads = 0;
    const problems: unknown[] = [];
    const second = Promise.withResolvers<AbortSignal>();
    const source: Source = {
      name: 'hanging',
      interval: 60,
      offset: 0,
      read: (signal) => {
        reads += 1;
        if (reads === 1) return Promise.resolve([]);
        second.resolve(signal);
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    };
    const collector = createCollector({
      source,
      slots: slotsOf(0.005),
      now: () => NOW,
      onProblem: (e) => problems.push(e),
    });
    await collector.start();
    const signal = await second.promise;
    const running = collector.collect();
    expect(reads).toBe(2);
    collector.stop();
    await expect(running).rejects.toBe(signal.reason);
    expect(problems).toEqual([]);
  });
});
