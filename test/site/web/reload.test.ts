import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { promisify } from 'node:util';
import { hashSync } from 'bcryptjs';
import { afterEach, describe, expect, it } from 'vitest';
import { type Access, openAccess } from '../../../src/site/web/access.ts';
import { createWebServer } from '../../../src/site/web/server.ts';
import { startBrowser, views } from '../../support/browser.ts';
import { createCleanup, createTestLog } from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';
import { testSite } from '../../support/served-page.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

interface Started {
  readonly url: string;
  readonly reloads: () => number;
}

interface Options {
  readonly enabled?: boolean;
  readonly access?: Access;
  readonly host?: string;
  readonly reason?: string;
}

async function start({ enabled = true, access = openAccess, host = '127.0.0.1', reason }: Options = {}) {
  let reloads = 0;
  const web = createWebServer({
    listen: [{ host, port: 0 }],
    telemetryPath: '/metrics',
    site: testSite,
    metricsPage: async () => ({ status: 200, headers: {}, body: Buffer.from('') }),
    isReady: () => true,
    protectHealth: () => false,
    reload: {
      isEnabled: () => enabled,
      run: async () => {
        reloads += 1;
        return reason;
      },
    },
    mounts: [],
    access: () => access,
    log: createTestLog(),
  });
  cleanup.add(() => web.stop());
  await web.start();
  const [url = ''] = web.addresses();
  return { url, reloads: () => reloads } satisfies Started;
}

/** curl sends each header as it is given, also those that `fetch` does not. */
async function curl(url: string, ...args: readonly string[]): Promise<string> {
  const format = ['-s', '-w', '%{http_code}', '-X', 'POST'];
  const { stdout } = await promisify(execFile)('curl', [...format, ...args, `${url}/-/reload`]);
  return stdout.replace('\n', ' ');
}

const users: Access = { ...openAccess, users: new Map([['ops', hashSync('right', 4)]]) };

describe.runIf(peer('curl'))('the reload over HTTP', () => {
  it('answers 200, or 500 with the reason', async () => {
    const { url, reloads } = await start();
    expect(await curl(url)).toBe('Reloaded. 200');
    expect(await curl(url, '-X', 'PUT')).toBe('Reloaded. 200');
    expect(reloads()).toBe(2);
    const broken = await start({ reason: 'config.yml:3: poll.features: is empty' });
    expect(await curl(broken.url)).toBe('Not reloaded: config.yml:3: poll.features: is empty 500');
  });

  it('is off without the flag, and named in the answer', async () => {
    const { url, reloads } = await start({ enabled: false });
    expect(await curl(url)).toBe(
      'Reloading over HTTP is disabled; start with --web.enable-lifecycle, or send SIGHUP. 403',
    );
    expect(reloads()).toBe(0);
  });

  it('is not done by GET', async () => {
    const { url, reloads } = await start();
    expect(await curl(url, '-X', 'GET')).toBe('Only POST, PUT are allowed here. 405');
    expect(reloads()).toBe(0);
  });

  it.each([
    ['Sec-Fetch-Site: cross-site'],
    ['Sec-Fetch-Site: same-site'],
    ['Origin: http://elsewhere.example'],
    ['Origin: null'],
  ])('is refused with %s, also with a password', async (header) => {
    const { url, reloads } = await start({ access: users });
    expect(await curl(url, '-u', 'ops:right', '-H', header)).toBe(
      'A page of another site must not reload the configuration. 403',
    );
    expect(await curl(url, '-u', 'ops:right', '-H', 'Sec-Fetch-Site: same-origin', '-H', `Origin: ${url}`)).toBe(
      'Reloaded. 200',
    );
    expect(reloads()).toBe(1);
  });

  it('requires a user, if there are users', async () => {
    const { url, reloads } = await start({ access: users });
    expect(await curl(url)).toMatch(/ 401$/);
    expect(await curl(url, '-u', 'ops:wrong')).toMatch(/ 401$/);
    expect(reloads()).toBe(0);
  });

  it('requires a connection to loopback under a local name, if there are no users', async () => {
    const { url, reloads } = await start({ host: '0.0.0.0' });
    const anonymous = /^Only a user of the web config can reload .* 403$/;
    // the name of a page whose DNS entry was changed to this address
    expect(await curl(url, '-H', 'Host: elsewhere.example')).toMatch(anonymous);
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((address) => address?.family === 'IPv4' && !address.internal);
    if (outside !== undefined) expect(await curl(url.replace(/\d+(\.\d+){3}/, outside.address))).toMatch(anonymous);
    expect(reloads()).toBe(0);
    expect(await curl(url.replace(/\d+(\.\d+){3}/, 'localhost'))).toBe('Reloaded. 200');
  });

  it.runIf(peer('chromium'))('is refused to a form on a page of another site', async () => {
    const { url, reloads } = await start();
    const form = `<form method="post" action="${url}/-/reload"><button>win a prize</button></form>`;
    const evil = createServer((_, response) => response.setHeader('content-type', 'text/html').end(form));
    await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
    cleanup.add(() => evil.close());
    const browser = await startBrowser();
    cleanup.add(() => browser.close());
    const { page } = await browser.open(`http://localhost:${(evil.address() as AddressInfo).port}/`, views.desktop);
    await page.click('button');
    await page.waitForURL(`${url}/-/reload`);
    expect(await page.textContent('body')).toContain('A page of another site must not reload the configuration.');
    expect(reloads()).toBe(0);
  });
});
