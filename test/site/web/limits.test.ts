import { once } from 'node:events';
import { type ClientRequest, get as httpGet, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Access, openAccess } from '../../../src/site/web/access.ts';
import { type WebLimits, webLimits } from '../../../src/site/web/limits.ts';
import type { MetricsPage } from '../../../src/site/web/metrics-page.ts';
import { createWebServer, type WebOptions } from '../../../src/site/web/server.ts';
import { createCertificate } from '../../support/certificate.ts';
import { createCleanup, createTestLog, eventually } from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';
import { testSite } from '../../support/served-page.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const HOUR_MS = 3_600_000;

/** Answers that wait until the test releases them, one by one. */
function createHold() {
  const waiting: ((text: string) => void)[] = [];
  return {
    waiting,
    answer: () => new Promise<string>((resolve) => waiting.push(resolve)),
    /** Waits until the given number has arrived. */
    come: (count: number) => eventually(`${count} requests`, () => waiting.length === count),
  };
}

type Options = Partial<Omit<WebOptions, 'limits'>> & { limits?: Partial<WebLimits>; deadline?: number };

async function start({ deadline = 60, ...options }: Options = {}) {
  const hold = createHold();
  const other = createHold();
  const mount = {
    path: '/g',
    about: undefined,
    plugin: async (app: FastifyInstance) => {
      app.get('/held', () => other.answer());
      app.get('/elapsed', (_, reply) => ({ elapsed: reply.elapsedTime }));
      app.get('/long', () => ({ text: 'ü'.repeat(500_000) }));
    },
    refuse: (reply: FastifyReply, refusal: string) => reply.send({ refusal }),
    deadline: () => deadline,
  };
  const web = createWebServer({
    listen: [{ host: '127.0.0.1', port: 0 }],
    telemetryPath: '/metrics',
    site: testSite,
    metricsPage: async () => ({ status: 200, headers: {}, body: Buffer.from(`page ${await hold.answer()}\n`) }),
    isReady: () => true,
    protectHealth: () => false,
    reload: undefined,
    mounts: [mount],
    access: () => openAccess,
    log: createTestLog(),
    ...options,
    limits: { ...webLimits, ...options.limits },
  });
  cleanup.add(() => web.stop());
  await web.start();
  const [url = ''] = web.addresses();
  return { web, url, hold, other };
}

/** A client that sends any bytes from any address, and reads only on request. */
async function open(url: string, localAddress = '127.0.0.1') {
  const { protocol, port } = new URL(url);
  const options = { port: Number(port), host: '127.0.0.1', localAddress, rejectUnauthorized: false };
  const socket: Socket = protocol === 'https:' ? connectTls(options) : connect(options);
  cleanup.add(() => socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, protocol === 'https:' ? 'secureConnect' : 'connect');
  let text = '';
  return {
    socket,
    scrape: (count: number) => socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(count)),
    read: () => {
      socket.on('data', (chunk) => {
        text += chunk;
      });
      return () => text;
    },
  };
}

/** Waits until a connection is over, however it ends. */
const closed = (socket: Socket): Promise<unknown> => new Promise((resolve) => socket.once('close', resolve));

/** Waits until the server has seen what was sent to it before. */
async function seen(url: string): Promise<void> {
  const { socket, read } = await open(url);
  const received = read();
  socket.write('GET /-/healthy HTTP/1.1\r\nHost: x\r\n\r\n');
  await eventually('health', () => received().includes('Healthy.'));
  socket.destroy();
}

/** A request from an address. */
function ask(url: string, localAddress = '127.0.0.1') {
  let request: ClientRequest | undefined;
  const response = new Promise<{ status: number; headers: IncomingMessage['headers']; body: string }>(
    (resolve, reject) => {
      request = httpGet(url, { localAddress, agent: false }, async (incoming) => {
        const chunks = await Array.fromAsync(incoming);
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          body: Buffer.concat(chunks).toString(),
        });
      });
      request.on('error', reject);
    },
  );
  return { response, leave: () => request?.destroy() };
}
const get = (url: string, localAddress?: string) => ask(url, localAddress).response;

const bigPage = async (): Promise<MetricsPage> => ({ status: 200, headers: {}, body: Buffer.alloc(50_000_000, 'x') });

/** How listeners with and without TLS are made. */
const listeners: readonly (readonly [string, boolean, () => Access])[] = [
  ['plain', true, () => openAccess],
  [
    'TLS',
    peer('openssl'),
    () => ({
      ...openAccess,
      tls: {
        ...createCertificate(cleanup),
        clientCa: undefined,
        clientAuth: 'NoClientCert',
        minVersion: 'TLSv1.2',
        maxVersion: 'TLSv1.3',
      },
    }),
  ],
];

describe.each(listeners)('a %s connection', (_, isHere, createAccess) => {
  const withAccess = () => {
    const access = createAccess();
    return { access: () => access };
  };

  it.runIf(isHere)('is worked for one request at a time', async () => {
    const { url, hold } = await start(withAccess());
    const client = await open(url);
    const received = client.read();
    client.scrape(20);
    for (let i = 0; i < 20; i += 1) {
      await hold.come(1);
      await seen(url);
      expect(hold.waiting).toHaveLength(1);
      hold.waiting.shift()?.(`${i}`);
    }
    await eventually('the last answer', () => received().includes('page 19\n'));
    expect(received().match(/page \d+/g)).toEqual(Array.from({ length: 20 }, (__, i) => `page ${i}`));
  });

  it.runIf(isHere)('is cut when its peer takes no byte of an answer', async () => {
    const { url, web } = await start({ ...withAccess(), metricsPage: bigPage, limits: { stalledMs: 200 } });
    const client = await open(url);
    client.scrape(20);
    await eventually('the cut', () => web.counts().cut.stalled === 1);
    client.read();
    await closed(client.socket);
  });

  it.runIf(isHere)('is refused beyond the bounds of its address and of all', async () => {
    const { url, web } = await start({ ...withAccess(), limits: { connections: { total: 3, perAddress: 2 } } });
    const refusal = async (address: string): Promise<void> => {
      const client = await open(url, address).catch(() => undefined);
      client?.read();
      if (client !== undefined) await closed(client.socket);
    };
    const clients = [await open(url, '127.0.0.2'), await open(url, '127.0.0.2')];
    await refusal('127.0.0.2');
    clients.push(await open(url, '127.0.0.3'));
    await refusal('127.0.0.3');
    expect(web.counts().cut.too_many).toBe(2);
    // this host gets a place in any case: that of the address that has most
    clients[0]?.read();
    const own = await open(url);
    clients.push(own);
    await eventually('the place of another', () => clients[0]?.socket.closed === true);
    expect(web.counts().cut.too_many).toBe(3);
    for (const { socket } of clients) socket.destroy();
    await eventually('room again', async () => {
      const client = await open(url).catch(() => undefined);
      const received = client?.read();
      client?.socket.write('GET /-/healthy HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      if (client !== undefined) await closed(client.socket);
      return received?.().includes('Healthy.') === true;
    });
  });
});

describe('a connection', () => {
  it('is cut when it sends too much ahead', async () => {
    const { url, web, hold } = await start();
    const client = await open(url);
    client.read();
    client.scrape(1_000);
    await closed(client.socket);
    expect(web.counts().cut).toEqual({ too_many: 0, pipelining: 1, stalled: 0, too_long: 0 });
    expect(hold.waiting).toHaveLength(1);
  });

  it('is cut when its answer takes too long, and frees its place', async () => {
    const scrapes = { work: 1, workPerAddress: 1, waiting: 0, waitingPerAddress: 0 };
    const { url, web, hold } = await start({ limits: { answerMs: 200, stalledMs: 400, scrapes } });
    await expect(get(`${url}/metrics`)).rejects.toThrow();
    expect(web.counts().cut.too_long).toBe(1);
    const next = get(`${url}/metrics`);
    await hold.come(2);
    hold.waiting[1]?.('second');
    expect((await next).body).toBe('page second\n');
  });

  it('is closed when the head of its request does not come', async () => {
    const { url } = await start({ limits: { headMs: 200 } });
    const client = await open(url);
    const received = client.read();
    client.socket.write('GET /metrics HTTP/1.1\r\nHost: ');
    await closed(client.socket);
    expect(received()).toMatch(/^HTTP\/1\.1 408 /);
  });
});

describe('scrapes', () => {
  const limits = { scrapes: { work: 3, workPerAddress: 2, waiting: 0, waitingPerAddress: 0 } };

  it('beyond the bounds of an address and of all are answered with 503, health is not', async () => {
    const { url, web, hold } = await start({ limits });
    const running = [ask(`${url}/metrics`), ask(`${url}/metrics`)];
    await hold.come(2);
    const refused = await get(`${url}/metrics`);
    expect([refused.status, refused.headers['retry-after'], refused.headers.connection]).toEqual([503, '5', 'close']);
    running.push(ask(`${url}/metrics`, '127.0.0.2'));
    await hold.come(3);
    expect((await get(`${url}/metrics`, '127.0.0.3')).status).toBe(503);
    for (const path of ['/-/healthy', '/-/ready', '/']) expect((await get(`${url}${path}`)).status).toBe(200);
    expect(web.counts().refused).toEqual({ scrapes: 2, queue_full: 0, deadline: 0, logons: 0 });
    for (const release of hold.waiting.splice(0)) release('late');
    for (const { response } of running) expect((await response).body).toBe('page late\n');
    const again = get(`${url}/metrics`);
    await hold.come(1);
    hold.waiting[0]?.('again');
    expect((await again).body).toBe('page again\n');
  });

  it('give their place back when their clients go away', async () => {
    const { url, hold } = await start({ limits });
    const gone = [ask(`${url}/metrics`), ask(`${url}/metrics`)];
    await hold.come(2);
    for (const { leave, response } of gone) {
      leave();
      await expect(response).rejects.toThrow();
    }
    hold.waiting.splice(0);
    await seen(url);
    const next = get(`${url}/metrics`);
    await hold.come(1);
    hold.waiting[0]?.('next');
    expect((await next).body).toBe('page next\n');
  });

  it('of other clients are served while some do not read', async () => {
    const { url } = await start({ metricsPage: bigPage, limits });
    for (let i = 0; i < 5; i += 1) (await open(url)).scrape(20);
    await eventually('a full share', async () => (await get(`${url}/metrics`)).status === 503);
    expect((await get(`${url}/metrics`, '127.0.0.2')).body).toHaveLength(50_000_000);
  });
});

describe('other requests', () => {
  const limits = {
    requests: { work: 1, workPerAddress: 1, waiting: 2, waitingPerAddress: 2 },
    stalledMs: 1_000,
  };

  it('wait for their turn until the deadline of their route, and are refused in its form', async () => {
    const { url, web, other } = await start({ limits, deadline: 0.1 });
    const first = get(`${url}/g/held`);
    await other.come(1);
    const late = await get(`${url}/g/held`);
    expect([late.status, late.headers['retry-after'], late.body]).toEqual([503, '5', '{"refusal":"busy"}']);
    expect(web.counts().refused.deadline).toBe(1);
    other.waiting[0]?.('first');
    expect((await first).body).toBe('first');
  });

  it('leave the queue when their clients go away', async () => {
    const { url, other } = await start({ limits });
    const first = get(`${url}/g/held`);
    await other.come(1);
    const leaving = await open(url);
    leaving.socket.write('GET /g/held HTTP/1.1\r\nHost: x\r\n\r\n');
    await seen(url);
    const second = get(`${url}/g/held`);
    await seen(url);
    leaving.socket.destroy();
    await seen(url);
    for (const [text, answer] of [
      ['first', first],
      ['second', second],
    ] as const) {
      await other.come(1);
      other.waiting.shift()?.(text);
      expect((await answer).body).toBe(text);
    }
    expect(other.waiting).toEqual([]);
  });

  it('know how long they have waited, so that it counts towards their deadline', async () => {
    const { url, other } = await start({ limits });
    const first = get(`${url}/g/held`);
    await other.come(1);
    const waiting = get(`${url}/g/elapsed`);
    await seen(url);
    const now = performance.now.bind(performance);
    const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + HOUR_MS);
    cleanup.add(() => later.mockRestore());
    other.waiting[0]?.('first');
    await first;
    expect(JSON.parse((await waiting).body).elapsed).toBeGreaterThan(HOUR_MS);
  });

  it('are refused when the queue is full', async () => {
    const { url, web, other } = await start({ limits });
    const first = get(`${url}/g/held`);
    await other.come(1);
    const others = Array.from({ length: 3 }, () => get(`${url}/g/held`));
    expect(await Promise.race(others)).toMatchObject({ status: 503, body: '{"refusal":"busy"}' });
    expect(web.counts().refused.queue_full).toBe(1);
    for (let i = 0; i < 3; i += 1) {
      await other.come(1);
      other.waiting.shift()?.('answer');
    }
    const statuses = (await Promise.all([first, ...others])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 200, 200, 503]);
  });

  it('get long answers whole, with their length', async () => {
    const { url } = await start();
    const { headers, body } = await get(`${url}/g/long`);
    expect(headers['content-length']).toBe(String(Buffer.byteLength(body)));
    expect(JSON.parse(body)).toEqual({ text: 'ü'.repeat(500_000) });
    const head = await fetch(`${url}/g/long`, { method: 'HEAD' });
    expect([head.headers.get('content-length'), await head.text()]).toEqual([headers['content-length'], '']);
  });
});
