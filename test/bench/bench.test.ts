import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Line } from './report.ts';

const main = join(import.meta.dirname, 'main.ts');

it('the benchmarks run, and ours and the peer say the same', () => {
  const sizes = ['--features=3', '--days=15', '--interval=900', '--live-features=100', '--runs=1', '--quick'];
  // the cheap ones: CI runs all of them, and findShortfalls looks at the figures of each
  const only = ['G8', 'served', 'G5'].map((word) => `--only=${word}`);
  const lines = JSON.parse(
    execFileSync(process.execPath, ['--expose-gc', main, ...sizes, ...only, '--json'], { encoding: 'utf8' }),
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
  ]);
  for (const { ours, peer, ratio } of lines) {
    for (const figure of [ours, peer, ratio]) expect(figure).toBeGreaterThan(0);
  }
});
