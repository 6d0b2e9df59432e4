import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createRateLimit } from '../../../src/analyzer/server/http-front.ts';
import type { QueryError } from '../../../src/base/model/failure.ts';
import { ntHash } from '../../../src/base/ntlm/primitives.ts';
import { createCertificate } from '../../support/certificate.ts';
import { type Answer, connectTo, logOn, sendRaw } from '../../support/connection.ts';
import {
  createCleanup,
  createClient,
  startAnalyzer,
  type TestAnalyzerOptions,
  testLimits,
  WORKDAY,
} from '../../support/harness.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const api = (endpoint: string): string => `/analyzer/api/${endpoint}`;
const users = () => [
  { name: 'svc', ntHash: ntHash('S3cret-pass!') },
  { name: 'Other', ntHash: ntHash('0ther-pass!') },
];

async function start(options: TestAnalyzerOptions = {}): Promise<string> {
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

describe('a throttled logon of the exporter', () => {
  it('is no rejected one: it says throttled, and nothing is held beyond that', async () => {
    const url = await start();
    for (let i = 0; i < 3; i += 1) expect((await logOnOnce(url, 'wrong')).status).toBe(401);
    const credentials = { username: 'svc', domain: 'SIM', workstation: '', password: 'S3cret-pass!' };
    const { client, gate } = createClient(url, { credentials });
    cleanup.add(() => client.close());
    const failure = await client.getProducts({}, new AbortController().signal).catch((error: QueryError) => error);
    expect(failure).toMatchObject({ kind: 'throttled', code: 'NTLM_THROTTLED' });
    expect(gate.authenticated).toBeUndefined();
    expect(gate.standing().is).toBe('unchecked');
  });
});

describe('failed logons', () => {
  it('are answered with 429 before the password is looked at, for that user at that address and not for long', async () => {
    let now = WORKDAY;
    let lookups = 0;
    const verdicts: unknown[] = [];
    const counted = () => {
      lookups += 1;
      return users();
    };
    const gate = { domain: 'SIM', users: counted, onVerdict: (verdict: unknown) => verdicts.push(verdict) };
    const url = await start({ gate, now: () => now });
    for (let i = 0; i < 3; i += 1) expect((await logOnOnce(url, 'wrong')).status).toBe(401);
    now += 0.2;
    const connection = connectTo(url);
    cleanup.add(() => connection.close());
    // the right password and a wrong one alike
    for (const password of [undefined, 'wrong']) {
      const held = await logOn(connection, api('GetHttpUserName'), password);
      expect([held.status, held.headers['retry-after'], held.headers['www-authenticate']]).toEqual([
        429,
        '1',
        undefined,
      ]);
      expect(JSON.parse(String(held.body))).toMatchObject({ error: { code: 'too_many_logons' } });
    }
    expect([lookups, verdicts.at(-1)]).toEqual([
      3,
      { ok: false, reason: 'throttled', user: 'svc', address: '127.0.0.1' },
    ]);
    // the connection is not logged on, and can be used again
    expect((await connection.send(api('GetHttpUserName'))).status).toBe(401);
    expect(String((await logOnOnce(url, '0ther-pass!', 'other')).body)).toBe('SIM\\other');
    now += 0.8;
    expect((await logOn(connection, api('GetHttpUserName'))).status).toBe(200);
    expect((await logOnOnce(url, 'wrong')).status).toBe(401);
    expect((await logOnOnce(url)).status).toBe(200);
  });

  it('of an unknown user are answered as those of a known one are', async () => {
    const url = await start({ now: () => WORKDAY });
    const of = async (user: string) => {
      const answers: unknown[] = [];
      for (let i = 0; i < 4; i += 1) {
        const { status, headers, body } = await logOnOnce(url, 'wrong', user);
        answers.push([status, headers['retry-after'], headers['www-authenticate'], String(body)]);
      }
      return answers;
    };
    expect(await of('nobody')).toEqual(await of('svc'));
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

  it('over the limit are answered with 429, but never in the middle of a logon', async () => {
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
    // reported once for any number of connections
    expect(problems).toEqual([
      new Error(
        'a connection is refused, there are 1 already; close some, or raise embedded_analyzer.limits.connections',
      ),
    ]);
  });

  it.each([undefined, 'tls'])('of one address are a quarter of them at most, %s', async (secure) => {
    const problems: unknown[] = [];
    const onProblem = (error: unknown) => problems.push(error);
    const tls = secure === undefined ? undefined : createCertificate(cleanup);
    const limits = { ...testLimits, connections: 8 };
    const url = await start({ limits, onProblem, ...(tls !== undefined && { tls }) });
    const connections = [1, 2, 3].map(() => connectTo(url));
    for (const connection of connections) cleanup.add(() => connection.close());
    const [first, second, third] = connections;
    expect((await first?.send('/'))?.status).toBe(401);
    expect((await second?.send('/'))?.status).toBe(401);
    await expect(third?.send('/')).rejects.toThrow();
    expect(problems).toEqual([
      new Error(
        'a connection of 127.0.0.1 is refused, it has 2 of 8 already; close some, or raise embedded_analyzer.limits.connections',
      ),
    ]);
    // after closing all of them, a client may open the same number again
    first?.close();
    second?.close();
    const again = [1, 2].map(() => connectTo(url));
    for (const connection of again) {
      cleanup.add(() => connection.close());
      const ask = () => connection.send('/').then(({ status }) => status, String);
      await expect.poll(ask).toBe(401);
    }
  });

  it('of clients that send nothing are given up', async () => {
    const url = await start({ limits: { ...testLimits, requestTimeout: 1 } });
    expect(await sendRaw(url, '').closed).toMatch(/^HTTP\/1\.1 408 /);
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
