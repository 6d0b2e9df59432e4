import { request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { createCleanup, eventually } from '../../support/harness.ts';
import { type Call, LOGON_PATH } from '../../support/scripted-server.ts';
import { type ScriptedOptions, setUpScripted } from './scripted-transport.ts';

/** Logons whose verdict does not come, and how the transport recovers. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const setUp = (script: (call: Call) => void, options: ScriptedOptions = {}) => setUpScripted(cleanup, script, options);

describe('a logon without verdict', () => {
  it('resets before the challenge do not count as logons', async () => {
    let isBroken = true;
    const setup = await setUp((call) => {
      if (isBroken) call.socket.resetAndDestroy();
      else call.proceed();
    });
    const { clock, server, send, logons, gate, recoveries } = setup;
    // the first exchange is reset: no logon was sent
    expect(['ECONNRESET', 'UND_ERR_SOCKET', 'NTLM_CONNECTION_LOST']).toContain(await send());
    expect([logons(), gate.standing()]).toEqual([0, { is: 'ready' }]);
    isBroken = false;
    expect(await send()).toBe(200);
    expect([logons(), recoveries()]).toEqual([1, 0]);
    server.closeSockets();
    await clock.advance(1);
    expect(await send()).toBe(200);
    expect(logons()).toBe(2);
  });

  it('is not counted if this process closes the connection, and the credentials were proven just before', async () => {
    const held: Call[] = [];
    const { dispatcher, gate, send, logons } = await setUp((call) => {
      if (call.token.endsWith('3') && logons() > 1) held.push(call);
      // the first connection is busy, so the next request needs another one
      else if (call.request.url === '/busy') held.push(call);
      else call.proceed();
    });
    expect(await send()).toBe(200);
    const others = [send(10_000, '/busy'), send()];
    await eventually('a logon without verdict', () => logons() === 2);
    await dispatcher.destroy();
    await Promise.all(others);
    expect(gate.standing()).toEqual({ is: 'ready' });
  });

  it('is counted if this process closes the connection, and nothing has proven the credentials', async () => {
    const held: Call[] = [];
    const { dispatcher, gate, send, logons } = await setUp((call) => {
      if (call.token.endsWith('3')) held.push(call);
      else call.proceed();
    });
    const other = send();
    await eventually('a logon without verdict', () => logons() === 1);
    await dispatcher.destroy();
    await other;
    expect(gate.standing()).toMatchObject({ is: 'unchecked' });
  });

  it('K-4 resets: the next one is sent when the path has worked three times', async () => {
    let isBroken = true;
    const { clock, server, send, logons, recoveries } = await setUp((call) => {
      if (isBroken && call.token.endsWith('3')) call.socket.resetAndDestroy();
      else call.proceed();
    });
    expect(await send()).toBe('NTLM_CONNECTION_LOST');
    expect(await send()).toBe('NTLM_PATH_UNCHECKED');
    isBroken = false;
    await clock.advance(29);
    expect(server.log).toEqual(['1:logon+NTLM1', '1:logon+NTLM3']);
    expect(await send()).toBe('NTLM_PATH_UNCHECKED');
    await clock.advance(8);
    await eventually('recovered', () => recoveries() === 1);
    expect(server.log.slice(2)).toEqual([
      '2:logon+NTLM1',
      '3:logon+NTLM1',
      '4:logon+NTLM1',
      '5:logon+NTLM1',
      '5:logon+NTLM3',
    ]);
    expect(await send()).toBe(200);
    expect(logons()).toBe(2);
  });

  it('while the path is broken, probes continue and no logon is sent', async () => {
    let isBroken = false;
    const { clock, server, send, logons, recoveries } = await setUp((call) => {
      if (isBroken || call.token.endsWith('3')) call.socket.resetAndDestroy();
      else call.proceed();
    });
    await send();
    isBroken = true;
    await clock.advance(300);
    expect(logons()).toBe(1);
    // 1, 2, 4, 8, 16, 30, 30, … seconds apart
    const probes = server.log.filter((line) => line.endsWith('NTLM1')).length;
    expect(probes).toBeGreaterThan(8);
    expect(probes).toBeLessThan(20);
    expect(recoveries()).toBe(0);
  });

  it('K-5 hangs: two are sent, callers wait no longer than their timeout, and a late verdict ends the wait', async () => {
    const held: Call[] = [];
    const { clock, send, logons, gate, recoveries } = await setUp((call) => {
      if (call.token.endsWith('3') && held.length < 2) held.push(call);
      else call.proceed();
    });
    // long enough for a busy host to send the logon
    expect(await send(1000)).toBe('TimeoutError');
    expect(logons()).toBe(1);
    await clock.advance(31);
    expect(await send()).toBe('NTLM_PATH_UNCHECKED');
    await clock.advance(145);
    expect(logons()).toBe(1);
    await clock.advance(15);
    await eventually('a second logon', () => logons() === 2);
    await clock.advance(31);
    expect(await send()).toBe('NTLM_CREDENTIALS_SUSPENDED');
    expect(gate.standing()).toMatchObject({ is: 'suspended', because: 'spent' });
    await clock.advance(100);
    expect(logons()).toBe(2);
    held[0]?.proceed();
    await eventually('the late verdict', () => gate.authenticated === true);
    expect(await send()).toBe(200);
    held[1]?.proceed();
    await eventually('the other one', () => gate.standing().is === 'ready');
    expect(logons()).toBe(2);
    expect(recoveries()).toBeLessThanOrEqual(1);
  });

  it('connections that have their verdict continue to serve', async () => {
    let isBroken = false;
    const waiting: Call[] = [];
    const { send, logons } = await setUp(
      (call) => {
        if (isBroken && call.token.endsWith('3')) call.socket.resetAndDestroy();
        else if (isBroken && waiting.length === 0) waiting.push(call);
        else call.proceed();
      },
      { connections: 2 },
    );
    expect(await send()).toBe(200);
    isBroken = true;
    // one connection is busy, so the other request needs a new one, whose logon is lost
    const first = send();
    await eventually('the first is at the server', () => waiting.length === 1);
    expect(await send()).toBe('NTLM_CONNECTION_LOST');
    const third = send();
    waiting[0]?.proceed();
    expect(await Promise.all([first, third])).toEqual([200, 200]);
    expect(logons()).toBe(2);
  });

  it.each([
    ['429 with Retry-After', 429, { 'retry-after': '120' }, 'NTLM_THROTTLED', 120],
    ['429 without', 429, {}, 'NTLM_THROTTLED', 30],
    [
      '503 with a date in the far future',
      503,
      { 'retry-after': 'Fri, 31 Dec 2100 23:59:59 GMT' },
      'NTLM_THROTTLED',
      300,
    ],
    ['500', 500, {}, 'NTLM_NO_VERDICT', 0],
  ])('%s is not a verdict, and the requested pause is respected', async (_, status, headers, code, pause) => {
    let isBroken = true;
    const { clock, server, send, logons, gate } = await setUp((call) => {
      if (isBroken && call.token.endsWith('3')) call.response.writeHead(status, headers).end();
      else call.proceed();
    });
    expect(await send()).toBe(code);
    expect([logons(), gate.authenticated]).toEqual([1, undefined]);
    isBroken = false;
    await clock.advance(pause - 1);
    if (pause > 30) expect(server.log).toHaveLength(2);
    await clock.advance(pause === 0 ? 60 : 41);
    await eventually('the server has recovered', async () => (await send()) === 200);
    expect(logons()).toBe(2);
  });

  it('if a server requires a logon per request, a slow query does not count and the next one is sent', async () => {
    const slow: Call[] = [];
    const setup = await setUp(
      (call) => {
        call.response.setHeader('persistent-auth', 'false');
        if (call.request.url === '/slow' && call.token.endsWith('3')) slow.push(call);
        else call.proceed();
      },
      { connections: 2 },
    );
    const { server, dispatcher, send, gate } = setup;
    expect(await send()).toBe(200);
    for (let i = 1; i <= 3; i += 1) {
      const given = new AbortController();
      const asked = expect(request(`${server.url}/slow`, { dispatcher, signal: given.signal })).rejects.toThrow();
      await eventually('it waits for its answer', () => slow.length === i);
      given.abort();
      await asked;
      expect(gate.standing()).toEqual({ is: 'ready' });
      expect(await send()).toBe(200);
    }
  });

  it('if only the cheapest call needs no logon, the query carries the logon', async () => {
    let isBroken = false;
    const setup = await setUp((call) => {
      if (call.request.url === LOGON_PATH) call.response.end('ok');
      else if (isBroken && call.token.endsWith('3')) call.socket.resetAndDestroy();
      else call.proceed();
    });
    const { server, send, gate } = setup;
    expect(await send()).toBe(200);
    expect(server.log).toEqual(['1:logon+NTLM1', '1:GET', '1:logon+NTLM1', '1:GET+NTLM1', '1:GET+NTLM3']);
    isBroken = true;
    // nothing has proven the credentials, so the message counts
    expect(await send()).toBe('NTLM_CONNECTION_LOST');
    expect(gate.standing()).toMatchObject({ is: 'unchecked' });
  });
});
