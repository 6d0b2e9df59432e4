import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Past } from '../../../src/analyzer/history/sample.ts';
import { type Analyzer, createAnalyzer } from '../../../src/analyzer/server/server.ts';
import { createSimulatedSite } from '../../../src/analyzer/simulated/simulated-site.ts';
import type { VendorLicenseObservation } from '../../../src/base/model/observation/observation.ts';
import type { Source } from '../../../src/base/model/observation/source.ts';
import { ntHash } from '../../../src/base/ntlm/primitives.ts';
import { readJson } from '../../../src/base/query-api/json.ts';
import { recordFields } from '../../../src/base/query-api/records.ts';
import { type Answer, type Call, type Connection, connectTo, logOn, sendRaw } from '../../support/connection.ts';
import { type TestAnalyzerOptions, testHistory, testLimits } from '../../support/harness.ts';
import { hostileNames } from '../../support/hostile-names.ts';

/** 10:30 on a Wednesday in Berlin. */
const NOW = Date.UTC(2026, 10, 18, 9, 30) / 1000;

const users = { domain: 'SIM', users: () => [{ name: 'svc', ntHash: ntHash('S3cret-pass!') }] };

function analyzerOf({
  host = '127.0.0.1',
  port = 0,
  tls,
  limits = testLimits,
  onRequest,
  gate = users,
  ...options
}: TestAnalyzerOptions = {}): Analyzer & { readonly url: string } {
  const analyzer = createAnalyzer({
    origin: 'test',
    sources: [
      createSimulatedSite({
        seed: 1,
        vendorLicenses: 10,
        featuresPerVendorLicense: 20,
        timeZone: 'Europe/Berlin',
        now: () => NOW,
        interval: 60,
        names: hostileNames,
      }),
    ],
    listener: { host, port, gate, limits, ...(tls && { tls }), ...(onRequest && { onRequest }) },
    history: testHistory,
    version: '0.0.0',
    now: () => NOW,
    onProblem: () => {},
    ...options,
  });
  return analyzer as Analyzer & { readonly url: string };
}

const json = ({ body }: Answer): unknown => readJson(Buffer.from(body));
const api = (endpoint: string): string => `/analyzer/api/${endpoint}`;

describe('analyzer behind NTLM', () => {
  const analyzer = analyzerOf();
  beforeAll(() => analyzer.start());
  afterAll(() => analyzer.stop());

  it.each([
    [api('GetProducts'), {}],
    [api('GetHttpUserName'), { headers: { 'x-remote-user': 'SIM\\svc' } }],
    [api('GetFeatures'), {}],
    [api('GetProducts'), { method: 'DELETE' }],
    [api('GetProducts'), { method: 'PROPFIND' }],
    [api('GetProducts'), { method: 'OPTIONS' }],
    [api('GetConcurrentUsers'), { method: 'POST', body: 'x'.repeat(100_000) }],
    ['/', {}],
    ['/analyzer/%zz', {}],
    ['/analyzer/../../etc/passwd', {}],
    [api('GetProducts'), { headers: { expect: 'a-miracle' } }],
    [api('GetProducts'), { headers: { authorization: 'Basic c3ZjOlMzY3JldC1wYXNzIQ==' } }],
    [api('GetProducts'), { headers: { authorization: 'NTLM' } }],
    [api('GetProducts'), { headers: { authorization: 'NTLM !!!' } }],
    [api('GetProducts'), { headers: { upgrade: 'websocket', connection: 'keep-alive, upgrade' } }],
  ] satisfies [string, Call][])(
    'answers %s %j with 401 before anything else and keeps the connection',
    async (path, call) => {
      const connection = connectTo(analyzer.url);
      const answer = await connection.send(path, call);
      expect([answer.status, answer.headers['www-authenticate'], answer.body.length]).toEqual([401, 'NTLM', 0]);
      expect(answer.headers['content-length']).toBe('0');
      const next = await connection.send(path);
      expect([next.status, next.localPort]).toEqual([401, answer.localPort]);
      connection.close();
    },
  );

  it('serves under the identity of the connection after the logon, and another connection not', async () => {
    const connection = connectTo(analyzer.url);
    const first = await logOn(connection, api('GetHttpUserName'));
    expect([first.status, String(first.body)]).toEqual([200, 'SIM\\svc']);
    const second = await connection.send(api('GetHttpUserName'));
    expect([second.status, String(second.body), second.localPort]).toEqual([200, 'SIM\\svc', first.localPort]);
    const other = connectTo(analyzer.url);
    expect((await other.send(api('GetHttpUserName'))).status).toBe(401);
    connection.close();
    other.close();
  });

  it('takes a logon with a body, which is not read', async () => {
    const connection = connectTo(analyzer.url);
    const answer = await logOn(connection, api('GetConcurrentUsers'), undefined, { method: 'POST', body: '{"a":1}' });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(Number(answer.body)).toBeGreaterThan(0);
    connection.close();
  });

  it('refuses a wrong password', async () => {
    const connection = connectTo(analyzer.url);
    const answer = await logOn(connection, api('GetHttpUserName'), 'wrong');
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'NTLM']);
    expect((await connection.send(api('GetHttpUserName'))).status).toBe(401);
    connection.close();
  });

  it('announces that it keeps idle connections for 150 seconds', async () => {
    const connection = connectTo(analyzer.url);
    expect((await connection.send('/')).headers['keep-alive']).toBe('timeout=150');
    connection.close();
  });
});

describe('analyzer without a gate', () => {
  const analyzer = analyzerOf({ gate: 'none' });
  let connection: Connection;
  beforeAll(async () => {
    await analyzer.start();
    connection = connectTo(analyzer.url);
  });
  afterAll(async () => {
    connection.close();
    await analyzer.stop();
  });
  const get = (path: string): Promise<Answer> => connection.send(path);

  it('answers the record endpoints in their shapes', async () => {
    const products = await get(api('GetProducts'));
    expect([products.status, products.headers['content-type']]).toEqual([200, 'application/json']);
    expect(products.headers['content-length']).toBe(String(products.body.length));
    const productRecords = json(products) as Record<string, unknown>[];
    expect(productRecords).toHaveLength(10);
    expect(Object.keys(productRecords[0] ?? {})).toEqual(Object.keys(recordFields.GetProducts));

    const features = await get(api('GetFeatures?product=%'));
    const [featureRecords = []] = json(features) as Record<string, unknown>[][];
    expect(Object.keys(featureRecords[0] ?? {})).toEqual(Object.keys(recordFields.GetFeatures));
    // the literal that is not JSON, where the status of applications is not known
    expect(String(features.body)).toContain('"LogActive":NaN,');
    expect(() => JSON.parse(String(features.body))).toThrow(SyntaxError);

    const expirations = json(await get(api('GetExpirationFeatures?product=%25&search=2'))) as Record<string, unknown>[];
    expect(Object.keys(expirations[0] ?? {})).toEqual(Object.keys(recordFields.GetExpirationFeatures));
    expect(expirations.length).toBe(featureRecords.length);
    expect(Array.isArray(json(await get(api('GetServerDown'))))).toBe(true);
  });

  it('finds each vendor license by the name it gave', async () => {
    const products = json(await get(api('GetProducts'))) as { Product: string }[];
    for (const { Product } of products) {
      const found = json(await get(api(`GetProducts?filters=${encodeURIComponent(Product)}`))) as { Product: string }[];
      expect(found.map((record) => record.Product)).toEqual([Product]);
    }
  });

  it('takes the identity from the server in front', async () => {
    const answer = await connection.send(api('GetHttpUserName'), { headers: { 'x-remote-user': 'CORP\\svc-lic' } });
    expect([answer.status, String(answer.body)]).toEqual([200, 'CORP\\svc-lic']);
  });

  it.each([
    '/',
    '/analyzer',
    '/analyzer/api',
    '/analyzer/api/GetProducts/',
    '/analyzer/api/getproducts',
    '/api/GetProducts',
    '/analyzer/%zz',
  ])('answers 404 to %s', async (path) => {
    const answer = await get(path);
    expect([answer.status, answer.headers['content-type']]).toEqual([404, 'application/json']);
    expect(json(answer)).toEqual({ error: { code: 'not_found', message: expect.any(String) } });
  });

  it.each([
    ['POST', 'GetProducts', 'GET'],
    ['OPTIONS', 'GetProducts', 'GET'],
    ['HEAD', 'GetProducts', 'GET'],
    ['GET', 'GetConcurrentUsers', 'POST'],
    ['HEAD', 'GetConcurrentUsers', 'POST'],
  ])('answers 405 to %s %s and names %s', async (method, endpoint, allow) => {
    const answer = await connection.send(api(endpoint), { method });
    expect([answer.status, answer.headers.allow]).toEqual([405, allow]);
    if (method !== 'HEAD') expect(json(answer)).toMatchObject({ error: { code: 'method_not_allowed' } });
  });

  it.each([
    ['GetFeatures', 'missing_parameter', 'product'],
    ['GetFeatures?product=', 'missing_parameter', 'product'],
    ['GetFeatures?product=a&product=b', 'repeated_parameter', 'product'],
    ['GetExpirationFeatures?product=a&search=9', 'illegal_value', 'search'],
  ])('answers 400 to %s with %s of %s', async (path, code, parameter) => {
    const answer = await get(api(path));
    expect([answer.status, answer.headers['content-type']]).toEqual([400, 'application/json']);
    expect(json(answer)).toEqual({ error: { code, message: expect.any(String), parameter } });
  });

  it.each([
    ['product=%', 200],
    ['product=%25%25', 200],
    [`product=${'%25a'.repeat(2000)}`, 200],
    [`product=${encodeURIComponent('設計 ✓ \u0000')}`, 200],
    ["product=' OR '1'='1", 200],
    ['product=%3Cscript%3E&filters=../../etc/passwd', 200],
    ['product=[%5E]*(a+)+$', 200],
    ['product=%00', 200],
    ['product=a&unknown=1&unknown=2', 200],
    ['__proto__=1&constructor=2', 400],
  ])('answers GetFeatures?%s with %i', async (query, status) => {
    expect((await get(api(`GetFeatures?${query.replaceAll(' ', '+')}`))).status).toBe(status);
  });

  it('answers any query with 200 or 400 and well-formed JSON', async () => {
    const visible = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)) });
    const piece = fc.oneof(visible, fc.constantFrom('product=', '&', '%', 'filters=', '%25', 'search=', '1', 'user='));
    const endpoint = fc.constantFrom('GetProducts', 'GetFeatures', 'GetServerDown', 'GetExpirationFeatures');
    await fc.assert(
      fc.asyncProperty(endpoint, fc.array(piece, { maxLength: 8 }), async (name, pieces) => {
        const answer = await get(api(`${name}?${pieces.join('')}`));
        expect([200, 400]).toContain(answer.status);
        json(answer);
      }),
      { numRuns: 200 },
    );
  });

  it('serves a parameter of 8 KiB and answers 431 beyond 16 KiB', async () => {
    expect((await get(api(`GetProducts?filters=${'a'.repeat(8192)}`))).status).toBe(200);
    const long = `GET ${api('GetProducts')}?filters=${'a'.repeat(17_000)} HTTP/1.1\r\nhost: a\r\n\r\n`;
    expect(await sendRaw(analyzer.url, long).closed).toMatch(/^HTTP\/1\.1 431 /);
  });
});

describe('analyzer', () => {
  it('answers 500 without internals when a query fails, reports it, and goes on', async () => {
    const broken: VendorLicenseObservation = {
      server: 'sim-lic01',
      daemon: 'd',
      part: '',
      reachable: true,
      get pools(): VendorLicenseObservation['pools'] {
        if (isCollected) throw new Error('internal detail');
        return [];
      },
    };
    let isCollected = false;
    const source: Source = { name: 'broken', interval: 60, offset: 0, read: () => Promise.resolve([broken]) };
    const problems: unknown[] = [];
    const analyzer = analyzerOf({ gate: 'none', sources: [source], onProblem: (error) => problems.push(error) });
    await analyzer.start();
    isCollected = true;
    const connection = connectTo(analyzer.url);
    const answer = await connection.send(api('GetProducts'));
    expect(answer.status).toBe(500);
    expect(json(answer)).toEqual({ error: { code: 'internal_error', message: 'the request failed' } });
    expect(problems).toEqual([new Error('internal detail')]);
    expect((await connection.send(api('GetServerDown'))).status).toBe(200);
    connection.close();
    await analyzer.stop();
  });

  it('shows a vendor license as down after 30 minutes, with its last counts, and as up again', async () => {
    let now = NOW;
    const site = createSimulatedSite({
      seed: 1,
      vendorLicenses: 1,
      featuresPerVendorLicense: 20,
      timeZone: 'Europe/Berlin',
      now: () => now,
      interval: 60,
    });
    const analyzer = analyzerOf({ gate: 'none', sources: [site], now: () => now });
    await analyzer.start();
    const connection = connectTo(analyzer.url);
    const product = async (): Promise<Record<string, unknown>> => {
      const [record = {}] = json(await connection.send(api('GetProducts'))) as Record<string, unknown>[];
      return record;
    };
    const down = async (): Promise<unknown> => json(await connection.send(api('GetServerDown')));
    const before = await product();
    const name = String(before['Product']);
    site.force({ down: [name] });
    now += 1799;
    await analyzer.collector.collect();
    expect([await product(), await down()]).toEqual([before, []]);
    now += 1;
    await analyzer.collector.collect();
    expect(await product()).toEqual({ ...before, IsCurrent: false, MappingIcon: 'ServerDown' });
    expect(await down()).toEqual([{ Label: name }]);
    site.force({});
    await analyzer.collector.collect();
    expect(await product()).toMatchObject({ IsCurrent: true, MappingIcon: '', CollectionTime: now });
    expect(await down()).toEqual([]);
    connection.close();
    await analyzer.stop();
  });

  it('after a restart knows what a vendor license sent last that is unreachable by then', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'analyzer-restart-'));
    let now = NOW;
    let isReachable = true;
    const site = createSimulatedSite({
      seed: 1,
      vendorLicenses: 1,
      featuresPerVendorLicense: 20,
      timeZone: 'Europe/Berlin',
      now: () => now,
      interval: 60,
    });
    const source: Source = {
      name: 'goes away',
      interval: 60,
      offset: 0,
      read: async (signal) =>
        (await site.read(signal)).map((seen) => (isReachable ? seen : { ...seen, reachable: false, pools: [] })),
    };
    const ask = async (): Promise<{ products: unknown; features: unknown; users: unknown; down: unknown }> => {
      const history = { ...testHistory, path: join(folder, 'history.db') };
      const analyzer = analyzerOf({ gate: 'none', sources: [source], history, now: () => now });
      await analyzer.start();
      const connection = connectTo(analyzer.url);
      const get = async (path: string): Promise<unknown> => json(await connection.send(api(path)));
      const answers = {
        products: await get('GetProducts'),
        features: await get('GetFeatures?product=%'),
        users: await get('GetUsers?format=sql&product=%&feature=%'),
        down: await get('GetServerDown'),
      };
      connection.close();
      await analyzer.stop();
      return answers;
    };
    const before = await ask();
    expect(before).toMatchObject({ products: [{ IsCurrent: true }], users: { data: expect.any(Array) }, down: [] });
    isReachable = false;
    now += 1799;
    expect(await ask()).toEqual(before);
    now += 1;
    const name = (before.products as { Product: string }[])[0]?.Product;
    expect(await ask()).toMatchObject({ features: before.features, users: before.users, down: [{ Label: name }] });
    rmSync(folder, { recursive: true });
  });

  it('gives an answer up when its client goes away, and calls it no problem', async () => {
    const size = { vendorLicenses: 40, featuresPerVendorLicense: 1000 };
    const site = createSimulatedSite({ seed: 1, ...size, timeZone: 'UTC', now: () => NOW, interval: 60 });
    const requests: number[] = [];
    const problems: unknown[] = [];
    const analyzer = analyzerOf({
      gate: 'none',
      sources: [site],
      onRequest: ({ status }) => requests.push(status),
      onProblem: (error) => problems.push(error),
    });
    await analyzer.start();
    const { hostname, port } = new URL(analyzer.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(`GET ${api('GetFeatures?product=%25')} HTTP/1.1\r\nhost: a\r\n\r\n`);
    // long enough to be read, far too short for 40,000 records
    await new Promise((resolve) => setTimeout(resolve, 20));
    socket.destroy();
    await expect.poll(() => requests).toEqual([499]);
    expect(problems).toEqual([]);
    await analyzer.stop();
  });

  it('listens without a gate on loopback only', async () => {
    for (const host of ['0.0.0.0', '::', '192.0.2.1', 'localhost.example']) {
      await expect(analyzerOf({ gate: 'none', host }).start()).rejects.toThrow('loopback');
    }
  });

  it('names the address that it cannot listen on', async () => {
    const first = analyzerOf();
    await first.start();
    const { port } = new URL(first.url);
    await expect(analyzerOf({ port: Number(port) }).start()).rejects.toThrow(
      `127.0.0.1:${port}: the address is in use`,
    );
    await first.stop();
  });

  it('ends kept connections when it stops', async () => {
    const analyzer = analyzerOf();
    await analyzer.start();
    const { url } = analyzer;
    const connection = connectTo(url);
    expect((await connection.send('/')).status).toBe(401);
    await analyzer.stop();
    await expect(connection.send('/')).rejects.toMatchObject({
      code: expect.stringMatching(/ECONNREFUSED|ECONNRESET/),
    });
    connection.close();
  });

  it('stops although a client has sent half a request', async () => {
    const analyzer = analyzerOf();
    await analyzer.start();
    const { url } = analyzer;
    const ended = sendRaw(url, 'GET / HTTP/1.1\r\nhost: a\r\n\r\nGET / HT');
    // the answer to the whole request shows that the half one has arrived
    await expect.poll(() => ended.arrived()).toMatch(/^HTTP\/1\.1 401 /);
    await analyzer.stop();
    await ended.closed;
  });

  it('adds the past after a delay, so that first polls do not wait for it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const starts: string[] = [];
      const pastOf = (name: string): Past =>
        function* () {
          starts.push(name);
          yield undefined;
        };
      const [stopped, running] = ['stopped', 'running'].map((name) => analyzerOf({ past: pastOf(name), pastDelay: 2 }));
      await Promise.all([stopped?.start(), running?.start()]);
      await vi.advanceTimersByTimeAsync(1999);
      await stopped?.stop();
      expect(starts).toEqual([]);
      await vi.advanceTimersByTimeAsync(1);
      expect(starts).toEqual(['running']);
      await running?.stop();
    } finally {
      vi.useRealTimers();
    }
  });

  it('serves over TLS', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'analyzer-tls-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const subject = ['-subj', '/CN=localhost', '-days', '2', '-keyout', key, '-out', cert];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject], { stdio: 'ignore' });
    const tls = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
    rmSync(folder, { recursive: true });
    const analyzer = analyzerOf({ tls });
    await analyzer.start();
    expect(analyzer.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/analyzer$/);
    const connection = connectTo(analyzer.url);
    const answer = await logOn(connection, api('GetHttpUserName'));
    expect([answer.status, String(answer.body)]).toEqual([200, 'SIM\\svc']);
    connection.close();
    await analyzer.stop();
  });
});
