import { createCleanup, eventually } from '../support/harness.ts';
import { findProgram } from '../support/peers.ts';
import { type Prometheus, startPrometheus } from '../support/start-prometheus.ts';
import { startChild } from './child.ts';
import type { ScraperMethods } from './children/scraper.ts';
import { startPolledSite } from './polled-site.ts';
import type { Line } from './report.ts';
import { SERIES_OF_A_FEATURE } from './scrape.ts';

/** A real Prometheus that scrapes a large page. */

function isMissing(): boolean {
  if (findProgram('prometheus') !== undefined) return false;
  process.stderr.write('Prometheus is left out: apt-get install prometheus\n');
  return true;
}

const every = (seconds: number): string => `scrape_interval: ${seconds}s\n    scrape_timeout: ${seconds}s`;

async function readValue({ query }: Prometheus, promql: string): Promise<number> {
  return Number((await query(promql))[0]?.[1] ?? Number.NaN);
}

/** Waits until Prometheus has scraped. The first scrape of an interval can be late by the whole interval. */
const untilScraped = (prometheus: Prometheus, scrapes: number, interval: number): Promise<void> =>
  eventually(
    `${scrapes} scrapes by Prometheus`,
    async () => (await readValue(prometheus, 'sum_over_time(up[1h])')) >= scrapes,
    (scrapes + 3) * interval * 1000,
    250,
  );

/**
 * The time of a scrape by Prometheus, and how much of it is ours: the time of the same scrape by a client that only receives.
 *
 * @param interval seconds, longer than the first scrape takes
 */
export async function benchShare(features: number, interval: number): Promise<Line[]> {
  if (isMissing()) return [];
  const cleanup = createCleanup();
  try {
    const site = await startPolledSite(cleanup, features);
    const prometheus = await startPrometheus(cleanup, site.page, { scrape: every(interval) });
    await untilScraped(prometheus, 4, interval);
    // the first scrape takes longest, because it creates the series
    const theirs = 1000 * (await readValue(prometheus, 'min_over_time(scrape_duration_seconds[1h])'));
    const scraper = startChild<ScraperMethods>(cleanup, 'scraper.ts');
    const load = { url: site.page, encoding: 'gzip', connections: 1, duration: 1000 } as const;
    const { time: ours } = await scraper.call('scrape', load);
    const series = (features * SERIES_OF_A_FEATURE).toLocaleString('en-US');
    return [
      {
        what: `G9 our share of a scrape, ${series} series (peer: the scrape by Prometheus)`,
        ours,
        peer: theirs,
        unit: 'ms',
        ratio: theirs / ours,
      },
    ];
  } finally {
    await cleanup.run();
  }
}

/**
 * Prometheus must have the values that the analyzer sent.
 *
 * @param interval seconds between scrapes, which is also their timeout
 * @throws Error with the gauge whose number of series or sum is wrong
 */
export async function benchSums(features: number, interval: number): Promise<Line[]> {
  if (isMissing()) return [];
  const cleanup = createCleanup();
  try {
    const site = await startPolledSite(cleanup, features);
    await site.poll();
    const prometheus = await startPrometheus(cleanup, site.page, { scrape: every(interval) });
    await untilScraped(prometheus, 1, interval);
    const totals = Object.entries(await site.analyzer.call('totals'));
    for (const [name, { count, sum }] of totals) {
      const found = [await readValue(prometheus, `count(${name})`), await readValue(prometheus, `sum(${name})`)];
      if (found[0] !== count || found[1] !== sum) {
        throw new Error(`${name} has ${found[0]} series with the sum ${found[1]}, not ${count} with ${sum}`);
      }
    }
    const seconds = await readValue(prometheus, 'scrape_duration_seconds');
    const samples = await readValue(prometheus, 'scrape_samples_scraped');
    const series = Math.round(samples).toLocaleString('en-US');
    return [
      {
        what: `sums of ${totals.length} gauges in Prometheus, ${series} samples: first scrape (peer: its timeout)`,
        ours: seconds,
        peer: interval,
        unit: 's',
        ratio: interval / seconds,
      },
    ];
  } finally {
    await cleanup.run();
  }
}
