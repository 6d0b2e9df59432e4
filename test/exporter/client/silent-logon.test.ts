import { afterEach, describe, expect, it } from 'vitest';
import { startFaultProxy } from '../../storm/fault-proxy.ts';
import { createCleanup, eventually } from '../../support/harness.ts';
import type { Call } from '../../support/scripted-server.ts';
import { LOGON_PATH } from '../../support/scripted-server.ts';
import { setUpScripted } from './scripted-transport.ts';

/** A logon that is not answered: after 10 s, a request without a logon goes behind it. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const isLogon = ({ token }: Call): boolean => token.endsWith('3');
const isBehind = ({ token, request }: Call): boolean => token === '' && request.url === LOGON_PATH;

/** A server behind a proxy that loses the answers to logons until that is ended. */
async function setUpLossy(script?: (call: Call) => void) {
  const proxyOf: { end?: () => void } = {};
  const set = await setUpScripted(cleanup, script ?? (({ proceed }) => proceed()), {}, async (url) => {
    const proxy = await startFaultProxy(cleanup, url, 1);
    proxyOf.end = proxy.begin({ kind: 'stall', forwards: true }, 'verdicts');
    return proxy.url;
  });
  return { ...set, end: () => proxyOf.end?.() };
}

describe('a logon that is not answered', () => {
  it('and whose answer was lost: the request behind it shows that it was accepted', async () => {
    const { clock, send, gate, logons, end, server } = await setUpLossy();
    // time for the logon to come to the server
    expect(await send(2000)).toBe('TimeoutError');
    end();
    await clock.advance(9);
    expect(server.log).toEqual(['1:logon+NTLM1', '1:logon+NTLM3']);
    await clock.advance(1);
    await eventually('the request behind it', () => server.log.length > 2);
    await eventually('a good verdict', () => gate.authenticated === true);
    expect(server.log.slice(2)).toEqual(['1:logon']);
    // answers on that connection would count for the wrong request
    const sent = send();
    await clock.advance(3);
    expect(await sent).toBe(200);
    expect([server.log.at(-1), logons()]).toEqual(['2:GET', 2]);
  });

  it('and is slow: both are answered, and the connection is used', async () => {
    const held: Call[] = [];
    const { clock, send, server, gate } = await setUpScripted(cleanup, (call) => {
      if (isLogon(call)) held.push(call);
      else call.proceed();
    });
    const sent = send();
    await eventually('the logon is at the server', () => held.length === 1);
    await clock.advance(12);
    held[0]?.proceed();
    await eventually('a good verdict', () => gate.authenticated === true);
    expect(await sent).toBe(200);
    expect(server.log.slice(2)).toEqual(['1:logon', '1:GET']);
  });

  it('and is rejected late: both are answered with 401, and no logon follows', async () => {
    const held: Call[] = [];
    const { clock, send, server, gate, logons } = await setUpScripted(cleanup, (call) => {
      if (isLogon(call)) held.push(call);
      else call.proceed();
    });
    server.setPassword('another');
    const sent = send();
    await eventually('the logon is at the server', () => held.length === 1);
    await clock.advance(12);
    held[0]?.proceed();
    expect(await sent).toBe('NTLM_CREDENTIALS_REJECTED');
    expect(gate.standing()).toMatchObject({ is: 'suspended', because: 'rejected' });
    await clock.advance(60);
    expect(logons()).toBe(1);
  });

  it('and a 401 to the request behind it is no rejection: the logon is without verdict', async () => {
    const { clock, send, gate, server, end } = await setUpLossy((call) => {
      if (isBehind(call)) call.response.writeHead(401, { 'www-authenticate': 'NTLM', 'content-length': 0 }).end();
      else call.proceed();
    });
    expect(await send(200)).toBe('TimeoutError');
    end();
    await clock.advance(10);
    await eventually('the request behind', () => server.log.at(-1) === '1:logon');
    await clock.advance(3);
    expect(gate.standing()).toMatchObject({ is: 'unchecked' });
    expect(gate.authenticated).toBeUndefined();
  });
});
