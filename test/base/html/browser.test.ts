import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flawless, startBrowser, type TestBrowser, views } from '../../support/browser.ts';
import { createCleanup } from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';

/** The examination of pages finds what is wrong with them. */

const cleanup = createCleanup();
afterAll(() => cleanup.run());

async function serve(pages: Readonly<Record<string, string>>): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.setHeader('content-security-policy', "default-src 'none'");
    response.end(`<!doctype html><html lang="en"><head><title>t</title></head><main>${pages[url] ?? ''}</main></html>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.add(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe.runIf(peer('chromium'))('a page in a browser', () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await startBrowser();
    cleanup.add(() => browser.close());
  });

  it('is flawless only if nothing is wrong with it', async () => {
    const url = await serve({
      '/good': '<h1>h</h1>',
      '/broken': `<h1>h</h1><table><tr><td><div>on 2027-02-24 or 12,345,678 or EUR 5,000</div><bdi>lic-2027-02-24</bdi></td></tr></table>
<ul class="tiles"><li>${'x'.repeat(300)}</li></ul>`,
      '/bad': `<h1>h</h1><img src="x.png"><script>alert(1)</script><pre>${'wide'.repeat(500)}</pre>`,
    });
    expect(await browser.look(`${url}/good`, views.phone)).toMatchObject(flawless);
    const { broken } = await browser.look(`${url}/broken`, { ...views.phone, width: 60 });
    expect(broken).toEqual([
      expect.stringMatching(/^2027-02-24 in on 2027/),
      expect.stringMatching(/^EUR 5,000 in on 2027/),
      expect.stringMatching(/^beyond its place: xxx/),
    ]);
    const { violations, messages, overflow, height } = await browser.look(`${url}/bad`, views.phone);
    expect(violations).toEqual([expect.stringMatching(/^critical image-alt: img <img/)]);
    expect(messages).toEqual(expect.arrayContaining([expect.stringContaining('Content Security Policy')]));
    expect(overflow).toBeGreaterThan(1000);
    expect(height).toBeGreaterThanOrEqual(views.phone.height);
  });
});
