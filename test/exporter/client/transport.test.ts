import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { QueryError } from '../../../src/base/model/failure.ts';
import { createQueryClient } from '../../../src/exporter/client/query-client.ts';
import { createTransport, type RequestObservation } from '../../../src/exporter/client/transport.ts';
import { answerFault } from '../../../src/exporter/inventory/decoding/answer-faults.ts';
import { patience } from '../../support/extent.ts';
import { createCleanup, createClient, eventually } from '../../support/harness.ts';
import { type Call, startScripted } from '../../support/scripted-server.ts';
import { createScriptedDecoder } from './scripted-decoder.ts';

/** How the transport passes a body to a decoder, and which of the two decides about a failure. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const NOW = 1_800_000_000;

/** Seconds after which a request has failed, although a host under load may need most of them for the logon. */
const TIMEOUT = 5;

/** A client of a server that answers as scripted after a good logon. @param timeout seconds */
async function setUp(script: (call: Call) => void, timeout = patience / 1000) {
  const server = await startScripted((call) => {
    if (call.token === '') script(call);
    else call.proceed();
  });
  cleanup.add(() => server.stop());
  const { dispatcher } = createClient(server.url);
  const observed: RequestObservation[] = [];
  const transport = createTransport({
    baseUrl: `${server.url}/`,
    dispatcher,
    timeout,
    maxResponseSize: 2 ** 20,
    maxChartSize: 2 ** 20,
    userAgent: 'test',
    now: () => NOW,
    observe: (observation) => observed.push(observation),
  });
  cleanup.add(() => transport.close());
  const scripted = createScriptedDecoder();
  return { ...scripted, observed, transport, client: createQueryClient(transport, scripted.decoder) };
}

const dateOf = (ahead: number): string => new Date((NOW + ahead) * 1000).toUTCString();

const failureOf = (asked: Promise<unknown>): Promise<QueryError> =>
  asked.then(
    (answer) => expect.fail(`answered ${answer}`),
    (error: QueryError) => error,
  );

/** Begins an answer that the server never ends. */
function beginAnswer() {
  const begun = Promise.withResolvers<Call>();
  const script = (call: Call): void => {
    call.response.writeHead(200);
    call.response.write('[1,', () => begun.resolve(call));
  };
  const closed = begun.promise.then(
    ({ socket }) => new Promise<void>((resolve) => (socket.destroyed ? resolve() : socket.once('close', resolve))),
  );
  return { script, begun: begun.promise, closed };
}

const never = new AbortController().signal;

describe('a decoder', () => {
  it('gets the bytes of the body and its end, and its answer is the answer', async () => {
    const { client, events, chunks, settle, observed } = await setUp(({ response }) => response.end("it's"));
    const asked = client.getProducts({}, never, 'one before');
    settle.resolve('decoded');
    expect(await asked).toBe('decoded');
    expect(events).toEqual(['GetProducts after one before', 'write', 'end']);
    expect(Buffer.concat(chunks).toString()).toBe("it's");
    expect(observed).toMatchObject([{ endpoint: 'GetProducts', bytes: 4 }]);
    expect(observed[0]).not.toHaveProperty('failure');
  });

  it.each([
    ['two hours ahead', { date: dateOf(7200) }, 7200],
    ['two hours behind', { date: dateOf(-7200) }, -7200],
    ['30 s ahead, which the network can be', { date: dateOf(30) }, 0],
    ['not known', { date: 'today' }, 0],
  ])('is of an analyzer whose clock is %s', async (_, headers, ahead) => {
    const { client, transport, settle } = await setUp(({ response }) => {
      response.writeHead(200, headers).end('[]');
    });
    expect(transport.clockAhead).toBe(0);
    settle.resolve('decoded');
    await client.getProducts({}, never);
    expect(transport.clockAhead).toBe(ahead);
  });

  it('that refuses the answer before its end closes the connection, and its failure counts', async () => {
    const { script, closed } = beginAnswer();
    const { client, events, settle, written, observed } = await setUp(script);
    const asked = failureOf(client.getProducts({}, never));
    await written;
    settle.reject(answerFault('ANSWER_TOO_DEEP'));
    expect(await asked).toMatchObject({ kind: 'too_large', code: 'ANSWER_TOO_DEEP' });
    await closed;
    expect(events.at(-1)).toBe('abort');
    expect(observed).toMatchObject([{ failure: 'too_large' }]);
  });

  it('that fails is not taken for a lost connection', async () => {
    const { client, settle, written } = await setUp(({ response }) => response.end('[]'));
    const asked = failureOf(client.getProducts({}, never));
    await written;
    settle.reject(new RangeError('Array buffer allocation failed'));
    expect(await asked).toMatchObject({ kind: 'parse', message: 'decoding the answer failed' });
  });

  it.each([
    ['canceled', 'aborted', undefined],
    ['cut', 'connect', 'ANSWER_CUT'],
    ['too slow', 'timeout', undefined],
  ] as const)('gets no end if the request is %s', async (how, kind, code) => {
    const { script, begun, closed } = beginAnswer();
    const { client, events, written, observed } = await setUp(script, how === 'too slow' ? TIMEOUT : undefined);
    const controller = new AbortController();
    const asked = failureOf(client.getProducts({}, controller.signal));
    const { socket } = await begun;
    await written;
    if (how === 'canceled') controller.abort();
    if (how === 'cut') socket.destroy();
    const failure = await asked;
    expect([failure.kind, failure.code]).toEqual([kind, code]);
    await closed;
    expect(events.at(-1)).toBe('abort');
    expect(observed).toMatchObject([{ failure: kind }]);
  });

  it('may take longer than the timeout of the request and the deadline of the poll, and does not hold the connection', async () => {
    const sockets = new Set<unknown>();
    const { client, events, settle, written, observed } = await setUp(({ socket, response }) => {
      sockets.add(socket);
      response.end('[]');
    }, TIMEOUT);
    const poll = new AbortController();
    const asked = client.getProducts({}, poll.signal);
    await written;
    const next = client.getServerDown({}, never);
    await eventually('both are received', () => events.filter((event) => event === 'end').length === 2);
    expect(sockets.size).toBe(1);
    // ends after the timers of the requests, which were set before
    await setTimeout(1000 * TIMEOUT);
    poll.abort(new QueryError('timeout', 'the poll did not end within 60 s'));
    settle.resolve('decoded');
    expect(await Promise.all([asked, next])).toEqual(['decoded', 'decoded']);
    expect(observed.map(({ failure }) => failure)).toEqual([undefined, undefined]);
  });

  it('is not asked if there is no body to decode', async () => {
    const { client, events } = await setUp(({ response }) => response.writeHead(500).end('x'.repeat(100_000)));
    expect(await failureOf(client.getProducts({}, never))).toMatchObject({ kind: 'status', code: '500' });
    const aborted = AbortSignal.abort();
    expect(await failureOf(client.getProducts({}, aborted))).toMatchObject({ kind: 'aborted' });
    expect(events).toEqual([]);
  });
});

it('an apostrophe is encoded in a URL', async () => {
  const seen: unknown[] = [];
  const { client, settle } = await setUp(({ request, response }) => {
    seen.push(request.url);
    response.end();
  });
  settle.resolve('decoded');
  await client.getServerDown({ filters: "o'k (~)" }, never);
  expect(seen).toEqual(['/api/GetServerDown?filters=o%27k%20(~)']);
});
