import { afterEach, expect, it } from 'vitest';
import { patience } from '../support/extent.ts';
import { account, createCleanup, createClient, eventually, startAnalyzer } from '../support/harness.ts';
import type { Fault } from './fault.ts';
import { startFaultProxy } from './fault-proxy.ts';

/** The fault proxy injects the faults of a plan, and no others. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());
const never = new AbortController().signal;
/** Seconds that a client waits for an answer that does not come: a host under load gives the others sooner. */
const TIMEOUT = 6;

/** @param timeout seconds */
async function start(timeout = patience / 1000) {
  const analyzer = await startAnalyzer();
  cleanup.add(() => analyzer.stop());
  const proxy = await startFaultProxy(cleanup, analyzer.url, 1);
  const { client } = createClient(proxy.url, { timeout, maxResponseSize: 1_000_000 });
  cleanup.add(() => client.close());
  const outcome = (): Promise<string> =>
    client.getProducts({}, never).then(
      () => 'ok',
      (error: { kind: string }) => error.kind,
    );
  return { proxy, outcome };
}

const faults: readonly (readonly [string, Fault, string])[] = [
  ['a short delay', { kind: 'delay', ms: 10 }, 'ok'],
  ['a long delay', { kind: 'delay', ms: 10_000 * TIMEOUT }, 'timeout'],
  ['drip', { kind: 'drip', bytes: 1, everyMs: 50 }, 'timeout'],
  ['headers byte by byte', { kind: 'loris', everyMs: 50 }, 'timeout'],
  ['corrupt', { kind: 'corrupt' }, 'parse'],
  ['reset', { kind: 'reset' }, 'connect'],
  ['status', { kind: 'status', status: 502 }, 'status'],
  ['no HTTP', { kind: 'garbage' }, 'parse'],
  ['deep', { kind: 'bomb', shape: 'deep', bytes: 100_000 }, 'too_large'],
  ['endless', { kind: 'bomb', shape: 'endless', bytes: 50_000_000 }, 'too_large'],
  ['redirect', { kind: 'redirect' }, 'status'],
  ['a login page', { kind: 'html' }, 'parse'],
  ['stall', { kind: 'stall' }, 'timeout'],
];

it.each(faults)('injects %s, and forwards the next answers unchanged', async (_, fault, expected) => {
  const { proxy, outcome } = await start(expected === 'timeout' ? TIMEOUT : undefined);
  expect(await outcome()).toBe('ok');
  const { logons } = proxy.ledger;
  expect(logons.map(({ user, verdict, received }) => [user, verdict, received?.status])).toEqual([
    ['svc-lic', 'good', 200],
  ]);
  const end = proxy.begin(fault, 'GetProducts');
  expect(await outcome()).toBe(expected);
  end();
  // on a machine under load, a new connection and its logon can take longer than the timeout
  await eventually('an answer', async () => (await outcome()) === 'ok');
});

it('counts a logon whose verdict it drops, with the verdict of the server', async () => {
  const { proxy, outcome } = await start();
  proxy.begin({ kind: 'swallow' }, 'verdicts');
  for (const password of [account.password, 'another']) proxy.ledger.give(password);
  expect(await outcome()).toBe('connect');
  expect(proxy.ledger.logons[0]).toMatchObject({ user: 'svc-lic', password: account.password, verdict: 'good' });
  expect(proxy.ledger.logons[0]?.received).toBeUndefined();
});

it('counts the logons that are open, until their verdict or the end of their connection', async () => {
  const { proxy, outcome } = await start(TIMEOUT);
  expect(await outcome()).toBe('ok');
  expect(proxy.openLogons).toBe(0);
  proxy.resetAll();
  await eventually('no connection', () => proxy.connections === 0);
  proxy.begin({ kind: 'stall' }, 'verdicts');
  expect(await outcome()).toBe('timeout');
  expect(proxy.openLogons).toBe(1);
  proxy.resetAll();
  await eventually('no open logon', () => proxy.openLogons === 0);
});
