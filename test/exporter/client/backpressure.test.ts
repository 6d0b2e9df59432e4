import { afterEach, expect, it } from 'vitest';
import { NtlmDispatcher } from '../../../src/exporter/client/dispatcher.ts';
import { createQueryClient } from '../../../src/exporter/client/query-client.ts';
import { createTransport } from '../../../src/exporter/client/transport.ts';
import { ownMemory } from '../../../src/exporter/inventory/decoding/asked-decoder.ts';
import type { Decoder } from '../../../src/exporter/inventory/decoding/decoder.ts';
import { createCleanup, createTestGate } from '../../support/harness.ts';
import { startScripted } from '../../support/scripted-server.ts';

/** A decoder that asks to wait, as the decoder of polled answers does when it has many bytes that it has not read. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const BODY = 64 * 2 ** 20;
const TIMEOUT_MS = 5000;

it('reads no more while the decoder asks to wait, which does not count as time of the analyzer', async () => {
  let sent = 0;
  const server = await startScripted((call) => {
    if (call.token !== '') {
      call.proceed();
      return;
    }
    const { response } = call;
    response.writeHead(200, { 'content-length': BODY });
    const send = (): void => {
      while (sent < BODY) {
        sent += 2 ** 20;
        if (!response.write(Buffer.alloc(2 ** 20, ' '))) {
          response.once('drain', send);
          return;
        }
      }
      response.end();
    };
    send();
  });
  cleanup.add(() => server.stop());
  const gate = createTestGate();
  const dispatcher = new NtlmDispatcher({
    origin: server.url,
    logonPath: '/analyzer/api/GetHttpUserName',
    gate,
    connections: 1,
  });
  const limits = { maxResponseSize: 2 ** 28, maxChartSize: 2 ** 28 };
  const transport = createTransport({
    baseUrl: server.url,
    dispatcher,
    timeout: TIMEOUT_MS / 1000,
    userAgent: 'test',
    now: () => Date.now() / 1000,
    ...limits,
  });
  cleanup.add(() => transport.close());

  const drain = Promise.withResolvers<void>();
  const waiting = Promise.withResolvers<void>();
  let taken = 0;
  const decoder: Decoder<{ GetProducts: string }> = {
    open: () => {
      const result = Promise.withResolvers<never>();
      return {
        write: (chunk) => {
          taken += chunk.byteLength;
          // as if the chunk were transferred to a thread
          queueMicrotask(() => structuredClone(0, { transfer: [ownMemory(chunk)] }));
          waiting.resolve();
          return drain.promise;
        },
        end: () => result.resolve(String(taken) as never),
        abort: () => undefined,
        result: result.promise,
      };
    },
    close: async () => undefined,
  };
  const client = createQueryClient(transport, decoder);
  const answer = client.getProducts({}, new AbortController().signal);
  await waiting.promise;
  // longer than the timeout, which must not count this
  await new Promise((resolve) => setTimeout(resolve, 1.5 * TIMEOUT_MS));
  // what is in the buffers of the system, and not the whole body
  expect(sent).toBeLessThan(BODY / 2);
  drain.resolve();
  expect(await answer).toBe(String(BODY));
});
