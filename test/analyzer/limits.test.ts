import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createLogonThrottle } from '../../src/analyzer/logon-throttle.ts';
import { createRateLimit } from '../../src/analyzer/rate-limit.ts';
import type { AnalyzerOptions } from '../../src/analyzer/server.ts';
import { createSimulatedSite } from '../../src/analyzer/simulated-site.ts';
import { ntHash } from '../../src/ntlm/primitives.ts';
import { createCleanup, startAnalyzer, testLimits, WORKDAY } from '../harness.ts';
import { type Answer, connectTo, logOn } from './connection.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const api = (endpoint: string): string => `/analyzer/api/${endpoint}`;
const users = () => [
  { name: 'svc', ntHash: ntHash('S3cret-pass!') },
  { name: 'Other', ntHash: ntHash('0ther-pass!') },
];

async function start(options: Partial<AnalyzerOptions> = {}): Promise<string> {
  const analyzer = await startAnalyzer({}, { gate: { domain: 'SIM', users }, ...options });
  cleanup.add(() => analyzer.stop());
  return analyzer.url;
}

/** A logon on a connection of its own. */
async function logOnOnce(url: string, password?: string, user?: string): Promise<Answer> {
  const connection = connectTo(url);
  cleanup.add(() => connection.close());
  return logOn(connection, api('GetHttpUserName'), password, {}, user);
}

describe('failed logons', () => {
  it('hold a user at an address for a time that doubles, and no one else', () => {
    let now = 0;
    const throttle = createLogonThrottle(() => now);
    const heldFor = (): number => {
      const from = now;
      while (throttle.isHeld('Svc', '10.0.0.1')) now += 500;
      return (now - from) / 1000;
    };
    const holds: number[] = [];
    for (let i = 0; i < 14; i += 1) {
      throttle.failed('svc', '10.0.0.1');
      expect(throttle.isHeld('svc', '10.0.0.2')).toBe(false);
      expect(throttle.isHeld('other', '10.0.0.1')).toBe(false);
      holds.push(heldFor());
    }
    expect(holds).toEqual([0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
    throttle.succeeded('SVC', '10.0.0.1');
    throttle.failed('svc', '10.0.0.1');
    expect(heldFor()).toBe(0);
  });

  it('are forgotten after an hour', () => {
    let now = 0;
    const throttle = createLogonThrottle(() => now);
    for (let i = 0; i < 9; i += 1) throttle.failed('svc', 'a');
    now += 3_600_000;
    throttle.failed('svc', 'a');
    expect(throttle.isHeld('svc', 'a')).toBe(false);
  });

  it('of ten thousand others push an old one out, not a new one', () => {
    const throttle = createLogonThrottle(() => 0);
    for (let i = 0; i < 3; i += 1) throttle.failed('old', 'a');
    for (let i = 0; i < 9_999; i += 1) throttle.failed(`user${i}`, 'a');
    expect(throttle.isHeld('old', 'a')).toBe(true);
    throttle.failed('new', 'a');
    expect(throttle.isHeld('old', 'a')).toBe(false);
  });

  it('make the analyzer refuse the right password too, for that user only and not for long', async () => {
    let now = WORKDAY;
    const verdicts: unknown[] = [];
    const gate = { domain: 'SIM', users, onVerdict: (verdict: unknown) => verdicts.push(verdict) };
    const url = await start({ gate, now: () => now });
    for (let i = 0; i < 3; i += 1) expect((await logOnOnce(url, 'wrong')).status).toBe(401);
    expect((await logOnOnce(url)).status).toBe(401);
    expect(verdicts.at(-1)).toEqual({ ok: false, reason: 'throttled', user: 'svc', address: '127.0.0.1' });
    expect(String((await logOnOnce(url, '0ther-pass!', 'other')).body)).toBe('SIM\\other');
    now += 1;
    expect((await logOnOnce(url)).status).toBe(200);
  });
});

describe('requests per second', () => {
  it('may be saved up for five seconds, by address', () => {
    let now = 0;
    const isWithin = createRateLimit(2, () => now);
    const allowed = (address: string): number => {
      let count = 0;
      while (isWithin(address)) count += 1;
      return count;
    };
    expect(allowed('a')).toBe(10);
    expect(allowed('b')).toBe(10);
    now += 1000;
    expect(allowed('a')).toBe(2);
    // a clock that is set back gives nothing and takes nothing
    now -= 5000;
    expect(allowed('a')).toBe(0);
    now += 3_600_000;
    expect(allowed('a')).toBe(10);
  });

  it('over the limit are answered with 429, but the last leg of a logon never', async () => {
    let now = WORKDAY;
    const url = await start({ limits: { ...testLimits, requestsPerSecond: 1 }, now: () => now });
    const first = connectTo(url);
    const second = connectTo(url);
    cleanup.add(() => first.close());
    cleanup.add(() => second.close());
    const ask = () => first.send(api('GetHttpUserName'));
    // a logon takes one of the five requests saved up: its last leg is not counted
    expect((await logOn(first, api('GetHttpUserName'))).status).toBe(200);
    for (let i = 0; i < 3; i += 1) expect((await ask()).status).toBe(200);
    // the first leg takes what is left
    expect((await logOn(second, api('GetHttpUserName'))).status).toBe(200);
    const limited = await ask();
    expect([limited.status, limited.headers['retry-after']]).toEqual([429, '1']);
    expect(JSON.parse(String(limited.body))).toMatchObject({ error: { code: 'too_many_requests' } });
    now += 1;
    // the identity of the connection is not lost
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 429]);
  });
});

describe('connections', () => {
  it('over the limit are closed', async () => {
    const problems: unknown[] = [];
    const onProblem = (error: unknown) => problems.push(error);
    const url = await start({ limits: { ...testLimits, connections: 1 }, onProblem });
    const first = connectTo(url);
    cleanup.add(() => first.close());
    expect((await logOn(first, api('GetHttpUserName'))).status).toBe(200);
    const second = connectTo(url);
    cleanup.add(() => second.close());
    await expect(second.send('/')).rejects.toMatchObject({ code: expect.stringMatching(/ECONNRESET|EPIPE/) });
    await expect(connectTo(url).send('/')).rejects.toThrow();
    expect((await first.send(api('GetHttpUserName'))).status).toBe(200);
    // told once, however many there are
    expect(problems).toEqual([
      new Error(
        'a connection is refused, there are 1 already; close some, or raise embedded_analyzer.limits.connections',
      ),
    ]);
  });

  it('of clients that do not finish their request are given up', async () => {
    const url = await start({ limits: { ...testLimits, requestTimeout: 1 } });
    const { hostname, port } = new URL(url);
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write('GET / HTTP/1.1\r\nhost: a\r\n'));
    socket.on('data', (data) => {
      answer += String(data);
    });
    await new Promise((resolve) => socket.once('close', resolve));
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  });
});

describe('answers', () => {
  it('that are not read are given up', async () => {
    const size = { vendorLicenses: 20, featuresPerVendorLicense: 1000 };
    const site = createSimulatedSite({ seed: 1, ...size, timeZone: 'UTC', now: () => WORKDAY, interval: 60 });
    const requests: number[] = [];
    const url = await start({
      gate: 'none',
      source: site,
      limits: { ...testLimits, requestTimeout: 1 },
      onRequest: ({ status }) => requests.push(status),
    });
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => {
      socket.write(`GET ${api('GetFeatures?product=%25')} HTTP/1.1\r\nhost: a\r\n\r\n`);
    });
    socket.on('error', () => {});
    // the answer is more than fits into the buffers on the way, and nobody reads it
    await expect.poll(() => requests, { timeout: 15_000 }).toEqual([200]);
    let received = 0;
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    await new Promise((resolve) => socket.once('close', resolve));
    expect(received).toBeGreaterThan(1000);
    expect(received).toBeLessThan(15_000_000);
  });
});

describe('bodies', () => {
  it('that are announced too large are refused after the logon', async () => {
    const url = await start();
    const connection = connectTo(url);
    cleanup.add(() => connection.close());
    expect((await logOn(connection, api('GetHttpUserName'))).status).toBe(200);
    const answer = await connection.send(api('GetConcurrentUsers'), {
      method: 'POST',
      headers: { 'content-length': String(2 ** 21), connection: 'close' },
      body: 'x',
    });
    expect([answer.status, answer.headers.connection]).toEqual([413, 'close']);
    expect(JSON.parse(String(answer.body))).toMatchObject({ error: { code: 'body_too_large' } });
  });

  it('that turn out too large end the connection', async () => {
    const url = await start();
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {});
    socket.resume();
    socket.write('POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n');
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const feed = setInterval(() => socket.write(chunk), 1);
    await closed;
    clearInterval(feed);
    expect(socket.bytesWritten).toBeGreaterThan(1024 * 1024);
  });
});
