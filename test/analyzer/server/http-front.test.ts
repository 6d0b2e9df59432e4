import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createHttpFront, type ListenerOptions } from '../../../src/analyzer/server/http-front.ts';
import type { Reply } from '../../../src/analyzer/server/reply.ts';
import type { AccessRecord, Responses } from '../../../src/analyzer/server/request-handler.ts';
import { createCertificate } from '../../support/certificate.ts';
import { createCleanup, testLimits } from '../../support/harness.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());
afterEach(() => void vi.useRealTimers());

interface Front {
  readonly requests: AccessRecord[];
  /** A client that sends and does not read. */
  send(text: string): Promise<Socket>;
}

/** The front alone, whose answers the test makes. */
async function startFront(respond: Responses['respond'], options: Partial<ListenerOptions> = {}): Promise<Front> {
  const requests: AccessRecord[] = [];
  const front = createHttpFront(
    {
      host: '127.0.0.1',
      port: 0,
      gate: 'none',
      limits: testLimits,
      now: () => Date.now() / 1000,
      onProblem: (error) => {
        throw error;
      },
      onRequest: (request) => requests.push(request),
      ...options,
    },
    { respond, respondOpenly: () => undefined },
  );
  await front.start();
  cleanup.add(() => front.stop());
  return {
    requests,
    send: async (text) => {
      const port = Number(new URL(front.origin).port);
      const isTls = options.tls !== undefined;
      const socket = isTls ? connectTls({ port, rejectUnauthorized: false }) : connect(port, '127.0.0.1');
      cleanup.add(() => void socket.destroy());
      socket.on('error', () => {});
      await once(socket, isTls ? 'secureConnect' : 'connect');
      socket.write(text);
      return socket;
    },
  };
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`;
/** More than fits into the buffers on the way, in one piece. */
const large: Reply = { status: 200, body: [Buffer.alloc(64 * 1024 * 1024)], type: 'text/plain' };

describe('requests on one connection', () => {
  it('are begun one after the other, in their order', async () => {
    const begun: string[] = [];
    const release: (() => void)[] = [];
    const front = await startFront(async ({ url = '' }) => {
      begun.push(url);
      await new Promise<void>((resolve) => release.push(resolve));
      return { status: 200, body: [Buffer.from(`answer to ${url}.`)], type: 'text/plain' };
    });
    const paths = Array.from({ length: 17 }, (_, i) => `/${i}`);
    const socket = await front.send(paths.map(get).join(''));
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
    });
    for (const [i, path] of paths.entries()) {
      await expect.poll(() => begun.length).toBe(i + 1);
      // they came in one piece, so all that is not held back would be begun by now
      await setImmediate();
      expect(begun).toEqual(paths.slice(0, i + 1));
      release[i]?.();
      await expect.poll(() => text).toContain(`answer to ${path}.`);
    }
    await expect.poll(() => front.requests.map(({ path }) => path)).toEqual(paths);
  });

  it('end it when more than 16 wait', async () => {
    const begun: string[] = [];
    const front = await startFront(({ url = '' }, _, signal) => {
      begun.push(url);
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve(large)));
    });
    const socket = await front.send(get('/').repeat(18));
    socket.resume();
    await once(socket, 'close');
    await expect.poll(() => front.requests).toMatchObject([{ status: 499 }]);
    expect(begun).toEqual(['/']);
  });

  it('are not begun when their client is gone by then', async () => {
    const begun: string[] = [];
    const front = await startFront(({ url = '' }, _, signal) => {
      begun.push(url);
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve(large)));
    });
    const socket = await front.send(get('/1') + get('/2'));
    await expect.poll(() => begun).toEqual(['/1']);
    socket.destroy();
    await expect.poll(() => front.requests).toMatchObject([{ path: '/1', status: 499 }]);
    await setImmediate();
    expect(begun).toEqual(['/1']);
  });
});

describe('an answer that is read', () => {
  it.each(['keep-alive', 'close'])('is logged with its size, connection: %s', async (connection) => {
    const front = await startFront(async () => large);
    const socket = await front.send(`GET / HTTP/1.1\r\nhost: a\r\nconnection: ${connection}\r\n\r\n`);
    socket.resume();
    await expect.poll(() => front.requests).toMatchObject([{ status: 200, bytes: 2 ** 26 }]);
  });
});

describe('an answer that nobody reads', () => {
  it.each([undefined, 'tls'])('is cut off, and said to be, %s', async (secure) => {
    const tls = secure === undefined ? {} : { tls: createCertificate(cleanup) };
    const front = await startFront(async () => large, { limits: { ...testLimits, requestTimeout: 1 }, ...tls });
    const socket = await front.send(get('/'));
    await expect.poll(() => front.requests).toMatchObject([{ status: 499, bytes: 0 }]);
    let received = 0;
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    await once(socket, 'close');
    expect(received).toBeGreaterThan(1000);
    expect(received).toBeLessThan(60_000_000);
  });

  it('may stay untouched for the request time-out, and take three times as long to be made', async () => {
    const sockets: Socket[] = [];
    let release = (): void => {};
    const front = await startFront(async ({ socket }) => {
      sockets.push(socket);
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return large;
    });
    const timeout = (): number | undefined => sockets[0]?.timeout;
    await front.send(get('/'));
    await expect.poll(timeout).toBe(90_000);
    release();
    await expect.poll(timeout).toBe(30_000);
  });

  it('is cut off after five minutes, however slowly it is read', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let isSent = false;
    const front = await startFront(async () => large);
    const socket = await front.send(get('/'));
    socket.once('data', () => {
      isSent = true;
      socket.pause();
    });
    await expect.poll(() => isSent).toBe(true);
    vi.advanceTimersByTime(299_999);
    await setImmediate();
    expect(front.requests).toEqual([]);
    vi.advanceTimersByTime(1);
    await expect.poll(() => front.requests).not.toEqual([]);
    expect(front.requests).toMatchObject([{ status: 499, bytes: 0 }]);
  });

  it('is said to be so when the client goes away', async () => {
    const front = await startFront(async () => large);
    const socket = await front.send(get('/'));
    await once(socket, 'data');
    socket.destroy();
    await expect.poll(() => front.requests).toMatchObject([{ status: 499, bytes: 0 }]);
  });
});
