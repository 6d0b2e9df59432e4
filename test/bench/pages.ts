import { createCleanup, eventually } from '../support/harness.ts';
import type { BuiltDaemon } from './built-daemon.ts';
import { startPolledSite } from './polled-site.ts';
import { type Line, median } from './report.ts';

/** The pages for people on a large site, against the processor time that they may take. */

/** Milliseconds and bytes. */
const bounds = { time: 50, block: 25, collection: 10, size: 200_000 } as const;

interface Loaded {
  /** Processor time of the main thread of the daemon, milliseconds. */
  readonly time: number;
  readonly bytes: number;
}

async function load(daemon: BuiltDaemon, url: string): Promise<Loaded> {
  const before = await daemon.call('cpu');
  const response = await fetch(url);
  const { byteLength } = await response.arrayBuffer();
  if (!response.ok) throw new Error(`${url} was answered ${response.status}`);
  const after = await daemon.call('cpu');
  return { time: (after.main - before.main) / 1000, bytes: byteLength };
}

/** @param runs how often each page is loaded, each time after a poll with changed records */
export async function benchPages(features: number, runs: number): Promise<Line[]> {
  const cleanup = createCleanup();
  try {
    const { daemon, page, poll } = await startPolledSite(cleanup, features);
    const origin = new URL(page).origin;
    await eventually('the expiries are known', async () => (await fetch(`${origin}/expirations.csv`)).ok);
    const products = (await (await fetch(`${origin}/grafana/rows/products?top=1`)).json()) as {
      rows: { product: string }[];
    };
    const vendorLicense = encodeURIComponent(products.rows[0]?.product ?? '');
    const pages = {
      'status page, first after a poll': '/',
      'status page, again': '/',
      'filter of the status page': '/?q=1',
      'page of a vendor license': `/vendor-license?name=${vendorLicense}`,
      'page of alerts': '/alerts',
    };
    const loaded = new Map<string, Loaded[]>();
    let block = 0;
    let collection = 0;
    for (let run = 0; run <= runs; run += 1) {
      await poll();
      await daemon.call('watchTurns');
      for (const [name, path] of Object.entries(pages)) {
        const one = await load(daemon, `${origin}${path}`);
        // the first run compiles
        if (run > 0) loaded.set(name, [...(loaded.get(name) ?? []), one]);
      }
      const longest = await daemon.call('longestTurn');
      if (run === 0 || longest === undefined) continue;
      block = Math.max(block, longest.block);
      collection = Math.max(collection, longest.collection);
    }
    const what = (name: string): string => `pages of ${features} features: ${name}`;
    const sizes = [...loaded.values()].flat().map(({ bytes }) => bytes);
    const largest = sizes.reduce((a, b) => Math.max(a, b), 0);
    return [
      ...[...loaded].map(([name, all]): Line => {
        const ours = median(all.map(({ time }) => time));
        return { what: what(name), ours, peer: bounds.time, unit: 'ms', ratio: bounds.time / ours };
      }),
      { what: what('longest block'), ours: block, peer: bounds.block, unit: 'ms', ratio: bounds.block / block },
      {
        what: what('longest garbage collection meanwhile'),
        ours: collection,
        peer: bounds.collection,
        unit: 'ms',
        ratio: bounds.collection / collection,
      },
      { what: what('largest'), ours: largest, peer: bounds.size, unit: 'bytes', ratio: bounds.size / largest },
    ];
  } finally {
    await cleanup.run();
  }
}
