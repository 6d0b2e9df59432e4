import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { peer } from '../support/peers.ts';
import type { Line } from './report.ts';

const main = join(import.meta.dirname, 'main.ts');

it.runIf(peer('prometheus', 'prometheus-alertmanager'))(
  'the benchmarks run, and ours and the peer say the same',
  { timeout: 300_000 },
  () => {
    const sizes = ['--features=3', '--days=15', '--interval=900', '--live-features=100', '--alerts=1000', '--runs=1'];
    // CI runs all of them
    const only = ['G8', 'served', 'G5', 'panels', 'alerts', 'G6', 'G11', 'A8'].map((word) => `--only=${word}`);
    const polled = ['--site-features=100', '--vendor-licenses=4', '--sources=1', '--quick'];
    const lines = JSON.parse(
      execFileSync(process.execPath, ['--expose-gc', main, ...sizes, ...only, ...polled, '--json'], {
        encoding: 'utf8',
      }),
    ) as Line[];
    expect(lines.map(({ what }) => what.replace(/[,:].*/, ''))).toEqual([
      'daily trend',
      'daily trends one by one',
      'heat map',
      'efficiency',
      'recording 3 features',
      'adding 3 features',
      'size',
      'GetFeatures product=%',
      'GetFeatures product=%',
      'G5 decoding GetFeatures',
      '50 panels at once with 10 questions',
      'a panel from the cache',
      'a scrape while 50 panels wait for an analyzer that hangs (peer',
      '1000 alerts firing',
      '1000 alerts firing',
      '1000 alerts firing',
      'G3 longest block of the event loop in a poll of 100 features',
      'G3 idle daemon',
      'G3 longest block in a poll of 100 features',
      'G3 p99 of a scrape in a poll of 100 features (peer',
      'G4 memory of 100 features',
      'G4 memory of 100 features',
      'G10 main thread in a poll of 100 features',
      'G10 main thread in a poll of 100 features',
      'G10 receiving the bytes with bare net (peer',
      'G11 all threads in a poll of 100 features',
      'G6 poll of 4 vendor licenses (peer',
      'G6 poll of 4 vendor licenses (peer',
      'G6 processor',
      'A8 CPU of a collection',
      'A8 p99 delay of a collection',
      'A8 longest block of a collection',
      'A8 CPU of a collection',
      'A8 p99 delay of a collection',
      'A8 longest block of a collection',
      'A8 CPU of a collection',
      'A8 p99 delay of a collection',
      'A8 longest block of a collection',
      'A8 CPU of a collection',
      'A8 p99 delay of a collection',
      'A8 longest block of a collection',
      'A8 CPU of a collection',
      'A8 p99 delay of a collection',
      'A8 longest block of a collection',
      'A8 memory after 100 collections (peer',
    ]);
    // a daemon with few features can have less memory than before its first poll
    for (const { ours, peer, ratio } of lines.filter(({ what }) => !what.startsWith('G4'))) {
      for (const figure of [ours, peer, ratio]) expect(figure).toBeGreaterThan(0);
    }
  },
);
