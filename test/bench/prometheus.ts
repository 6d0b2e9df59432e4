import { createCleanup, eventually } from '../support/harness.ts';
import { findProgram } from '../support/peers.ts';
import { type Prometheus, startPrometheus } from '../support/start-prometheus.ts';
import { startChild } from './child.ts';
import type { ScraperMethods } from './children/scraper.ts';
import { startPolledSite } from './polled-site.ts';
import type { Line } from './report.ts';
import type { Total } from './site.ts';

/** A real Prometheus that scrapes a large page. */

const MARGIN_MS = 60_000;

async function readValue({ query }: Prometheus, promql: string): Promise<number> {
  return Number((await query(promql))[0]?.[1] ?? Number.NaN);
}

/** @throws Error with the gauge whose number of series or sum in Prometheus is wrong */
async function checkTotals(prometheus: Prometheus, totals: Readonly<Record<string, Total>>): Promise<void> {
  for (const [name, { count, sum }] of Object.entries(totals)) {
    const found = [await readValue(prometheus, `count(${name})`), await readValue(prometheus, `sum(${name})`)];
    if (found[0] !== count || found[1] !== sum) {
      throw new Error(`${name} has ${found[0]} series with the sum ${found[1]}, not ${count} with ${sum}`);
    }
  }
}

export interface ScrapesByPrometheus {
  readonly features: number;
  /** Seconds between scrapes, which is also their timeout. */
  readonly interval: number;
  readonly scrapes: number;
}

/**
 * The time of a scrape by Prometheus, and how much of it is ours: the time of the same scrape by a client that only receives.
 * Prometheus must have the number of series, and their sum, that the analyzer sent.
 */
export async function benchPrometheus({ features, interval, scrapes }: ScrapesByPrometheus): Promise<Line[]> {
  if (findProgram('prometheus') === undefined) {
    process.stderr.write('scrapes by Prometheus are left out: apt-get install prometheus\n');
    return [];
  }
  const cleanup = createCleanup();
  try {
    const site = await startPolledSite(cleanup, features);
    await site.poll();
    const scrape = `scrape_interval: ${interval}s\n    scrape_timeout: ${interval}s`;
    const prometheus = await startPrometheus(cleanup, site.page, { scrape });
    const value = (promql: string): Promise<number> => readValue(prometheus, promql);
    await eventually(
      `${scrapes} good scrapes by Prometheus`,
      async () => (await value('sum_over_time(up[1h])')) >= scrapes,
      { within: (scrapes + 1) * interval * 1000 + MARGIN_MS, every: 250 },
    );
    await checkTotals(prometheus, await site.analyzer.call('totals'));
    // the first scrape takes longest, because it creates the series
    const first = await value('max_over_time(scrape_duration_seconds[1h])');
    const later = 1000 * (await value('min_over_time(scrape_duration_seconds[1h])'));
    const samples = (await value('scrape_samples_scraped')).toLocaleString('en-US');
    const scraper = startChild<ScraperMethods>(cleanup, 'scraper.ts');
    const load = { url: site.page, encoding: 'gzip', connections: 1, duration: 1000 } as const;
    const { time } = await scraper.call('scrape', load);
    return [
      {
        what: `G9 our share of a scrape of ${samples} samples (peer: the scrape by Prometheus)`,
        ours: time,
        peer: later,
        unit: 'ms',
        ratio: later / time,
      },
      {
        what: `first scrape of ${samples} samples by Prometheus (peer: its timeout)`,
        ours: first,
        peer: interval,
        unit: 's',
        ratio: interval / first,
      },
    ];
  } finally {
    await cleanup.run();
  }
}
