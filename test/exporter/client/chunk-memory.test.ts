import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { NtlmDispatcher } from '../../../src/exporter/client/dispatcher.ts';
import { createQueryClient } from '../../../src/exporter/client/query-client.ts';
import { createTransport } from '../../../src/exporter/client/transport.ts';
import { ownMemory } from '../../../src/exporter/inventory/decoding/asked-decoder.ts';
import type { Decoder, IncomingAnswer } from '../../../src/exporter/inventory/decoding/decoder.ts';
import { createCertificate } from '../../support/certificate.ts';
import { createCleanup, createTestGate } from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';

/** The memory of each chunk can be transferred to another thread, while the connection continues to be used. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

/** Many socket reads. Every byte depends on its place. */
const body = Buffer.from(Uint32Array.from({ length: 2_000_000 }, (_, i) => i * 2_654_435_761).buffer);

/** Transfers the memory of every chunk, so that nobody else can read it any more. */
function createTransferringDecoder() {
  const received: Buffer[] = [];
  let transferred = 0;
  const open = (): IncomingAnswer<never> => {
    const complete = Promise.withResolvers<unknown>();
    received.length = 0;
    return {
      write: (chunk) => {
        const memory = ownMemory(chunk);
        if (memory === chunk.buffer) transferred += 1;
        received.push(Buffer.from(structuredClone(memory, { transfer: [memory] })));
        expect(memory.byteLength).toBe(0);
      },
      end: () => complete.resolve(received.length),
      abort: () => undefined,
      result: complete.promise as Promise<never>,
    };
  };
  const decoder: Decoder<{ GetProducts: unknown }> = { open, close: async () => undefined };
  return { decoder, received: () => Buffer.concat(received), transferred: () => transferred };
}

/** A server that needs no logon. */
async function setUp(answer: (response: ServerResponse) => void, tls = false) {
  const certificate = tls ? createCertificate(cleanup) : undefined;
  const listener: RequestListener = ({ url }, response) => {
    if (url === '/logon') response.end('CORP\\svc-lic');
    else answer(response);
  };
  const server = certificate === undefined ? createServer(listener) : createTlsServer(certificate, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.add(() => server.close());
  const baseUrl = `http${tls ? 's' : ''}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const dispatcher = new NtlmDispatcher({
    origin: baseUrl,
    logonPath: '/logon',
    gate: createTestGate(),
    connections: 1,
    ...(certificate !== undefined && { tls: () => ({ ca: certificate.cert }) }),
  });
  const limits = { maxResponseSize: 2 ** 28, maxChartSize: 2 ** 28 };
  const now = () => Date.now() / 1000;
  const transport = createTransport({ baseUrl, dispatcher, timeout: 30, userAgent: 'test', now, ...limits });
  cleanup.add(() => transport.close());
  const transferring = createTransferringDecoder();
  return { ...transferring, client: createQueryClient(transport, transferring.decoder), dispatcher };
}

const never = new AbortController().signal;
const announced = { 'content-length': body.length };

describe('the memory of the chunks', () => {
  it.each([
    ['a body with Content-Length', (response: ServerResponse) => response.writeHead(200, announced).end(body), 1],
    [
      'a body in large chunks',
      (response: ServerResponse) => {
        response.write(body.subarray(0, 5_000_000));
        response.end(body.subarray(5_000_000));
      },
      1,
    ],
    [
      'a body in small chunks',
      (response: ServerResponse) => {
        for (let at = 0; at < body.length; at += 9_000) response.write(body.subarray(at, at + 9_000));
        response.end();
      },
      1,
    ],
    [
      'a body after which the connection is closed',
      (response: ServerResponse) => response.writeHead(200, { ...announced, connection: 'close' }).end(body),
      3,
    ],
    [
      'a body that ends with the connection',
      (response: ServerResponse) => {
        response.useChunkedEncodingByDefault = false;
        response.writeHead(200, { connection: 'close' }).end(body);
      },
      3,
    ],
  ] as const)('of %s can be transferred', async (_, answer, sockets) => {
    const { client, received, transferred, dispatcher } = await setUp(answer);
    for (let i = 0; i < 3; i += 1) {
      await client.getProducts({}, never);
      expect(received().equals(body)).toBe(true);
    }
    expect(dispatcher.stats.sockets).toBe(sockets);
    if (sockets === 3) expect(transferred()).toBeGreaterThan(0);
  });

  it('is not that of other bytes', async () => {
    const small = await setUp((response) => void response.writeHead(200, { 'content-length': 2 }).end('[]'));
    await small.client.getProducts({}, never);
    expect([small.received().toString(), small.transferred()]).toEqual(['[]', 0]);
    const part = Buffer.from('[1,2]').subarray(1, 2);
    expect(Buffer.from(ownMemory(part)).toString()).toBe('1');
    expect(ownMemory(part)).not.toBe(part.buffer);
  });

  it.runIf(peer('openssl'))('can be transferred over TLS', async () => {
    const { client, received, transferred } = await setUp((r) => void r.writeHead(200, announced).end(body), true);
    await client.getProducts({}, never);
    await client.getProducts({}, never);
    expect(received().equals(body)).toBe(true);
    expect(transferred()).toBeGreaterThan(100);
  });
});
