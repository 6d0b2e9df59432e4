import { describe, expect, it } from 'vitest';
import { QueryError } from '../../../src/base/model/failure.ts';
import { createOwnTransport, type OwnTransportOptions } from '../../../src/exporter/client/own-transport.ts';
import { createQueryClient } from '../../../src/exporter/client/query-client.ts';
import type { RequestObservation } from '../../../src/exporter/client/transport.ts';
import { answerFault } from '../../../src/exporter/inventory/decoding/answer-faults.ts';
import { createScriptedDecoder } from './scripted-decoder.ts';

/** How the answers of an analyzer in this process are handed over. */

const never = new AbortController().signal;
const answered = { status: 200, body: [Buffer.from("it's"), Buffer.from(' one')] };

function setUp(ask: OwnTransportOptions['ask'] = async () => answered, timeout = 30) {
  const observed: RequestObservation[] = [];
  const transport = createOwnTransport({ ask, timeout, observe: (observation) => observed.push(observation) });
  const scripted = createScriptedDecoder();
  return { ...scripted, observed, client: createQueryClient(transport, scripted.decoder), transport };
}

const failureOf = (asked: Promise<unknown>): Promise<QueryError> =>
  asked.then(
    (answer) => expect.fail(`answered ${answer}`),
    (error: QueryError) => error,
  );

it('the decoder gets the bytes of the answer and its end, and its answer is the answer', async () => {
  const { client, events, chunks, settle, observed } = setUp();
  settle.resolve('decoded');
  expect(await client.getProducts({}, never, 'one before')).toBe('decoded');
  expect(events).toEqual(['GetProducts after one before', 'write', 'write', 'end']);
  expect(Buffer.concat(chunks).toString()).toBe("it's one");
  expect(observed).toMatchObject([{ endpoint: 'GetProducts', bytes: 8 }]);
  expect(observed[0]).not.toHaveProperty('failure');
});

it('the parameters of the contract are asked, as in a URL', async () => {
  const asked: string[] = [];
  const { client, settle } = setUp(async ({ endpoint, query }) => {
    asked.push(`${endpoint} ${query}`);
    return answered;
  });
  settle.resolve('decoded');
  await client.getProducts({ filters: 'a b;c', user: "o'neil" }, never);
  await client.getProducts({}, never);
  expect(asked).toEqual(["GetProducts filters=a%20b%3Bc&user=o'neil", 'GetProducts ']);
});

it('it says that the analyzer is this program', () => {
  expect(setUp().transport.isOwnAnalyzer).toBe(true);
});

describe('a failure', () => {
  it('is the status of the answer', async () => {
    const { client, events, observed } = setUp(async () => ({ status: 503, body: [Buffer.from('{}')] }));
    expect(await failureOf(client.getProducts({}, never))).toMatchObject({
      kind: 'status',
      code: '503',
      message: 'the analyzer answered 503',
    });
    expect(events).toEqual([]);
    expect(observed).toMatchObject([{ endpoint: 'GetProducts', bytes: 0, failure: 'status' }]);
  });

  it('of the decoder counts, and ends the passing of the body', async () => {
    const { client, events, settle, hold, observed } = setUp();
    const release = hold();
    const asked = failureOf(client.getProducts({}, never));
    settle.reject(answerFault('ANSWER_TOO_DEEP'));
    expect(await asked).toMatchObject({ kind: 'too_large', code: 'ANSWER_TOO_DEEP' });
    release();
    await new Promise((resolve) => setImmediate(resolve));
    expect(events.slice(1)).toEqual(['write', 'abort']);
    expect(observed).toMatchObject([{ failure: 'too_large' }]);
  });

  it('that is no failure of a request is one of decoding', async () => {
    const { client, settle } = setUp();
    settle.reject(new RangeError('Array buffer allocation failed'));
    expect(await failureOf(client.getProducts({}, never))).toMatchObject({
      kind: 'parse',
      message: 'decoding the answer failed',
    });
  });

  it.each([
    ['before it is asked', undefined],
    ['with the deadline of a poll', new QueryError('timeout', 'the poll did not end within 9 s')],
  ])('is an end %s', async (_, reason) => {
    let questions = 0;
    const { client, observed } = setUp(async () => {
      questions += 1;
      return answered;
    });
    const failure = await failureOf(client.getProducts({}, AbortSignal.abort(reason)));
    expect(failure).toMatchObject(reason ?? { kind: 'aborted', message: 'the request was canceled' });
    expect(observed).toMatchObject([{ failure: failure.kind }]);
    expect(questions).toBe(0);
  });

  it('is an end while the answer is made', async () => {
    const controller = new AbortController();
    const { client, events } = setUp(async () => {
      controller.abort();
      return answered;
    });
    expect(await failureOf(client.getProducts({}, controller.signal))).toMatchObject({ kind: 'aborted' });
    expect(events).toEqual([]);
  });

  it('is an end while an answer is made that does not look at it', async () => {
    const controller = new AbortController();
    const { client, observed } = setUp(() => {
      setImmediate(() => controller.abort());
      return new Promise(() => undefined);
    });
    expect(await failureOf(client.getProducts({}, controller.signal))).toMatchObject({ kind: 'aborted' });
    expect(observed).toMatchObject([{ failure: 'aborted' }]);
  });

  it('is the timeout of a request, which the analyzer is told', async () => {
    let told: unknown;
    const { client, observed } = setUp((_question, signal) => {
      signal.addEventListener('abort', () => {
        told = signal.reason;
      });
      return new Promise(() => undefined);
    }, 0.01);
    const failure = await failureOf(client.getProducts({}, never));
    expect(failure).toMatchObject({ kind: 'timeout', message: 'the request did not end within 0.01 s' });
    expect(told).toBe(failure);
    expect(observed).toMatchObject([{ failure: 'timeout' }]);
  });

  it('is an end while it is decoded', async () => {
    const { client, events, written } = setUp();
    const controller = new AbortController();
    const asked = failureOf(client.getProducts({}, controller.signal));
    await written;
    controller.abort();
    expect(await asked).toMatchObject({ kind: 'aborted' });
    expect(events.at(-1)).toBe('abort');
  });
});
