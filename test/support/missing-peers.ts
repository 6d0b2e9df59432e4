import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Global setup of the test run: collects the missing peers, and lists them at the end. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-peers-'));
  const list = join(folder, 'missing');
  process.env.MISSING_PEERS_FILE = list;
  return () => {
    const missing = existsSync(list) ? [...new Set(readFileSync(list, 'utf8').trim().split('\n'))] : [];
    if (missing.length > 0)
      process.stdout.write(`\nLeft out, because a peer is not installed:\n  ${missing.join('\n  ')}\n`);
    rmSync(folder, { recursive: true, force: true });
  };
}
