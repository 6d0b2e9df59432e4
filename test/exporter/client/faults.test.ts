import { Readable } from 'node:stream';
import { type Dispatcher, interceptors, request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import type { CredentialGate } from '../../../src/exporter/client/credential-gate.ts';
import { NtlmDispatcher, type NtlmDispatcherOptions } from '../../../src/exporter/client/dispatcher.ts';
import type { NtlmStats } from '../../../src/exporter/client/stats.ts';
import { account, createCleanup, createTestGate, eventually } from '../../support/harness.ts';
import { type Call, LOGON_PATH, type ScriptedServer, startScripted } from '../../support/scripted-server.ts';

/** The fault matrix of the NTLM transport: how servers behave, what the caller gets, and what is sent. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

interface Setup {
  readonly server: ScriptedServer;
  readonly dispatcher: NtlmDispatcher;
  readonly gate: CredentialGate;
  /** The status, or the code of the error. */
  send(method?: string, body?: Dispatcher.DispatchOptions['body'], signal?: AbortSignal): Promise<number | string>;
}

interface Options extends Partial<NtlmDispatcherOptions> {
  readonly script?: (call: Call) => void;
  readonly acceptor?: Parameters<typeof startScripted>[1];
  readonly password?: string;
  readonly authRetrySeconds?: number;
}

async function setUp({
  script,
  acceptor,
  password,
  authRetrySeconds = 1800,
  ...options
}: Options = {}): Promise<Setup> {
  const server = await startScripted(script, acceptor);
  const credentials = { ...account, password: password ?? account.password };
  const gate = createTestGate({ credentials, authRetrySeconds, now: options.now ?? Date.now });
  const dispatcher = new NtlmDispatcher({
    origin: server.url,
    logonPath: LOGON_PATH,
    gate,
    connections: 1,
    ...options,
  });
  cleanup.add(() => server.stop());
  cleanup.add(() => dispatcher.destroy());
  return { server, dispatcher, gate, send: sender(server, dispatcher) };
}

function sender(server: ScriptedServer, dispatcher: Dispatcher): Setup['send'] {
  return async (method = 'GET', body, signal) => {
    try {
      const options = { dispatcher, method, body: body ?? null, ...(signal && { signal }) };
      const response = await request(`${server.url}/x`, options as Parameters<typeof request>[1]);
      await response.body.text();
      return response.statusCode;
    } catch (error) {
      const { code, name } = error as { code?: string | number; name: string };
      return name === 'AbortError' ? 'AbortError' : String(code ?? name);
    }
  };
}

const counts = ({ sockets, handshakes, roundTrips, reauthentications, rejected, staleRetries }: NtlmStats) => ({
  sockets,
  handshakes,
  roundTrips,
  reauthentications,
  rejected,
  staleRetries,
});

/** A bare 401 with offers. */
const offer =
  (...offers: string[]) =>
  ({ request: incoming, response }: Call): void => {
    incoming.resume();
    response.writeHead(401, { 'www-authenticate': offers, 'content-length': 0 }).end();
  };

const repeat = async (times: number, send: () => Promise<number | string>): Promise<(number | string)[]> => {
  const results: (number | string)[] = [];
  for (let i = 0; i < times; i += 1) results.push(await send());
  return results;
};

describe('transport', () => {
  it('F1 logs on once and keeps the connection', async () => {
    const { server, dispatcher, send } = await setUp();
    expect(await repeat(3, send)).toEqual([200, 200, 200]);
    expect(server.log).toEqual(['1:logon+NTLM1', '1:logon+NTLM3', '1:GET', '1:GET', '1:GET']);
    expect(counts(dispatcher.stats)).toMatchObject({ sockets: 1, handshakes: 1, roundTrips: 5 });
  });

  it('F2 detects that a server requires a logon for each request', async () => {
    const { server, dispatcher, send } = await setUp({ acceptor: { perRequest: true } });
    expect(await repeat(3, send)).toEqual([200, 200, 200]);
    expect(await send('POST', 'the body')).toBe(200);
    expect(server.log).toEqual([
      '1:logon+NTLM1',
      '1:logon+NTLM3',
      '1:GET',
      '1:GET+NTLM1',
      '1:GET+NTLM3',
      '1:GET+NTLM1',
      '1:GET+NTLM3',
      '1:GET+NTLM1',
      '1:GET+NTLM3',
      '1:POST+NTLM1',
      '1:POST+NTLM3',
    ]);
    expect(server.bodies.at(-1)).toBe('the body');
    expect(counts(dispatcher.stats)).toMatchObject({ handshakes: 5, roundTrips: 11, reauthentications: 1 });
  });

  const forgetful = (at: number) => (call: Call) =>
    call.number === at
      ? call.response
          .writeHead(401, { 'www-authenticate': 'NTLM', 'content-length': 5000 })
          .end('x'.repeat(5000), () => call.request.resume())
      : call.proceed();

  it('F3 logs on again if the server dropped the logon, and sends the body again', async () => {
    const { server, dispatcher, send } = await setUp({ script: forgetful(5) });
    expect([await send(), await send('POST', 'one'), await send('POST', 'two'), await send()]).toEqual([
      200, 200, 200, 200,
    ]);
    expect(server.log).toEqual([
      '1:logon+NTLM1',
      '1:logon+NTLM3',
      '1:GET',
      '1:POST',
      '1:POST',
      '1:logon+NTLM1',
      '1:logon+NTLM3',
      '1:POST',
      '1:GET',
    ]);
    expect(server.bodies).toEqual(['', '', 'one', '', 'two', '']);
    expect(counts(dispatcher.stats)).toMatchObject({ handshakes: 2, roundTrips: 9, reauthentications: 1 });
  });

  it('F4 does not send a stream again, but the next request works', async () => {
    const { server, dispatcher, send } = await setUp({ script: forgetful(4) });
    expect(await send()).toBe(200);
    expect(await send('POST', Readable.from(['lost']))).toBe('NTLM_BODY_NOT_REPLAYABLE');
    expect(await send('POST', Readable.from(['kept']))).toBe(200);
    expect(server.log.slice(3)).toEqual(['1:POST', '2:logon+NTLM1', '2:logon+NTLM3', '2:POST']);
    expect(server.bodies.at(-1)).toBe('kept');
    expect(dispatcher.stats.sockets).toBe(2);
  });

  it('F5 opens another connection when the idle one was closed', async () => {
    const { server, dispatcher, send } = await setUp();
    expect(await send()).toBe(200);
    server.closeSockets();
    expect(await send()).toBe(200);
    expect(server.log.slice(3)).toEqual(['2:logon+NTLM1', '2:logon+NTLM3', '2:GET']);
    expect(dispatcher.stats.sockets).toBe(2);
  });

  const resetAt = (at: number) => (call: Call) => (call.number === at ? call.socket.resetAndDestroy() : call.proceed());

  it('F6 sends a GET again on a new connection if a kept one is reset', async () => {
    const { server, dispatcher, send } = await setUp({ script: resetAt(4) });
    expect(await repeat(3, send)).toEqual([200, 200, 200]);
    expect(server.log.slice(2)).toEqual(['1:GET', '1:GET', '2:logon+NTLM1', '2:logon+NTLM3', '2:GET', '2:GET']);
    expect(dispatcher.stats.staleRetries).toBe(1);
  });

  it('F7 does not send a POST twice', async () => {
    const { server, dispatcher, send } = await setUp({ script: resetAt(4) });
    expect(await send()).toBe(200);
    expect(['UND_ERR_SOCKET', 'ECONNRESET']).toContain(await send('POST', 'once'));
    expect(await send()).toBe(200);
    expect(server.log.filter((line) => line.includes('POST'))).toEqual(['1:POST']);
    expect(dispatcher.stats.staleRetries).toBe(0);
  });

  it('F8 never sends the answer to a challenge on another connection', async () => {
    const script = (call: Call) => {
      call.response.setHeader('connection', 'close');
      call.proceed();
    };
    const { server, gate, send } = await setUp({ script });
    expect(await repeat(2, send)).toEqual(['NTLM_CONNECTION_NOT_KEPT', 'NTLM_CONNECTION_NOT_KEPT']);
    expect(server.log).toEqual(['1:logon+NTLM1', '2:logon+NTLM1']);
    expect(gate.standing()).toEqual({ is: 'ready' });
  });

  it.each([
    ['F9 NTLM is not offered', offer('Basic realm="x, y"'), 'NTLM_NOT_OFFERED'],
    ['F11 no challenge comes', offer('NTLM', 'Negotiate'), 'NTLM_CHALLENGE_MISSING'],
    ['F12 the challenge is garbage', offer('NTLM AAAA'), 'NTLM_CHALLENGE_INVALID'],
  ])('%s', async (_, script, code) => {
    const { server, dispatcher, send } = await setUp({ script });
    expect(await send()).toBe(code);
    expect(server.log).toEqual(['1:logon+NTLM1']);
    expect(dispatcher.stats.roundTrips).toBe(1);
  });

  it('F10 switches to Negotiate where only that is offered', async () => {
    const script = (call: Call) => (call.token === 'NTLM1' ? offer('Negotiate')(call) : call.proceed());
    const { server, dispatcher, send } = await setUp({ script });
    expect(await repeat(2, send)).toEqual([200, 200]);
    expect(server.log).toEqual(['1:logon+NTLM1', '1:logon+Negotiate1', '1:logon+Negotiate3', '1:GET', '1:GET']);
    expect(counts(dispatcher.stats)).toMatchObject({ handshakes: 1, roundTrips: 5 });
  });

  /** A server that requires no logon. */
  const open = (bodies: string[]) => (call: Call) => {
    const chunks: Buffer[] = [];
    call.request.on('data', (chunk: Buffer) => chunks.push(chunk));
    call.request.on('end', () => {
      bodies.push(Buffer.concat(chunks).toString());
      call.response.end('ok');
    });
  };

  it('F13, F14 sends requests without a logon if the server requires none', async () => {
    const bodies: string[] = [];
    const first = await setUp({ script: open(bodies) });
    expect([await first.send(), await first.send('POST', 'whole')]).toEqual([200, 200]);
    expect(first.server.log).toEqual(['1:logon+NTLM1', '1:GET', '1:POST']);
    expect(bodies.at(-1)).toBe('whole');
    const second = await setUp({ script: open(bodies) });
    expect(await second.send('POST', 'too')).toBe(200);
    expect(second.server.log).toEqual(['1:logon+NTLM1', '1:POST']);
    expect(bodies.at(-1)).toBe('too');
  });

  it('F15 times out on a server that hangs', async () => {
    const { server, dispatcher, send } = await setUp({ script: () => undefined, headersTimeout: 300 });
    expect(await send()).toBe('UND_ERR_HEADERS_TIMEOUT');
    expect(server.log).toEqual(['1:logon+NTLM1']);
    expect(dispatcher.stats.roundTrips).toBe(1);
  });

  it.each([403, 404, 405])('F16, F17 treats %i after the logon as an ordinary answer', async (status) => {
    const script = (call: Call) => {
      if (call.token !== 'NTLM1') call.response.statusCode = status;
      call.proceed();
    };
    const { server, dispatcher, send } = await setUp({ script });
    expect(await repeat(2, send)).toEqual([status, status]);
    expect(server.log).toEqual(['1:logon+NTLM1', '1:logon+NTLM3', '1:GET', '1:GET']);
    expect(counts(dispatcher.stats)).toMatchObject({ handshakes: 1, roundTrips: 4 });
  });

  it('F18 sends one logon with a wrong password, and then nothing', async () => {
    const { server, dispatcher, gate, send } = await setUp({ password: 'wrong' });
    expect(await repeat(3, send)).toEqual([
      'NTLM_CREDENTIALS_REJECTED',
      'NTLM_CREDENTIALS_SUSPENDED',
      'NTLM_CREDENTIALS_SUSPENDED',
    ]);
    expect(server.log).toEqual(['1:logon+NTLM1', '1:logon+NTLM3']);
    expect(server.failedLogons()).toBe(1);
    expect(dispatcher.stats.rejected).toBe(1);
    expect(gate.authenticated).toBe(false);
  });

  it('F19 tries once more after the hold', async () => {
    let now = Date.now();
    const { server, dispatcher, send } = await setUp({ password: 'wrong', now: () => now });
    expect(await send()).toBe('NTLM_CREDENTIALS_REJECTED');
    now += 1859_000;
    expect(await send()).toBe('NTLM_CREDENTIALS_SUSPENDED');
    now += 1_000;
    expect(await send()).toBe('NTLM_CREDENTIALS_REJECTED');
    expect(server.failedLogons()).toBe(2);
    expect(counts(dispatcher.stats)).toMatchObject({ sockets: 2, rejected: 2 });
  });

  it('F20 reports that a server is gone, and does not block the credentials', async () => {
    const { server, dispatcher, gate, send } = await setUp();
    await server.stop();
    expect(await repeat(2, send)).toEqual(['ECONNREFUSED', 'ECONNREFUSED']);
    expect(dispatcher.stats.sockets).toBe(0);
    expect(gate.standing()).toEqual({ is: 'ready' });
    expect(gate.authenticated).toBeUndefined();
  });

  it('F21 closes idle connections', async () => {
    const { server, dispatcher, send } = await setUp({ keepAliveTimeout: 300 });
    expect(await send()).toBe(200);
    await eventually('the connection is closed', () => server.openSockets() === 0);
    expect(await send()).toBe(200);
    expect(counts(dispatcher.stats)).toMatchObject({ sockets: 2, handshakes: 2, staleRetries: 0 });
  });

  it('F22 removes an aborted request from the queue', async () => {
    const { server, dispatcher, send } = await setUp();
    const aborting = new AbortController();
    const results = [send(), send('GET', null, aborting.signal), send()];
    aborting.abort();
    expect(await Promise.all(results)).toEqual([200, 'AbortError', 200]);
    expect(server.log).toHaveLength(4);
    expect(counts(dispatcher.stats)).toMatchObject({ sockets: 1, roundTrips: 4 });
  });

  it('F23 works below interceptors', async () => {
    const { server, dispatcher } = await setUp();
    const composed = dispatcher.compose(interceptors.retry(), interceptors.dump());
    expect(await sender(server, composed)()).toBe(200);
  });

  it('F24 works through its own method', async () => {
    const { server, dispatcher } = await setUp();
    const { statusCode, body } = await dispatcher.request({ origin: server.url, path: '/x', method: 'GET' });
    expect([statusCode, await body.text()]).toEqual([200, 'ok']);
  });

  it('F25 keeps the credentials to one origin', async () => {
    const { server, dispatcher } = await setUp();
    const other = await startScripted();
    cleanup.add(() => other.stop());
    const refused = dispatcher.request({ origin: other.url, path: '/x', method: 'GET' });
    await expect(refused).rejects.toMatchObject({ code: 'NTLM_CROSS_ORIGIN' });
    expect([...server.log, ...other.log]).toEqual([]);
  });

  it('F26 bounds its queue and refuses after close', async () => {
    const { dispatcher, send } = await setUp({ maxQueue: 2 });
    const results = await Promise.all(Array.from({ length: 6 }, () => send()));
    expect(results.sort()).toEqual([200, 200, ...Array.from({ length: 4 }, () => 'NTLM_QUEUE_FULL')]);
    await dispatcher.close();
    expect(await send()).toBe('NTLM_CLOSED');
  });

  it('F27 respects Persistent-Auth: false', async () => {
    const script = (call: Call) => {
      call.response.setHeader('persistent-auth', 'false');
      call.proceed();
    };
    const { server, send } = await setUp({ script });
    expect(await repeat(2, send)).toEqual([200, 200]);
    expect(server.log).toEqual([
      '1:logon+NTLM1',
      '1:logon+NTLM3',
      '1:GET+NTLM1',
      '1:GET+NTLM3',
      '1:GET+NTLM1',
      '1:GET+NTLM3',
    ]);
  });

  it('F28 opens a new connection if a second logon is refused on the old one', async () => {
    const script = (call: Call) =>
      call.number === 4 || call.number === 5 ? offer('Negotiate', 'NTLM')(call) : call.proceed();
    const { server, send } = await setUp({ script });
    expect(await repeat(2, send)).toEqual([200, 200]);
    expect(server.log).toEqual([
      '1:logon+NTLM1',
      '1:logon+NTLM3',
      '1:GET',
      '1:GET',
      '1:logon+NTLM1',
      '2:logon+NTLM1',
      '2:logon+NTLM3',
      '2:GET',
    ]);
  });

  it('F29 does not read an endless 401', async () => {
    const script = (call: Call) => {
      call.response.writeHead(401, { 'www-authenticate': 'NTLM' }).end('x'.repeat(3 * 1024 * 1024));
    };
    const { server, send } = await setUp({ script });
    expect(await send()).toBe('NTLM_CHALLENGE_INVALID');
    expect(server.log).toEqual(['1:logon+NTLM1']);
  });

  it('F30 does not pass on an Authorization header of the caller', async () => {
    const { server, dispatcher } = await setUp();
    for (const headers of [
      { Authorization: 'Basic eA==' },
      ['AUTHORIZATION', 'Basic eA=='],
      [['authorization', 'Basic eA==']],
    ]) {
      const { body } = await request(`${server.url}/x`, { dispatcher, headers: headers as Record<string, string> });
      await body.dump();
    }
    expect(server.log).toEqual(['1:logon+NTLM1', '1:logon+NTLM3', '1:GET', '1:GET', '1:GET']);
  });

  it('F31 shares a few connections between many requests', async () => {
    const { dispatcher, send } = await setUp({ connections: 4 });
    expect(new Set(await Promise.all(Array.from({ length: 40 }, () => send())))).toEqual(new Set([200]));
    expect(dispatcher.stats.sockets).toBe(4);
  });

  it.each([
    ['several headers', (token: string) => ['Negotiate', `NTLM ${token}`, 'Basic realm="x"']],
    ['one line', (token: string) => [`Negotiate, NTLM ${token}, Basic realm="x, y"`]],
    ['lower case', (token: string) => [`basic realm="NTLM, z", ntlm ${token}`]],
  ])('F32 understands offers in %s', async (_, lines) => {
    const script = (call: Call) => {
      const { writeHead } = call.response;
      call.response.writeHead = ((status: number, headers?: Record<string, string>) => {
        const token = headers?.['www-authenticate']?.slice(5);
        const spoken = token === undefined ? headers : { ...headers, 'www-authenticate': lines(token) };
        return spoken === undefined
          ? writeHead.call(call.response, status)
          : writeHead.call(call.response, status, spoken);
      }) as typeof writeHead;
      call.proceed();
    };
    const { send } = await setUp({ script });
    expect(await send()).toBe(200);
  });
});

describe('credential gate', () => {
  it.each([4, 8])('K-2 sends one logon after a rotation, with %i connections', async (connections) => {
    let now = Date.now();
    const { server, dispatcher, send } = await setUp({ connections, now: () => now });
    await Promise.all(Array.from({ length: connections }, () => send()));
    await eventually('all are logged on', () => dispatcher.stats.handshakes === connections);
    server.closeSockets();
    server.setPassword('rotated');
    now += 60_000;
    const results = await Promise.all(Array.from({ length: 20 }, () => send()));
    expect(results.filter((result) => result === 'NTLM_CREDENTIALS_REJECTED')).toHaveLength(1);
    expect(results.filter((result) => result === 'NTLM_CREDENTIALS_SUSPENDED')).toHaveLength(19);
    expect(server.failedLogons()).toBe(1);
  });

  it('K-1 sends one logon with a wrong password for any number of requests', async () => {
    const { server, send } = await setUp({ connections: 8, password: 'wrong' });
    const results = await Promise.all(Array.from({ length: 20 }, () => send()));
    expect(results.filter((result) => result === 'NTLM_CREDENTIALS_REJECTED')).toHaveLength(1);
    expect(results.filter((result) => result === 'NTLM_CREDENTIALS_SUSPENDED')).toHaveLength(19);
    expect(server.failedLogons()).toBe(1);
  });

  it('K-3 is shared by dispatchers of one account', async () => {
    const { server, gate, send } = await setUp({ password: 'wrong' });
    const other = new NtlmDispatcher({ origin: server.url, logonPath: LOGON_PATH, gate });
    cleanup.add(() => other.destroy());
    await Promise.all([send(), send(), sender(server, other)(), sender(server, other)()]);
    expect(server.failedLogons()).toBe(1);
  });

  it('K-6 treats a new token in the 401 as a rejection', async () => {
    const script = (call: Call) => (call.token === 'NTLM3' ? offer('NTLM TlRMTVNTUAACAAAA')(call) : call.proceed());
    const { server, send } = await setUp({ script });
    expect((await repeat(10, send))[0]).toBe('NTLM_CREDENTIALS_REJECTED');
    expect(server.log.filter((line) => line.endsWith('NTLM3'))).toHaveLength(1);
  });

  it('K-7 continues at once with other credentials, and not with the same', async () => {
    const { server, gate, send } = await setUp({ password: 'wrong' });
    await send();
    expect(gate.reconfigure({ ...account, password: 'wrong' })).toBe(false);
    expect(await send()).toBe('NTLM_CREDENTIALS_SUSPENDED');
    expect(gate.reconfigure(account)).toBe(true);
    expect(await send()).toBe(200);
    expect(server.failedLogons()).toBe(1);
  });

  it('K-7 retires connections of the old credentials, busy ones too', async () => {
    const { server, gate, dispatcher, send } = await setUp();
    await send();
    const busy = send();
    gate.reconfigure({ ...account, workstation: '', password: 'next' });
    server.setPassword('next');
    expect(await busy).toBe(200);
    expect(await send()).toBe(200);
    await eventually('a second connection', () => dispatcher.stats.sockets === 2);
    expect(server.log.slice(-2)).toEqual(['2:logon+NTLM3', '2:GET']);
  });

  it('K-8 runs requests concurrently if the server requires no logon', async () => {
    let running = 0;
    let peak = 0;
    const script = (call: Call) => {
      running += 1;
      peak = Math.max(peak, running);
      // long enough for all concurrent requests to arrive
      setTimeout(() => {
        running -= 1;
        call.response.end('ok');
      }, 30);
    };
    const { send } = await setUp({ script, connections: 4 });
    await Promise.all(Array.from({ length: 20 }, () => send()));
    expect(peak).toBe(4);
  });
});
