import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { QueryError } from '../../../../src/base/model/failure.ts';
import type { EndpointName } from '../../../../src/base/query-api/endpoints.ts';
import { AskedDecoder, type AskedDecoderOptions } from '../../../../src/exporter/inventory/decoding/asked-decoder.ts';
import { type Answers, decodeAnswer } from '../../../../src/exporter/inventory/decoding/decode.ts';
import type { IncomingAnswer } from '../../../../src/exporter/inventory/decoding/decoder.ts';
import { createCleanup } from '../../../support/harness.ts';

/** Answers to Grafana are decoded in a thread, with the same results and failures as on the main thread. */

const PERMANENT_AFTER = 2_147_483_641;
const MiB = 2 ** 20;

const cleanup = createCleanup();
afterEach(() => cleanup.run());

/** The threads that were started in a test. */
let threads: Worker[] = [];
const onThread = (thread: Worker): void => {
  threads.push(thread);
};
beforeEach(() => {
  threads = [];
  process.on('worker', onThread);
  cleanup.add(() => void process.off('worker', onThread));
});

function createDecoder(options: Partial<AskedDecoderOptions> = {}): AskedDecoder {
  const defaults = { permanentAfter: PERMANENT_AFTER, maxResponseSize: 256 * MiB };
  const decoder = new AskedDecoder({ ...defaults, ...options });
  cleanup.add(() => decoder.close());
  return decoder;
}

/** Sends a body in pieces that end at these positions, each in a turn of its own or with the one before. */
async function ask<E extends EndpointName>(
  decoder: AskedDecoder,
  endpoint: E,
  body: Buffer,
  cuts: readonly number[] = [],
  isPausing = false,
): Promise<Answers[E]> {
  const incoming = decoder.open(endpoint);
  let from = 0;
  for (const cut of [...cuts.filter((at) => at < body.length).sort((a, b) => a - b), body.length]) {
    incoming.write(Buffer.from(body.subarray(from, cut)));
    from = cut;
    if (isPausing) await setImmediate();
  }
  incoming.end();
  return incoming.result;
}

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'decoded',
    ({ kind, code }: QueryError) => `${kind} ${code}`,
  );

const jsonOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** A GetUsers body. */
const users = (count: number): Buffer => {
  const data = Array.from({ length: count }, (_, i) => ({
    UserName: `üser ${i}`,
    UserHost: 'ws',
    UsedLicenses: i % 7 === 0 ? -1 : i,
  }));
  return jsonOf({ totalCount: count, data });
};

const trend = (count: number): Buffer =>
  jsonOf([{ name: 'Denials', data: Array.from({ length: count }, (_, i) => [1.6e12 - i, i % 5 === 0 ? null : i]) }]);

const sameAs = <E extends EndpointName>(endpoint: E, body: Buffer): Answers[E] =>
  decodeAnswer(endpoint, Buffer.from(body), PERMANENT_AFTER);

describe('what Grafana asks for', () => {
  it('is decoded as on the main thread, in pieces of any length', async () => {
    const decoder = createDecoder();
    const number = fc.oneof(fc.double(), fc.integer(), fc.constant(null), fc.constantFrom('', '7', 'x'));
    const text = fc.string({ unit: 'binary', maxLength: 8 });
    const series = (item: fc.Arbitrary<unknown>) =>
      fc.array(fc.record({ name: text, data: fc.array(item, { maxLength: 300 }) }), { maxLength: 3 });
    const chart = (item: fc.Arbitrary<unknown>, categories: fc.Arbitrary<unknown>) =>
      fc.array(fc.record({ series: series(item), categories }), { maxLength: 1 });
    const user = fc.record({ UserName: text, UserHost: text, UsedLicenses: number, app_status: number });
    const question = fc.oneof(
      fc.tuple(fc.constant('GetHistory' as const), series(fc.oneof(fc.tuple(number, number), number))),
      fc.tuple(fc.constant('GetHistoryReserved' as const), chart(number, fc.array(text, { maxLength: 300 }))),
      fc.tuple(fc.constant('GetEfficiency' as const), chart(fc.tuple(text, number), fc.constant([]))),
      fc.tuple(
        fc.constant('GetHeatMap' as const),
        chart(fc.tuple(number, number, number), fc.tuple(fc.array(text), fc.array(text))),
      ),
      fc.tuple(fc.constant('GetUsers' as const), fc.record({ data: fc.array(user, { maxLength: 300 }) })),
      fc.tuple(fc.constant('GetHttpUserName' as const), text),
      fc.tuple(fc.constantFrom('GetHistory' as const, 'GetUsers' as const), fc.jsonValue()),
    );
    const outcome = (work: Promise<unknown>): Promise<unknown> =>
      work.catch(({ kind, code, message }: QueryError) => ({ kind, code, message }));
    await fc.assert(
      fc.asyncProperty(question, fc.array(fc.nat(4000)), fc.boolean(), async ([endpoint, value], cuts, isPausing) => {
        const body = endpoint === 'GetHttpUserName' ? Buffer.from(String(value)) : jsonOf(value);
        const slow = outcome(Promise.resolve().then(() => sameAs(endpoint, body)));
        expect(await outcome(ask(decoder, endpoint, body, cuts, isPausing))).toEqual(await slow);
      }),
      { numRuns: 200 },
    );
    expect(threads).toHaveLength(1);
  });

  it.each([100, 101, 5000, 5001, 20_000])('is complete with a list of %d', async (count) => {
    expect(await ask(createDecoder(), 'GetUsers', users(count), [100_000])).toEqual(sameAs('GetUsers', users(count)));
  });

  it('is decoded in the order in which the bodies ended', async () => {
    const decoder = createDecoder();
    const order: string[] = [];
    const follow = (name: string, incoming: IncomingAnswer<unknown>) =>
      incoming.result.then(() => void order.push(name));
    const [first, second, third] = [0, 1, 2].map(() => decoder.open('GetHistory')) as [
      IncomingAnswer<unknown>,
      IncomingAnswer<unknown>,
      IncomingAnswer<unknown>,
    ];
    const all = [follow('first', first), follow('second', second), follow('third', third)];
    first.write(trend(20_000));
    third.write(trend(50_000));
    third.end();
    await setImmediate();
    second.write(trend(3));
    second.end();
    await setImmediate();
    first.end();
    await Promise.all(all);
    expect(order).toEqual(['third', 'second', 'first']);
  });

  it('hands over memory, and copies pieces of memory that others use', async () => {
    const incoming = createDecoder().open('GetHistory');
    const body = trend(1000);
    const whole = Buffer.allocUnsafeSlow(body.length - 5);
    body.copy(whole);
    const tail = Buffer.allocUnsafeSlow(100);
    body.copy(tail, 10, body.length - 5);
    incoming.write(Buffer.alloc(0));
    incoming.write(whole);
    incoming.write(Buffer.alloc(0));
    incoming.write(tail.subarray(10, 15));
    incoming.end();
    expect(await incoming.result).toEqual(sameAs('GetHistory', trend(1000)));
    expect([whole.byteLength, tail.byteLength]).toEqual([0, 100]);
  });
});

describe('an answer that is not usable', () => {
  it.each<[string, EndpointName, string, string]>([
    ['nests too deeply', 'GetHistory', '['.repeat(40), 'too_large ANSWER_TOO_DEEP'],
    ['has too many items', 'GetUsers', `[${'[],'.repeat(250_001)}`, 'too_large ANSWER_TOO_MANY_ITEMS'],
    ['has too many members', 'GetUsers', `[{${'"a":1,'.repeat(8_000_001)}`, 'too_large ANSWER_TOO_MANY_MEMBERS'],
  ])('fails before its end when it %s', async (_, endpoint, text, expected) => {
    const incoming = createDecoder().open(endpoint);
    incoming.write(Buffer.from(text.slice(0, 1000)));
    incoming.write(Buffer.from(text.slice(1000)));
    expect(await failure(incoming.result)).toBe(expected);
    // the rest is ignored
    incoming.write(Buffer.from('[]'));
    incoming.end();
  });

  it.each<[string, string]>([
    ['[{"name":"a","data":[[1,2]', 'parse ANSWER_INCOMPLETE'],
    ['<html>', 'parse ANSWER_HTML'],
    ['[1 2]', 'parse ANSWER_BAD_JSON'],
    ['', 'parse ANSWER_EMPTY'],
    ['{}', 'schema undefined'],
  ])('fails at its end: %s', async (text, expected) => {
    const decoder = createDecoder();
    expect(await failure(ask(decoder, 'GetHistory', Buffer.from(text)))).toBe(expected);
    expect(await ask(decoder, 'GetHistory', trend(5))).toEqual(sameAs('GetHistory', trend(5)));
    expect(threads).toHaveLength(1);
  });
});

describe('the thread', () => {
  it('that runs out of memory fails its answers, and the next answer has a new one', async () => {
    const decoder = createDecoder();
    const started = once(process, 'worker');
    const incoming = ['GetUsers', 'GetFeatures'].map((endpoint) => decoder.open(endpoint as EndpointName));
    const [thread] = (await started) as [Worker];
    // V8 often ends the whole process instead of the thread when memory really runs out
    thread.emit('error', Object.assign(new Error('heap limit'), { code: 'ERR_WORKER_OUT_OF_MEMORY' }));
    for (const { result } of incoming) expect(await failure(result)).toBe('too_large ANSWER_TOO_MUCH_MEMORY');
    expect(await ask(decoder, 'GetUsers', users(200))).toEqual(sameAs('GetUsers', users(200)));
    expect(threads).toHaveLength(2);
  });

  it('that ends fails its answers with a reason', async () => {
    const decoder = createDecoder();
    const started = once(process, 'worker');
    const incoming = decoder.open('GetUsers');
    const [thread] = (await started) as [Worker];
    await thread.terminate();
    await expect(incoming.result).rejects.toMatchObject({ kind: 'parse', message: 'decoding the answer failed' });
    expect(await ask(decoder, 'GetUsers', users(3))).toEqual(sameAs('GetUsers', users(3)));
  });

  it('ends when it is idle, and only then', async () => {
    const decoder = createDecoder({ idle: 1 });
    const unfinished = decoder.open('GetUsers');
    await ask(decoder, 'GetUsers', users(3));
    await ask(decoder, 'GetUsers', users(3));
    expect(threads).toHaveLength(1);
    const exit = once(threads[0] as Worker, 'exit');
    unfinished.abort();
    await exit;
    expect(await ask(decoder, 'GetUsers', users(3))).toEqual(sameAs('GetUsers', users(3)));
    expect(threads).toHaveLength(2);
    await decoder.close();
    expect(threads.map(({ threadId }) => threadId)).toEqual([-1, -1]);
  });

  it('stays for an answer that comes before its end', async () => {
    const decoder = createDecoder({ idle: 1 });
    await ask(decoder, 'GetUsers', users(3));
    expect((await ask(decoder, 'GetHistory', trend(200_000)))[0]?.at).toHaveLength(200_000);
    expect(threads).toHaveLength(1);
  });

  it('drops an answer that is aborted while it decodes another one', async () => {
    const decoder = createDecoder();
    const [kept, dropped] = [decoder.open('GetHistory'), decoder.open('GetHistory')];
    let outcome = 'none';
    dropped.result.then(
      () => {
        outcome = 'decoded';
      },
      () => {
        outcome = 'failed';
      },
    );
    dropped.write(trend(10));
    kept.write(trend(100_000));
    kept.end();
    await setImmediate();
    dropped.abort();
    dropped.write(trend(10));
    dropped.end();
    expect((await kept.result)[0]?.at).toHaveLength(100_000);
    await ask(decoder, 'GetUsers', users(3));
    expect(outcome).toBe('none');
  });

  it('ends with the decoder: what is asked fails, before and after', async () => {
    const decoder = createDecoder();
    const [arriving, decoding] = [decoder.open('GetHistory'), ask(decoder, 'GetHistory', trend(100_000))];
    const outcomes = Promise.all([failure(arriving.result), failure(decoding)]);
    await setImmediate();
    await decoder.close();
    expect(await outcomes).toEqual(['aborted undefined', 'aborted undefined']);
    expect(await failure(ask(decoder, 'GetHistory', trend(3)))).toBe('aborted undefined');
    expect(threads.map(({ threadId }) => threadId)).toEqual([-1]);
  });
});
