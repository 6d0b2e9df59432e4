import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { peer } from '../support/peers.ts';
import type { Line } from './report.ts';

const main = join(import.meta.dirname, 'main.ts');

it.runIf(peer('prometheus', 'prometheus-alertmanager'))(
  'the benchmarks run, and ours and the peer say the same',
  { timeout: 120_000 },
  () => {
    const sizes = ['--features=3', '--days=15', '--interval=900', '--live-features=100', '--alerts=1000', '--runs=1'];
    const lines = JSON.parse(
      execFileSync(process.execPath, ['--expose-gc', main, ...sizes, '--json'], { encoding: 'utf8' }),
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
      'decoding GetFeatures',
      '50 panels at once with 10 questions',
      'a panel from the cache',
      'a scrape while 50 panels wait for an analyzer that hangs (peer',
      '1000 alerts firing',
      '1000 alerts firing',
      '1000 alerts firing',
    ]);
    for (const { ours, peer, ratio } of lines) {
      for (const figure of [ours, peer, ratio]) expect(figure).toBeGreaterThan(0);
    }
  },
);
