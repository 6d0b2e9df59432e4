import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { startBrowser, type TestBrowser, views } from '../support/browser.ts';
import { type Dashboard, dashboards } from '../support/dashboards.ts';
import { createCleanup, eventually } from '../support/harness.ts';
import { root } from '../support/markdown.ts';
import { findProgram } from '../support/peers.ts';
import { startPrometheus } from '../support/start-prometheus.ts';
import { type BorrowedGrafana, borrowGrafana } from './borrowed-grafana.ts';
import { writePast } from './demo-past.ts';
import { busyZone, lacking, startDemo, startPages } from './served-pages.ts';
import { keepPictures, readDrawn, shownPictures, stalePictures } from './shown-pictures.ts';

/** `npm run pictures`: draws the pages of the demo and the dashboards. Look at them: no test does. */

const help = `npm run pictures -- [options]
Draws every page in each view to build/pictures, and replaces the pictures that the documentation shows.

  --grafana URL   draws the dashboards too, in ten minutes more, in a Grafana with the plugin Infinity that reaches 127.0.0.1 of
                  this host. What it gets for this is deleted at the end. GRAFANA_LOGIN is user:password, by default admin:admin
  --check         draws nothing, and lists the pictures that are older than what they show
`;

const folder = join(root, 'build/pictures');

/** How much of a page is drawn, CSS pixels. */
const heights = { desktop: 1100, phone: 1300, dark: 1100 } as const;

/** How long the demo runs before Licenses / Exporter is drawn, and the time range of its picture, minutes. */
const RECORDED = 6;

const cleanup = createCleanup();

/** @param height from the top, CSS pixels */
async function shoot(page: Page, name: string, height: number): Promise<void> {
  const path = join(folder, `${name}.png`);
  mkdirSync(dirname(path), { recursive: true });
  const { width } = page.viewportSize() ?? views.desktop;
  await page.setViewportSize({ width, height });
  await page.screenshot({ path });
  await page.close();
  const pngquant = findProgram('pngquant');
  if (pngquant !== undefined) execFileSync(pngquant, ['--force', '--output', path, '64', path]);
}

async function drawPages(browser: TestBrowser, demo: string): Promise<void> {
  for (const [name, url] of await startPages(cleanup, demo)) {
    for (const [view, seen] of Object.entries(views)) {
      const { page } = await browser.open(url, seen);
      await shoot(page, `pages/${name}-${view}`, heights[view as keyof typeof heights]);
    }
  }
}

/** Of a dashboard, CSS pixels: one unit of its grid, what is above and below the panels, and what is drawn below the last one. */
const layout = { unit: 38, around: 130, margin: 16 } as const;

const BOTTOM = `Math.ceil(Math.max(
  ...[...document.querySelectorAll('[data-testid^="data-testid Panel header"]')].map((panel) => panel.getBoundingClientRect().bottom)
))`;

const FAULTY = `[...document.querySelectorAll('[data-testid^="data-testid Panel header"]')]
  .filter((panel) => panel.querySelector('[data-testid*="Panel status error"]') !== null || /\\bNo data\\b/.test(panel.innerText))
  .map((panel) => panel.dataset.testid.replace('data-testid Panel header ', ''))`;

async function drawDashboard(
  browser: TestBrowser,
  grafana: BorrowedGrafana,
  { uid, panels }: Dashboard,
  timezoneId: string,
): Promise<void> {
  const url = grafana.urlOf(uid, {
    'var-vendor_license': lacking.vendorLicense,
    'var-feature': lacking.feature,
    ...(uid === 'license-exporter' && { from: `now-${RECORDED}m`, to: 'now' }),
  });
  // panels load where they are seen; a closed row has none to see
  const rows = Math.max(...panels.map(({ gridPos }) => gridPos.y + gridPos.h));
  const { page } = await browser.open(url, {
    ...views.desktop,
    height: rows * layout.unit + layout.around,
    timezoneId,
    extraHTTPHeaders: grafana.headers,
  });
  const open = panels.filter(({ type }) => type !== 'row').length;
  await page.waitForFunction(
    `document.querySelectorAll('[data-testid^="data-testid Panel header"]').length === ${open}`,
  );
  await page.waitForLoadState('networkidle');
  await page.waitForFunction(`document.querySelector('[aria-label="Panel loading bar"]') === null`);
  // what is drawn on a canvas does not say when it is complete
  await page.waitForTimeout(3000);
  const faulty = await page.evaluate<readonly string[]>(FAULTY);
  const name = `grafana-${uid.replace('license-', '')}`;
  await shoot(page, name, (await page.evaluate<number>(BOTTOM)) + layout.margin);
  if (faulty.length > 0) throw new Error(`an error or no data in build/pictures/${name}.png: ${faulty.join(', ')}`);
}

async function drawDashboards(browser: TestBrowser, url: string, demo: string, timeZone: string): Promise<void> {
  const target = { job: 'license-exporter', instance: new URL(demo).host };
  const until = Math.floor(Date.now() / 1000);
  const { vendorLicense } = lacking;
  const prometheus = await startPrometheus(cleanup, demo, {
    scrape: 'scrape_interval: 15s\n    scrape_timeout: 10s',
    past: (path) => writePast(path, { timeZone, target, vendorLicense, until }),
  });
  await eventually('a scrape', async () => (await prometheus.query('license_up')).length > 0);
  const complete = Date.now() + RECORDED * 60_000;
  const login = process.env.GRAFANA_LOGIN ?? 'admin:admin';
  const grafana = await borrowGrafana(cleanup, url, login, { prometheus: prometheus.url, exporter: demo });
  const isLast = ({ uid }: Dashboard): boolean => uid === 'license-exporter';
  for (const dashboard of dashboards.filter((one) => !isLast(one)))
    await drawDashboard(browser, grafana, dashboard, timeZone);
  process.stdout.write(`the last dashboard shows ${RECORDED} minutes of the exporter: waiting for them\n`);
  // time itself is what the picture needs
  await new Promise((resolve) => setTimeout(resolve, complete - Date.now()));
  for (const dashboard of dashboards.filter(isLast)) await drawDashboard(browser, grafana, dashboard, timeZone);
}

async function draw(grafana: string | undefined): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const timeZone = busyZone(new Date());
  const demo = await startDemo(cleanup, timeZone);
  const browser = await startBrowser();
  cleanup.add(() => browser.close());
  await drawPages(browser, demo);
  if (grafana !== undefined) await drawDashboards(browser, grafana, demo, timeZone);
  const old = keepPictures(folder);
  if (old.length > 0) process.stdout.write(`not drawn, and left as they are, without --grafana: ${old.join(', ')}\n`);
}

/** A stale picture is no failure: a comment in a page makes it stale, and not every host has a Grafana. */
function check(): void {
  const shown = shownPictures();
  const stale = stalePictures(shown, readDrawn());
  const found = stale.map((picture) => `older than what it shows: docs/images/${picture}\n`);
  process.stdout.write(
    `${found.join('')}${shown.length - stale.length} of ${shown.length} pictures are as new as what they show\n`,
  );
}

const { values } = parseArgs({
  options: {
    grafana: { type: 'string' },
    check: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) process.stdout.write(help);
else if (values.check) check();
else {
  try {
    await draw(values.grafana);
  } finally {
    await cleanup.run();
  }
}
