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
  it('costs two time-outs: then none is used again that was idle for as long', async () => {
    const { firewall, clock, send, server, limits, logons } = await setUp();
    const pollLater = async (): Promise<number | string> => {
      await clock.advance(60);
      firewall.forget();
      return send(300, '/poll');
    };
    expect(await send(undefined, '/poll')).toBe(200);
    expect([await pollLater(), await pollLater(), limits]).toEqual(['TimeoutError', 200, []]);
    expect(await pollLater()).toBe('TimeoutError');
    expect([await pollLater(), await pollLater(), await pollLater()]).toEqual([200, 200, 200]);
    expect(limits).toEqual([30]);
    // one logon for each new connection, all of them good
    expect([firewall.opened(), logons(), server.failedLogons()]).toEqual([5, 5, 0]);
    // a connection that was just used is used again
    await clock.advance(20);
    expect([await send(undefined, '/poll'), firewall.opened()]).toEqual([200, 5]);
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
  const DAY = 24 * 3600;
  const create = () => {
    const learnt: number[] = [];
    let now = 0;
    const limit = new IdleLimit(
      () => now * 1000,
      (ms) => learnt.push(ms / 1000),
    );
    const later = (seconds: number): void => {
      now += seconds;
    };
    const unanswered = (path: string, idle: number, sentAt = now): void =>
      limit.unanswered(path, idle * 1000, sentAt * 1000);
    const answered = (path: string, idle: number): void => limit.answered(path, idle * 1000);
    /** A question is not answered on a connection that was idle, and is a moment later on a new one. */
    const sign = (idle: number): void => {
      later(idle);
      unanswered('/a', idle);
      later(1);
      answered('/a', 0);
    };
    return { limit: () => limit.ms / 1000, learnt, later, unanswered, answered, sign };
  };

  it('is half of what was too long twice, if the same question is answered each time then', () => {
    const { sign, limit, learnt } = create();
    sign(60);
    expect([limit(), learnt]).toEqual([Number.POSITIVE_INFINITY, []]);
    sign(60);
    expect([limit(), learnt]).toEqual([30, [30]]);
    // a stall alone does not lower it
    sign(20);
    expect(limit()).toBe(30);
    sign(20);
    expect([limit(), learnt]).toEqual([10, [30, 10]]);
    // of questions that were sent before
    sign(60);
    sign(60);
    expect(limit()).toBe(10);
  });

  it('is what both say, and at least 5 seconds', () => {
    const different = create();
    different.sign(600);
    different.sign(60);
    expect(different.limit()).toBe(300);
    const short = create();
    short.sign(6);
    short.sign(6);
    expect(short.limit()).toBe(5);
    const used = create();
    used.sign(4);
    used.sign(4);
    expect(used.learnt).toEqual([]);
  });

  it('is not learnt from one stall, which several questions can meet', () => {
    const { later, unanswered, answered, learnt } = create();
    later(60);
    unanswered('/a', 60, 60);
    later(10);
    answered('/a', 0);
    later(20);
    unanswered('/b', 60, 61);
    answered('/b', 0);
    expect(learnt).toEqual([]);
  });

  it('is not learnt if something is answered between on a connection that was idle for as long', () => {
    const { sign, answered, learnt } = create();
    sign(60);
    answered('/b', 60);
    sign(60);
    expect(learnt).toEqual([]);
    answered('/b', 59);
    sign(60);
    expect(learnt).toEqual([30]);
  });

  it('is not learnt from two stalls that are a day apart', () => {
    const { sign, later, learnt } = create();
    sign(60);
    later(DAY);
    sign(60);
    expect(learnt).toEqual([]);
  });

  it('is tried again after a day', () => {
    const { sign, later, limit, learnt } = create();
    sign(60);
    sign(60);
    later(DAY - 1);
    expect(limit()).toBe(30);
    later(1);
    expect(limit()).toBe(Number.POSITIVE_INFINITY);
    sign(80);
    sign(80);
    expect(learnt).toEqual([30, 40]);
  });

  it('is not learnt if the question is not answered on a used connection, or is answered on one that was idle for longer', () => {
    const { sign, later, unanswered, answered, learnt } = create();
    sign(60);
    later(60);
    unanswered('/a', 60);
    answered('/b', 0);
    unanswered('/a', 0.1);
    answered('/a', 0);
    expect(learnt).toEqual([]);
    later(60);
    unanswered('/a', 60);
    answered('/a', 70);
    sign(60);
    expect(learnt).toEqual([]);
  });
});
