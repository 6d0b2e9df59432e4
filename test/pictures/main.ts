import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalTime } from '../../src/base/model/local-time.ts';
import { startBrowser, views } from '../support/browser.ts';
import { startCollectingApp } from '../support/collecting-app.ts';
import { createFakeSite, fakeLmutil } from '../support/fake-license-tools/fake-site.ts';
import { createCleanup, eventually } from '../support/harness.ts';
import { createLargeSite } from '../support/license-site/large-site.ts';
import { renderLmstat, renderLmstatInventory } from '../support/license-site/render-lmstat.ts';
import { findProgram } from '../support/peers.ts';
import { brokenPromises } from '../support/readme-demo.ts';
import { createRunner } from '../support/run.ts';

/** `npm run pictures`: draws every page in every view, for docs/pages.md. Look at them: no test does. */

const folder = join(import.meta.dirname, '../../docs/images/pages');

/** How much of a page is drawn, CSS pixels. */
const heights = { desktop: 1100, phone: 1300, dark: 1100 } as const;

const cleanup = createCleanup();
const { run } = createRunner(cleanup);

/** The demo, when its advice is there: its pages are then complete. */
async function startDemo(): Promise<string> {
  const listen = ['--web.listen-address=127.0.0.1:0', '--embedded-analyzer.listen-address=127.0.0.1:0'];
  const demo = run(['demo', '--log.format=json', ...listen]);
  const { address } = await demo.line('listening');
  await eventually('the advice', async () => (await fetch(`${address}/rightsizing`)).ok, { every: 1000 });
  return String(address);
}

/** An exporter with two license managers, one of which cannot be read. */
async function startSources(): Promise<string> {
  const temporary = mkdtempSync(join(tmpdir(), 'license-exporter-pictures-'));
  cleanup.add(() => rmSync(temporary, { recursive: true, force: true }));
  const tools = createFakeSite(join(temporary, 'site'));
  const now = Math.floor(Date.now() / 1000);
  const site = createLargeSite({ features: 12, users: 3, now, host: 'lic1', daemon: 'flexd' });
  const localTime = createLocalTime('UTC');
  tools.print('27000@lic1', renderLmstat(site, localTime));
  tools.print('27000@lic1', renderLmstatInventory(site, localTime), 'i');
  const source = (name: string, command: string, server: string): object => ({
    name,
    manager: 'flexnet',
    servers: [server],
    via: { command },
    env: tools.env,
  });
  const sources = [source('cad', fakeLmutil, '27000@lic1'), source('eda', '/opt/flexlm/lmutil', '27000@lic2')];
  const { url, health } = await startCollectingApp(cleanup, sources);
  await eventually('the first collection', () => health().every(({ up }) => up !== undefined));
  return url;
}

/** The feature of the demo that lacks licenses. */
const vendorLicense = 'demo-lic01;caddsd';
const feature = 'cad_assembly';

async function draw(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const [demo, sources] = [await startDemo(), await startSources()];
  const broken = brokenPromises(await (await fetch(`${demo}/`)).text());
  if (broken.length > 0) throw new Error(`README promises what the demo does not show: ${broken.join(', ')}`);
  const pages = {
    status: `${demo}/`,
    'vendor-license': `${demo}/vendor-license?${new URLSearchParams({ name: vendorLicense })}`,
    feature: `${demo}/feature?${new URLSearchParams({ vendor_license: vendorLicense, feature })}`,
    alerts: `${demo}/alerts`,
    rightsizing: `${demo}/rightsizing`,
    contracts: `${demo}/contracts`,
    runbooks: `${demo}/runbooks`,
    sources: `${sources}/sources`,
  };
  const browser = await startBrowser();
  cleanup.add(() => browser.close());
  for (const [name, url] of Object.entries(pages)) {
    for (const [view, { width, ...others }] of Object.entries(views)) {
      const { page } = await browser.open(url, { width, ...others });
      const path = join(folder, `${name}-${view}.png`);
      await page.setViewportSize({ width, height: heights[view as keyof typeof heights] });
      await page.screenshot({ path });
      await page.close();
      const pngquant = findProgram('pngquant');
      if (pngquant !== undefined) execFileSync(pngquant, ['--force', '--output', path, '64', path]);
    }
  }
}

try {
  await draw();
} finally {
  await cleanup.run();
}
