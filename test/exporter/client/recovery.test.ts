import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/exporter/client/credential-gate.ts';
import { withMessage } from '../../../src/exporter/client/logon-budget.ts';
import { account, createCleanup, eventually } from '../../support/harness.ts';
import { type Call, LOGON_PATH } from '../../support/scripted-server.ts';
import { type ScriptedOptions, setUpScripted } from './scripted-transport.ts';

/** Servers that recover from a temporary problem. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const setUp = (script: (call: Call) => void, options: ScriptedOptions = {}) => setUpScripted(cleanup, script, options);

const isCheap = ({ request }: Call): boolean => request.url === LOGON_PATH;

/** Sends a 401 that offers these schemes without a challenge. */
const offer = ({ response }: Call, ...offers: string[]): void => {
  response.writeHead(401, { 'www-authenticate': offers, 'content-length': 0 }).end();
};

/** A store in which another process leaves a message without a verdict. */
function createSharedStore() {
  const store = createMemoryStore();
  const leave = (sentAt: number): void => {
    const message = {
      id: 'other',
      password: 'other',
      sentAt,
      countsUntil: sentAt + 1_860_000,
      carrier: 'cheap',
    } as const;
    store.change(account, (before) => withMessage(before, { ...message, outcome: 'no_verdict' }));
  };
  return { store, leave };
}

describe('a server that has recovered', () => {
  it('is detected if it offers only Negotiate, also by a new process', async () => {
    const { store, leave } = createSharedStore();
    const { clock, send } = await setUp(
      (call) => (call.token.startsWith('NTLM') ? offer(call, 'Negotiate') : call.proceed()),
      { gate: { store } },
    );
    leave(clock.now());
    expect(await send()).toBe('NTLM_PATH_UNCHECKED');
    await clock.advance(40);
    expect(await send()).toBe(200);
  });

  it('gets no probes until the requested time is over', async () => {
    let isBroken = true;
    const { clock, server, send, logons } = await setUp((call) => {
      if (!isBroken) call.proceed();
      else if (call.token.endsWith('3')) call.socket.resetAndDestroy();
      else if (call.number > 2) call.response.writeHead(429, { 'retry-after': '120' }).end();
      else call.proceed();
    });
    expect(await send()).toBe('NTLM_CONNECTION_LOST');
    await clock.advance(100);
    expect(server.log).toHaveLength(3);
    isBroken = false;
    await clock.advance(60);
    await eventually('another logon', () => logons() === 2);
    expect(await send()).toBe(200);
  });

  it('gets a logon while the verdict on an earlier one is still open', async () => {
    const held: Call[] = [];
    const { clock, send, logons } = await setUp((call) => {
      if (call.token.endsWith('3') && held.length < 2) held.push(call);
      else call.proceed();
    });
    expect(await send(200)).toBe('TimeoutError');
    await clock.advance(195);
    await eventually('a second logon', () => logons() === 2);
    held[0]?.proceed();
    await eventually('the late verdict', async () => (await send()) === 200);
    await clock.advance(31);
    held[0]?.socket.destroy();
    await clock.advance(10);
    expect(await send()).toBe(200);
  });

  it('does not prevent a clean close while a request waits for the logon that ends the recovery', async () => {
    const seen: Call[] = [];
    const setup = await setUp(
      (call) => {
        if (call.token.endsWith('3')) seen.push(call);
        if (seen.length === 1 && call === seen[0]) call.socket.resetAndDestroy();
        else if (call !== seen[1]) call.proceed();
      },
      { connections: 1 },
    );
    const { clock, dispatcher, send } = setup;
    expect(await send()).toBe('NTLM_CONNECTION_LOST');
    await clock.advance(38);
    await eventually('the logon of the recovery', () => seen.length === 2);
    const waiting = send();
    const closed = dispatcher.close();
    seen[1]?.proceed();
    expect(await waiting).toBe(200);
    await closed;
  });

  it('gets logons in the scheme that it now offers', async () => {
    let isKerberosOnly = true;
    const { send } = await setUp((call) => {
      if (isKerberosOnly) offer(call, 'Negotiate');
      else if (call.token.startsWith('Negotiate')) offer(call, 'Negotiate', 'NTLM');
      else call.proceed();
    });
    expect(await send()).toBe('NTLM_KERBEROS_ONLY');
    isKerberosOnly = false;
    expect(await send()).toBe(200);
  });

  it('is probed also if queries carry the logon', async () => {
    const { store, leave } = createSharedStore();
    const { clock, send } = await setUp((call) => (isCheap(call) ? call.response.end('ok') : call.proceed()), {
      gate: { store },
    });
    expect(await send()).toBe(200);
    leave(clock.now());
    expect(await send()).toBe('NTLM_PATH_UNCHECKED');
    await clock.advance(40);
    expect(await send()).toBe(200);
  });

  it('is logged on to again 60 s after it rejected a password that it had accepted, without a request', async () => {
    let isBroken = false;
    const { clock, server, gate, send, logons, recoveries } = await setUp((call) => {
      if (isBroken && call.token !== '' && !call.token.endsWith('1')) offer(call, 'NTLM');
      else if (isBroken && call.token === '') offer(call, 'NTLM');
      else call.proceed();
    });
    expect(await send()).toBe(200);
    isBroken = true;
    server.closeSockets();
    await clock.advance(1);
    expect(await send()).toBe('NTLM_CONNECTION_SHARED');
    isBroken = false;
    expect(await send()).toBe('NTLM_CREDENTIALS_SUSPENDED');
    await clock.advance(59);
    expect([logons(), recoveries()]).toEqual([2, 0]);
    await clock.advance(2);
    expect([gate.standing(), recoveries()]).toEqual([{ is: 'ready' }, 1]);
    expect([await send(), logons()]).toEqual([200, 3]);
  });

  it('serves on connections that are logged on while a rejection is unconfirmed, and no longer after', async () => {
    let isBroken = false;
    const held: Call[] = [];
    const { clock, gate, send, logons, server } = await setUp(
      (call) => {
        if (isBroken && call.token.endsWith('3')) offer(call, 'NTLM');
        else if (call.request.url === '/held') held.push(call);
        else call.proceed();
      },
      { connections: 2 },
    );
    expect(await send()).toBe(200);
    isBroken = true;
    // the first connection is busy, so another one is needed
    const waiting = send(10_000, '/held');
    await eventually('the request is at the server', () => held.length === 1);
    expect(await send()).toBe('NTLM_CONNECTION_SHARED');
    held[0]?.proceed();
    expect(await waiting).toBe(200);
    expect([await send(), logons(), server.log.at(-1)]).toEqual([200, 2, '1:GET']);
    await clock.advance(61);
    const again = send(10_000, '/held');
    await eventually('the request is at the server', () => held.length === 2);
    expect(await send()).toBe('NTLM_CREDENTIALS_REJECTED');
    held[1]?.proceed();
    expect(await again).toBe(200);
    expect([await send(), logons()]).toEqual(['NTLM_CREDENTIALS_SUSPENDED', 3]);
    expect(gate.standing()).toMatchObject({ because: 'rejected_and_spent' });
  });

  it('gets no request until the requested time is over, also if queries carry the logon', async () => {
    let isBusy = false;
    const { clock, server, send } = await setUp((call) => {
      if (isCheap(call)) call.response.end('ok');
      else if (isBusy) call.response.writeHead(429, { 'retry-after': '120' }).end();
      else call.proceed();
    });
    expect(await send()).toBe(200);
    isBusy = true;
    expect(await send()).toBe('NTLM_THROTTLED');
    const before = server.log.length;
    expect(await send()).toBe('NTLM_THROTTLED');
    expect(server.log).toHaveLength(before);
    isBusy = false;
    await clock.advance(120);
    expect(await send()).toBe(200);
  });

  it.each([
    ['404', 404, {}],
    ['429 with a Retry-After of 0', 429, { 'retry-after': '0' }],
  ])('keeps its logons after it answered %s to the first message', async (_, status, headers) => {
    const { server, send } = await setUp((call) => {
      if (call.number === 1) call.response.writeHead(status, headers).end();
      else call.proceed();
    });
    await send();
    expect([await send(), await send(), await send()]).toEqual([200, 200, 200]);
    expect(server.log.filter((line) => line.endsWith('GET+NTLM3'))).toEqual([]);
  });

  it('proves the credentials again before queries carry the logon', async () => {
    let isBroken = false;
    const { clock, send, gate } = await setUp((call) => {
      call.response.setHeader('persistent-auth', 'false');
      if (isBroken && isCheap(call)) call.response.writeHead(404).end();
      else if (call.request.url !== '/slow' || call.token.endsWith('1')) call.proceed();
    });
    expect(await send()).toBe(200);
    isBroken = true;
    await clock.advance(11);
    await send();
    isBroken = false;
    await clock.advance(11);
    for (let i = 0; i < 2; i += 1) {
      expect(await send(100, '/slow')).toBe('TimeoutError');
      expect(gate.standing()).toEqual({ is: 'ready' });
    }
  });

  it('that occasionally drops a logon is not treated as one that requires a logon per request', async () => {
    let count = 0;
    const { server, send } = await setUp((call) => {
      if (call.token === '') count += 1;
      if (call.token === '' && count % 5 === 0) offer(call, 'NTLM');
      else call.proceed();
    });
    for (let i = 0; i < 20; i += 1) expect(await send()).toBe(200);
    expect(server.log.filter((line) => line.endsWith('GET+NTLM3'))).toEqual([]);
  });

  it('a query that carries a logon waits for the verdict on the previous one, even if older ones still receive data', async () => {
    const held = new Map<string, Call>();
    const { server, send } = await setUp(
      (call) => {
        call.response.setHeader('persistent-auth', 'false');
        const path = call.request.url ?? '';
        if (call.token.endsWith('3') && path.startsWith('/held')) {
          held.set(path, call);
          if (path === '/held-body') call.response.writeHead(200).write('o');
        } else call.proceed();
      },
      { connections: 4 },
    );
    expect(await send()).toBe(200);
    const body = send(5_000, '/held-body');
    await eventually('the status line of one', () => held.size === 1);
    const verdict = send(5_000, '/held-verdict');
    await eventually('the message of the next', () => held.size === 2);
    const third = send();
    held.get('/held-body')?.response.end('k');
    expect(await body).toBe(200);
    const lines = server.log.length;
    for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(server.log).toHaveLength(lines);
    held.get('/held-verdict')?.proceed();
    expect([await verdict, await third]).toEqual([200, 200]);
  });

  it('recovers after a verdict with an endless body', async () => {
    let isBroken = true;
    const { send } = await setUp(
      (call) => {
        if (!isBroken || !call.token.endsWith('3')) {
          call.proceed();
          return;
        }
        call.response.writeHead(200);
        const drip = setInterval(() => call.response.write('.'), 20);
        call.socket.on('close', () => clearInterval(drip));
      },
      { connections: 1, headersTimeout: 200 },
    );
    expect(await send(3_000)).toBe('UND_ERR_BODY_TIMEOUT');
    isBroken = false;
    expect(await send()).toBe(200);
  });

  it('can close connections that wait to log on', async () => {
    let held: Call | undefined;
    const waiting: Call[] = [];
    const { clock, send } = await setUp((call) => {
      if (call.token.endsWith('3') && held === undefined) held = call;
      else {
        if (held === undefined || waiting.length < 4) waiting.push(call);
        call.proceed();
      }
    });
    const results = [send(), send(), send(), send()];
    await eventually('all have their challenge', () => waiting.length === 4 && held !== undefined);
    await clock.advance(2);
    for (const { socket } of waiting) if (socket !== held?.socket) socket.destroy();
    await clock.advance(1);
    held?.proceed();
    expect(await Promise.all(results)).toEqual([200, 200, 200, 200]);
  });
});
