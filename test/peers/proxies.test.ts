import { afterEach, describe, expect, it } from 'vitest';
import type { QueryError } from '../../src/base/model/failure.ts';
import { startFaultProxy } from '../storm/fault-proxy.ts';
import { createCleanup, createClient, startAnalyzer } from '../support/harness.ts';
import { peer } from '../support/peers.ts';
import { startApache } from '../support/start-apache.ts';
import { type ProxyName, startProxy } from '../support/start-proxy.ts';

/** Reverse proxies between exporter and analyzer, and servers that close idle connections quickly. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const never = new AbortController().signal;
// these tests are about the idle timeout of a server, so they must wait for it
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

type Client = ReturnType<typeof createClient>['client'];

/** The number of results by failure kind, including `ok`, and the messages of the failures. */
interface Tally {
  readonly kinds: Readonly<Record<string, number>>;
  readonly messages: readonly string[];
}

async function ask(client: Client, requests: number, atOnce: number): Promise<Tally> {
  const kinds: Record<string, number> = {};
  const messages: string[] = [];
  const one = async (_: unknown, at: number): Promise<void> => {
    const kind = await (at % 2 === 0 ? client.getHttpUserName({}, never) : client.getProducts({}, never)).then(
      () => 'ok',
      (error: QueryError) => {
        messages.push(error.message);
        return error.kind;
      },
    );
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  };
  for (let done = 0; done < requests; done += atOnce) await Promise.all(Array.from({ length: atOnce }, one));
  return { kinds, messages };
}

/** An analyzer behind a proxy, and a count of the AUTHENTICATE messages between them. */
async function startBehind(name: ProxyName, server: 'ours' | 'Apache' = 'ours') {
  const start = async (): Promise<string> => {
    if (server === 'Apache') return (await startApache(cleanup)).url;
    const analyzer = await startAnalyzer();
    cleanup.add(() => analyzer.stop());
    return analyzer.url;
  };
  // a proxy without faults, for its ledger of logons
  const counter = await startFaultProxy(cleanup, await start(), 1);
  const url = await startProxy(cleanup, name, counter.url);
  const { client, gate } = createClient(url);
  cleanup.add(() => client.close());
  return { client, gate, logons: () => counter.ledger.logons.length };
}

describe.runIf(peer('apache2', 'curl'))('Apache that closes idle connections soon', () => {
  it.each([1, 2])('answers 200 requests with a keep-alive of %s s', async (seconds) => {
    const apache = await startApache(cleanup, seconds);
    const { client } = createClient(apache.url);
    cleanup.add(() => client.close());
    const tally: Tally[] = [];
    // the pauses end close to the moment at which Apache closes the connection, when requests can be lost
    for (const wait of [0, seconds * 1000 - 20, seconds * 1000, seconds * 1000 + 20]) {
      await pause(wait);
      tally.push(await ask(client, 50, 1));
    }
    expect(tally.map(({ kinds }) => kinds)).toEqual([{ ok: 50 }, { ok: 50 }, { ok: 50 }, { ok: 50 }]);
    expect(apache.logons()).toBeLessThanOrEqual(4);
  });
});

describe.runIf(peer('haproxy'))('haproxy', () => {
  const works: ProxyName[] = [
    'haproxy with its defaults',
    'haproxy with http-reuse never',
    'haproxy with http-reuse always',
  ];
  it.each(works)('%s keeps a connection to the analyzer for each client connection', async (name) => {
    const { client, logons } = await startBehind(name);
    expect((await ask(client, 40, 4)).kinds).toEqual({ ok: 40 });
    expect(logons()).toBeLessThanOrEqual(4);
  });
});

/** Failure kinds that mean a proxy problem and not a wrong password. */
const pointsToTheProxy = ({ kinds, messages }: Tally): void => {
  expect(kinds.connection_not_kept ?? 0).toBeGreaterThan(0);
  expect(kinds.auth ?? 0).toBe(0);
  for (const message of messages) expect(message).toContain('reverse proxy');
};

describe.runIf(peer('nginx', 'haproxy'))('a proxy that opens a connection for each request', () => {
  const breaks: ProxyName[] = ['nginx with its defaults', 'haproxy with http-server-close', 'haproxy with httpclose'];
  it.each(breaks)('%s is detected, and no logon is sent to an analyzer that detects it too', async (name) => {
    const { client, gate, logons } = await startBehind(name);
    pointsToTheProxy(await ask(client, 20, 4));
    expect(logons()).toBe(0);
    expect(gate.retryAt).toBe(0);
  });

  it.runIf(peer('apache2'))('is detected in front of a server that does not detect it, after one logon', async () => {
    const { client, logons } = await startBehind('nginx with its defaults', 'Apache');
    // Apache has no context for this message, so the logon does not count for an account
    const { kinds, messages } = await ask(client, 20, 4);
    expect(kinds.ok ?? 0).toBe(0);
    expect(messages.join('\n')).toMatch(/reverse proxy/);
    expect(logons()).toBeLessThanOrEqual(1);
  });
});

describe.runIf(peer('nginx'))('nginx that shares upstream connections', () => {
  const pools: ProxyName[] = ['nginx with pooled upstream connections', 'nginx with one pooled upstream connection'];
  it.each(pools)('%s is detected', async (name) => {
    const { client, logons } = await startBehind(name);
    const tally = await ask(client, 40, 4);
    if (tally.kinds.ok !== 40) pointsToTheProxy(tally);
    expect(logons()).toBeLessThanOrEqual(4);
  });

  it.runIf(peer('apache2'))(
    'is detected in front of Apache, which refuses a second logon on a connection',
    async () => {
      // sometimes all requests succeed by chance
      for (let attempt = 1; ; attempt += 1) {
        const { client, logons } = await startBehind('nginx with pooled upstream connections', 'Apache');
        const tally = await ask(client, 40, 4);
        if (tally.kinds.ok === 40 && attempt < 5) continue;
        pointsToTheProxy(tally);
        expect(logons()).toBeLessThanOrEqual(2);
        return;
      }
    },
  );
});
