import { createCleanup } from '../support/harness.ts';
import { startChild } from './child.ts';
import type { NaiveExporterMethods } from './children/naive-exporter.ts';
import type { ScraperMethods } from './children/scraper.ts';
import { sizeOf, spentOn, startPolledSite } from './polled-site.ts';
import { readProcessorTime } from './processes.ts';
import { type Line, median } from './report.ts';
import { createSite } from './site.ts';

/**
 * Scrapes over HTTP: ours compressed, compared with prom-client, which creates the same series for each scrape. As many as the
 * daemon can answer, and as many as Prometheus sends: one for each poll.
 */

/** Series of a feature on the page. */
const SERIES_OF_A_FEATURE = 19;

const CONNECTIONS = 2;

/** @param duration milliseconds of load on each of the two */
export async function benchScrape(features: number, duration: number): Promise<Line[]> {
  const cleanup = createCleanup();
  try {
    const site = await startPolledSite(cleanup, features);
    const naive = startChild<NaiveExporterMethods>(cleanup, 'naive-exporter.ts');
    const { vendorLicenses } = createSite({ ...sizeOf(features), features: 0 });
    await naive.call('pollExpirations', site.base, vendorLicenses);
    await naive.call('poll', site.body);
    const url = await naive.call('serve');
    const scraper = startChild<ScraperMethods>(cleanup, 'scraper.ts');
    const load = { connections: CONNECTIONS, duration, encoding: 'gzip' } as const;
    // to warm up
    await scraper.call('scrape', { ...load, url: site.page, duration: Math.min(duration, 500) });
    const ours = await scraper.call('scrape', { ...load, url: site.page });
    const peer = await scraper.call('scrape', { ...load, url });
    const scrapeOnce = (page: string) => async (): Promise<void> => {
      await (await fetch(page, { headers: { 'accept-encoding': 'gzip' } })).arrayBuffer();
    };
    const paced = await spentOn(site.daemon, 3, async () => {
      await site.poll();
      await scrapeOnce(site.page)();
    });
    const before = readProcessorTime(naive.pid);
    await naive.call('poll', site.body);
    await scrapeOnce(url)();
    const pacedPeer = readProcessorTime(naive.pid) - before;
    const pacedOurs = median(paced.map(({ all }) => all)) / 1000;
    const series = (features * SERIES_OF_A_FEATURE).toLocaleString('en-US');
    return [
      {
        what: `G2 gzip scrapes, ${series} series`,
        ours: ours.scrapesPerSecond,
        peer: peer.scrapesPerSecond,
        unit: 'scrapes/s',
        ratio: ours.scrapesPerSecond / peer.scrapesPerSecond,
      },
      {
        what: `G2 processor of a poll and one gzip scrape, ${series} series`,
        ours: pacedOurs,
        peer: pacedPeer,
        unit: 'ms',
        ratio: pacedPeer / pacedOurs,
      },
    ];
  } finally {
    await cleanup.run();
  }
}
