import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { ntHash } from '../../src/base/ntlm/primitives.ts';
import { endpoints } from '../../src/base/query-api/endpoints.ts';
import { account, createCleanup, startAnalyzer, WORKDAY } from '../support/harness.ts';
import { peer } from '../support/peers.ts';
import { startScripted } from '../support/scripted-server.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const run = promisify(execFile);
const user = `CORP\\${account.username}:${account.password}`;

/** Output format of curl: status and number of new connections of each URL, after the body. */
const curl = async (...args: string[]): Promise<string> =>
  (await run('curl', ['-s', '--ntlm', '-w', '|%{http_code} %{num_connects}\n', ...args])).stdout;

describe.runIf(peer('curl'))('curl --ntlm', () => {
  it('logs on to the analyzer and keeps its connection', async () => {
    const { url, stop } = await startAnalyzer();
    cleanup.add(stop);
    const output = await curl('-u', user, ...[1, 2, 3].map(() => `${url}/api/GetHttpUserName`));
    expect(output).toBe('CORP\\svc-lic|200 1\nCORP\\svc-lic|200 0\nCORP\\svc-lic|200 0\n');
  });

  it('can log on without a domain', async () => {
    const { url, stop } = await startAnalyzer();
    cleanup.add(stop);
    const output = await curl('-u', `${account.username}:${account.password}`, `${url}/api/GetHttpUserName`);
    expect(output).toContain('CORP\\svc-lic|200');
  });

  it('is rejected with a wrong password', async () => {
    const { url, stop } = await startAnalyzer();
    cleanup.add(stop);
    expect(await curl('-u', `CORP\\${account.username}:wrong`, `${url}/api/GetHttpUserName`)).toBe('|401 1\n');
  });

  it('gets 429 while it is throttled, and is served with the right password after it', async () => {
    let now = WORKDAY;
    const verdicts: string[] = [];
    const users = () => [{ name: account.username, ntHash: ntHash(account.password) }];
    const onVerdict = ({ reason = 'ok' }: { reason?: string }) => {
      verdicts.push(reason);
      // after the rejection, the time in Retry-After passes
      if (reason === 'throttled') now += 1;
    };
    const { url, stop } = await startAnalyzer({ now: () => now }, { gate: { domain: 'CORP', users, onVerdict } });
    cleanup.add(stop);
    const path = `${url}/api/GetHttpUserName`;
    for (let i = 0; i < 3; i += 1) expect(await curl('-u', `${account.username}:wrong`, path)).toBe('|401 1\n');
    // three requests of one process: rejected, then served on the same connection, which stays logged on as that user
    const output = await curl('-D', '-', '-u', user, path, path, path);
    expect(verdicts).toEqual([...Array(3).fill('bad-password'), 'throttled', 'ok']);
    expect(output.match(/HTTP\/1.1 \d+|retry-after: .*(?=\r)|\|\d+ \d+/gi)).toEqual([
      'HTTP/1.1 401',
      'HTTP/1.1 429',
      'retry-after: 1',
      '|429 1',
      'HTTP/1.1 401',
      'HTTP/1.1 401',
      'HTTP/1.1 200',
      '|200 0',
      'HTTP/1.1 200',
      '|200 0',
    ]);
  });

  it('gets products, and the bare integer by POST', async () => {
    const { url, stop } = await startAnalyzer();
    cleanup.add(stop);
    const products = await curl('-u', user, '-G', '--data-urlencode', 'filters=sim-lic01%', `${url}/api/GetProducts`);
    expect(JSON.parse(products.split('|')[0] ?? '')).toMatchObject([
      { Product: 'sim-lic01;sim_cadd', IsCurrent: true },
    ]);
    expect(await curl('-u', user, '-X', 'POST', `${url}/api/GetConcurrentUsers`)).toMatch(/^\d+\|200 1\n$/);
  });

  it('gets every endpoint, and the OpenAPI document', async () => {
    const { url, stop, collector } = await startAnalyzer();
    cleanup.add(stop);
    const [first] = collector.current();
    const all: Record<string, string> = {
      product: first?.name ?? '',
      feature: '%',
      package: '',
      format: 'sql',
      sortdatafield: 'Username',
      year: '2026',
      month: '11',
    };
    for (const [name, { path, method, parameters }] of Object.entries(endpoints)) {
      const given = parameters.filter(({ required }) => required).map((parameter) => parameter.name);
      const query = new URLSearchParams(given.map((key): [string, string] => [key, all[key] ?? '']));
      const output = await curl('-u', user, '-X', method, `${url}${path}?${query}`);
      expect({ name, status: output.slice(output.lastIndexOf('|')) }).toEqual({ name, status: '|200 1\n' });
    }
    for (const logon of [['-u', user], []]) {
      const document = await curl(...logon, `${url}/openapi.json`);
      expect(JSON.parse(document.slice(0, document.lastIndexOf('|')))).toMatchObject({ openapi: '3.1.0' });
    }
  });

  it('sends the body of a request only once', async () => {
    const server = await startScripted();
    cleanup.add(() => server.stop());
    expect(await curl('-u', user, '-d', 'the=body', `${server.url}/x`)).toBe('ok|200 1\n');
    expect(server.bodies).toEqual(['the=body']);
  });
});
