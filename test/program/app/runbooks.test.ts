import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runbookContent } from '../../../src/site/pages/runbooks/route.ts';
import { drawnViews, flawless, startBrowser, type TestBrowser } from '../../support/browser.ts';
import { createCleanup, createConfig, startApp } from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';

/** The page `/runbooks`, to which alerts link. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const markdown = readFileSync(join(import.meta.dirname, '../../../deploy/runbooks.md'), 'utf8');
const names = [...markdown.matchAll(/^## (\w+)$/gm)].map(([, name = '']) => name);

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-runbooks-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A daemon whose analyzer does not answer: the runbooks are needed then too. */
async function start(settings: Parameters<typeof createConfig>[1] = {}) {
  const app = await startApp(createConfig('http://127.0.0.1:9/analyzer', settings));
  cleanup.add(() => app.stop());
  return app;
}

describe('/runbooks', () => {
  it('has the section of each alert at the anchor of its link, and lists them', async () => {
    const { url } = await start();
    const response = await fetch(`${url}/runbooks`);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'; style-src 'self'");
    const html = await response.text();
    expect(names.length).toBeGreaterThan(20);
    for (const name of names) {
      expect(html.split(`<h2 id="${name.toLowerCase()}">`)).toHaveLength(2);
      expect(html).toContain(`<li><a href="#${name.toLowerCase()}">${name}</a></li>`);
    }
    expect(html).toContain('<p><strong>Condition.</strong> GetServerDown lists the vendor license');
    expect(html).toContain('<code>lmreread</code>');
    // everything is rendered
    expect(html).not.toMatch(/\*\*|^#|`/m);
  });

  it('is linked from the landing page and from the page of alerts', async () => {
    const { url } = await start();
    expect(await (await fetch(`${url}/`)).text()).toContain('<a href="runbooks">');
    expect(await (await fetch(`${url}/alerts`)).text()).toContain('<a href="runbooks">');
  });

  it('is protected as every other page is', async () => {
    const webConfig = join(temporaryFolder(), 'web.yml');
    writeFileSync(webConfig, `basic_auth_users: {grafana: '${hashSync('secret', 4)}'}\n`);
    const { url } = await start({ 'web.config_file': webConfig });
    const authorization = `Basic ${Buffer.from('grafana:secret').toString('base64')}`;
    const refused = await fetch(`${url}/runbooks`);
    expect([refused.status, refused.headers.get('content-type')]).toEqual([401, 'text/plain; charset=utf-8']);
    expect((await fetch(`${url}/runbooks`, { headers: { authorization } })).status).toBe(200);
  });

  it('has no links that work only in the repository', () => {
    const content = String(runbookContent(markdown));
    const targets = [...content.matchAll(/href="([^"]*)"/g)].map(([, target = '']) => target);
    const anchors = new Set(names.map((name) => `#${name.toLowerCase()}`));
    expect(targets.filter((target) => !anchors.has(target) && !/^https:\/\//.test(target))).toEqual([]);
  });

  describe.runIf(peer('chromium'))('in a browser', () => {
    let browser: TestBrowser;
    beforeAll(async () => {
      browser = await startBrowser();
    });
    afterAll(() => browser.close());

    it.each(Object.entries(drawnViews))('is flawless: %s', async (_, view) => {
      const { url } = await start();
      expect(await browser.look(`${url}/runbooks#licenseexpired`, view)).toMatchObject(flawless);
    });
  });
});
