import { createCleanup } from '../support/harness.ts';
import { startChild } from './child.ts';
import type { ScraperMethods } from './children/scraper.ts';
import { measurePolls } from './poll.ts';
import { startPolledSite } from './polled-site.ts';
import { readMemory } from './processes.ts';
import { type Line, median } from './report.ts';

/** How the cost of a site grows with its size: each figure is compared with ten times that of a site with a tenth of it. */

const MB = 2 ** 20;

async function measure(features: number, runs: number) {
  const cleanup = createCleanup();
  try {
    const site = await startPolledSite(cleanup, features);
    const body = (await site.analyzer.call('bytes')) / MB;
    const { main, all } = await measurePolls(site, runs);
    const memory = readMemory(site.daemon.pid);
    const scraper = startChild<ScraperMethods>(cleanup, 'scraper.ts');
    const scrape = async (encoding: 'gzip' | 'identity') => {
      const results = [];
      for (let i = 0; i <= runs; i += 1) {
        results.push(await scraper.call('scrape', { url: site.page, encoding, connections: 1, duration: 0 }));
      }
      return { time: median(results.map(({ time }) => time)), size: (results[0]?.bytes ?? 0) / MB };
    };
    const [plain, gzip] = [await scrape('identity'), await scrape('gzip')];
    return {
      'body of GetFeatures': [body, 'MB'],
      'all threads in a poll': [all, 'ms'],
      'main thread in a poll': [main, 'ms'],
      memory: [memory.now / MB, 'MB'],
      'memory, peak': [memory.peak / MB, 'MB'],
      'plain page': [plain.size, 'MB'],
      'gzip page': [gzip.size, 'MB'],
      'plain scrape': [plain.time, 'ms'],
      'gzip scrape': [gzip.time, 'ms'],
    } satisfies Record<string, readonly [value: number, unit: string]>;
  } finally {
    await cleanup.run();
  }
}

/** @param sizes numbers of features, each ten times the one before */
export async function benchScaling(sizes: readonly number[], runs: number): Promise<Line[]> {
  const figures: { size: number; of: Awaited<ReturnType<typeof measure>> }[] = [];
  for (const size of sizes) figures.push({ size, of: await measure(size, runs) });
  return figures.slice(1).flatMap(({ size, of }, at) => {
    const smaller = figures[at];
    if (smaller === undefined) return [];
    return Object.entries(of).map(([name, [ours, unit]]): Line => {
      const peer = 10 * (smaller.of[name as keyof typeof of][0] as number);
      const [a, b] = [size, smaller.size].map((count) => count.toLocaleString('en-US'));
      return { what: `scaling: ${name}, ${a} features (peer: 10 × ${b})`, ours, peer, unit, ratio: peer / ours };
    });
  });
}
