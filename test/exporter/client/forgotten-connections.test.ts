import { Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { IdleLimit } from '../../../src/exporter/client/idle-limit.ts';
import { type ForgettingFirewall, startForgettingFirewall } from '../../support/forgetting-firewall.ts';
import { createCleanup } from '../../support/harness.ts';
import type { Call } from '../../support/scripted-server.ts';
import { setUpScripted } from './scripted-transport.ts';

const cleanup = createCleanup();
afterEach(async () => {
  vi.restoreAllMocks();
  await cleanup.run();
});

async function setUp(script: (call: Call) => void = ({ proceed }) => proceed()) {
  let firewall: ForgettingFirewall | undefined;
  const limits: number[] = [];
  const site = await setUpScripted(cleanup, script, { onIdleLimit: (ms) => limits.push(ms / 1000) }, async (url) => {
    firewall = await startForgettingFirewall(cleanup, url);
    return firewall.url;
  });
  return { ...site, firewall: firewall as ForgettingFirewall, limits };
}

describe('a firewall that forgets idle connections', () => {
  it('costs one time-out: then none is used again that was idle for as long', async () => {
    const { firewall, clock, send, server, limits, logons } = await setUp();
    const pollLater = async (): Promise<number | string> => {
      await clock.advance(60);
      firewall.forget();
      return send(300, '/poll');
    };
    expect(await send(undefined, '/poll')).toBe(200);
    expect(await pollLater()).toBe('TimeoutError');
    expect([await pollLater(), await pollLater(), await pollLater()]).toEqual([200, 200, 200]);
    expect(limits).toEqual([30]);
    // one logon for each new connection, all of them good
    expect([firewall.opened(), logons(), server.failedLogons()]).toEqual([4, 4, 0]);
    // a connection that was just used is used again
    await clock.advance(20);
    expect([await send(undefined, '/poll'), firewall.opened()]).toEqual([200, 4]);
  });

  it('is not what a server is that does not answer a question: its connections are used again', async () => {
    const { clock, send, limits, firewall } = await setUp((call) => {
      if (call.request.url !== '/slow') call.proceed();
    });
    expect(await send()).toBe(200);
    await clock.advance(60);
    expect(await send(100, '/slow')).toBe('TimeoutError');
    expect([await send(), await send(100, '/slow'), await send()]).toEqual([200, 'TimeoutError', 200]);
    const opened = firewall.opened();
    await clock.advance(60);
    expect([await send(), firewall.opened(), limits]).toEqual([200, opened, []]);
  });

  it('sees a packet of each connection every 15 seconds', async () => {
    const keepAlive = vi.spyOn(Socket.prototype, 'setKeepAlive');
    const { send } = await setUp();
    expect(await send()).toBe(200);
    expect(keepAlive).toHaveBeenCalledWith(true, 15_000);
  });
});

describe('the limit of idle time', () => {
  const learn = (...events: readonly (readonly ['unanswered' | 'answered', string, number])[]) => {
    const learnt: number[] = [];
    const limit = new IdleLimit((ms) => learnt.push(ms));
    for (const [event, path, idleMs] of events) limit[event](path, idleMs);
    return { ms: limit.ms, learnt };
  };

  it('is half of what was too long, if the same question is answered then', () => {
    expect(learn(['unanswered', '/a', 60_000], ['answered', '/a', 0])).toEqual({ ms: 30_000, learnt: [30_000] });
    expect(learn(['unanswered', '/a', 60_000], ['answered', '/b', 0]).learnt).toEqual([]);
    expect(learn(['unanswered', '/a', 6_000], ['answered', '/a', 100]).ms).toBe(5_000);
    expect(learn(['unanswered', '/a', 4_000], ['answered', '/a', 0]).learnt).toEqual([]);
  });

  it('is not learnt if the question is not answered on a used connection, or is answered on one that was idle for longer', () => {
    const unanswered = ['unanswered', '/a', 60_000] as const;
    expect(learn(unanswered, ['unanswered', '/a', 100], ['answered', '/a', 0]).learnt).toEqual([]);
    expect(learn(unanswered, ['answered', '/a', 70_000], ['answered', '/a', 0]).learnt).toEqual([]);
  });
});
