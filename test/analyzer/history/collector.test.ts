import { describe, expect, it, vi } from 'vitest';
import { createCollector, DOWN_AFTER, isDown } from '../../../src/analyzer/history/collector.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import type { VendorLicenseObservation } from '../../../src/base/model/observation/observation.ts';
import type { Source } from '../../../src/base/model/observation/source.ts';
import { eventually } from '../../support/harness.ts';

const NOW = 1_800_000_000;

const localTime = createLocalTime('UTC');

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
    const collector = createCollector({ sources: [source], localTime, now: () => now, onProblem: () => {} });
    const good = observation('a');
    say(good, observation('b'));
    await collector.collect();
    now += 60.9;
    say(observation('a', { reachable: false }), observation('b'));
    await collector.collect();
    expect(collector.current()).toEqual([
      { source: 'scripted', name: 'a;d', collectedAt: NOW, observation: good },
      { source: 'scripted', name: 'b;d', collectedAt: NOW + 60, observation: observation('b') },
    ]);
  });

  it('has time 0 for what was never reached, and forgets what the source no longer lists', async () => {
    const { source, say } = scripted();
    const collector = createCollector({ sources: [source], localTime, now: () => NOW, onProblem: () => {} });
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
    const collected = { source: '', name: 'a;d', collectedAt: NOW, observation: observation('a') };
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
      interval: 0.005,
      offset: 0,
      read: () => {
        reads += 1;
        if (reads === 3) again();
        return Promise.resolve([observation('a')]);
      },
    };
    const collector = createCollector({ sources: [source], localTime, now: () => NOW, onProblem: () => {} });
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
        interval: 0.005,
        offset: 0,
        read: () => {
          reads += 1;
          return reads === 1 ? Promise.resolve([observation('a')]) : Promise.reject(new Error('no'));
        },
      };
      const collector = createCollector({
        sources: [source],
        localTime,
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
      interval: 0.005,
      offset: 0,
      read: (aborted) => {
        reads += 1;
        if (reads === 1) return Promise.resolve([]);
        second.resolve(aborted);
        return new Promise((_, reject) => aborted.addEventListener('abort', () => reject(aborted.reason)));
      },
    };
    const collector = createCollector({
      sources: [source],
      localTime,
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

  it('reports no problem when it is stopped in its first collection', async () => {
    const problems: unknown[] = [];
    const source: Source = {
      name: 'hanging',
      interval: 60,
      offset: 0,
      read: (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    };
    const collector = createCollector({
      sources: [source],
      localTime,
      now: () => NOW,
      onProblem: (e) => problems.push(e),
    });
    const starting = collector.start();
    collector.stop();
    await starting;
    expect(problems).toEqual([]);
  });
});

describe('a collector of several sources', () => {
  const sourceOf = (name: string, more: Partial<Source> = {}): Source => ({
    name,
    interval: 60,
    offset: 0,
    read: () => Promise.resolve([observation(name)]),
    ...more,
  });

  it('has the vendor licenses of all of them, and records each collection with the names of all', async () => {
    const recorded: unknown[] = [];
    const collector = createCollector({
      sources: [sourceOf('one'), sourceOf('two')],
      localTime,
      now: () => NOW + 61,
      onProblem: () => {},
      onCollected: async ({ source, slot, reached }, vendorLicenses) => {
        recorded.push([source.name, slot, reached.map(({ name }) => name), [...vendorLicenses]]);
      },
    });
    await collector.collect();
    expect(collector.current().map(({ source, name }) => [source, name])).toEqual([
      ['one', 'one;d'],
      ['two', 'two;d'],
    ]);
    expect(recorded).toEqual([
      ['one', NOW + 60, ['one;d'], ['one;d']],
      ['two', NOW + 60, ['two;d'], ['one;d', 'two;d']],
    ]);
  });

  it('says that a collection is about a vendor license that has gone with it', async () => {
    const about: (readonly string[])[] = [];
    let listed = ['one', 'gone'];
    const collector = createCollector({
      sources: [sourceOf('one', { read: async () => listed.map((name) => observation(name)) })],
      localTime,
      now: () => NOW,
      onProblem: () => {},
      onCollected: async ({ names }) => void about.push(names),
    });
    await collector.collect();
    listed = ['one'];
    await collector.collect();
    await collector.collect();
    expect(about.map((names) => names.toSorted())).toEqual([['gone;d', 'one;d'], ['gone;d', 'one;d'], ['one;d']]);
  });

  it('gives each source its own data of an earlier process, which a failing one keeps', async () => {
    const restored: unknown[] = [];
    const down = sourceOf('down', {
      restore: (restoredOnes) => restored.push(restoredOnes.map(({ name }) => name)),
      read: () => Promise.resolve([observation('down', { reachable: false })]),
    });
    const collector = createCollector({
      sources: [down, sourceOf('up')],
      localTime,
      now: () => NOW,
      onProblem: () => {},
    });
    const known = ['down', 'up', 'removed'].map((name) => ({
      source: name,
      name: `${name};d`,
      collectedAt: NOW - 600,
      observation: observation(name),
    }));
    await collector.start(known);
    collector.stop();
    expect(restored).toEqual([['down;d']]);
    expect(collector.current().map(({ name, collectedAt }) => [name, collectedAt])).toEqual([
      ['down;d', NOW - 600],
      ['up;d', NOW],
    ]);
  });

  it('reports a vendor license that two sources have once, and uses that of the first', async () => {
    const problems: unknown[] = [];
    const recorded: string[] = [];
    const twin = sourceOf('twin', { read: () => Promise.resolve([observation('one'), observation('other')]) });
    const collector = createCollector({
      sources: [sourceOf('one'), twin],
      localTime,
      now: () => NOW,
      onProblem: (error) => problems.push(error),
      onCollected: async ({ source, reached }) => {
        recorded.push(...reached.map(({ name }) => `${source.name}: ${name}`));
      },
    });
    await collector.collect();
    await collector.collect();
    expect(collector.current().map(({ source, name }) => [source, name])).toEqual([
      ['one', 'one;d'],
      ['twin', 'other;d'],
    ]);
    expect(recorded).toEqual(['one: one;d', 'twin: other;d', 'one: one;d', 'twin: other;d']);
    expect(problems.map(String)).toEqual([
      'OperatorError: the sources one and twin both report the vendor license one;d; that of one is used. Give one of them another part, or remove it',
    ]);
  });

  it('starts without waiting for a source that hangs, and goes on with the others', async () => {
    vi.useFakeTimers();
    try {
      let reads = 0;
      let skips = 0;
      const hanging = sourceOf('hanging', {
        interval: 60,
        read: () => new Promise(() => {}),
        skip: () => {
          skips += 1;
        },
      });
      const good = sourceOf('good', {
        interval: 60,
        offset: 7,
        read: () => {
          reads += 1;
          return Promise.resolve([observation('good')]);
        },
      });
      const collector = createCollector({
        sources: [hanging, good],
        localTime,
        now: () => Date.now() / 1000,
        onProblem: () => {},
      });
      vi.setSystemTime(NOW * 1000);
      let isStarted = false;
      const starting = collector.start().then(() => {
        isStarted = true;
      });
      await vi.advanceTimersByTimeAsync(9000);
      expect([reads, isStarted]).toEqual([2, false]);
      await vi.advanceTimersByTimeAsync(2000);
      await starting;
      await vi.advanceTimersByTimeAsync(120_000);
      expect([reads, skips]).toEqual([4, 2]);
      collector.stop();
    } finally {
      vi.useRealTimers();
    }
  });

  it('leaves sources that stay undisturbed when the others are replaced', async () => {
    const stopped: string[] = [];
    const hang = (name: string): Source =>
      sourceOf(name, {
        read: (signal) => {
          signal.addEventListener('abort', () => stopped.push(name));
          return new Promise(() => {});
        },
      });
    const [kept, removed] = [hang('kept'), hang('removed')];
    const collector = createCollector({ sources: [kept, removed], localTime, now: () => NOW, onProblem: () => {} });
    void collector.collect();
    const restored: unknown[] = [];
    collector.replace([kept, sourceOf('new', { restore: (known) => restored.push(known) })]);
    await eventually('the new source is collected', () => collector.current().some(({ name }) => name === 'new;d'));
    expect([stopped, restored]).toEqual([['removed'], [[]]]);
    collector.stop();
    expect(stopped).toEqual(['removed', 'kept']);
  });
});
