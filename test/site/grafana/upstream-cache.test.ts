import { describe, expect, it } from 'vitest';
import { QueryError } from '../../../src/base/model/failure.ts';
import type { QueryClient } from '../../../src/exporter/client/query-client.ts';
import { DatasourceError } from '../../../src/site/grafana/answers/errors.ts';
import { createUpstreamCache, type UpstreamCacheOptions } from '../../../src/site/grafana/answers/upstream-cache.ts';

/** A client that answers when the test says so. */
function setUp(options: Partial<UpstreamCacheOptions> = {}) {
  const asked: {
    feature: string;
    answer: (value: never[]) => void;
    fail: (error: unknown) => void;
    signal: AbortSignal;
  }[] = [];
  const getHistory = ({ feature = '' }, signal: AbortSignal) =>
    new Promise<never[]>((answer, fail) => {
      asked.push({ feature, answer, fail, signal });
      signal.addEventListener('abort', () => fail(signal.reason));
    });
  let now = 1000;
  const upstream = createUpstreamCache({
    client: { getHistory } as unknown as QueryClient,
    connections: 4,
    maxWaiting: 2,
    cacheTtl: 300,
    maxKept: 3,
    now: () => now,
    ...options,
  });
  const ask = (feature: string, signal = new AbortController().signal) =>
    upstream.ask('GetHistory', { product: 'p', feature }, signal);
  return {
    asked,
    ask,
    pass: (seconds: number) => {
      now += seconds;
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('requests to the analyzer', () => {
  it('that are equal are asked once, and their answer is kept for a while', async () => {
    const { asked, ask, pass } = setUp();
    const [first, second] = [ask('a'), ask('a')];
    await settled();
    expect(asked).toHaveLength(1);
    asked[0]?.answer([]);
    expect(await first).toBe(await second);
    pass(299);
    expect(await ask('a')).toBe(await first);
    expect(asked).toHaveLength(1);
    pass(2);
    const third = ask('a');
    await settled();
    expect(asked).toHaveLength(2);
    asked[1]?.answer([]);
    await third;
  });

  it('are not kept when they fail', async () => {
    const { asked, ask } = setUp();
    const first = ask('a');
    await settled();
    asked[0]?.fail(new QueryError('status', 'the analyzer answered 500'));
    await expect(first).rejects.toEqual(new DatasourceError('upstream_status', 'the analyzer answered 500'));
    const second = ask('a');
    await settled();
    asked[1]?.answer([]);
    await expect(second).resolves.toEqual([]);
  });

  it('wait for each other, and are refused when too many wait', async () => {
    const { asked, ask } = setUp();
    const all = ['a', 'b', 'c', 'd'].map((feature) => ask(feature));
    await settled();
    expect(asked.map(({ feature }) => feature)).toEqual(['a', 'b']);
    await expect(ask('e')).rejects.toMatchObject({
      code: 'queue_full',
      message: '2 requests to the analyzer are waiting, try again later',
    });
    asked[1]?.answer([]);
    await settled();
    expect(asked.map(({ feature }) => feature)).toEqual(['a', 'b', 'c']);
    for (const { answer } of asked) answer([]);
    await settled();
    asked[3]?.answer([]);
    await Promise.all(all);
  });

  it('continue while a caller waits, and end when none does', async () => {
    const { asked, ask } = setUp();
    const [impatient, patient] = [new AbortController(), new AbortController()];
    const [first, second] = [ask('a', impatient.signal), ask('a', patient.signal)];
    await settled();
    impatient.abort(new DatasourceError('deadline', 'too late'));
    await expect(first).rejects.toMatchObject({ code: 'deadline' });
    expect(asked[0]?.signal.aborted).toBe(false);
    patient.abort(new DatasourceError('deadline', 'too late'));
    await expect(second).rejects.toMatchObject({ code: 'deadline' });
    expect(asked[0]?.signal.aborted).toBe(true);
    // the next one is sent again
    const third = ask('a');
    await settled();
    asked[1]?.answer([]);
    await third;
  });

  it('give their place in the queue back when they are given up', async () => {
    const { asked, ask } = setUp();
    const running = ['a', 'b'].map((feature) => ask(feature));
    const gone = new AbortController();
    const waiting = ask('c', gone.signal);
    await settled();
    gone.abort(new DatasourceError('deadline', 'too late'));
    await expect(waiting).rejects.toMatchObject({ code: 'deadline' });
    asked[0]?.answer([]);
    asked[1]?.answer([]);
    await Promise.all(running);
    const next = [ask('d'), ask('e')];
    await settled();
    expect(asked.map(({ feature }) => feature)).toEqual(['a', 'b', 'd', 'e']);
    for (const { answer } of asked) answer([]);
    await Promise.all(next);
  });

  it('are not sent for a caller that has left', async () => {
    const { ask } = setUp();
    await expect(ask('a', AbortSignal.abort(new DatasourceError('deadline', 'too late')))).rejects.toMatchObject({
      code: 'deadline',
    });
  });

  it('keep only so many answers, the oldest goes first', async () => {
    const { asked, ask } = setUp();
    for (const [i, feature] of ['a', 'b', 'c', 'd'].entries()) {
      const answer = ask(feature);
      await settled();
      asked[i]?.answer([]);
      await answer;
    }
    await ask('d');
    await ask('c');
    expect(asked).toHaveLength(4);
    const again = ask('a');
    await settled();
    expect(asked).toHaveLength(5);
    asked[4]?.answer([]);
    await again;
  });
});
