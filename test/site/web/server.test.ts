import { connect } from 'node:net';
import type { FastifyReply } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { openAccess } from '../../../src/site/web/access.ts';
import { createWebServer, type WebOptions } from '../../../src/site/web/server.ts';
import { createCleanup, createTestLog } from '../../support/harness.ts';
import { testSite } from '../../support/served-page.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

async function start(options: Partial<WebOptions> = {}) {
  const log = createTestLog();
  const web = createWebServer({
    listen: [{ host: '127.0.0.1', port: 0 }],
    telemetryPath: '/metrics',
    site: testSite,
    metricsPage: async ({ collect }) => ({
      status: 200,
      headers: { 'content-type': 'text/plain' },
      body: Buffer.from(`page ${collect.join('+')}\n`),
    }),
    isReady: () => true,
    protectHealth: () => false,
    reload: undefined,
    mounts: [],
    access: () => openAccess,
    log,
    ...options,
  });
  cleanup.add(() => web.stop());
  await web.start();
  const [url = ''] = web.addresses();
  return { web, url, log };
}

const get = async (url: string, init?: RequestInit) => {
  const response = await fetch(url, init);
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    allow: response.headers.get('allow'),
    body: await response.text(),
  };
};

describe('the web server', () => {
  it('serves the page of metrics, with the blocks asked for', async () => {
    const { url } = await start();
    expect(await get(`${url}/metrics`)).toMatchObject({ status: 200, type: 'text/plain', body: 'page \n' });
    expect((await get(`${url}/metrics?collect[]=a&collect[]=b`)).body).toBe('page a+b\n');
    expect((await get(`${url}/metrics?collect%5B%5D=a`)).body).toBe('page a\n');
  });

  it('streams a page that is too large to be kept', async () => {
    const body = (async function* () {
      for (let i = 0; i < 50; i += 1) yield Buffer.alloc(100_000, 'x');
    })();
    const { url } = await start({ metricsPage: async () => ({ status: 200, headers: {}, body }) });
    expect((await get(`${url}/metrics`)).body).toHaveLength(5_000_000);
  });

  it('sends finished parts in order, with their common length', async () => {
    const large = Buffer.from(Array.from({ length: 60_000 }, (_, i) => `${i}\n`).join(''));
    for (const body of [
      [],
      [Buffer.alloc(0)],
      [large],
      [Buffer.from('a'), Buffer.alloc(0), large, Buffer.from('b'), large],
    ]) {
      const { url } = await start({ metricsPage: async () => ({ status: 200, headers: {}, body }) });
      const response = await fetch(`${url}/metrics`);
      const text = Buffer.concat(body);
      expect(response.headers.get('content-length')).toBe(String(text.length));
      expect(Buffer.from(await response.arrayBuffer()).equals(text)).toBe(true);
    }
  });

  it('sends the headers of the web config with the page', async () => {
    const { url } = await start({ access: () => ({ ...openAccess, headers: { 'x-frame-options': 'deny' } }) });
    expect((await fetch(`${url}/metrics`)).headers.get('x-frame-options')).toBe('deny');
  });

  it('answers HEAD without creating a page that is not kept', async () => {
    let isCreated = false;
    const body = (async function* () {
      isCreated = true;
      yield Buffer.from('page');
    })();
    const headers = { 'content-length': '4' };
    const { url } = await start({ metricsPage: async () => ({ status: 200, headers, body }) });
    const response = await fetch(`${url}/metrics`, { method: 'HEAD' });
    expect([response.headers.get('content-length'), isCreated]).toEqual(['4', false]);
  });

  it('answers HEAD without a body', async () => {
    const { url } = await start();
    expect(await get(`${url}/metrics`, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
    expect(await get(`${url}/-/ready`, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
  });

  it('distinguishes health and readiness', async () => {
    let ready = false;
    const { url } = await start({ isReady: () => ready });
    expect(await get(`${url}/-/healthy`)).toMatchObject({ status: 200, body: 'Healthy.\n' });
    expect(await get(`${url}/-/ready`)).toMatchObject({ status: 503, body: 'The first poll has not finished yet.\n' });
    ready = true;
    expect(await get(`${url}/-/ready`)).toMatchObject({ status: 200, body: 'Ready.\n' });
  });

  it('has a landing page that links to everything', async () => {
    const mount = { path: '/g', about: 'For Grafana.', plugin: async () => {}, refuse: (reply: FastifyReply) => reply };
    const { url } = await start({ telemetryPath: '/m', mounts: [mount] });
    const { status, type, body } = await get(`${url}/`);
    expect([status, type]).toEqual([200, 'text/html; charset=utf-8']);
    for (const path of ['m', 'g', '-/healthy', '-/ready']) expect(body).toContain(`href="${path}"`);
    expect(body).not.toContain('Simulated data');
    const demo = await start({ site: { ...testSite, demo: true } });
    expect((await get(`${demo.url}/`)).body).toContain('Simulated data');
  });

  it.each(['/nothing', '/metrics/', '/-/', '/%zz', '/..%2f..%2fetc'])('answers 404 or 400 to %s', async (path) => {
    const { url } = await start();
    expect([404, 400]).toContain((await get(`${url}${path}`)).status);
  });

  it('answers a browser with a page whose links lead to the others, at any depth', async () => {
    const { url } = await start();
    const headers = { accept: 'text/html,application/xhtml+xml' };
    const page = async (path: string) => get(`${url}${path}`, { headers });
    const { status, type, body } = await page('/a/b/nothing');
    expect([status, type]).toEqual([404, 'text/html; charset=utf-8']);
    expect(body).toContain('There is nothing at this path');
    expect(body).toContain('<a class="brand" href="../.././">');
    expect((await page('/nothing')).body).toContain('<a class="brand" href="./">');
    expect((await get(`${url}/nothing`)).body).toBe('There is nothing at this path. See /.\n');
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('answers 405 to %s, with what is allowed', async (method) => {
    const { url } = await start();
    const init = {
      method,
      ...(method !== 'OPTIONS' && { body: 'x'.repeat(2000), headers: { 'content-type': 'application/json' } }),
    };
    expect(await get(`${url}/metrics`, init)).toMatchObject({ status: 405, allow: 'GET, HEAD' });
    expect((await get(`${url}/nothing`, init)).status).toBe(404);
  });

  it('hides an internal error, and logs it', async () => {
    const metricsPage = async () => {
      throw new Error('the secret reason');
    };
    const { url, log } = await start({ metricsPage });
    expect(await get(`${url}/metrics`)).toMatchObject({ status: 500, body: 'Internal error, see the log.\n' });
    expect(log.entries.map(({ level, message }) => [level, message])).toEqual([['error', 'request failed']]);
  });

  it('survives garbage', async () => {
    const { url } = await start();
    const { hostname, port } = new URL(url);
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(Number(port), hostname, () => socket.write('\x00\xff garbage\r\n\r\n'));
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('close', () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect((await get(`${url}/-/healthy`)).status).toBe(200);
  });

  it('lets a running answer end when it stops', async () => {
    let finish: () => void = () => undefined;
    const started = Promise.withResolvers<void>();
    const metricsPage = () =>
      new Promise<Awaited<ReturnType<WebOptions['metricsPage']>>>((resolve) => {
        finish = () => resolve({ status: 200, headers: {}, body: Buffer.from('whole') });
        started.resolve();
      });
    const { web, url } = await start({ metricsPage });
    const answer = get(`${url}/metrics`);
    await started.promise;
    const stopped = web.stop();
    finish();
    expect((await answer).body).toBe('whole');
    await stopped;
    await expect(fetch(`${url}/-/healthy`)).rejects.toThrow();
  });

  it('listens on several addresses, and names one that is taken', async () => {
    const { web, url } = await start({
      listen: [
        { host: '127.0.0.1', port: 0 },
        { host: '127.0.0.1', port: 0 },
      ],
    });
    expect(web.addresses()).toHaveLength(2);
    const port = Number(new URL(url).port);
    await expect(start({ listen: [{ host: '127.0.0.1', port }] })).rejects.toThrow(
      `cannot listen on 127.0.0.1:${port}: the address is in use; set web.listen_address`,
    );
  });
});
